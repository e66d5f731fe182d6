import assert from 'node:assert/strict'
import type { Connection, RowFilter } from '@habeas/core'
import type { Test } from '../test.js'
import {
  anyOf,
  type ConnectorContractOptions,
  connectorCases,
  type OpenConnector,
  rowsOf,
} from './connector-under-test.js'
import {
  byEmail,
  type EraseContractOptions,
  eraseCases,
  erased,
  erasing,
  type OpenErase,
  people,
  seen,
} from './erase-under-test.js'
import { rejection } from './rejection.js'

/** Without the option the catalogue gives no partition, so that no filter is ever sent. */
const givesNone = async (connection: Connection): Promise<void> => {
  const { collections } = await connection.describe()
  assert.deepEqual(
    collections.filter(({ partition }) => partition !== undefined),
    [],
  )
}

const january: RowFilter = [{ column: 'placed_at', from: '2024-01-02T00:00:00Z', to: '2024-01-03T00:00:00.000000Z' }]

/** What calls do with a filter over the partitions of a table. */
export const connectorFiltersContract = (test: Test, open: OpenConnector, options: ConnectorContractOptions): void => {
  const given = connectorCases(test, open, options)

  given('rows outside of a filter are neither read nor counted', async ({ connection }) => {
    if (!options.filters) return givesNone(connection)
    const orders = { collection: 'orders', anyOf: [anyOf('customer_id', 1, 2, 3)] }
    const ids = async (filter: RowFilter) =>
      (await rowsOf(connection, { ...orders, columns: ['id'], filter })).map(([id]) => Number(id)).sort()
    assert.deepEqual(await ids(january), [2, 3])
    assert.deepEqual(
      await ids([...january, { column: 'placed_at', from: '2024-01-05T00:00:00Z' }]),
      [2, 3, 9007199254740992],
    )
    assert.deepEqual(await ids([{ column: 'placed_at', to: '2023-12-31T23:59:59Z' }]), [])
    const counts = await connection.count([
      { ...orders, filter: january },
      { ...orders, filter: january, noneOf: [anyOf('id', 2)] },
      orders,
    ])
    assert.deepEqual(counts, [2, 1, 5])
  })

  given('a filter may ask for numbers and for rows without a value', async ({ connection }) => {
    if (!options.filters) return givesNone(connection)
    const notes = (filter: RowFilter) =>
      rowsOf(connection, { collection: 'customers', columns: ['id'], anyOf: [anyOf('id', 1, 2, 3)], filter })
    assert.deepEqual(await notes([{ column: 'referrer_id', empty: true }]), [[1]])
    assert.deepEqual(await notes([{ column: 'id', from: 3 }]), [[3]])
    assert.equal((await notes([{ column: 'referrer_id', from: 1 }])).length, 2)
    assert.equal(
      (
        await notes([
          { column: 'referrer_id', from: 1 },
          { column: 'referrer_id', empty: true },
        ])
      ).length,
      3,
    )
  })
}

/** The same of calls that write. */
export const connectorEraseFiltersContract = (test: Test, open: OpenErase, options: EraseContractOptions): void => {
  const given = eraseCases(test, open, options)
  const grown: RowFilter = [{ column: 'id', from: 2, to: 2 }]

  given('rows outside of a filter are not written', async ({ connection, other }) => {
    if (!options.filters) return givesNone(connection)
    const before = await people(other, 'name')
    const after = (deleted: boolean) =>
      deleted ? before.filter(([id]) => id !== 2) : before.map(([id, name]) => [id, id === 2 ? null : name])
    await erased(connection, erasing({ filter: grown }))
    assert.deepEqual(await people(other, 'name'), after(false))
    const names = { set: [{ column: 'name', toEach: ['a', 'b', 'c'] }] }
    await erased(connection, erasing({ filter: [{ column: 'id', to: 1 }], ...names }))
    assert.deepEqual((await people(other, 'name')).slice(0, 2), [
      [1, 'a'],
      [2, null],
    ])
    await erased(connection, { ...erasing({ filter: grown }), collection: 'seats', ...seatsOfHall })
    assert.equal((await seen(other, 'seats', ['hall'], 'hall', 0, 5)).length, 4)
  })

  given('rows outside of a filter are not told apart and not deleted', async ({ connection, other }) => {
    if (!options.filters) return givesNone(connection)
    const cards = {
      ...{ collection: 'cards', key: ['code'], keys: [['K-2']] },
      ...{ anyOf: [anyOf('person_id', 1, 2)], set: 'delete' as const },
    }
    await rejection(erased(connection, cards), 'unsupported')
    await erased(connection, { ...cards, filter: [{ column: 'person_id', from: 2 }] })
    assert.deepEqual(await seen(other, 'cards', ['code', 'person_id'], 'code', 'K-2'), [['K-2', 1]])
  })

  given('what a batch rests on is counted inside of filters', async ({ connection, other }) => {
    if (!options.filters) return givesNone(connection)
    const before = await people(other, 'name')
    const group = { ...anyOf('email', 'person-1@example.com', 'person-2@example.com'), exact: true as const }
    const held = { collection: 'people', group, rows: 2 }
    await rejection(
      erased(connection, erasing({ unchanged: [{ ...held, filter: [{ column: 'id', from: 2 }] }] })),
      'connection_failed',
    )
    const count = { collection: 'orders', group: anyOf('person_id', 1) }
    await rejection(erased(connection, erasing({ pointers: [{ count, most: [0] }] })), 'connection_failed')
    assert.deepEqual(await people(other, 'name'), before)
    const filter: RowFilter = [{ column: 'person_id', from: 99 }]
    assert.deepEqual(await connection.countEach?.({ ...count, filter }), [0])
    await erased(connection, {
      ...erasing({ anyOf: [byEmail(1)] }),
      unchanged: [{ ...held, filter: [{ column: 'id', from: 1 }] }],
      pointers: [{ count: { ...count, filter }, most: [0] }],
    })
    assert.deepEqual((await people(other, 'name')).slice(0, 1), [[1, null]])
  })
}

/** Every seat: a filter over another column of them leaves all. */
const seatsOfHall = {
  key: ['hall', 'number'],
  keys: [
    [0, 0, 5, 5],
    [0, 5, 0, 5],
  ],
  anyOf: [anyOf('person_id', 1, 2)],
  set: 'delete' as const,
  filter: [{ column: 'hall', from: 6 }],
}
