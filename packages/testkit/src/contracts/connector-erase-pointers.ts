import assert from 'node:assert/strict'
import type { Erase, MostPointers, PrivacyError, Value } from '@habeas/core'
import type { Test } from '../test.js'
import { anyOf, anyTupleOf, rowsOf } from './connector-under-test.js'
import { deadline } from './deadline.js'
import {
  byEmail,
  type EraseContractOptions,
  eraseCases,
  erased,
  erasing,
  type OpenErase,
  people,
  refusal,
  rollBacks,
  seen,
} from './erase-under-test.js'
import { rejection } from './rejection.js'

/** Orders of people, of whom the first has two and the second one. */
const orders = (ids: readonly number[], most: readonly number[]): MostPointers => ({
  count: {
    collection: 'orders',
    group: anyOf('person_id', ...ids),
    references: { collection: 'people', columns: ['id'] },
  },
  most,
})

/** Rows that refer to rows of a batch, counted by the transaction that writes the batch. */
export const connectorErasePointersContract = (test: Test, open: OpenErase, options: EraseContractOptions): void => {
  const given = eraseCases(test, open, options)
  const promptly = deadline(options)
  const { unenforced = [] } = options

  const since = async (promise: Promise<unknown>, position: number, rows: number) => {
    const { details } = await rejection(promise, 'connection_failed')
    assert.deepEqual(details, { reason: 'shared_since', position, rows })
  }

  given(
    'a batch is left when more rows refer to it than allowed, and the count is named',
    async ({ connector, connection, other }) => {
      const as = await people(other, 'name', 'note')
      const ways: readonly Partial<Erase>[] = [
        { set: [{ column: 'name', to: 'masked' }] },
        { set: [{ column: 'note', toEach: ['a', 'b', 'c'] }] },
        { keys: [[4, 5, 6]], anyOf: [byEmail(4, 5, 6)], set: 'delete' },
      ]
      for (const way of ways) {
        for (const rollBack of rollBacks(connector)) {
          const pointers = [orders([1, 3, 2], [2, 0, 1]), orders([2, 1], [0, 0]), orders([1], [1])]
          await since(erased(connection, erasing({ ...way, pointers }), { rollBack }), 1, 3)
        }
      }
      assert.deepEqual(await people(other, 'name', 'note'), as)
      const pointers = [orders([1, 3, 2], [2, 0, 1]), orders([2, 5], [7, 0])]
      if (rollBacks(connector).includes(true)) await erased(connection, erasing({ pointers }), { rollBack: true })
      assert.deepEqual(await people(other, 'name', 'note'), as)
      await erased(connection, erasing({ pointers }))
      await erased(connection, erasing({ ...ways[2], pointers }))
      const names = (await people(other, 'name')).map(([, name]) => name)
      assert.deepEqual(names, [null, null, null])
    },
  )

  given('a tuple with fewer rows than allowed does not make up for another', async ({ connection, other }) => {
    await since(erased(connection, erasing({ pointers: [orders([1, 2], [1, 9])] })), 0, 1)
    await since(erased(connection, erasing({ pointers: [orders([2, 1], [9, 0])] })), 0, 2)
    assert.equal((await people(other, 'name'))[0]?.[1], 'Jane')
    const cards = (most: number): MostPointers => {
      const group = { ...anyTupleOf(['person_id'], [1], [2]), when: [{ path: ['code'], equals: 'K-2' }] }
      return { count: { collection: 'cards', group }, most: [1, most] }
    }
    await since(erased(connection, erasing({ pointers: [cards(0)] })), 0, 1)
    await erased(connection, erasing({ pointers: [cards(1)] }))
    assert.equal((await people(other, 'name'))[0]?.[1], null)
  })

  given('rows that spell a key in another way are counted as well', async ({ connection, other }) => {
    const { collections } = await connection.describe()
    const keys = collections.find(({ name }) => name === 'mentions')?.foreignKeys ?? []
    for (const { columns, references, loose } of keys) {
      if (!loose) continue
      const as = { collection: references.collection, columns: references.columns }
      const read = { collection: 'handles', columns: [], anyOf: [anyOf('site', 1)] }
      const [key = []] = await rowsOf(connection, { ...read, spelled: [{ columns: as.columns, as }] })
      const group = { ...anyTupleOf(columns, key as Value[]), spelledAs: as }
      const rows = columns.length === 1 ? 3 : 2
      const batch = (most: number) =>
        erasing({
          collection: 'handles',
          key: ['handle'],
          keys: [['Jane']],
          anyOf: [anyOf('site', 1)],
          set: [{ column: 'name', to: `${columns}` }],
          pointers: [{ count: { collection: 'mentions', group }, most: [most] }],
        })
      await since(erased(connection, batch(rows - 1)), 0, 1)
      await erased(connection, batch(rows))
      assert.deepEqual(await seen(other, 'handles', ['name'], 'site', 1), [[`${columns}`]])
    }
  })

  given('a row that comes to refer to deleted rows is counted, or finds them gone', async (opened) => {
    const { connector, connection, other } = opened
    const locks = connector.capabilities.rowLocks !== false
    for (const [round, id] of [4, 5, 6].entries()) {
      const anyId = [anyOf('id', id)]
      const batch = erasing({ keys: [[id]], anyOf: anyId, set: 'delete', pointers: [orders([id], [0])] })
      const pointer = erasing({
        collection: 'orders',
        keys: [[1]],
        anyOf: [anyOf('id', 1)],
        set: [{ column: 'person_id', to: id }],
      })
      const begin = { going: () => erased(connection, batch), referencing: () => erased(other, pointer) }
      const order = round === 1 ? (['referencing', 'going'] as const) : (['going', 'referencing'] as const)
      const ended = await promptly(Promise.allSettled(order.map((each) => begin[each]())), 'both end')
      const [going, referencing] = round === 1 ? [ended[1]!, ended[0]!] : [ended[0]!, ended[1]!]
      if (going.status === 'rejected') {
        const failed = Promise.reject(going.reason as PrivacyError)
        // Without locks the row may come after the count: then its foreign key refuses the deletion.
        if (locks) await since(failed, 0, 1)
        else await rejection(failed, 'connection_failed')
        assert.equal(referencing.status, 'fulfilled')
      } else if (!unenforced.includes('foreign_key')) {
        assert.equal(referencing.status, 'rejected', 'nothing refers to deleted rows')
        await refusal(Promise.reject(referencing.reason as PrivacyError))
      }
    }
  })

  given('a missing table to count is named as missing', async ({ connection }) => {
    const missing = async (collection: string, column: string) => {
      const count = { collection, group: anyOf(column, 1) }
      const batch = erasing({ pointers: [{ count, most: [0] }] })
      return (await rejection(erased(connection, batch), 'connection_failed')).details.reason
    }
    assert.equal(await missing('nothing_of_that_name', 'id'), 'missing_collection')
    assert.equal(await missing('orders', 'nothing'), 'missing_column')
  })
}
