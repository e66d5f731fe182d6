import { type KeyGroup, objectId, type Value, type ValueKind } from '@habeas/core'
import { Decimal128, Double, Int32, Long, ObjectId, UUID } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { comparesExactly, documentMatcher, heldTuples } from './document-matcher.js'

const hex = '65f0c0ffee0123456789abcd'
const uuid = '8c6ad6d9-5f0e-4a55-8f5a-3c9b2a7d1e42'

const group = (path: string, ...values: readonly Value[]): KeyGroup => ({
  fields: [{ path: path.split('/') }],
  values: [values],
})

/** Whether a document with this stored in `at` meets the value there. */
const holds = (stored: unknown, value: Value, kind?: ValueKind) =>
  documentMatcher([group('at', value)], () => kind)({ at: stored })

describe('a value that is held', () => {
  it.each<[unknown, Value, ValueKind?]>([
    [new Int32(5), 5],
    [new Double(5), 5],
    [Long.fromNumber(5), 5],
    [Decimal128.fromString('5.0'), 5, 'decimal'],
    [new Int32(5), '5.00', 'decimal'],
    [Long.fromString('9007199254740993'), '9007199254740993', 'integer'],
    [new Double(1e21), '1000000000000000000000', 'decimal'],
    [new ObjectId(hex), objectId(hex) as Value],
    [hex, objectId(hex) as Value, 'object_id'],
    [new ObjectId(hex), hex, 'string'],
    [new Int32(5), '5', 'string'],
    ['5', 5, 'integer'],
    [new UUID(uuid), uuid, 'uuid'],
    [new UUID(uuid), uuid.toUpperCase(), 'uuid'],
    [new Date('2024-01-01T00:00:00Z'), '2024-01-01T00:00:00Z', 'timestamp'],
    [['a', 'b'], 'b'],
  ])('%o is %o', (stored, value, kind) => {
    expect(holds(stored, value, kind)).toBe(true)
  })

  it.each<[unknown, Value, ValueKind?]>([
    [new Int32(5), '5'],
    ['5', 5],
    [new Int32(5), '5.0', 'string'],
    [Long.fromString('9007199254740993'), '9007199254740992', 'integer'],
    [new ObjectId(hex), hex],
    ['ann', 'Ann'],
    [null, null],
    [{ $gt: '' }, { $gt: '' }],
    ['anything', { $ne: null }],
  ])('%o is not %o', (stored, value, kind) => {
    expect(holds(stored, value, kind)).toBe(false)
  })

  it('may be written in another case, where its letters are ASCII letters', () => {
    const folded = { path: ['at'], caseInsensitive: true, trimmed: true }
    const meets = documentMatcher([{ fields: [folded], values: [['kö@x.example']] }], () => 'string')
    expect([' Kö@X.example\n', 'KÖ@x.example', '\u212aö@x.example'].map((at) => meets({ at }))).toEqual([
      ...[true, false, false],
    ])
  })

  it('may lie in lists, in documents and in references', () => {
    const document = { contact: [{ mail: ['a', 'b'] }], of: { $ref: 'people', $id: new ObjectId(hex) } }
    expect(documentMatcher([group('contact/mail', 'b')], () => undefined)(document)).toBe(true)
    expect(documentMatcher([group('of/$id', objectId(hex) as Value)], () => undefined)(document)).toBe(true)
  })

  it.each(['__proto__', 'constructor', '_bsontype', '$where', 'a.b'])('may be called %s', (name) => {
    const stored = JSON.parse(`{${JSON.stringify(name)}: "ann"}`)
    const meets = documentMatcher([group(name, 'ann')], () => undefined)
    expect([meets(stored), meets({})]).toEqual([true, false])
  })
})

it('conditions beside a key are compared in the kind of their column', () => {
  const kinds = new Map<string, ValueKind>([['level', 'decimal']])
  const meets = documentMatcher([{ ...group('id', 1, 2), when: [{ path: ['level'], equals: 5 }] }], (name) =>
    kinds.get(name),
  )
  expect(meets({ id: 2, level: Decimal128.fromString('5.00') })).toBe(true)
  expect(meets({ id: 2, level: Decimal128.fromString('5.01') })).toBe(false)
  expect(meets({ id: 3, level: Decimal128.fromString('5.00') })).toBe(false)
})

describe('the tuples that a document holds', () => {
  it('are told by their positions, equal ones each', () => {
    const tuples = {
      fields: [{ path: ['a'] }, { path: ['b'] }],
      values: [
        [1, 1, 2, 1],
        ['x', 'y', 'x', 'x'],
      ],
    }
    const heldBy = heldTuples(tuples, () => undefined)
    expect(heldBy({ a: [1, 2], b: 'x' }).toSorted()).toEqual([0, 2, 3])
    expect(heldBy({ a: 1 })).toEqual([])
  })

  it('are told as loosely as a collation compares texts', () => {
    const heldBy = heldTuples(group('at', 'a@x', 'b@x', 5), () => undefined, { locale: 'en', strength: 2 })
    expect([{ at: 'A@X' }, { at: ['B@x', 'a@x'] }, { at: 5 }, { at: 'c@x' }].map(heldBy)).toEqual([
      [0],
      [1, 0],
      [2],
      [],
    ])
  })

  it('as a whole hold null where nothing is stored, and documents whatever the order of their members', () => {
    const exact: KeyGroup = { ...group('_id', null, { a: 1, b: '2' }, 5), exact: true }
    const heldBy = heldTuples(exact, () => undefined)
    expect(heldBy({})).toEqual([0])
    expect(heldBy({ _id: { b: '2', a: Long.fromNumber(1) } })).toEqual([1])
    expect(heldBy({ _id: [5] })).toEqual([])
    expect(heldBy({ _id: '5' })).toEqual([])
  })
})

describe('a server compares as core does', () => {
  it.each<[Value, ValueKind?]>([
    ['ann'],
    [uuid],
    ['2024-01-01T00:00:00.000Z'],
    ['5', 'string'],
    ['5', 'decimal'],
    [5, 'float'],
    [objectId(hex) as Value],
    [uuid.toUpperCase(), 'uuid'],
    ['2024-01-01T00:00:00Z', 'timestamp'],
    [true],
  ])('where it looks for %o in a column of the kind %s', (value, kind) => {
    expect(comparesExactly(group('at', value), () => kind)).toBe(true)
  })

  it.each<[Value, ValueKind?]>([
    [5],
    ['5.00'],
    ['5.00', 'string'],
    ['1e21', 'string'],
    [uuid.toUpperCase()],
    [uuid.toUpperCase(), 'string'],
    ['2024-01-01T00:00:00Z'],
    ['2024-01-01T01:00:00+01:00', 'string'],
  ])('and not where it looks for %o in a column of the kind %s', (value, kind) => {
    expect(comparesExactly(group('at', 'ann', value), () => kind)).toBe(false)
    const when = [{ path: ['at'], equals: value as string | number }]
    expect(comparesExactly({ ...group('id', 'ann'), when }, (name) => (name === 'at' ? kind : undefined))).toBe(false)
  })
})
