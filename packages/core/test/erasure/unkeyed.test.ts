import type { Value } from '@habeas/core'
import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { eraseShop, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const visits = (rows: readonly (readonly Value[])[], how: 'mask' | 'delete', maxErased = 1000) => ({
  database: { visit: tableWith({ email: 'string', place: 'string', note: 'string' }, rows, { keys: [] }) },
  collections: [
    collection('visit', [plain('email', { identity: 'email' }), plain('place'), field('note')], { erase: how }),
  ],
  capabilities: { maxErased },
})
const ann = 'ann@example.com'
const others: readonly Value[][] = [
  ['bob@example.com', 'park', 'n'],
  ['bob@example.com', 'park', 'n'],
  ['bob@example.com', null, null],
]
const mine: readonly Value[][] = [
  [ann, 'park', 'n'],
  [ann, 'park', 'n'],
  [ann, null, 'n'],
  [ann, 'park', null],
  [ann, 'park', 'n'],
  [ann, 'pub', 'm'],
]

test('rows without a key are erased by all their values, identical ones as often as they exist', async () => {
  for (const most of [1000, 4, 2, 1]) {
    const masked = await eraseShop(visits([...mine, ...others], 'mask', most))
    expect([most, masked.request.failure, masked.erased]).toEqual([
      most,
      undefined,
      { 'shop:visit': 'masked 5, unchanged 1' },
    ])
    expect(masked.rows['visit']?.map(({ note }) => note)).toEqual([null, null, null, null, null, null, 'n', 'n', null])
    const deleted = await eraseShop(visits([...mine, ...others], 'delete', most))
    expect([most, deleted.request.failure, deleted.erased]).toEqual([
      most,
      undefined,
      { 'shop:visit': 'erased 5, unchanged 1' },
    ])
    expect(deleted.rows['visit']).toHaveLength(4)
  }
})

test('another number of identical rows than was found is unsupported; a retry finds them again', async () => {
  for (const how of ['mask', 'delete'] as const) {
    for (const change of ['one more', 'one less'] as const) {
      await using world = await shopWorld(visits([...mine, ...others], how))
      const gate = world.connector.hold({ operation: 'erase', rollBack: false })
      const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
      await gate.reached
      const table = world.database['visit'] as { rows: Record<string, Value>[] }
      if (change === 'one more') table.rows.push({ email: ann, place: 'park', note: 'n' })
      else table.rows.splice(0, 1)
      const then = structuredClone(world.rows())
      gate.open()
      const request = await world.privacy.requests.settled(id)
      expect(request.status).toBe('error')
      expect(erasedOf(request)['shop:visit']).toMatch(/unsupported \d /)
      expect(world.rows()).toEqual(then)
      await world.privacy.requests.retry(id)
      const again = await world.privacy.requests.settled(id)
      expect(again.failure).toBeUndefined()
      expect(world.rows()['visit']?.filter(({ email, note }) => email === ann && note !== null)).toEqual([])
      expect(world.rows()['visit']?.filter(({ email }) => email !== ann)).toHaveLength(3)
    }
  }
})
