import type { PrivacyRequest, PrivacyService } from '@habeas/core'
import type { MemoryConnector } from '@habeas/testkit'
import { expect } from 'vitest'
import { type Case, type Json, sample } from './bank.js'
import { type DatasetInput, neutralDatasets } from './datasets.js'
import { type ErasureInput, erasedWorld } from './erased-world.js'
import { goOn } from './erasure.js'

interface Input extends DatasetInput {
  /** By collection, which are erased before it. */
  readonly erase_after?: Readonly<Record<string, readonly string[]>>
  /** The input of an erasure case, its databases full of rows to write. */
  readonly erases?: string
  /** What the request asks before it writes. */
  readonly asks?: Json
  readonly fault?: string
  readonly broken_connection?: string
}

interface Expected {
  readonly upstream?: Readonly<Record<string, readonly string[]>>
  readonly downstream?: Readonly<Record<string, readonly string[]>>
  /** States in the log of each collection that could be reached. */
  readonly per_collection?: readonly string[]
  readonly address_logs?: readonly (readonly [string, string])[]
  readonly customer_details_logs?: number
}

/** The cases about erasing; the others say how tasks of the ancestor are queued. */
export const aboutErasing = ({ id }: { readonly id: string }): boolean => /eras/.test(id)

export async function checkErasureScheduling({ input, expected }: Case<Input, Expected>): Promise<void> {
  if (input.erase_after) return checkOrder(input, expected)
  if (input.erases === undefined) throw new Error('the case names no databases')
  const world = await erasedWorld(sample(input.erases) as ErasureInput)
  const postgres = world.connectors.get('postgres_example') as MemoryConnector
  try {
    const failing = input.fault ? [...world.connectors.values()] : [postgres]
    for (const connector of failing) connector.failNext({ operation: 'erase', rollBack: false, times: 100 })
    const begun = await world.erase()
    const { id } = begun
    const request = input.asks ? await goOn(world, begun, input.asks) : begun.request
    expect(request.status).toBe('error')
    if (expected.per_collection) {
      await checkFailedOnce(world.service, id, expected.per_collection)
      return
    }
    await usedUp(postgres)
    await world.service.requests.retry(id)
    expect((await settled(world.service, id)).status).toBe('complete')
    expect(await states(world.service, id, 'postgres_example', 'address')).toEqual(expected.address_logs)
    const details = await states(world.service, id, 'mongo_test', 'customer_details')
    expect(details).toHaveLength(expected.customer_details_logs as number)
  } finally {
    await world.service.close()
  }
}

const settled = (service: PrivacyService, id: string): Promise<PrivacyRequest> => service.requests.settled(id)

/** Erases nothing until that succeeds, so that no failure is planned any more. */
async function usedUp(connector: MemoryConnector): Promise<void> {
  const [name] = Object.keys(connector.database)
  const connection = await connector.connect({})
  const key = {
    collection: name as string,
    key: ['id'],
    keys: [[-1]],
    anyOf: [{ fields: [{ path: ['id'] }], values: [[-1]] }],
  }
  for (let failed = true; failed; ) {
    failed = await connection.erase!({ ...key, set: 'delete' }).then(
      () => false,
      () => true,
    )
  }
  await connection.close()
}

async function states(service: PrivacyService, id: string, dataset: string, collection: string) {
  const { items } = await service.requests.log(id, { size: 100 })
  return items
    .filter((entry) => entry.dataset === dataset && entry.collection === collection)
    .map(({ actionType, status }) => [actionType, status])
}

/** A collection that failed was begun and ended so; what leads to it was left, and is never said to be done. */
async function checkFailedOnce(service: PrivacyService, id: string, expected: readonly string[]): Promise<void> {
  const { items } = await service.requests.log(id, { size: 100 })
  const byCollection = new Map<string, string[]>()
  for (const { actionType, dataset, collection, status } of items) {
    const name = `${dataset}:${collection}`
    if (actionType === 'erasure') byCollection.set(name, [...(byCollection.get(name) ?? []), status])
  }
  const failed = [...byCollection.values()].filter((list) => list.includes('error'))
  expect(failed.length).toBeGreaterThan(1)
  for (const list of failed) expect(list).toEqual(expected)
  for (const list of byCollection.values()) {
    expect([expected, ['skipped'], ['in_processing', 'complete']]).toContainEqual(list)
  }
}

/** Written in the order that the case demands, whatever the references say. */
async function checkOrder(input: Input, { upstream = {}, downstream = {} }: Expected): Promise<void> {
  const [dataset] = neutralDatasets(input)
  const key = dataset?.key as string
  const collections = (dataset?.collections ?? []).map(
    (each): Json => ({ ...each, erase_after: input.erase_after?.[each['name'] as string] ?? [] }),
  )
  const world = await erasedWorld({
    datasets: [{ ...(dataset as Json), key, collections }],
    databases: { [key]: { kind: 'sql', tables: Object.fromEntries(collections.map(({ name }) => [name, []])) } },
    seeds: { email: 'nobody@example.com' },
    rules: [{ targets: ['user'], strategy: 'null_rewrite', configuration: {} }],
  })
  try {
    const { id } = await world.erase()
    const plan = await world.service.requests.plan(id)
    const order = plan?.erasure?.flatMap(({ members }) => members) ?? []
    for (const [address, after] of Object.entries(downstream)) {
      for (const next of after)
        expect(order.indexOf(address), `${address} before ${next}`).toBeLessThan(order.indexOf(next))
    }
    for (const [address, before] of Object.entries(upstream)) {
      expect(order).toContain(address)
      for (const first of before.filter((each) => !each.startsWith('__ROOT__'))) {
        expect(order.indexOf(first), `${first} before ${address}`).toBeLessThan(order.indexOf(address))
      }
    }
  } finally {
    await world.service.close()
  }
}
