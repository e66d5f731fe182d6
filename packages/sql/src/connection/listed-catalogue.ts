import type { Column } from '@habeas/core'
import { assembleCatalogue, type CatalogueRows, grouped, type KeyPartRow } from '../assemble-catalogue.js'
import type { SqlColumn, SqlTable } from '../dialect.js'
import type { Ask } from './driver-errors.js'
import type { SqlCatalogue } from './sql-connection.js'

/** A column as a server lists it. Booleans may be numbers, and any type may have a `length`. */
export interface ListedColumn {
  readonly collection: string
  readonly name: string
  readonly position: number
  readonly type: string
  readonly nullable: boolean | number
  readonly length?: number | null
  readonly generated?: boolean | number | null
  readonly rewritten?: boolean | number | null
}

/** The tables of a schema as a server lists them, in any order. */
export interface ListedTables<Listed extends ListedColumn>
  extends Pick<CatalogueRows, 'keyParts' | 'foreignKeyParts' | 'views'> {
  readonly columns: readonly Listed[]
}

/** What a server's lists mean. */
export interface ListedCatalogueOptions<Listed extends ListedColumn, Live extends SqlColumn> {
  readonly schema: string
  /** Asks for the lists of all tables, or of one where it is named. */
  list(ask: Ask, collection?: string): Promise<ListedTables<Listed>>
  /** Returns what statements need to know of a column. */
  live(column: Listed): Omit<Live, Exclude<keyof SqlColumn, 'kind' | 'comparesLoosely'>>
  /** Returns whether a foreign key from one to the other may hold values equal that read differently. Default: it may not. */
  isLoose?(column: Live, to: Live): boolean
}

/** Returns a catalogue for servers that list their tables as flat rows. */
export function listedCatalogue<Listed extends ListedColumn, Live extends SqlColumn>(
  options: ListedCatalogueOptions<Listed, Live>,
): SqlCatalogue<Live> {
  const { schema, list, live, isLoose } = options

  function tablesOf(listed: ListedTables<Listed>): Map<string, SqlTable<Live>> {
    const columns = grouped(listed.columns, ({ collection }) => collection)
    const parts = grouped(listed.keyParts, ({ collection }) => collection)
    const views = new Set(listed.views?.map(({ collection }) => collection))
    return new Map(
      [...columns].map(([name, columns]) => [name, liveTable(name, columns, parts.get(name) ?? [], !views.has(name))]),
    )
  }

  function liveTable(
    name: string,
    columns: readonly Listed[],
    parts: readonly KeyPartRow[],
    lockable: boolean,
  ): SqlTable<Live> {
    const indexed = new Set(parts.filter(({ position }) => position === 1).map(({ column }) => column))
    const nullable = new Set(columns.filter((column) => column.nullable).map((column) => column.name))
    return {
      path: [schema, name],
      columns: new Map(
        columns.map((column) => {
          const { name, generated } = column
          const known = { name, indexed: indexed.has(name), ...(generated && { generated: true }) }
          return [name, { ...known, ...live(column) } as unknown as Live]
        }),
      ),
      rowKeys: keysOf(parts).filter((key) => !key.some((column) => nullable.has(column))),
      lockable,
    }
  }

  return {
    async table(collection, ask) {
      return tablesOf(await list(ask, collection)).get(collection)
    },
    async describe(ask) {
      const listed = await list(ask)
      const tables = tablesOf(listed)
      const columns = [...listed.columns].sort((one, other) => one.position - other.position)
      const columnOf = (collection: string, name: string) => tables.get(collection)?.columns.get(name)
      const foreignKeyParts = listed.foreignKeyParts.map((part) => {
        const [column, to] = [
          columnOf(part.collection, part.column),
          columnOf(part.referencedCollection, part.referencedColumn),
        ]
        return { ...part, loose: column !== undefined && to !== undefined && isLoose?.(column, to) === true }
      })
      const catalogue = assembleCatalogue({
        ...listed,
        schema,
        foreignKeyParts,
        collections: [...tables.keys()],
        columns: columns.map((column) => described(column, columnOf(column.collection, column.name))),
      })
      return { catalogue, tables }
    },
  }
}

function described(
  { collection, name, type, nullable, length, generated, rewritten }: ListedColumn,
  { kind, comparesLoosely }: Pick<SqlColumn, 'kind' | 'comparesLoosely'> = {},
): Column & { readonly collection: string } {
  return {
    collection,
    name,
    type,
    ...(kind && { kind }),
    nullable: Boolean(nullable),
    ...(kind === 'string' && typeof length === 'number' && { length }),
    ...(generated && { generated: true }),
    ...(rewritten && { rewritten: true as const }),
    ...(comparesLoosely && { comparesLoosely }),
  }
}

function keysOf(parts: readonly KeyPartRow[]): string[][] {
  const keys = new Map<string, string[]>()
  for (const { key, use, column } of parts) if (use !== 'index') keys.set(key, [...(keys.get(key) ?? []), column])
  return [...keys.values()]
}
