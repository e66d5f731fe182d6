import type { Connection, KeyGroup, Value } from '@habeas/core'
import type { FixtureColumn, FixtureTable } from '@habeas/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase, type TestDatabase } from './database.js'
import { type Emulator, openEmulator } from './emulator.js'

const url = process.env['SNOWFLAKE_URL']
if (!url) throw new Error('SNOWFLAKE_URL names no server')

function table(name: string, columns: readonly FixtureColumn[], rows: FixtureTable['rows']): FixtureTable {
  return { name, columns, rows, primaryKey: [], uniqueKeys: [], foreignKeys: [] }
}

const look = 'mar\u212a@x'
const text = (name: string): FixtureColumn => ({ name, kind: 'string', nullable: true })
const big = 'x'.repeat(5_000_000)

const fixture = [
  table(
    'alike',
    [text('email'), { name: 'data', kind: 'object' }],
    ['mark@x', ' MARK@x', look].map((email) => ({ email, data: { users: [{ email }] } })),
  ),
  table(
    'odd `"names".é',
    [text('a'), text('B'), text('"q" `b`.c'), text('__proto__'), text('constructor')],
    [
      { a: 'small', B: 'large', '"q" `b`.c': '1', ['__proto__']: 'p', constructor: 'k' },
      { a: 'large', B: 'small', '"q" `b`.c': null, ['__proto__']: null, constructor: null },
    ],
  ),
  table(
    'kinds',
    [
      { name: 'price', kind: 'decimal' },
      { name: 'born', kind: 'date' },
      { name: 'at', kind: 'timestamp' },
      { name: 'seal', kind: 'bytes' },
      { name: 'data', kind: 'object' },
    ],
    [
      { price: '1.50', born: '1969-12-31', at: '1905-03-04T05:06:07.000001Z', seal: '/wA=', data: { list: [] } },
      { price: '-0.0000000001', born: '9999-12-31', at: '2999-12-31T23:59:59Z', seal: '', data: [] },
    ],
  ),
  table(
    'texts',
    [{ name: 'id', kind: 'integer' }, text('body')],
    [
      { id: 1, body: big },
      { id: 2, body: 'y' },
    ],
  ),
]

const by = (column: string, ...values: Value[]): KeyGroup => ({ fields: [{ path: [column] }], values: [values] })

describe('what is stored, on an emulator of Snowflake', () => {
  let emulator: Emulator
  let database: TestDatabase
  let connection: Connection
  beforeAll(async () => {
    emulator = await openEmulator(url)
    database = await openDatabase(emulator, fixture)
    connection = await database.connect()
  })
  afterAll(async () => {
    await connection?.close()
    await database?.close()
    await emulator?.close()
  })

  async function rows(collection: string, columns: string[], ...anyOf: KeyGroup[]) {
    const found: unknown[] = []
    for await (const batch of connection.read({ collection, columns, anyOf })) found.push(...batch)
    return found
  }
  const count = async (collection: string, ...anyOf: KeyGroup[]) => (await connection.count([{ collection, anyOf }]))[0]

  it('is left alone where an address only looks like the one that is asked for', async () => {
    for (const path of [['email'], ['data', 'users', 'email']]) {
      const fields = [{ path, caseInsensitive: true, trimmed: true }]
      const anyOf: KeyGroup[] = [{ fields, values: [['Mark@X']] }]
      expect(await count('alike', ...anyOf)).toBe(2)
      expect(
        await connection.countEach!({ collection: 'alike', group: { fields, values: [['mark@x', look]] } }),
      ).toEqual([2, 1])
    }
    const anyOf = [{ fields: [{ path: ['email'], caseInsensitive: true, trimmed: true }], values: [['Mark@X']] }]
    const keys = [['mark@x', ' MARK@x', look]]
    await connection.erase!({ collection: 'alike', key: ['email'], keys, anyOf, set: 'delete' })
    expect((await database.rows('alike')).map(({ email }) => email)).toEqual([look])
  })

  it('is found in columns whatever their names', async () => {
    const name = 'odd `"names".é'
    expect(await rows(name, ['B', '"q" `b`.c', '__proto__', 'constructor'], by('a', 'small'))).toEqual([
      ['large', '1', 'p', 'k'],
    ])
    expect(await rows(name, ['a'], by('B', 'small'))).toEqual([['large']])
    const set = [{ column: '"q" `b`.c', to: 'gone' }]
    const key = {
      key: ['a', '__proto__'],
      keys: [
        ['small', 'large'],
        ['p', null],
      ],
    }
    await connection.erase!({
      collection: name,
      ...key,
      anyOf: [{ fields: [{ path: ['a'] }, { path: ['__proto__'] }], values: key.keys, exact: true }],
      set,
    })
    expect(await rows(name, ['a', '"q" `b`.c'], by('a', 'small', 'large'))).toEqual([
      ['small', 'gone'],
      ['large', null],
    ])
  })

  it.each([
    ['price', '1.5', '-1e-10'],
    ['born', '1969-12-31', '9999-12-31'],
    ['at', '1905-03-04T05:06:07.000001Z', '2999-12-31T23:59:59Z'],
    ['seal', '/wA=', ''],
  ])('is found again by its %s, as it was read', async (column, one, other) => {
    for (const [value, born] of [
      [one, '1969-12-31'],
      [other, '9999-12-31'],
    ] as const) {
      expect(await rows('kinds', ['born'], by(column, value))).toEqual([[born]])
      const [[read]] = (await rows('kinds', [column], by('born', born))) as [[Value]]
      expect(await count('kinds', by(column, read))).toBe(1)
      expect(await count('kinds', { ...by(column, read), exact: true })).toBe(1)
    }
  })

  it('is told apart by empty lists and documents', async () => {
    expect(await count('kinds', { ...by('data', []), exact: true })).toBe(1)
    expect(await count('kinds', { ...by('data', { list: [] }), exact: true })).toBe(1)
    expect(await count('kinds', { ...by('data', {}), exact: true })).toBe(0)
  })

  it('is the same document however its numbers are kept', async () => {
    const name = '"numbers"'
    const kept = ['{"list":["a",10.0,1.50],"rate":1.912000000000000e+02}', '{"list":["b",10,1.5],"rate":191.2}']
    await database.run(`create table ${name} ("id" number(38, 0), "data" variant)`)
    for (const [at, document] of [...kept, ...kept].entries()) {
      await database.run(`insert into ${name} select ${at}, parse_json('${document}')`)
    }
    const was = ['a', 'b'].map((text) => ({ list: [text, 10, 1.5], rate: 191.2 }))
    const found = await rows('numbers', ['id', 'data'], { ...by('data', ...was), exact: true })
    expect(found).toEqual([0, 1, 2, 3].map((id) => [id, was[id % 2]]))
    expect(await count('numbers', { ...by('data', { ...was[0]!, rate: 191.3 }), exact: true })).toBe(0)
    expect(await count('numbers', { ...by('data', { list: ['a', 10, 1.5], rate: '191.2' }), exact: true })).toBe(0)
    const masked = was.map(({ list, rate }) => ({ list: [null, ...list.slice(1)], rate }))
    const judged = { ...by('data', ...was), exact: true as const }
    await connection.erase!({
      ...{ collection: 'numbers', key: ['id'], keys: [[0, 1]], anyOf: [judged] },
      set: [{ column: 'data', toEach: masked, was }],
    })
    expect(await rows('numbers', ['data'], by('id', 0, 1))).toEqual(masked.map((each) => [each]))
    await connection.erase!({
      collection: 'numbers',
      ...{ key: ['data'], keys: [was], rows: 2, anyOf: [judged], set: 'delete' },
    })
    expect(await rows('numbers', ['id'], by('id', 0, 1, 2, 3))).toEqual([[0], [1]])
  })

  it('is written where much of one document changes, each member while it is what it was', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `m${at}`)
    const order = '1234567890123456789'
    const elements = Array.from({ length: 60 }, (_, sku) => ({ sku, order, gift: 'g' }))
    const was = {
      ...Object.fromEntries(names.map((name) => [name, 'a'])),
      ...{ home: { city: 'Rome', floor: 1 }, list: elements },
    }
    const members = names.map((name) => `"${name}":"a"`).join()
    const list = JSON.stringify(elements).replaceAll(`"${order}"`, order)
    const documents = [
      `{${members},"home":{"city":"Rome","floor":1.0},"list":${list},"none":null,"price":1.50}`,
      `{"m1":null,"m2":"b","m3":"a","home":"Rome","list":[{"sku":0,"gift":"g"}],"price":1.50}`,
      `{"m3":"a","home":{"city":null,"floor":2.0},"more":{"city":"Rome"}}`,
    ]
    await database.run('create table "wide" ("id" number(38, 0), "data" variant)')
    for (const [id, document] of documents.entries()) {
      await database.run(`insert into "wide" select ${id}, parse_json('${document}')`)
    }
    const to = {
      ...Object.fromEntries(names.map((name) => [name, 'x'])),
      ...{ home: { floor: 1 }, list: elements.map((element) => ({ ...element, gift: null })) },
    }
    await connection.erase!({
      ...{ collection: 'wide', key: ['id'], keys: [[0, 1, 2]], anyOf: [by('id', 0, 1, 2)] },
      set: [{ column: 'data', toEach: [to, to, to], was: [was, was, was] }],
    })
    expect(await rows('wide', ['id', 'data'], by('id', 0, 1, 2))).toEqual([
      [0, { ...to, none: null, price: 1.5 }],
      [1, { m1: null, m2: 'b', m3: 'x', home: 'Rome', list: [{ sku: 0, gift: 'g' }], price: 1.5 }],
      [2, { m3: 'x', home: { city: null, floor: 2 }, more: { city: 'Rome' } }],
    ])
    // numbers beside what is written stay numbers
    const [first] = (await database.rows('wide')).filter(({ id }) => Number(id) === 0)
    expect(first).toMatchObject({ data: { list: elements.map(() => ({ order: Number(order) })) } })
  })

  it('is counted where a text refers to a number, however the number is written', async () => {
    await database.run(`create table "refers" ("to" varchar)`)
    for (const to of ['42', '0042', ' 42 ', '42.0', '42.5', 'x', '7']) {
      await database.run(`insert into "refers" values ('${to}')`)
    }
    const counting = { collection: 'refers', group: by('to', 42, 8) }
    expect(await connection.countEach!({ ...counting, keyKinds: ['integer'] })).toEqual([4, 0])
    expect(await connection.countEach!(counting)).toEqual([1, 0])
  })

  it('is a row without a key that holds a JSON null', async () => {
    await database.run(`create table "nulls" ("name" varchar, "data" variant)`)
    for (const [name, document] of [
      ['ann', `parse_json('null')`],
      ['ann', 'null'],
      ['bob', `parse_json('null')`],
      ['ann', `parse_json('"null"')`],
      ['ann', `parse_json('{"a":null,"b":[null]}')`],
    ]) {
      await database.run(`insert into "nulls" select '${name}', ${document}`)
    }
    const all = by('name', 'ann')
    const read = (await rows('nulls', ['name', 'data'], all)) as [string, Value][]
    expect(read.map(([, data]) => data)).toEqual([null, null, 'null', { a: null, b: [null] }])
    const erase = { collection: 'nulls', key: ['name', 'data'], set: 'delete' as const }
    for (const [value, held] of [
      [null, 2],
      ['null', 1],
      [{ a: null, b: [null] }, 1],
    ] as const) {
      const values = [['ann'], [value]]
      const exact: KeyGroup = { fields: [{ path: ['name'] }, { path: ['data'] }], values, exact: true }
      expect(await count('nulls', exact)).toBe(held)
      await connection.erase!({ ...erase, keys: values, rows: held, anyOf: [exact] })
    }
    expect(await rows('nulls', ['name', 'data'], by('name', 'ann', 'bob'))).toEqual([['bob', null]])
  })

  it.each([
    ['1.000000000000000e+20', 1e20],
    ['1.500000000000000e-07', 1.5e-7],
    ['-1.234500000000000e-25', '-1.2345e-25'],
    ['1.200000000000000e+300', 1.2e300],
    ['123456789012345678901', '123456789012345678901'],
    ['0.000000000000000e+00', 0],
  ])('is found by the number %s in a document, and erased without a key', async (written, key) => {
    const name = `"members ${written}"`
    const table = name.slice(1, -1)
    await database.run(`create table ${name} ("data" variant)`)
    for (const document of [`{"n":[${written}]}`, '{"n":["x"]}', '{"n":[7.000000000000000e-30]}']) {
      await database.run(`insert into ${name} select parse_json('${document}')`)
    }
    const group: KeyGroup = { fields: [{ path: ['data', 'n'] }], values: [[key]] }
    expect(await count(table, group)).toBe(1)
    const [[data]] = (await rows(table, ['data'], group)) as [[{ n: [Value] }]]
    expect(await count(table, { ...group, values: [[data.n[0]]] })).toBe(1)
    const exact: KeyGroup = { ...by('data', data), exact: true }
    expect(await count(table, exact)).toBe(1)
    await connection.erase!({
      collection: table,
      key: ['data'],
      keys: [[data]],
      rows: 1,
      anyOf: [exact],
      set: 'delete',
    })
    expect((await database.rows(table)).length).toBe(2)
  })

  it('is read and written where it is large', async () => {
    expect(await rows('texts', ['body'], by('id', 1))).toEqual([[big]])
    const erase = { collection: 'texts', key: ['id'], keys: [[1]], anyOf: [by('id', 1)] }
    await connection.erase!({ ...erase, set: [{ column: 'body', toEach: ['z'] }] })
    expect(await rows('texts', ['id', 'body'], by('id', 1, 2))).toEqual([
      [1, 'z'],
      [2, 'y'],
    ])
  })
})
