import { expect } from 'vitest'
import { servedService } from '../../../http/test/service-calls.js'
import { type AccessInput, openWorld } from './access.js'
import { type Case, type Json, sample } from './bank.js'
import { everyCategory } from './categories.js'
import { describedDatasets } from './datasets.js'
import { root, walked } from './traversal.js'

interface Expected {
  readonly tasks?: number
  readonly upstream?: Readonly<Record<string, readonly string[]>>
  readonly downstream?: Readonly<Record<string, readonly string[]>>
  readonly descendants?: Readonly<Record<string, readonly string[]>>
  readonly request_status?: string
  readonly 'postgres_example:address ids'?: readonly number[]
  readonly logs?: Readonly<Record<string, number>>
  readonly mongo_disabled?: { readonly postgres: number; readonly mongo_skipped: number }
  readonly status?: readonly number[]
}

type Scheduling = Case<AccessInput & { readonly counts?: readonly number[] }, Expected>

/** Whether a case is about finding rows; the others are about erasing them. */
export const isOfAccess = ({ id }: Scheduling): boolean => !id.includes('eras')

/** What is run in what order, what is logged of it, and how many requests are taken at once. */
export async function checkScheduling({ input, expected }: Scheduling): Promise<void> {
  if (expected.upstream) checkOrder(input, expected)
  else if (expected.request_status) await checkNothingToDo(input, expected)
  else if (expected.logs) await checkLogCounts(expected)
  else if (expected.status) await checkBulk(input.counts ?? [], expected.status)
  else await checkAddresses(input, expected)
}

const terminator = '__TERMINATE__:__TERMINATE__'

/** Root and terminator are the ancestor's: here a collection is entered by an identity, or leads nowhere. */
function checkOrder(input: AccessInput, { upstream, downstream = {}, descendants = {}, tasks }: Expected): void {
  const { links, order } = walked(describedDatasets(input), [Object.keys(input.seeds ?? {})])
  const before = (address: string) =>
    [...new Set(links.filter(({ to }) => to === address).map(({ from }) => from))].sort()
  const leading = new Set(links.map(({ from }) => from))
  const found = Object.fromEntries(order.map((address) => [address, before(address)]))
  const ends = order.filter((address) => !leading.has(address)).sort()
  expect({ ...found, [root]: [], [terminator]: ends }).toEqual(upstream)
  expect(order.length + 2).toBe(tasks)
  const next = (address: string): string[] => {
    const leads = Object.entries(upstream ?? {}).flatMap(([each, list]) => (list.includes(address) ? [each] : []))
    return leads.sort()
  }
  const below = (address: string): string[] => {
    const found = new Set(next(address))
    for (const each of found) for (const further of next(each)) found.add(further)
    return [...found].sort()
  }
  for (const [address, list] of Object.entries(downstream)) expect(next(address), address).toEqual(list)
  for (const [address, list] of Object.entries(descendants)) expect(below(address), address).toEqual([...list].sort())
}

async function checkNothingToDo(input: AccessInput, { request_status, tasks }: Expected): Promise<void> {
  const world = await openWorld(input)
  const { request, plan, delivered } = await world.run([{ email: 'somebody@example.com' }], [everyCategory])
  expect(request.status).toBe(request_status)
  expect([plan?.components.length, delivered]).toEqual([tasks, {}])
  await world.service.close()
}

const postgres = 'samples/db/postgres_example.ancestor.json#public'
const mongo = 'samples/db/mongo_example.ancestor.json'

/** The records that the case's own test added to the samples. */
function withRecords(): Required<AccessInput>['databases'] {
  const relational = sample('samples/db/erasure_records.relational.json') as Readonly<Record<string, readonly Json[]>>
  const documents = sample('samples/db/erasure_records.mongo.json') as Readonly<Record<string, readonly Json[]>>
  const tables = Object.entries(sample(postgres) as Readonly<Record<string, Json & { readonly rows: Json[] }>>)
  const collections = Object.entries(sample(mongo) as Readonly<Record<string, readonly Json[]>>)
  const added = tables.map(([name, table]) => [name, { ...table, rows: [...table.rows, ...(relational[name] ?? [])] }])
  const more = new Map([...collections, ...Object.entries(documents).map(([name]) => [name, []] as const)])
  return {
    postgres_example: { kind: 'postgres', tables: Object.fromEntries(added) },
    mongo_test: {
      kind: 'mongo',
      tables: Object.fromEntries(
        [...more.keys()].map((name) => [
          name,
          [...(collections.find(([each]) => each === name)?.[1] ?? []), ...(documents[name] ?? [])],
        ]),
      ),
    },
  }
}

async function checkAddresses(input: AccessInput, expected: Expected): Promise<void> {
  const { order } = walked(describedDatasets(input), [Object.keys(input.seeds ?? {})])
  expect(order.length + 2).toBe(expected.tasks)
  const world = await openWorld({ ...input, databases: withRecords() })
  const { request, delivered } = await world.run([input.seeds ?? {}], [everyCategory])
  expect(request.failure ?? request.status).toBe('complete')
  expect(delivered['postgres_example:address']?.map(({ id }) => id).sort()).toEqual(
    expected['postgres_example:address ids'],
  )
  await world.service.close()
}

/** Each collection that is searched has two entries in the log, each that is not has one. */
async function checkLogCounts({ logs, mongo_disabled }: Expected): Promise<void> {
  const seeds = { email: 'customer-1@example.com' }
  const alone = { databases_ref: { postgres_example_test_dataset: postgres, mongo_test: mongo } }
  const datasets = ['postgres', 'mongo'].map((kind) => `samples/datasets/ancestor/${kind}_example_test_dataset.json`)
  const relational = await openWorld({ ...alone, datasets_ref: datasets.slice(0, 1) })
  expect(await counted(relational, seeds)).toEqual({ postgres_example_test_dataset: logs })
  const both = await openWorld({ ...alone, datasets_ref: datasets, disabled_connections: ['mongo_test'] })
  const { postgres_example_test_dataset: searched = {}, mongo_test } = await counted(both, seeds)
  expect(Object.values(searched).reduce((sum, count) => sum + count, 0)).toBe(mongo_disabled?.postgres)
  expect(mongo_test).toEqual({ skipped: mongo_disabled?.mongo_skipped })
}

type World = Awaited<ReturnType<typeof openWorld>>

/** Log entries by dataset and status. */
async function counted({ run, service }: World, seeds: Json) {
  const { request } = await run([seeds], [everyCategory])
  expect(request.failure ?? request.status).toBe('complete')
  const { items } = await service.requests.log(request.id, { size: 100 })
  const counts: Record<string, Record<string, number>> = {}
  for (const { dataset, status } of items) {
    counts[dataset] ??= {}
    counts[dataset][status] = (counts[dataset][status] ?? 0) + 1
  }
  await service.close()
  return counts
}

async function checkBulk(counts: readonly number[], statuses: readonly number[]): Promise<void> {
  const { call, privacy } = await servedService()
  const request = { policy_key: 'default_access_policy', identities: [{ email: 'ann@example.com' }] }
  const found: number[] = []
  for (const count of counts) {
    found.push(
      (
        await call(
          'POST /api/v1/privacy-request',
          Array.from({ length: count }, () => request),
        )
      ).status,
    )
  }
  expect(found).toEqual(statuses)
  const mixed = await call('POST /api/v1/privacy-request', [request, { ...request, policy_key: 'none' }, request])
  expect(mixed).toMatchObject({ status: 200, body: { succeeded: [{}, {}], failed: [{ message: expect.any(String) }] } })
  await privacy.close()
}
