import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { eraseShop, key, plain, tableWith } from './described-erasure.js'

const ann = 'ann@example.com'
const email = plain('email', { identity: 'email' })
const columns = { id: 'integer', email: 'string', note: 'string' } as const

/** A table beside a view that shows other rows. */
const shop = (
  view: { writable: boolean; shows?: string[] },
  meta: object = {},
  noteMeta: object = {},
  categories = ['user'],
) => ({
  database: {
    thing: tableWith(columns, [[1, ann, 'a']]),
    summary: tableWith(columns, [[1, ann, 'b']], { view }),
  },
  collections: [
    collection('thing', [key, email, field('note')]),
    collection('summary', [key, email, field('note', noteMeta as never, categories)], meta as never),
  ],
})
const locked = { writable: false, shows: ['thing'] }

test.each<[string, ReturnType<typeof shop>, string]>([
  ['that shows a table', shop(locked), "describe the tables behind it ('thing'), and set 'skip_processing'"],
  ['whose rows would go', shop(locked, { erase: 'delete' }), "set 'skip_processing'"],
  [
    'of another server',
    shop({ writable: false }),
    "erase its rows on the server that holds them, and set 'skip_processing'",
  ],
])('a view %s that cannot be written stops an erasure at planning', async (_, given, message) => {
  const { request, rows, before } = await eraseShop(given)
  expect(request.status).toBe('error')
  expect(request.failure).toContain("'shop:summary' shows rows of other tables and cannot be written")
  expect(request.failure).toContain(message)
  expect(rows).toEqual(before)
})

test('a collection that says why it cannot be written stops an erasure at planning', async () => {
  const given = shop({ writable: true })
  const capped = tableWith(columns, [[1, ann, 'b']], { unwritable: 'It is capped: copy it.' })
  const database = { ...given.database, summary: capped }
  const { request, rows, before } = await eraseShop({ ...given, database })
  expect(request.status).toBe('error')
  expect(request.failure).toContain("'shop:summary' cannot be erased. It is capped: copy it. Or set 'skip_processing'")
  expect(rows).toEqual(before)
})

test.each<[string, ReturnType<typeof shop>]>([
  ['that is skipped', shop(locked, { skip_processing: true }, {}, [])],
  ['of which nothing is to be written', shop(locked, {}, { read_only: true })],
  ['of whose rows none may change', shop(locked, { retain: { reason: 'tax law' } })],
])('a view %s stops nothing', async (_, given) => {
  const { request, rows } = await eraseShop(given)
  expect([request.status, request.failure]).toEqual(['complete', undefined])
  expect([rows['thing']?.[0]?.['note'], rows['summary']?.[0]?.['note']]).toEqual([null, 'b'])
})

test('a view that can be written is written', async () => {
  const { erased, rows } = await eraseShop(shop({ writable: true, shows: ['other'] }))
  expect(erased).toEqual({ 'shop:thing': 'masked 1', 'shop:summary': 'masked 1' })
  expect(rows['summary']?.[0]?.['note']).toBeNull()
})
