import {
  type Connector,
  createPrivacyService,
  type KeyGroup,
  type Plan,
  type PrivacyRequest,
  type PrivacyService,
} from '@habeas/core'
import type { MemoryCall } from '@habeas/testkit'
import { expect } from 'vitest'
import { kindOfType } from '../../../sql/src/value-kind.js'
import { isTypedText, type Value } from '../../src/model/value.js'
import { asSet, type Case, canonicalText, type Json, readValue, withoutEmpty } from './bank.js'
import { everyCategory, registerCategories } from './categories.js'
import { type Database, type DatabaseInput, databasesOf, meaningOf, memoryConnectorOf } from './databases.js'
import { type DatasetInput, manifestOf, type NeutralDataset, neutralDatasets } from './datasets.js'

export interface AccessInput extends DatasetInput, DatabaseInput {
  readonly seeds?: Identity
  readonly identities?: readonly Identity[]
  readonly filters?: readonly (readonly string[])[]
  readonly disabled_connections?: readonly string[]
}

type Identity = Readonly<Record<string, unknown>>
type Rows = Readonly<Record<string, readonly Json[]>>

interface Outcome {
  readonly raw?: Rows
  readonly row_counts?: Readonly<Record<string, number>>
  /** Rows that were met and are somebody else's. */
  readonly others?: Readonly<Record<string, number>>
  readonly query_inputs?: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>
  readonly filtered?: Readonly<Record<string, Rows>>
  readonly skipped?: readonly string[] | Json
  readonly skipped_behind_disabled?: readonly string[]
  readonly request_status?: string
  readonly error?: { readonly kind: string; readonly names?: readonly string[] } | null
  readonly queries_sent?: number
  /** What it asks before it goes on: the properties that no row confirms. */
  readonly unconfirmed?: readonly string[]
}

export interface AccessExpected extends Outcome {
  readonly as_one_object?: Outcome
  readonly as_two_alternatives?: Outcome
}

/** A database made reachable: the connector for it, and what a connection to it is given. */
export interface Opened {
  readonly connector: Connector
  readonly secrets: Json
  /** What it was asked, where that can be told. */
  readonly calls?: MemoryCall[]
}

/** Makes a database of a case reachable under a connection type of its own, or does not. */
export type OpenDatabase = (type: string, database: Database) => Promise<Opened | undefined>

/** Runs a case through the whole library, its databases in memory unless `open` takes them. */
export function accessCheck(open: OpenDatabase = async () => undefined) {
  return async ({ input, expected }: Case<AccessInput, AccessExpected>): Promise<void> => {
    const seeds = input.seeds ?? {}
    const { as_one_object: one, as_two_alternatives: alternatives } = expected
    const separate = Object.entries(seeds).map(([name, value]) => ({ [name]: value }))
    if (one) await checkOutcome(input, [seeds], one, open)
    if (alternatives) await checkOutcome(input, separate, alternatives, open)
    if (!one && !alternatives) await checkOutcome(input, input.identities ?? [seeds], expected, open)
  }
}

/** Whether any of the case's data is relational. */
export function isRelational({ input }: Case<DatasetInput & DatabaseInput, unknown>): boolean {
  return [...databasesOf(input, neutralDatasets(input)).values()].some(({ relational }) => relational)
}

/** Whether any of the case's data are documents. */
export function isSchemaless({ input }: Case<DatasetInput & DatabaseInput, unknown>): boolean {
  const found = [...databasesOf(input, neutralDatasets(input)).values()]
  return found.some(({ relational, tables }) => !relational && tables.size > 0)
}

const errorTypes: Readonly<Record<string, string>> = { unused_identity: 'no_known_identity' }

async function checkOutcome(
  input: AccessInput,
  identities: readonly Identity[],
  expected: Outcome,
  open: OpenDatabase,
) {
  const world = await openWorld(input, expected, open)
  try {
    const whole = await world.run(identities, [everyCategory])
    if (expected.request_status || expected.error) checkFailure(whole, expected)
    else expect(whole.request.failure ?? whole.request.status).toBe('complete')
    expect(whole.asked).toEqual(expected.unconfirmed ?? [])
    checkRows(world, whole.delivered, expected)
    checkCounts(whole.request, expected)
    checkQueries(world, expected)
    const unsearched = new Map(whole.plan?.unsearched.map((each) => [each.address, each.reason]))
    for (const address of namesOf(expected.skipped)) expect([...unsearched.keys()]).toContain(address)
    for (const address of expected.skipped_behind_disabled ?? []) expect(unsearched.get(address)).toBe('behind')
    for (const [name, rows] of Object.entries(expected.filtered ?? {})) {
      const filter = input.filters?.find((each) => each.join(', ') === name) ?? name.split(', ')
      const { delivered, request } = await world.run(identities, filter)
      expect(request.failure ?? request.status, name).toBe('complete')
      expect(world.meaning(delivered), name).toEqual(world.meaning(rows))
    }
  } finally {
    await world.service.close()
  }
}

const namesOf = (skipped: Outcome['skipped'] = []): readonly string[] =>
  Array.isArray(skipped) ? skipped : Object.keys(skipped)

function checkFailure({ request, plan }: Run, { request_status, error }: Outcome): void {
  expect(request.status).toBe(request_status ?? 'error')
  const errors = plan?.findings.filter(({ severity }) => severity === 'error') ?? []
  if (error) expect(errors.map(({ type }) => type)).toContain(errorTypes[error.kind] ?? error.kind)
  for (const name of error?.names ?? []) expect(request.failure).toContain(name)
}

/** Compared on the columns that are read: no others of the case's, and of ours those that the case has at all. */
function checkRows(world: World, delivered: Rows, { raw }: Outcome): void {
  if (!raw) return
  const limited = (rows: Rows, keeps: (address: string, column: string) => boolean): Rows =>
    Object.fromEntries(
      Object.entries(rows).map(([address, list]) => {
        const kept = list.map((row) => Object.entries(row).filter(([column]) => keeps(address, column)))
        return [address, kept.map((members) => Object.fromEntries(members))]
      }),
    )
  const isDeclared = (address: string, column: string) => world.declared.get(address)?.has(column) ?? false
  const given = new Map(Object.entries(raw).map(([address, rows]) => [address, new Set(rows.flatMap(Object.keys))]))
  const isGiven = (address: string, column: string) => given.get(address)?.has(column) || !isDeclared(address, column)
  expect(world.meaning(limited(delivered, isGiven))).toEqual(world.meaning(limited(raw, isDeclared)))
}

function checkCounts({ results = [] }: PrivacyRequest, { row_counts = {}, others = {} }: Outcome): void {
  const countOf = (wanted: string, address: string) =>
    results
      .filter(({ dataset, collection }) => `${dataset}:${collection}` === address)
      .flatMap(({ outcomes }) => outcomes.filter(({ outcome }) => outcome === wanted))
      .reduce((sum, { rowCount }) => sum + rowCount, 0)
  const counted = (wanted: string, given: Json) =>
    Object.fromEntries(Object.keys(given).map((address) => [address, countOf(wanted, address)]))
  expect(counted('delivered', row_counts)).toEqual(row_counts)
  expect(counted('skipped', others)).toEqual(others)
}

/** What each collection was asked for, by field, whatever the number of statements. */
function checkQueries(world: World, { query_inputs = {}, queries_sent }: Outcome): void {
  const reads = [...world.calls].flatMap(([key, calls]) =>
    calls.flatMap(({ operation, read }) => (operation === 'read' && read ? [{ key, read }] : [])),
  )
  if (queries_sent !== undefined && world.calls.size > 0) expect(reads).toHaveLength(queries_sent)
  for (const [address, fields] of Object.entries(query_inputs)) {
    const [key = '', ...name] = address.split(':')
    const wanted = Object.entries(fields).map(([field, values]) => [
      field,
      asSet(values.map((value) => plain(readValue(value)))),
    ])
    // Nobody notes what a server is asked: the same case compares it in memory.
    if (!world.calls.has(key)) continue
    const groups = reads.flatMap((each) =>
      each.key === key && each.read.collection === name.join(':') ? each.read.anyOf : [],
    )
    expect(askedFor(groups), address).toEqual(Object.fromEntries(wanted))
  }
}

function askedFor(groups: readonly KeyGroup[]): Readonly<Record<string, string[]>> {
  const values = new Map<string, unknown[]>()
  for (const group of groups) {
    for (const [part, { path }] of group.fields.entries()) {
      const name = path.join('.')
      values.set(name, [...(values.get(name) ?? []), ...[...(group.values[part] ?? [])].map(plain)])
    }
  }
  return Object.fromEntries([...values].map(([name, list]) => [name, asSet(list)]))
}

const plain = (value: Value) => (isTypedText(value) ? value.text : String(value))

interface Run {
  readonly request: PrivacyRequest
  readonly plan: Plan | undefined
  readonly delivered: Rows
  /** What it asked first, and was accepted. */
  readonly asked: true | readonly string[]
}

interface World {
  readonly service: PrivacyService
  readonly calls: ReadonlyMap<string, MemoryCall[]>
  /** Top-level columns that are described, by address. */
  readonly declared: ReadonlyMap<string, ReadonlySet<string>>
  run(identities: readonly Identity[], categories: readonly string[]): Promise<Run>
  /** Rows without their order and the accidents of their form; collections without rows left out. */
  meaning(rows: Rows): Readonly<Record<string, string[]>>
}

/** A service over the datasets and databases of a case. Closed by the caller. */
export async function openWorld(
  input: AccessInput,
  expected: Outcome = {},
  open: OpenDatabase = async () => undefined,
): Promise<World> {
  const datasets = neutralDatasets(input)
  const databases = databasesOf(input, datasets)
  const opened = new Map<string, Opened>()
  for (const [key, database] of databases) {
    const type = `memory_${opened.size}`
    const inMemory = () => {
      const connector = memoryConnectorOf(type, database)
      return { connector, secrets: {}, calls: connector.calls }
    }
    opened.set(key, (await open(type, database)) ?? inMemory())
  }
  const service = createPrivacyService({
    execution: { retryMinutes: 0 },
    encryptionKey: Buffer.alloc(32, 7).toString('base64'),
    connectors: [...opened.values()].map(({ connector }) => connector),
  })
  await registerCategories(service, datasets, input.filters ?? [])
  for (const dataset of datasets) {
    const { connector, secrets } = opened.get(dataset.key) as Opened
    const disabled = input.disabled_connections?.includes(dataset.connection ?? dataset.key) ?? false
    await service.connections.put({ key: dataset.key, connectionType: connector.type, disabled })
    await service.connections.setSecrets(dataset.key, secrets, { verify: false })
    await service.connections.attachDataset(dataset.key, manifestOf(targetable(dataset, expected.raw)))
  }
  const calls = new Map([...opened].flatMap(([key, { calls }]) => (calls ? [[key, calls] as const] : [])))
  let policies = 0
  return {
    service,
    calls,
    declared: new Map(
      datasets.flatMap(({ key, collections }) =>
        collections.map(({ name, fields }) => [
          `${key}:${name}`,
          new Set((fields as Json[]).map((field) => field['name'] as string)),
        ]),
      ),
    ),
    async run(identities, values) {
      const policyKey = `policy_${policies++}`
      const rule = { service_key: 'rule', action_type: 'access', data_categories: { matches: 'ANY', values } }
      await service.policies.put({ service_key: policyKey, rules: [rule as never] })
      for (const list of calls.values()) list.length = 0
      const { id } = await service.requests.submit({ policyKey, identities: identities as never })
      const first = await service.requests.settled(id)
      const asked = first.actionRequired?.accept?.acceptUnconfirmed || undefined
      if (asked) await service.requests.accept(id, { acceptUnconfirmed: asked === true ? true : [...asked] })
      const request = asked ? await service.requests.settled(id) : first
      const plan = await service.requests.plan(id)
      const delivered = request.status === 'complete' ? await packageOf(service, id) : {}
      return { request, plan, delivered, asked: asked ?? [] }
    },
    meaning: (rows) =>
      Object.fromEntries(
        Object.entries(rows)
          .filter(([, list]) => list.length > 0)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([address, list]) => [address, list.map((row) => rowMeaning(databases, address, row)).sort()]),
      ),
  }
}

/** The dataset with a category by which all that the case expects rows of can be asked for. */
function targetable(dataset: NeutralDataset, raw: Rows | undefined): NeutralDataset {
  const collections = dataset.collections.map((each) => {
    if (raw && !Object.hasOwn(raw, `${dataset.key}:${each['name']}`)) return each
    return { ...each, data_categories: [...((each['data_categories'] ?? []) as string[]), everyCategory] }
  })
  return { ...dataset, collections }
}

async function packageOf(service: PrivacyService, id: string): Promise<Rows> {
  const parts: Uint8Array[] = []
  for await (const part of service.requests.readPackage(id)) parts.push(part)
  const members = Object.entries<Json[]>(JSON.parse(Buffer.concat(parts).toString('utf8')))
  // Beside collections a package says what is not in it.
  return Object.fromEntries(members.filter(([address]) => address.includes(':')))
}

function rowMeaning(databases: ReadonlyMap<string, Database>, address: string, row: Json): string {
  const [key = '', ...name] = address.split(':')
  const columns = databases.get(key)?.tables.get(name.join(':'))?.columns
  const kinds = new Map(columns?.map((column) => [column.name, kindOfType(column.type)]))
  const members = Object.entries(row).map(([column, value]) => [column, meaningOf(readValue(value), kinds.get(column))])
  return canonicalText(withoutEmpty(Object.fromEntries(members)))
}
