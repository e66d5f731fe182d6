import assert from 'node:assert/strict'
import type { Connection, KeyGroup } from '@habeas/core'
import { journal } from '../fixtures/ledger.js'
import { lookAlikes } from '../fixtures/shop.js'
import type { Test } from '../test.js'
import { anyOf, anyTupleOf } from './connector-under-test.js'
import { deadline } from './deadline.js'
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

const mostRows = 1_000

/** Batches alone and together, their limits, and counting. */
export const connectorEraseCallsContract = (test: Test, open: OpenErase, options: EraseContractOptions): void => {
  const given = eraseCases(test, open, options)
  const withJournal = eraseCases(test, open, options, journal(mostRows))
  const promptly = deadline(options)

  given(
    'a connector that erases says how many rows a batch may name, and counts',
    async ({ connector, connection }) => {
      assert.ok(Number.isInteger(connector.capabilities.maxErased) && connector.capabilities.maxErased! > 0)
      assert.ok(connection.erase !== undefined && connection.countEach !== undefined)
    },
  )

  const entries = async (other: Connection) =>
    (await seen(other, 'entries', ['id', 'line'], 'person_id', 1)).map(([, line]) => line)
  const ids = (most: number) => Array.from({ length: Math.min(most, mostRows) }, (_, index) => index + 1)

  withJournal('a batch takes as many rows as the connector says', async ({ connector, connection, other }) => {
    const keys = ids(connector.capabilities.maxErased ?? 0)
    const batch = erasing({ collection: 'entries', keys: [keys], anyOf: [anyOf('person_id', 1)] })
    await erased(connection, { ...batch, set: [{ column: 'line', toEach: keys.map((id) => `masked ${id}`) }] })
    assert.deepEqual(
      (await entries(other)).slice(0, keys.length),
      keys.map((id) => `masked ${id}`),
    )
    await erased(connection, { ...batch, set: [{ column: 'line', to: 'same' }] })
    assert.equal((await entries(other)).filter((line) => line === 'same').length, keys.length)
    await erased(connection, { ...batch, set: 'delete' })
    assert.equal((await entries(other)).length, mostRows - keys.length)
  })

  withJournal('overlapping batches at the same time both take effect', async ({ connector, connection, other }) => {
    const keys = ids(connector.capabilities.maxErased ?? 0)
    const batch = erasing({ collection: 'entries', keys: [keys], anyOf: [anyOf('person_id', 1)] })
    const batches = ['a', 'b', 'c', 'd'].map((text) =>
      text < 'c'
        ? { ...batch, set: [{ column: 'line', to: text }] }
        : { ...batch, set: [{ column: 'line', toEach: keys.map(() => text) }] },
    )
    await promptly(
      Promise.all(batches.map((erase, index) => erased(index % 2 === 0 ? connection : other, erase))),
      'all batches end',
    )
    const lines = new Set((await entries(other)).slice(0, keys.length))
    assert.equal(lines.size, 1, 'the last batch has written every row')
  })

  withJournal(
    'a connection that ends in the middle leaves a batch whole or undone',
    async ({ connector, connection, other }) => {
      const keys = ids(connector.capabilities.maxErased ?? 0)
      const set = [{ column: 'line', toEach: keys.map(() => 'masked') }]
      const writing = erased(
        connection,
        erasing({ collection: 'entries', keys: [keys], anyOf: [anyOf('person_id', 1)], set }),
      )
      const outcome = writing.then(
        () => 'written' as const,
        () => 'failed' as const,
      )
      await connection.ping().catch(() => {})
      await connection.close()
      const ended = await promptly(outcome, 'the batch ends')
      const masked = (await entries(other)).filter((line) => line === 'masked').length
      assert.ok(
        masked === keys.length || (masked === 0 && ended === 'failed'),
        `${masked} of ${keys.length} rows are written`,
      )
    },
  )

  given('after close, and where the server is away, erasing and counting is connection_failed', async (opened) => {
    const batch = erasing({ keys: [[5, 6]], anyOf: [byEmail(5, 6)], set: 'delete' })
    const away = await opened.connector.connect(opened.connector.parseSecrets(opened.unreachable))
    await opened.connection.ping()
    await opened.connection.close()
    for (const connection of [opened.connection, away]) {
      await promptly(rejection(erased(connection, batch), 'connection_failed'), 'erase rejects')
      const counting = connection.countEach!({ collection: 'people', group: byEmail(1) })
      await promptly(rejection(counting, 'connection_failed'), 'countEach rejects')
    }
    await away.close()
    assert.equal((await people(opened.other)).length, 6)
  })

  const counted = (connection: Connection, collection: string, group: KeyGroup) => {
    assert.ok(connection.countEach !== undefined, 'the connection has countEach')
    return connection.countEach({ collection, group })
  }

  given('countEach gives each tuple, in their order, the number of rows that hold it', async ({ connection }) => {
    assert.deepEqual(await counted(connection, 'orders', anyOf('person_id', 3, 1, 2, 1)), [0, 2, 1, 2])
    assert.deepEqual(
      await counted(connection, 'orders', anyOf('id', '9007199254740993', 9_007_199_254_740_994n, 1)),
      [1, 0, 1],
    )
    assert.deepEqual(await counted(connection, 'people', anyOf('email', 'nobody', 'no number')), [0, 0])
    assert.deepEqual(await counted(connection, 'people', anyOf('id', 'no number', 2)), [0, 1])
    const tuples = anyTupleOf(['person_id', 'code'], [1, 'K-3'], [2, 'K-2'], [2, 'K-3'], [1, 'K-2'])
    assert.deepEqual(await counted(connection, 'cards', tuples), [2, 1, 0, 1])
    const narrowed = { ...anyOf('person_id', 1, 2), when: [{ path: ['code'], equals: 'K-2' }] }
    assert.deepEqual(await counted(connection, 'cards', narrowed), [1, 1])
    const none = { ...anyOf('person_id', 1, 2), when: [{ path: ['code'], equals: 'K-9' }] }
    assert.deepEqual(await counted(connection, 'cards', none), [0, 0])
  })

  given('countEach counts no fewer rows than hold a text exactly, and no other text', async ({ connection }) => {
    const texts = ['jane', 'JANE', 'jané', 'jane ', 'JANÉ', 'nobody']
    for (const field of ['alias', 'spelling']) {
      const found = await counted(connection, 'aliases', anyOf(field, ...texts))
      const least = [1, 1, 1, 1, 0, 0]
      assert.deepEqual(
        found.map((count, index) => Math.min(count, least[index] as number)),
        least,
      )
      assert.equal(found[5], 0)
    }
  })

  given('countEach lower-cases texts when asked for', async ({ connection }) => {
    const folded = anyOf({ path: ['spelling'], caseInsensitive: true }, 'jane', 'Jane', 'nobody')
    assert.deepEqual(await counted(connection, 'aliases', folded), [3, 3, 0])
    const alike = anyOf({ path: ['spelling'], caseInsensitive: true }, ...lookAlikes.flat())
    assert.deepEqual(
      await counted(connection, 'aliases', alike),
      lookAlikes.flat().map(() => 1),
    )
  })

  given('countEach of a foreign key counts no fewer rows than hold each tuple', async ({ connection }) => {
    const columnsOf = (...columns: string[]) => ({ collection: 'aliases', columns })
    for (const [field, counts] of [
      ['alias', [1, 1, 1, 0]],
      ['spelling', [1, 1, 1, 0]],
    ] as const) {
      const group = anyOf(field, 'jane', 'JANE', 'jane ', 'nobody')
      const found = await connection.countEach!({ collection: 'aliases', group, references: columnsOf(field) })
      assert.deepEqual(
        found.map((count, index) => Math.min(count, counts[index] as number)),
        counts,
      )
      assert.equal(found[3], 0)
    }
    const owners = { collection: 'people', columns: ['id'] }
    const orders = { collection: 'orders', group: anyOf('person_id', 3, 1, 2, 1), references: owners }
    assert.deepEqual(await connection.countEach!(orders), [0, 2, 1, 2])
  })

  given('countEach takes as many keys as a read does, packed or not', async ({ connector, connection }) => {
    const keys = Float64Array.from({ length: Math.min(connector.capabilities.maxKeys, 10_000) }, (_, index) => index)
    const counts = await counted(connection, 'people', { fields: [{ path: ['id'] }], values: [keys] })
    assert.deepEqual(
      counts,
      Array.from(keys, (id) => (id >= 1 && id <= 6 ? 1 : 0)),
    )
  })

  given('countEach looks into objects and lists where nested fields can be', async ({ connector, connection }) => {
    const by = (path: string, ...values: string[]) => anyOf({ path: path.split('.') }, ...values)
    if (!connector.capabilities.nestedFields) {
      await assert.rejects(counted(connection, 'profiles', by('data.name', 'Jane')))
      return
    }
    assert.deepEqual(await counted(connection, 'profiles', by('data.phones.number', '4', '5', '3')), [1, 0, 1])
    assert.deepEqual(await counted(connection, 'profiles', by('data.phones', '2', '1', '9')), [1, 1, 0])
    assert.deepEqual(await counted(connection, 'profiles', by('data.name', 'John', 'Jane')), [2, 1])
  })

  given(
    'a batch finds rows by what lies in objects and lists where nested fields can be',
    async ({ connector, connection, other }) => {
      const batch = erasing({
        collection: 'profiles',
        keys: [[1, 2, 3, 5]],
        anyOf: [anyOf({ path: ['data', 'phones', 'number'] }, '4'), anyOf({ path: ['data', 'home', 'city'] }, 'Rome')],
        set: 'delete',
      })
      if (!connector.capabilities.nestedFields) {
        await assert.rejects(erased(connection, batch))
        return
      }
      const both = {
        fields: [{ path: ['data', 'name'] }, { path: ['person_id'] }],
        values: [
          ['Jane', 'John', 'x'],
          [2, 1, 1],
        ],
      }
      await erased(connection, { ...batch, anyOf: [both], keys: [[1, 2]], set: [{ column: 'person_id', to: 7 }] })
      assert.deepEqual((await seen(other, 'profiles', ['id', 'person_id'], 'id', 1, 2)).flat(), [1, 1, 2, 7])
      await erased(connection, batch)
      assert.deepEqual((await seen(other, 'profiles', ['id'], 'id', 1, 2, 3, 4, 5)).flat(), [3, 4, 5])
    },
  )
}
