import assert from 'node:assert/strict'
import type { Connection, Erase, Value } from '@habeas/core'
import type { Test } from '../test.js'
import { anyOf } from './connector-under-test.js'
import { type EraseContractOptions, eraseCases, erased, erasing, type OpenErase, seen } from './erase-under-test.js'

const jane = { name: 'Jane', home: { city: 'Rome', zip: '1' }, phones: ['1', '2'], plan: null, 'odd.$"name': 'x' }
const john = { name: 'John', phones: [{ number: '3', kind: 'work' }, { number: '4' }], level: 3 }

/** New values of members of objects and lists. */
export const connectorEraseMembersContract = (test: Test, open: OpenErase, options: EraseContractOptions): void => {
  const given = eraseCases(test, open, options)

  /** The profiles with these ids, before and after. */
  const rewriting = (...rows: readonly (readonly [id: number, was: Value, to: Value])[]): Erase =>
    erasing({
      collection: 'profiles',
      keys: [rows.map(([id]) => id)],
      anyOf: [anyOf('id', 1, 2, 3, 4, 5)],
      set: [{ column: 'data', toEach: rows.map(([, , to]) => to), was: rows.map(([, was]) => was) }],
    })
  const data = async (other: Connection) =>
    (await seen(other, 'profiles', ['id', 'data'], 'id', 1, 2, 3, 4, 5)).map(([, value]) => value)

  given('members that differ are written, and all others stay', async ({ connection, other }) => {
    await erased(
      connection,
      rewriting(
        [1, jane, { ...jane, name: null, home: { city: 'masked', zip: '1' }, 'odd.$"name': 'y' }],
        [2, john, { ...john, name: "o'masked", level: 4 }],
        [3, { home: { city: 'Oslo' } }, { home: { city: 'masked' } }],
        [4, null, { name: 'masked' }],
      ),
    )
    assert.deepEqual(await data(other), [
      { ...jane, name: null, home: { city: 'masked', zip: '1' }, 'odd.$"name': 'y' },
      { ...john, name: "o'masked", level: 4 },
      { home: { city: 'masked' } },
      null,
      ['Jane', { name: 'John' }],
    ])
  })

  given(
    'a member that was not read stays, and one that is gone or null does not come back',
    async ({ connection, other }) => {
      const { phones: _phones, ...read } = jane
      const gone = { name: 'Jane', street: 'Main Street', plan: 'gold', home: { street: 'x' } }
      await erased(
        connection,
        rewriting(
          [1, read, { ...read, name: 'masked' }],
          [3, gone, { name: 'm', street: 'm', plan: 'm', home: { street: 'm' } }],
        ),
      )
      assert.deepEqual((await data(other)).slice(0, 3), [{ ...jane, name: 'masked' }, john, { home: { city: 'Oslo' } }])
      await erased(
        connection,
        rewriting([1, { plan: 'gold' }, { plan: 'masked' }], [2, { name: ['x'] }, { name: 'masked' }]),
      )
      assert.deepEqual((await data(other)).slice(0, 2), [{ ...jane, name: 'masked' }, john])
    },
  )

  given(
    'a member that has changed meanwhile is left, and the others of its row are written',
    async ({ connection, other }) => {
      const stale = { ...jane, name: 'Janet' }
      await erased(connection, rewriting([1, stale, { ...stale, name: 'masked', home: { city: 'masked', zip: '1' } }]))
      assert.deepEqual((await data(other))[0], { ...jane, home: { city: 'masked', zip: '1' } })
    },
  )

  given('elements of a list are written while the list is what it was', async ({ connection, other }) => {
    await erased(
      connection,
      rewriting(
        [1, jane, { ...jane, phones: ['masked', '2'] }],
        [2, john, { ...john, phones: [{ number: null, kind: 'work' }, { number: '4' }] }],
        [5, ['Jane', { name: 'John' }], ['masked', { name: 'John' }]],
      ),
    )
    const written = await data(other)
    assert.deepEqual(
      [written[0], written[1], written[4]],
      [
        { ...jane, phones: ['masked', '2'] },
        { ...john, phones: [{ number: null, kind: 'work' }, { number: '4' }] },
        ['masked', { name: 'John' }],
      ],
    )
    await erased(connection, rewriting([1, { phones: ['masked', '2'] }, { phones: ['2'] }]))
    assert.deepEqual((await data(other))[0], { ...jane, phones: ['2'] })
  })

  given('elements of a list that has changed meanwhile are left', async ({ connection, other }) => {
    const before = await data(other)
    await erased(
      connection,
      rewriting(
        [1, { phones: ['2', '1'] }, { phones: ['masked', '1'] }],
        [2, { phones: [...john.phones, { number: '5' }] }, { phones: [...john.phones, { number: 'masked' }] }],
        [3, { home: ['Oslo'] }, { home: ['masked'] }],
        [5, ['Jane'], ['masked']],
      ),
    )
    assert.deepEqual(await data(other), before)
  })

  given('a document is replaced whole when its old value is not given', async ({ connection, other }) => {
    const { set: _set, ...batch } = rewriting([1, null, null], [2, null, null], [4, null, null])
    await erased(connection, { ...batch, set: [{ column: 'data', toEach: [{ a: 1 }, null, { b: 2 }] }] })
    assert.deepEqual(await data(other), [{ a: 1 }, null, { home: { city: 'Oslo' } }, null, ['Jane', { name: 'John' }]])
  })

  given('members are written together with other columns', async ({ connection, other }) => {
    const { set, ...batch } = rewriting([1, jane, { ...jane, name: 'masked' }], [2, john, john])
    assert.ok(set !== 'delete')
    await erased(connection, { ...batch, set: [...set, { column: 'person_id', toEach: [8, 9] }] })
    const rows = await seen(other, 'profiles', ['id', 'person_id', 'data'], 'id', 1, 2)
    assert.deepEqual(rows, [
      [1, 8, { ...jane, name: 'masked' }],
      [2, 9, john],
    ])
  })
}
