import { type Connector, createPrivacyService, type PrivacyRequest, type PrivacyService } from '@habeas/core'
import type { MemoryConnector } from '@habeas/testkit'
import { kindOfType } from '../../../sql/src/value-kind.js'
import type { Value } from '../../src/model/value.js'
import { canonicalText, type Json, readValue, withoutEmpty } from './bank.js'
import { registerCategories } from './categories.js'
import { type Database, type DatabaseInput, databasesOf, meaningOf, memoryConnectorOf } from './databases.js'
import { type DatasetInput, manifestOf, neutralDatasets } from './datasets.js'

export interface ErasureInput extends DatasetInput, DatabaseInput {
  readonly seeds: Readonly<Record<string, unknown>>
  readonly rules: readonly {
    readonly targets: readonly string[]
    readonly strategy: string
    readonly configuration: Json
  }[]
  readonly disabled_connections?: readonly string[]
}

export interface Changed {
  readonly before: Json
  /** Null: the row is gone. */
  readonly after: Json | null
}

type Rows = readonly Readonly<Record<string, Value>>[]

/** A database made reachable, whose rows can be looked at from outside. */
export interface ErasedDatabase {
  readonly connector: Connector
  readonly secrets: Json
  /** All rows by collection, always in the same order. */
  rows(): Promise<ReadonlyMap<string, Rows>>
}

/** Makes a database of a case reachable under a connection type of its own, or does not. */
export type OpenErased = (type: string, database: Database) => Promise<ErasedDatabase | undefined>

const inMemory = (connector: MemoryConnector): ErasedDatabase => ({
  connector,
  secrets: {},
  rows: async () => new Map(Object.entries(connector.database).map(([name, { rows }]) => [name, rows])),
})

/** The databases of a case behind a service whose policy erases by the case's rules. */
export async function erasedWorld(input: ErasureInput, open: OpenErased = async () => undefined) {
  const datasets = neutralDatasets(input)
  const databases = databasesOf(input, datasets)
  const connectors = new Map<string, MemoryConnector>()
  const opened = new Map<string, ErasedDatabase>()
  for (const [key, database] of databases) {
    const type = `memory_${opened.size}`
    const taken = await open(type, withTypes(database))
    if (!taken) connectors.set(key, memoryConnectorOf(type, withTypes(database)))
    opened.set(key, taken ?? inMemory(connectors.get(key) as MemoryConnector))
  }
  const service: PrivacyService = createPrivacyService({
    execution: { retryMinutes: 0 },
    encryptionKey: Buffer.alloc(32, 7).toString('base64'),
    connectors: [...new Set([...opened.values()].map(({ connector }) => connector))],
  })
  await registerCategories(
    service,
    datasets,
    input.rules.map(({ targets }) => targets),
  )
  for (const dataset of datasets) {
    const { connector, secrets } = opened.get(dataset.key) as ErasedDatabase
    const disabled = input.disabled_connections?.includes(dataset.connection ?? dataset.key) ?? false
    await service.connections.put({
      key: dataset.key,
      connectionType: connector.type as never,
      access: 'write',
      disabled,
    })
    await service.connections.setSecrets(dataset.key, secrets, { verify: false })
    await service.connections.attachDataset(dataset.key, manifestOf(dataset))
  }
  const rules = input.rules.map(({ targets, strategy, configuration }, at) => ({
    service_key: `rule_${at}`,
    action_type: 'erasure',
    data_categories: { matches: 'ANY', values: targets },
    masking_strategy: { strategy, configuration },
  }))
  await service.policies.put({ service_key: 'erase', rules: rules as never })
  const textOf = (address: string, row: Readonly<Record<string, Value>>) => rowMeaning(databases, address, row)
  const given = (address: string, row: Json) => textOf(address, readValue(row) as Record<string, Value>)
  const rowsNow = async () => {
    const found = new Map<string, readonly string[]>()
    for (const [key, database] of opened) {
      for (const [name, rows] of await database.rows()) {
        const address = `${key}:${name}`
        found.set(
          address,
          rows.map((row) => textOf(address, row)),
        )
      }
    }
    return found
  }
  const before = await rowsNow()
  /** What differs from how it began, by collection. */
  const changes = async () => {
    const now = await rowsNow()
    const differing = [...before].flatMap(([address, rows]) => {
      const left = now.get(address) ?? []
      // Rows that go are the only ones that move the others.
      const pairs = rows.flatMap((was, at): Pair[] => {
        if (left.length < rows.length) return left.includes(was) ? [] : [[was, null]]
        return left[at] === was ? [] : [[was, left[at] as string]]
      })
      return pairs.length > 0 ? [[address, inOrder(pairs)] as const] : []
    })
    return Object.fromEntries(differing)
  }
  const meaning = (changed: Readonly<Record<string, readonly Changed[]>>) =>
    Object.fromEntries(
      Object.entries(changed).map(([address, rows]) => [
        address,
        inOrder(rows.map(({ before: was, after }) => [given(address, was), after && given(address, after)] as const)),
      ]),
    )
  return {
    service,
    connectors,
    meaning,
    changes,
    /** The keys of all rows that were written to a collection, as texts; of a server, of those that differ. */
    async written(address: string, columns: readonly string[]): Promise<string[]> {
      const [key = '', name] = address.split(':')
      const connector = connectors.get(key)
      if (!connector) {
        const changed = (await changes())[address] ?? []
        return changed
          .map(([was]) => JSON.parse(was) as Readonly<Record<string, Value>>)
          .map((row) => canonicalText(columns.map((column) => plain(row[column] as Value))))
          .sort()
      }
      const erases = connector.calls.flatMap(({ erase, rollBack }) =>
        erase && erase.collection === name && !rollBack ? [erase] : [],
      )
      return erases
        .flatMap(({ keys }) =>
          (keys[0] ?? []).map((_, at) => canonicalText(keys.map((column) => plain(column[at] as Value)))),
        )
        .sort()
    },
    async erase(): Promise<{ id: string; request: PrivacyRequest }> {
      const { id } = await service.requests.submit({
        policyKey: 'erase',
        identities: [input.seeds as never],
      })
      return { id, request: await service.requests.settled(id) }
    },
  }
}

/** A row before and after, as texts. */
type Pair = readonly [string, string | null]

const inOrder = (pairs: readonly Pair[]) => [...pairs].sort(([one], [other]) => (one < other ? -1 : 1))

export const plain = (value: Value): string => {
  const text = meaningOf(value, undefined)
  return typeof text === 'object' ? canonicalText(text) : String(text)
}

/** Rows that a sample only adds to lack columns, which are null in a table. */
function withTypes({ relational, tables }: Database): Database {
  const whole = [...tables].map(([name, table]) => {
    const nulls = Object.fromEntries((table.columns ?? []).map((column) => [column.name, null]))
    return [name, { ...table, rows: table.rows.map((row) => ({ ...nulls, ...row })) }] as const
  })
  return { relational, tables: new Map(whole) }
}

function rowMeaning(
  databases: ReadonlyMap<string, Database>,
  address: string,
  row: Readonly<Record<string, Value>>,
): string {
  const [key = '', name = ''] = address.split(':')
  const columns = databases.get(key)?.tables.get(name)?.columns
  const kinds = new Map(columns?.map((column) => [column.name, kindOfType(column.type)]))
  const members = Object.entries(row).map(([column, value]) => [column, meaningOf(value, kinds.get(column))])
  return canonicalText(withoutEmpty(Object.fromEntries(members)))
}
