import { createPrivacyService, type PrivacyRequest, type PrivacyService } from '@habeas/core'
import type { MemoryConnector } from '@habeas/testkit'
import { expect } from 'vitest'
import type { Value } from '../../../core/src/model/value.js'
import { kindOfType } from '../../../sql/src/value-kind.js'
import { registerCategories } from './access.js'
import { type Case, canonicalText, type Json, readValue, withoutEmpty } from './bank.js'
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

interface Changed {
  readonly before: Json
  /** Null: the row is gone. */
  readonly after: Json | null
}

interface Expected {
  /** Rows written, by collection. */
  readonly counts?: Readonly<Record<string, number>>
  readonly retained?: Readonly<Record<string, number>>
  readonly changed_rows?: Readonly<Record<string, readonly Changed[]>>
  readonly statements?: Readonly<Record<string, readonly { readonly where: Json }[]>>
  /** Nothing is written; what the failure names. */
  readonly error?: { readonly names: readonly string[] }
  /** What it asks before it writes anything; the request goes on once that is accepted. */
  readonly paused?: Json
  /** Rows of which nobody has said whose they are. */
  readonly undecided?: Readonly<Record<string, number>>
  readonly skipped?: readonly string[]
}

/** Runs a case through the whole library over databases in memory, and compares every row of them before and after. */
export async function checkErasure({ input, expected }: Case<ErasureInput, Expected>): Promise<void> {
  const world = await erasedWorld(input)
  try {
    const begun = await world.erase()
    const request = expected.paused ? await goOn(world, begun, expected.paused) : begun.request
    if (expected.error) {
      expect(request.status).toBe('error')
      for (const name of expected.error.names) expect(request.failure).toContain(name)
      expect(world.changes()).toEqual({})
      return
    }
    expect(request.failure ?? request.status).toBe('complete')
    expect(world.changes()).toEqual(world.meaning(expected.changed_rows ?? {}))
    const counted = (wanted: readonly string[], given: object) =>
      Object.fromEntries(Object.keys(given).map((address) => [address, countOf(request, address, wanted)]))
    expect(counted(['masked', 'erased'], expected.counts ?? {})).toEqual(expected.counts ?? {})
    expect(counted(['retained'], expected.retained ?? {})).toEqual(expected.retained ?? {})
    for (const [address, statements] of Object.entries(expected.statements ?? {})) {
      const keys = statements.map(({ where }) => canonicalText(Object.values(readValue(where) as object).map(plain)))
      expect(world.written(address), address).toEqual(keys.sort())
    }
    const undecided = (request.results ?? []).map(({ dataset, collection, undecided: open = [] }) => [
      `${dataset}:${collection}`,
      open.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0),
    ])
    expect(Object.fromEntries(undecided.filter(([, rows]) => rows !== 0))).toEqual(expected.undecided ?? {})
    const skipped = (request.results ?? []).filter(({ outcomes }) => outcomes[0]?.outcome === 'skipped')
    const names = skipped.map(({ dataset, collection, actionType }) => `${actionType} ${dataset}:${collection}`)
    for (const address of expected.skipped ?? []) expect(names).toContain(`erasure ${address}`)
  } finally {
    await world.service.close()
  }
}

type World = Awaited<ReturnType<typeof erasedWorld>>

/** The request has to ask exactly this before it writes anything, and goes on when it is accepted. */
export async function goOn({ service, changes }: World, { id, request }: Begun, asked: Json): Promise<PrivacyRequest> {
  expect(request.status).toBe('paused')
  expect(request.actionRequired?.accept).toEqual(asked)
  expect(changes()).toEqual({})
  const { unsearched, undecided } = request.actionRequired?.accept ?? {}
  await service.requests.accept(id, {
    ...(unsearched && { acceptUnsearched: unsearched }),
    ...(undecided && { acceptUndecided: undecided }),
  })
  return service.requests.settled(id)
}

interface Begun {
  readonly id: string
  readonly request: PrivacyRequest
}

function countOf({ results = [] }: PrivacyRequest, address: string, wanted: readonly string[]): number {
  return results
    .filter(({ dataset, collection, actionType }) => actionType === 'erasure' && `${dataset}:${collection}` === address)
    .flatMap(({ outcomes }) => outcomes.filter(({ outcome }) => wanted.includes(outcome)))
    .reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0)
}

/** The databases of a case behind a service whose policy erases by the case's rules. */
export async function erasedWorld(input: ErasureInput) {
  const datasets = neutralDatasets(input)
  const databases = databasesOf(input, datasets)
  const connectors = new Map<string, MemoryConnector>()
  for (const [key, database] of databases) {
    connectors.set(key, memoryConnectorOf(`memory_${connectors.size}`, withTypes(database)))
  }
  const service: PrivacyService = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 7).toString('base64'),
    connectors: [...connectors.values()],
  })
  await registerCategories(
    service,
    datasets,
    input.rules.map(({ targets }) => targets),
  )
  for (const dataset of datasets) {
    const connectionType = (connectors.get(dataset.key) as MemoryConnector).type
    const disabled = input.disabled_connections?.includes(dataset.connection ?? dataset.key) ?? false
    await service.connections.put({ key: dataset.key, connectionType, access: 'write', disabled })
    await service.connections.setSecrets(dataset.key, {}, { verify: false })
    await service.connections.attachDataset(dataset.key, manifestOf(dataset))
  }
  const rules = input.rules.map(({ targets, strategy, configuration }, at) => ({
    service_key: `rule_${at}`,
    action_type: 'erasure',
    data_categories: { matches: 'ANY', values: targets },
    masking_strategy: { strategy, configuration },
  }))
  await service.policies.put({ service_key: 'erase', rules })
  const textOf = (address: string, row: Readonly<Record<string, Value>>) => rowMeaning(databases, address, row)
  const given = (address: string, row: Json) => textOf(address, readValue(row) as Record<string, Value>)
  const rowsNow = () =>
    new Map(
      [...connectors].flatMap(([key, { database }]) =>
        Object.entries(database).map(([name, { rows }]) => {
          const address = `${key}:${name}`
          return [address, rows.map((row) => textOf(address, row))] as const
        }),
      ),
    )
  const before = rowsNow()
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
    /** What differs from how it began, by collection. */
    changes() {
      const now = rowsNow()
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
    },
    /** The keys of all rows that were written to a collection, as texts. */
    written(address: string): string[] {
      const [key = '', name] = address.split(':')
      const erases = (connectors.get(key) as MemoryConnector).calls.flatMap(({ erase, rollBack }) =>
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
        identities: [input.seeds],
      })
      return { id, request: await service.requests.settled(id) }
    },
  }
}

/** A row before and after, as texts. */
type Pair = readonly [string, string | null]

const inOrder = (pairs: readonly Pair[]) => [...pairs].sort(([one], [other]) => (one < other ? -1 : 1))

const plain = (value: Value): string => {
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
