import assert from 'node:assert/strict'
import type { Connection, KeyGroup, Value } from '@habeas/core'
import { hostileTexts, lookAlikes } from '../fixtures/shop.js'
import type { Test } from '../test.js'
import {
  anyOf,
  anyTupleOf,
  type ConnectorContractOptions,
  connectorCases,
  type OpenConnector,
  oddTable,
  rowsOf,
  sortedTexts,
  tableOf,
} from './connector-under-test.js'

/** Only letters that every server knows in two cases. */
const inCapitals = (text: string) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase())

const idsOf = async (connection: Connection, collection: string, ...groups: KeyGroup[]): Promise<string[]> =>
  sortedTexts(await rowsOf(connection, { collection, columns: ['id'], anyOf: groups }))

/** The rows that a read gives. */
export const connectorKeysContract = (test: Test, open: OpenConnector, options: ConnectorContractOptions): void => {
  const given = connectorCases(test, open, options)
  const loosely = options.comparesLoosely === true

  given('a read gives the rows whose field holds one of the values', async ({ connection }) => {
    assert.deepEqual(await idsOf(connection, 'orders', anyOf('customer_id', 1)), ['1', '2'])
    assert.deepEqual(await idsOf(connection, 'orders', anyOf('customer_id', 1, 2)), ['1', '2', '3'])
    assert.deepEqual(await idsOf(connection, 'customers', anyOf('email', 'john@example.com')), ['3'])
  })

  given('values that no row holds find nothing', async ({ connection }) => {
    assert.deepEqual(await idsOf(connection, 'orders', anyOf('customer_id', 4, -1, 0)), [])
    assert.deepEqual(await idsOf(connection, 'customers', anyOf('name', '', 'nobody')), [])
  })

  given('the parts of a tuple must be met together, not crosswise', async ({ connection }) => {
    const read = async (group: KeyGroup) =>
      sortedTexts(
        await rowsOf(connection, { collection: 'order_lines', columns: ['order_id', 'line'], anyOf: [group] }),
      )
    assert.deepEqual(await read(anyTupleOf(['order_id', 'line'], [1, 2], [2, 3], [3, 9])), ['1/2', '2/3'])
    assert.deepEqual(await read(anyTupleOf(['line', 'order_id', 'sku'], [1, 2, 'sku-1'], [1, 3, 'sku-2'])), ['2/1'])
  })

  given('groups are alternatives, and a row that meets several comes once', async ({ connection }) => {
    const groups = [
      anyOf('id', 1, 2, 2, 1),
      anyOf('email', 'john@example.com', 'jane@example.com'),
      anyTupleOf(['id', 'number'], [1, 'C-1'], [4, 'C-4'], [5, 'C-6']),
    ]
    assert.deepEqual(await idsOf(connection, 'customers', ...groups), ['1', '2', '3', '4'])
  })

  given('identical rows come as often as there are', async ({ connection }) => {
    const groups = [anyOf('customer_id', 1), anyOf('remark', 'same')]
    const rows = await rowsOf(connection, { collection: 'remarks', columns: ['remark'], anyOf: groups })
    assert.deepEqual(sortedTexts(rows), ['other', 'same', 'same'])
  })

  given('when narrows its own group, by text, number or boolean', async ({ connection }) => {
    const own = anyOf('customer_id', 1, 2)
    const when = (column: string, equals: string | number | boolean) => ({ ...own, when: [{ path: [column], equals }] })
    assert.deepEqual(await idsOf(connection, 'orders', when('owner_type', 'customer')), ['1', '3'])
    assert.deepEqual(await idsOf(connection, 'orders', when('urgent', false)), ['2', '3'])
    assert.deepEqual(await idsOf(connection, 'orders', when('id', 2)), ['2'])
    assert.deepEqual(await idsOf(connection, 'orders', when('owner_type', "customer' or '1'='1")), [])
    const both = { ...own, when: [...when('owner_type', 'customer').when, ...when('urgent', false).when] }
    assert.deepEqual(await idsOf(connection, 'orders', both), ['3'])
    assert.deepEqual(await idsOf(connection, 'orders', both, anyOf('id', 2)), ['2', '3'])
  })

  given('a field is compared as it stands, or lower-cased when asked for', async ({ connection }) => {
    const email = { path: ['email'], kind: 'string' } as const
    const exact = await idsOf(connection, 'customers', anyOf(email, 'jane@example.com'))
    assert.deepEqual(exact, loosely ? ['1', '2'] : ['1'])
    const either = anyOf({ ...email, caseInsensitive: true }, 'Jane@EXAMPLE.com', 'JOHN@example.com')
    assert.deepEqual(await idsOf(connection, 'customers', either), ['1', '2', '3'])
  })

  given('letters that become others in small letters stay what they are', async ({ connection }) => {
    const met = async (...texts: string[]) => {
      const group = anyOf({ path: ['email'], kind: 'string', caseInsensitive: true }, ...texts)
      const rows = await rowsOf(connection, { collection: 'customers', columns: ['email'], anyOf: [group] })
      const counts = await connection.count([{ collection: 'customers', anyOf: [group] }])
      return { texts: sortedTexts(rows), count: counts[0] }
    }
    // people whose addresses look alike, each asked for alone and beside another
    for (const names of lookAlikes)
      for (const name of names) {
        const [own, asked] = [`${name}@example.com`, `${inCapitals(name)}@EXAMPLE.com`]
        const [alone, beside] = [await met(asked), await met(asked, 'JOHN@example.com')]
        if (!loosely) {
          assert.deepEqual(alone, { texts: [own], count: 1 })
          assert.deepEqual(beside, { texts: sortedTexts([[own], ['john@example.com']]), count: 2 })
        } else assert.ok(alone.texts.includes(own) && beside.texts.includes(own), own)
      }
  })

  given('hostile text is found by being equal and never interpreted', async ({ connection }) => {
    const idOf = (email: string) => tableOf('customers').rows.find((row) => row['email'] === email)!['id']
    for (const text of hostileTexts) {
      assert.deepEqual(await idsOf(connection, 'customers', anyOf('email', text)), [String(idOf(text))], text)
      const [found] = await rowsOf(connection, {
        collection: 'customers',
        columns: ['email'],
        anyOf: [anyOf({ path: ['email'], kind: 'string', caseInsensitive: true }, text)],
      })
      assert.deepEqual(found, [text])
    }
    const strangers = hostileTexts.map((text) => `stranger ${text}`)
    assert.deepEqual(await idsOf(connection, 'customers', anyOf('email', ...strangers)), [])
    assert.equal((await idsOf(connection, 'customers', anyOf('email', ...hostileTexts))).length, hostileTexts.length)
  })

  given('odd names of tables and columns are names and nothing else', async ({ connection }) => {
    const { name: collection, columns, rows } = oddTable(options)
    const names = columns.map(({ name }) => name)
    for (const name of names) {
      const group = { ...anyOf(name, rows[0]![name]!), when: [{ path: [name], equals: rows[0]![name] as string }] }
      assert.deepEqual(await rowsOf(connection, { collection, columns: names, anyOf: [group] }), [
        names.map((column) => rows[0]![column]),
      ])
    }
  })

  given('a read takes as many keys as the connector says, packed or not', async ({ connector, connection }) => {
    const { rows } = tableOf('events')
    const size = Math.min(connector.capabilities.maxKeys, 20_000)
    const numbers = Array.from({ length: size }, (_, index) => index + 1)
    const expected = Math.min(size, rows.length)
    for (const values of [numbers, Int32Array.from(numbers), Float64Array.from(numbers)]) {
      const group: KeyGroup = { fields: [{ path: ['id'], kind: 'integer' }], values: [values] }
      assert.equal(new Set(await idsOf(connection, 'events', group)).size, expected)
    }
    const codes = await idsOf(connection, 'events', anyOf('code', ...numbers.map((id) => `event-${id}`)))
    assert.equal(new Set(codes).size, expected)
    assert.equal(codes.length, expected)
  })

  given('whole numbers beyond 2^53 are told apart, as text and as bigint', async ({ connection }) => {
    const id = { path: ['id'], kind: 'integer' } as const
    for (const key of ['9007199254740993', 9_007_199_254_740_993n]) {
      assert.deepEqual(await idsOf(connection, 'orders', anyOf(id, key)), ['9007199254740993'])
    }
  })

  given('decimals are met by what they are worth, whatever their scale', async ({ connection }) => {
    const score = { path: ['score'], kind: 'decimal' } as const
    assert.deepEqual(await idsOf(connection, 'notes', anyOf(score, '12.500', '1.0')), ['1', '9'])
    assert.deepEqual(await idsOf(connection, 'notes', anyOf(score, 0)), ['3', '4', '8'])
    const count = { collection: 'notes', anyOf: [anyOf(score, '-1.00', '7.0', '7.01')] }
    assert.deepEqual(await connection.count([count]), [2])
  })

  given(
    'over a foreign key rows are met by what the server holds equal, and give its spelling',
    async ({ connection }) => {
      const { collections } = await connection.describe()
      const keys = collections.find(({ name }) => name === 'mentions')?.foreignKeys ?? []
      for (const { columns, references, loose } of keys) {
        if (!loose) continue
        const as = { collection: references.collection, columns: references.columns }
        const [held] = await rowsOf(connection, {
          collection: 'handles',
          columns: ['name'],
          anyOf: [anyOf('site', 1)],
          spelled: [{ columns: as.columns, as }],
        })
        const [name, ...key] = held ?? []
        assert.equal(name, 'Jane')
        assert.ok(key.length === columns.length && key.every((part) => typeof part === 'string'), 'a key is texts')
        const points = (to: readonly Value[]) => ({ ...anyTupleOf(columns, to), spelledAs: as })
        const asked = { collection: 'mentions', columns: ['id'], spelled: [{ columns, as }] }
        const expected = columns.length === 1 ? [1, 2, 3] : [1, 2]
        const found = await rowsOf(connection, { ...asked, anyOf: [points(key as Value[])] })
        assert.deepEqual(
          sortedTexts(found),
          expected.map((id) => [id, ...key].join('/')),
        )
        const mentions = { collection: 'mentions', anyOf: [points(key as Value[])] }
        const others = { collection: 'mentions', anyOf: [anyOf('id', 1, 2, 3, 4, 5)], noneOf: mentions.anyOf }
        assert.deepEqual(await connection.count([mentions, others]), [expected.length, 5 - expected.length])
        assert.deepEqual(await rowsOf(connection, { ...asked, anyOf: [points(key.map(() => '7'))] }), [])
        const [none] = await rowsOf(connection, { ...asked, anyOf: [anyOf('id', 5)] })
        assert.deepEqual(none, [5, ...key.map(() => null)])
        const own = { ...anyTupleOf(as.columns, key as Value[]), spelledAs: as }
        assert.deepEqual(await rowsOf(connection, { collection: 'handles', columns: ['name'], anyOf: [own] }), [
          ['Jane'],
        ])
      }
    },
  )

  given('keys in objects and lists are met where nested fields can be', async ({ connector, connection }) => {
    const by = (path: string, ...values: string[]) => anyOf({ path: path.split('.') }, ...values)
    if (!connector.capabilities.nestedFields) {
      await assert.rejects(idsOf(connection, 'carts', by('owner.email', 'jane@example.com')))
      return
    }
    assert.deepEqual(await idsOf(connection, 'carts', by('owner.email', 'jane@example.com')), ['1'])
    assert.deepEqual(await idsOf(connection, 'carts', by('owner.phones', '2')), ['1', '4'])
    assert.deepEqual(await idsOf(connection, 'carts', by('items.sku', 'a')), ['1', '2'])
    assert.deepEqual(await idsOf(connection, 'carts', by('items.tags', 'y', 'z')), ['1'])
    assert.deepEqual(await idsOf(connection, 'carts', by('owner.email', '{"$ne":null}')), ['4'])
    assert.deepEqual(await idsOf(connection, 'carts', by('items.nothing', 'a')), [])
  })
}
