import { isTypedText, objectId, type Value, type ValueKind } from '@habeas/core'
import {
  Binary,
  BSON,
  BSONRegExp,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb'
import { describe, expect, it } from 'vitest'
import { bsonLike, bsonOf, farDate, plainDigits, readValue, spellingsOf } from './bson-value.js'
import { sentValue } from './stored-document.js'

const hex = '65f0c0ffee0123456789abcd'
const uuid = '8c6ad6d9-5f0e-4a55-8f5a-3c9b2a7d1e42'

/** What the driver would send. Equal only where type and value are. */
const bytes = (value: unknown) => Buffer.from(BSON.serialize({ value })).toString('hex')

/** What the driver reads when numbers keep their type. */
const decoded = (value: unknown): unknown =>
  BSON.deserialize(BSON.serialize({ value }), { promoteValues: false, promoteLongs: false, bsonRegExp: true })['value']

type Key = [name: string, stored: unknown, value: Value, kind?: ValueKind]

const keys: Key[] = [
  ['Long beyond 2^53', Long.fromString('9007199254740993'), 9_007_199_254_740_993n],
  ['the least Long', Long.MIN_VALUE, -9_223_372_036_854_775_808n],
  ['Decimal128', Decimal128.fromString('12.50'), '12.50'],
  [
    'Decimal128 of 34 digits',
    Decimal128.fromString(`0.${'1234567890'.repeat(3)}1234`),
    `0.${'1234567890'.repeat(3)}1234`,
  ],
  ['Decimal128 in a column of decimals', Decimal128.fromString('12.50'), '12.50', 'decimal'],
  ['Decimal128 NaN', Decimal128.fromString('NaN'), 'NaN'],
  ['NaN, where no kind is known', Number.NaN, 'NaN'],
  ['infinity among texts', Number.NEGATIVE_INFINITY, '-Infinity', 'string'],
  ['Date', new Date('2024-02-29T12:00:00.123Z'), '2024-02-29T12:00:00.123Z', 'timestamp'],
  ['Date before Christ', new Date('-000044-03-15T00:00:00.000Z'), '-000044-03-15T00:00:00.000Z'],
  ['UUID', new UUID(uuid), uuid, 'uuid'],
  ['Binary', new Binary(Buffer.from([0, 255, 16])), 'AP8Q'],
  ['an empty Binary', new Binary(Buffer.alloc(0)), ''],
  ['Binary of another subtype', new Binary(Buffer.from([1, 2, 3]), 128), '128:AQID'],
  ['Timestamp', new Timestamp({ t: 1_700_000_000, i: 7 }), 'Timestamp(1700000000, 7)'],
  ['MinKey', new MinKey(), 'MinKey'],
  ['MaxKey', new MaxKey(), 'MaxKey'],
  ['text', 'ann@example.com', 'ann@example.com', 'string'],
  ['boolean', false, false, 'boolean'],
  ['null', null, null],
]

describe('a Decimal128 that is stored among values of other types', () => {
  const five = decoded(Decimal128.fromString('5.00'))
  const column = (kind?: ValueKind) => ({ name: 'u', type: '', nullable: true, ...(kind && { kind }) })
  it.each<[ValueKind | undefined, string]>([
    ['string', '5'],
    ['integer', '5'],
    [undefined, '5'],
    ['decimal', '5.00'],
  ])('reads in a column of the kind %s as %s', (kind, text) => {
    expect(readValue(five, column(kind))).toBe(text)
    expect(readValue([five], column(kind))).toEqual([text])
    expect(readValue([{ u: five }], { members: [column(kind)] })).toEqual([{ u: text }])
  })
  it('keeps its scale where its column is not known', () => {
    expect(readValue({ five }, {})).toEqual({ five: '5.00' })
  })
})

describe('a key as it is read and sent back', () => {
  it.each<Key>(keys)('%s', (_, stored, value, kind) => {
    expect(readValue(decoded(stored))).toEqual(value)
    const { plain, decimals } = spellingsOf(value, kind)
    expect([...plain, ...decimals].map(bytes)).toContain(bytes(stored))
  })

  it('ObjectId', () => {
    const value = readValue(decoded(new ObjectId(hex)))
    expect(isTypedText(value) && value.text).toBe(hex)
    expect(spellingsOf(value)).toEqual({ plain: [new ObjectId(hex)], decimals: [] })
  })

  it('text of the same digits is no ObjectId, unless a field may hold both', () => {
    expect(spellingsOf(hex, 'timestamp').plain).toEqual([hex])
    expect(spellingsOf(hex, 'string').plain).toEqual([hex, new ObjectId(hex)])
  })

  it.each([
    [new Int32(5), 5],
    [new Double(5), 5],
    [Long.fromNumber(5), 5],
    [Long.fromString('9007199254740991'), 9_007_199_254_740_991],
  ])('a number of any width as the number: %o', (stored, value) => {
    expect(readValue(decoded(stored))).toBe(value)
    expect(spellingsOf(value)).toEqual({ plain: [value], decimals: [] })
  })

  it('a negative zero as zero', () => {
    expect(Object.is(readValue(new Double(-0)), 0)).toBe(true)
  })

  it('text of a number meets a Decimal128 and no other number', () => {
    const { plain, decimals } = spellingsOf('5')
    expect(decimals.map(String)).toEqual(['5'])
    expect(plain.filter((each) => typeof each !== 'string' && !(each instanceof Binary))).toEqual([])
  })

  it('a double of 2^53 or more is the whole number that it is, as a Long is', () => {
    const wide = [new Double(2 ** 53), new Double(-1e17), Long.fromString('9007199254740993')]
    expect(wide.map((each) => readValue(each))).toEqual([9007199254740992n, -(10n ** 17n), 9007199254740993n])
    expect([new Double(1e19), new Double(2 ** 63), new Double(0.5)].map((each) => readValue(each))).toEqual([
      1e19,
      2 ** 63,
      0.5,
    ])
    expect(spellingsOf(9007199254740992n).plain.map(bytes)).toEqual([bytes(Long.fromString('9007199254740992'))])
  })

  it('text in a column of numbers meets the number, whatever its scale', () => {
    expect(spellingsOf('9007199254740993', 'integer').plain.map(bytes)).toContain(
      bytes(Long.fromString('9007199254740993')),
    )
    expect(spellingsOf('12.50', 'decimal').plain.map(String)).toEqual(['12.50', '12.50', '12.5', '12.5'])
    expect(spellingsOf('0.1', 'decimal').plain).toContain(0.1)
    // the nearest double is another number
    expect(spellingsOf('0.10000000000000001', 'decimal').plain.map((each) => typeof each)).not.toContain('number')
  })

  it('a document has no spelling of its own: it is compared after it is read', () => {
    const stored = { tenant: Long.fromNumber(7), of: new ObjectId(hex), parts: [new UUID(uuid), null] }
    const value = readValue(decoded(stored))
    expect(value).toEqual({ tenant: 7, of: objectId(hex), parts: [uuid, null] })
    expect(spellingsOf(value)).toEqual({ plain: [], decimals: [] })
  })

  it('a date that JavaScript cannot hold is marked', () => {
    expect(readValue(new Date(Number.NaN))).toBe(farDate)
  })

  it('a DBPointer as text: its class holds nothing else, since a DBRef is a document', () => {
    const pointer = new DBRef('shop.users', new ObjectId(hex))
    expect(readValue(pointer)).toBe(`DBPointer(shop.users, ${hex})`)
    expect(readValue(new DBRef('a.b.c', new ObjectId(hex)))).toBe(`DBPointer(a.b.c, ${hex})`)
  })

  it('code and patterns as text alone', () => {
    expect(readValue(decoded(new Code('return 1')))).toBe('return 1')
    expect(readValue(decoded(new BSONRegExp('^a', 'i')))).toBe('/^a/i')
    expect(spellingsOf('/^a/i', 'string').plain).toEqual(['/^a/i'])
  })
})

describe('members that no document should have', () => {
  it('are read as they are', () => {
    const stored = JSON.parse('{"__proto__": {"a": 1}, "_bsontype": "ObjectId", "$gt": "", "a.b": 2}')
    const read = readValue(stored) as object
    expect(Object.entries(read)).toEqual([
      ['__proto__', { a: 1 }],
      ['_bsontype', 'ObjectId'],
      ['$gt', ''],
      ['a.b', 2],
    ])
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  })

  it('are sent as they are, inside of lists too', () => {
    const stored = JSON.parse('[{"_bsontype": "ObjectId", "id": "x", "in": {"__proto__": 1, "_bsontype": 5}}]')
    const back = decoded(sentValue(stored)) as readonly Record<string, unknown>[]
    expect(Object.entries(back[0] as object).map(([name]) => name)).toEqual(['_bsontype', 'id', 'in'])
    expect(Object.keys(back[0]?.['in'] as object)).toEqual(['__proto__', '_bsontype'])
    expect(back[0]?.['_bsontype']).toBe('ObjectId')
  })
})

describe('a new value takes the type of what it replaces', () => {
  it.each([
    ['12', new Int32(1), new Int32(12)],
    [7_000_000_000, new Int32(1), Long.fromNumber(7_000_000_000)],
    [3, Long.fromNumber(1), Long.fromNumber(3)],
    [3, new Double(1), new Double(3)],
    ['0.10', Decimal128.fromString('9'), Decimal128.fromString('0.10')],
    ['2024-01-01T00:00:00.123456Z', new Date(0), new Date('2024-01-01T00:00:00.123Z')],
    [uuid.toUpperCase(), new UUID(), new UUID(uuid)],
    [hex, new ObjectId(), new ObjectId(hex)],
    ['AQID', new Binary(Buffer.from('x')), new Binary(Buffer.from([1, 2, 3]))],
    ['true', false, true],
    ['$email', 'ann', '$email'],
    ['somebody', new Timestamp({ t: 1, i: 1 }), 'somebody'],
    [null, new Int32(1), null],
  ] as const)('%o for %o', (value, held, expected) => {
    expect(bytes(bsonLike(value, held))).toBe(bytes(expected))
  })

  it.each([
    ['somebody', new Int32(1)],
    ['somebody', Decimal128.fromString('1')],
    ['somebody', new Date(0)],
    ['somebody', new UUID()],
    ['somebody', new ObjectId()],
    ['128:AQID', new Binary(Buffer.from('x'))],
    ['somebody', true],
  ] as const)('%o does not fit %o', (value, held) => {
    expect(bsonLike(value, held)).toBeUndefined()
  })

  it('of documents each member is stored as it is', () => {
    const id = objectId(hex) as Value
    expect(bsonOf({ id, big: 9_007_199_254_740_993n, list: [id] })).toEqual({
      id: new ObjectId(hex),
      big: Long.fromString('9007199254740993'),
      list: [new ObjectId(hex)],
    })
  })
})

it.each([
  ['1E+3', '1000'],
  ['1.50E-3', '0.00150'],
  ['-1.234E+1', '-12.34'],
  ['0E+2', '0'],
  ['12.50', '12.50'],
  ['NaN', 'NaN'],
])('writes %s without an exponent', (text, digits) => {
  expect(plainDigits(text)).toBe(digits)
})
