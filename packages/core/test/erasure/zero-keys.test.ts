import { memoryConnector } from '@habeas/testkit'
import { expect, test } from 'vitest'
import { erasedOf, erasureWorld } from './erasure-world.js'

const integer = { kind: 'integer' } as const
const text = { kind: 'string' } as const

const seats = () => ({
  seats: {
    primaryKey: ['row', 'place'],
    columns: [
      { name: 'row', ...integer },
      { name: 'place', ...integer },
      { name: 'email', ...text },
      { name: 'name', ...text },
    ],
    rows: [
      { row: 5, place: 0, email: 'ann@example.com', name: 'Ann' },
      { row: 5, place: 1, email: 'bob@example.com', name: 'Bob' },
      { row: 0, place: 5, email: 'cleo@example.com', name: 'Cleo' },
      { row: 0, place: 0, email: 'dan@example.com', name: 'Dan' },
    ],
  },
})

const dataset = {
  service_key: 'hall',
  collections: [
    {
      name: 'seats',
      fields: [
        { name: 'email', service_meta: { identity: 'email' } },
        { name: 'name', data_categories: ['user.name'] },
      ],
    },
  ],
}

test.each([
  ['ann@example.com', 0],
  ['dan@example.com', 3],
])('a row is written by its whole key, zero parts included (%s)', async (email, at) => {
  const database = seats()
  const connector = memoryConnector({ database })
  await using world = await erasureWorld(connector, [dataset])
  const request = await world.erase({ email })
  expect(request.failure ?? request.status).toBe('complete')
  expect(erasedOf(request)).toEqual({ 'hall:seats': 'masked 1' })
  const expected = seats().seats.rows.map((row, index) => (index === at ? { ...row, name: null } : row))
  expect(database.seats.rows).toEqual(expected)
  const { row, place } = database.seats.rows[at] as { row: number; place: number }
  const written = connector.calls.filter(({ operation, rollBack }) => operation === 'erase' && !rollBack)
  expect(written.map(({ erase }) => erase?.keys)).toEqual([[[row], [place]]])
})
