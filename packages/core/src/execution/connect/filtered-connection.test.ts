import { expect, it } from 'vitest'
import type { Connection } from '../../ports/connector.js'
import { withFilters } from './filtered-connection.js'
import type { OpenConnection } from './open-connections.js'

const filter = [{ column: 'at', from: '2024-01-01' }]
const filters = [
  {
    address: 'web:visit',
    connectionKey: 'warehouse',
    collection: 'visit',
    kind: 'date' as const,
    ranges: [{ field: 'at', start: '2024-01-01' }],
  },
]

function recorded() {
  const calls: unknown[] = []
  const connection: Connection = {
    concurrency: 1,
    ping: async () => {},
    describe: async () => ({ collections: [] }),
    async *read(read) {
      calls.push(read)
      yield []
    },
    async count(counts) {
      calls.push(...counts)
      return counts.map(() => 0)
    },
    async countEach(counted) {
      calls.push(counted)
      return []
    },
    async erase(batch) {
      calls.push(batch)
    },
    close: async () => {},
  }
  const open = { key: 'warehouse', connection } as OpenConnection
  return { calls, open }
}

const now = new Date(0)
const group = { fields: [{ path: ['id'] }], values: [[1]] }
const asked = (collection: string) => ({ collection, anyOf: [group] })

it('every call carries the filter of its table, and none that of another one', async () => {
  const { calls, open } = recorded()
  const { connection } = withFilters({ filters }, now)(open)
  for await (const _ of connection.read({ ...asked('visit'), columns: ['id'] }));
  await connection.count([asked('visit'), asked('page')])
  await connection.countEach?.({ collection: 'visit', group })
  const pointer = { count: { collection: 'visit', group }, most: [1] }
  const held = { collection: 'visit', group: { ...group, exact: true as const }, rows: 1 }
  await connection.erase?.({
    ...asked('page'),
    ...{ key: ['id'], keys: [[1]], set: 'delete' as const },
    pointers: [pointer, { count: { collection: 'page', group }, most: [1] }],
    unchanged: [held],
  })
  await connection.erase?.({ ...asked('visit'), key: ['id'], keys: [[1]], set: 'delete' })
  expect(calls).toEqual([
    { ...asked('visit'), columns: ['id'], filter },
    { ...asked('visit'), filter },
    asked('page'),
    { collection: 'visit', group, filter },
    expect.objectContaining({
      collection: 'page',
      pointers: [
        { count: { collection: 'visit', group, filter }, most: [1] },
        { count: { collection: 'page', group }, most: [1] },
      ],
      unchanged: [{ ...held, filter }],
    }),
    expect.objectContaining({ collection: 'visit', filter }),
  ])
  expect(calls[4]).not.toHaveProperty('filter')
})

it('a connection without filters stays as it is', () => {
  const { open } = recorded()
  expect(withFilters({}, now)(open)).toBe(open)
  expect(withFilters({ filters: [{ ...filters[0]!, connectionKey: 'other' }] }, now)(open)).toBe(open)
})
