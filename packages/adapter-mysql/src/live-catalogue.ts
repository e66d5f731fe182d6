import type { CatalogueCollection } from '@habeas/core'
import {
  type Ask,
  type ForeignKeyPartRow,
  failure,
  incomingForeignKeys,
  type KeyPartRow,
  type ListedTables,
  listedCatalogue,
  type SqlCatalogue,
  type SqlTable,
} from '@habeas/sql'
import { type CatalogueLists, type ColumnRow, catalogueLists, type IndexPartRow } from './catalogue-lists.js'
import { hiddenKeys } from './hidden-keys.js'
import { isLoose, labelsOf, liveColumn, type MysqlColumn, type MysqlListedColumn } from './live-column.js'
import type { ServerKind } from './server-version.js'
import { factsOf, type TableFacts } from './table-facts.js'
import { knownViews } from './view-tables.js'

/** Reads the tables of a database from the information schema. */
export function liveCatalogue(kind: ServerKind, schema: string): SqlCatalogue<MysqlColumn> {
  const lists = catalogueLists(kind, schema)
  const list = async (ask: Ask, one?: string) => listed(lists, ask, one)

  function catalogueOf(tables: Listed) {
    return listedCatalogue<MysqlListedColumn, MysqlColumn>({
      schema,
      list: async () => tables,
      live: liveColumn,
      isLoose,
    })
  }

  const withFacts = (table: SqlTable<MysqlColumn>, facts: TableFacts | undefined): SqlTable<MysqlColumn> =>
    facts?.alone ? { ...table, alone: true, lockable: false } : table

  return {
    async table(collection, ask) {
      const tables = await list(ask, collection)
      const table = await catalogueOf(tables).table(collection, ask)
      if (!table) return undefined
      const facts = factsOf(await lists.facts(ask, collection), await lists.enginesWithTransactions(ask), schema)
      const known = facts.get(collection)
      return withFacts(known?.isView ? { ...table, lockable: false } : table, known)
    },
    async describe(ask) {
      const allFacts = factsOf(await lists.facts(ask), await lists.enginesWithTransactions(ask), schema)
      if (allFacts.size === 0 && !(await lists.exists(ask))) throw schemaFailure(schema)
      const views = [...allFacts].filter(([, { isView }]) => isView).map(([name]) => name)
      const known = knownViews(views.length > 0 ? await lists.views(ask) : [], await lists.names(ask))
      const all = await list(ask)
      // a sequence of MariaDB has columns as well
      const tables = { ...all, columns: all.columns.filter(({ collection }) => allFacts.has(collection)) }
      const rows = views.map((name) => ({ collection: name, ...known.viewOf(schema, name) }))
      const { catalogue, tables: live } = await catalogueOf({ ...tables, views: rows }).describe(ask)
      const elsewhere = await lists.incoming(ask)
      const own = all.foreignKeyParts.map(({ key }) => ({ tableSchema: schema, key }))
      const hidden = await hiddenKeys(ask, kind, schema, [...own, ...elsewhere])
      const triggers = await lists.triggers(ask)
      const incoming = incomingForeignKeys([...elsewhere, ...(hidden ?? [])])
      const columns = new Map(
        tables.columns.map((column) => [JSON.stringify([column.collection, column.name]), column]),
      )
      const collections = catalogue.collections.map((collection): CatalogueCollection => {
        const { name } = collection
        const keys = incoming.get(name)
        const byUser = known.dependsOnUser(schema, name)
        const facts = allFacts.get(name)?.known
        const own = triggers.filter(([table]) => table === name).map(([, name]) => ({ name, kind: 'trigger' as const }))
        const keptIn = [...(facts?.keptIn ?? []), ...own]
        return {
          ...collection,
          columns: collection.columns.map((column) => {
            const listedColumn = columns.get(JSON.stringify([name, column.name])) as MysqlListedColumn
            const own = live.get(name)?.columns.get(column.name)
            const folded = own?.folds === true && own.indexed === true
            const { length: _, ...rest } = column
            const labels = labelsOf(listedColumn)
            return { ...(labels.values ? rest : column), ...labels, ...(folded && { foldedIndex: 'case' as const }) }
          }),
          ...facts,
          ...(keptIn.length > 0 && { keptIn }),
          ...(keys && { incomingForeignKeys: keys }),
          ...(hidden === undefined && !allFacts.get(name)?.isView && { referencesUnknown: howToBeTold }),
          ...(byUser && { hidesRows: true as const }),
          ...(byUser === 'unknown' && { policiesUnknown: true as const }),
        }
      })
      return {
        catalogue: { collections },
        tables: new Map([...live].map(([name, table]) => [name, withFacts(table, allFacts.get(name))])),
      }
    },
  }
}

const howToBeTold =
  'Grant it PROCESS, which tells them all, or SELECT on every table that refers to its tables, in other databases too.'

type Listed = ListedTables<MysqlListedColumn>

async function listed(lists: CatalogueLists, ask: Ask, one?: string): Promise<Listed> {
  const documents = await lists.documents(ask, one)
  const all = await lists.columns(ask, one)
  const tables = new Map<string, string>()
  for (const { collection } of all) tables.set(collection.toLowerCase(), collection)
  const names = new Set(tables.values())
  const indexParts = await lists.indexParts(ask, one)
  const foreignKeys = await lists.foreignKeys(ask, one)
  const named = new Set(
    [...indexParts.filter(({ unique }) => unique), ...foreignKeys].map(({ collection, column }) =>
      JSON.stringify([collection, column]),
    ),
  )
  const periods = new Set(all.filter(isPeriod).map(({ collection, name }) => JSON.stringify([collection, name])))
  return {
    columns: all.map((column) => listedColumn(column, documents, named)),
    keyParts: keyParts(indexParts, periods),
    // a server that ignores the case of names may write that of a referenced table otherwise
    foreignKeyParts: foreignKeys.map(({ tableSchema, onUpdate, ...part }): ForeignKeyPartRow => {
      const { referencedCollection: to } = part
      const isHere = part.schema === tableSchema && !names.has(to)
      return {
        ...part,
        ...(isHere && { referencedCollection: tables.get(to.toLowerCase()) ?? to }),
        ...(onUpdate !== 'no action' && { onUpdate }),
      }
    }),
  }
}

function listedColumn(
  { extra, generation: _, ...column }: ColumnRow,
  documents: ReadonlySet<string>,
  keys: ReadonlySet<string>,
): MysqlListedColumn {
  const { collection, name, dataType } = column
  return {
    ...column,
    generated: /(?:VIRTUAL|STORED|PERSISTENT) GENERATED/i.test(extra),
    rewritten: /(?:VIRTUAL|STORED|PERSISTENT) GENERATED|on update/i.test(extra),
    isKey: keys.has(JSON.stringify([collection, name])),
    json: dataType === 'json' || documents.has(JSON.stringify([collection, name])),
  }
}

/** Whether a column says from when to when a row of a versioned table holds. Its end is a part of every unique key. */
function isPeriod({ generation }: ColumnRow): boolean {
  return generation === 'ROW START' || generation === 'ROW END'
}

function keyParts(rows: readonly IndexPartRow[], periods: ReadonlySet<string>): KeyPartRow[] {
  const keys = new Map<string, IndexPartRow[]>()
  for (const row of rows) {
    if (row.method !== 'BTREE' && row.method !== 'HASH') continue
    if (row.column !== null && periods.has(JSON.stringify([row.collection, row.column]))) continue
    const key = JSON.stringify([row.collection, row.key])
    keys.set(key, [...(keys.get(key) ?? []), row])
  }
  return [...keys.values()].flatMap((unordered) => {
    const parts = unordered.sort((one, other) => one.position - other.position)
    const end = parts.findIndex(({ column }) => column === null)
    const isUnique = parts.every(({ unique, whole, column }) => unique && whole && column !== null)
    return (end < 0 ? parts : parts.slice(0, end)).map(({ collection, key, column }, at): KeyPartRow => {
      const use = !isUnique ? 'index' : key === 'PRIMARY' ? 'primary' : 'unique'
      return { collection, key, column: column as string, position: at + 1, use }
    })
  })
}

function schemaFailure(schema: string) {
  return failure(
    'database_missing',
    `The server has no database "${schema}", or the user may not see it: check database.`,
  )
}
