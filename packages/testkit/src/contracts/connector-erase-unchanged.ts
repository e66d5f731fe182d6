import assert from 'node:assert/strict'
import type { Erase, UnchangedRows, Value } from '@habeas/core'
import type { Test } from '../test.js'
import { anyOf, anyTupleOf } from './connector-under-test.js'
import {
  type EraseContractOptions,
  eraseCases,
  erased,
  erasing,
  type OpenErase,
  rollBacks,
  seen,
} from './erase-under-test.js'
import { rejection } from './rejection.js'

/** Names and ages of people, as they were read. */
const people = (rows: number, ...tuples: readonly (readonly Value[])[]): UnchangedRows => ({
  collection: 'people',
  group: { ...anyTupleOf(['name', 'age'], ...tuples), exact: true },
  rows,
})
const [jane, nobody, john] = [
  ['Jane', 40],
  [null, null],
  ['John', 42],
] as const

/** Rows that say whose the rows of a batch are, checked by the transaction that writes the batch. */
export const connectorEraseUnchangedContract = (test: Test, open: OpenErase, options: EraseContractOptions): void => {
  const given = eraseCases(test, open, options)

  const changed = async (promise: Promise<unknown>) => {
    const { details } = await rejection(promise, 'connection_failed')
    assert.deepEqual(details, { reason: 'changed_since' })
  }
  const addresses = (change: Partial<Erase>) =>
    erasing({
      collection: 'orders',
      keys: [[1, '9007199254740993']],
      anyOf: [anyOf('id', 1, '9007199254740993')],
      set: [{ column: 'address', to: 'masked' }],
      ...change,
    })

  given('a batch is left when rows that say whose it is have changed', async ({ connector, connection, other }) => {
    const orders = () => seen(other, 'orders', ['id', 'address'], 'person_id', 1, 2)
    const as = await orders()
    const ways: readonly Partial<Erase>[] = [
      {},
      { set: 'delete' },
      { rows: 2 },
      { set: [{ column: 'address', toEach: ['a', 'b'] }] },
      { pointers: [{ count: { collection: 'handles', group: anyOf('site', 1) }, most: [9] }] },
    ]
    const fewer = [
      [people(4, jane, nobody, john)],
      [people(2, jane, ['John', 43])],
      [people(2, jane, ['John', null])],
      [people(1, jane), people(2, ['jane', 40], john)],
    ]
    for (const way of ways) {
      for (const rollBack of rollBacks(connector)) {
        for (const unchanged of fewer) await changed(erased(connection, addresses({ ...way, unchanged }), { rollBack }))
      }
    }
    assert.deepEqual(await orders(), as)
    const unchanged = [people(3, jane, nobody, john), people(1, jane, ['John', 43])]
    for (const way of rollBacks(connector).includes(true) ? ways : []) {
      await erased(connection, addresses({ ...way, unchanged }), { rollBack: true })
      assert.deepEqual(await orders(), as)
    }
    await erased(connection, addresses({ unchanged }))
    assert.deepEqual(
      (await orders()).map(([, address]) => address),
      ['masked', 'Main Street 2', 'masked'],
    )
  })

  given(
    'rows are deleted only while the cascading foreign keys are those that were described',
    async ({ connector, connection, other }) => {
      const orders = () => seen(other, 'orders', ['id', 'address'], 'person_id', 1, 2)
      const as = await orders()
      const { collections } = await connection.describe()
      const described = collections.find(({ name }) => name === 'orders')?.referencedBy
      if (described !== undefined) {
        for (const rollBack of rollBacks(connector)) {
          const since = erased(connection, addresses({ set: 'delete', referencedBy: `${described}, other` }), {
            rollBack,
          })
          assert.deepEqual((await rejection(since, 'connection_failed')).details, { reason: 'referenced_since' })
        }
        assert.deepEqual(await orders(), as)
      }
      await erased(
        connection,
        addresses({ set: 'delete', ...(described !== undefined && { referencedBy: described }) }),
      )
      assert.equal((await orders()).length, as.length - 2)
    },
  )

  given('a missing table that must be unchanged is named as missing', async ({ connection }) => {
    const missing = async (change: Partial<UnchangedRows>) => {
      const unchanged = [{ ...people(1, jane), ...change }]
      return (await rejection(erased(connection, addresses({ unchanged })), 'connection_failed')).details.reason
    }
    assert.equal(await missing({ collection: 'nothing_of_that_name' }), 'missing_collection')
    assert.equal(await missing({ group: { ...anyOf('nothing', 1), exact: true } }), 'missing_column')
  })
}
