import type { Value } from '@habeas/core'
import { memoryConnector } from '@habeas/testkit'
import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { changedConnector } from './changed-connector.js'
import { key, tableWith } from './described-erasure.js'
import { erasedOf, erasureWorld } from './erasure-world.js'

const ann = 'ann@example.com'
const rows: readonly (readonly Value[])[] = [
  [1, ann, 'first'],
  [2, 'bob@example.com', 'his'],
  [3, ann, 'second'],
]

/** A source whose reads show what was written only when `show` is called. */
async function lateWorld(how: 'mask' | 'delete') {
  const contact = tableWith({ id: 'integer', email: 'string', note: 'string' }, rows)
  const memory = memoryConnector({ database: { contact }, capabilities: { transactions: false, rowLocks: false } })
  const unseen: (() => Promise<void> | undefined)[] = []
  const connector = changedConnector(memory, (connection) => ({
    erase: async (erase) => void unseen.push(() => connection.erase?.(erase)),
  }))
  const fields = [key, field('email', { identity: 'email' }), field('note')]
  const shop = { service_key: 'shop', collections: [collection('contact', fields, { erase: how })] }
  const world = await erasureWorld(connector, [shop])
  const show = async () => {
    for (const write of unseen.splice(0)) await write()
  }
  const again = async (id: string) => {
    await world.privacy.requests.retry(id)
    return world.privacy.requests.settled(id)
  }
  return { ...world, contact, show, again }
}

test.each([
  ['delete', 'erased 2'],
  ['mask', 'masked 2'],
] as const)('rows that are seen late counts the next attempt, once (%s)', async (how, counted) => {
  await using world = await lateWorld(how)
  const { id, failure } = await world.erase({ email: ann })
  expect(failure).toContain("2 rows of 'shop:contact' still hold data that was to be erased")
  expect(failure).toContain('or the source shows its changes late')
  // Still unseen: the rows are found and written once more.
  expect((await world.again(id)).failure).toBe(failure)

  await world.show()
  const end = await world.again(id)
  expect([end.failure, end.found, erasedOf(end)]).toEqual([undefined, undefined, { 'shop:contact': counted }])
  expect(end.results?.[0]).toMatchObject({ before: 2, after: 0 })
  expect(world.contact.rows.filter(({ email }) => email === ann)).toEqual([])
  const receipt = await world.privacy.requests.receipt(id)
  expect(receipt.collections[0]?.outcomes).toEqual(end.results?.[0]?.outcomes)
  expect(await world.privacy.isErased({ email: ann })).toBe(true)
})

test('rows that are seen late before they are found again are counted beside those that were found', async () => {
  await using world = await lateWorld('delete')
  const { id } = await world.erase({ email: ann })
  await world.show()
  world.contact.rows.push({ id: 4, email: ann, note: 'new' })
  expect((await world.again(id)).failure).toContain("1 row of 'shop:contact' still holds")
  await world.show()
  expect(erasedOf(await world.again(id))).toEqual({ 'shop:contact': 'erased 3' })
})
