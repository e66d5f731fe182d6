import { type KeyGroup, objectId, type Value, type ValueKind } from '@habeas/core'
import { BSON, Decimal128, Long, ObjectId, UUID } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { comparesExactly } from './document-matcher.js'
import { anyOfFilter } from './key-filter.js'

const hex = '65f0c0ffee0123456789abcd'
const none = () => undefined
const group = (field: string | readonly string[], ...values: readonly Value[]) => ({
  fields: [{ path: typeof field === 'string' ? [field] : field }],
  values: [values],
})

/** A text, and its pattern in any case. */
type Folded = { readonly $or: [unknown, { readonly email: RegExp }] }

/** What the server would be sent. Members that vanish on the way vanish here as well. */
const sent = (filter: unknown) => BSON.deserialize(BSON.serialize(filter as object), { promoteValues: true })

describe('values', () => {
  it('that look like operators stay texts', () => {
    for (const text of ['$email', '$$ROOT', '{"$gt":""}', '$where']) {
      expect(anyOfFilter([group('email', text)], () => 'string')).toEqual({ email: { $eq: text } })
    }
  })

  it('that are documents meet nothing', () => {
    const operator = { $gt: '' }
    expect(anyOfFilter([group('email', operator)], none)).toBeUndefined()
    expect(anyOfFilter([group('email', ['ann', operator])], none)).toBeUndefined()
    expect(anyOfFilter([group('email', operator, 'ann')], none)).toEqual({ email: { $eq: 'ann' } })
  })

  it('that are documents are looked for by type alone where they are keys as a whole', () => {
    const exact = { ...group('_id', { $ne: null }, { _bsontype: 'ObjectId' }), exact: true as const }
    expect(anyOfFilter([exact], none)).toEqual({ _id: { $type: ['object', 'array'] } })
    expect(comparesExactly(exact, none)).toBe(false)
  })

  it('of null meet nothing, except a key as a whole', () => {
    expect(anyOfFilter([group('email', null)], none)).toBeUndefined()
    expect(anyOfFilter([{ ...group('email', null), exact: true }], none)).toEqual({ email: { $eq: null } })
  })

  it('keep their type', () => {
    const kinds = new Map<string, ValueKind>([['number', 'integer']])
    const kindOf = (column: string) => kinds.get(column)
    const id = new ObjectId()
    const uuid = new UUID()
    expect(anyOfFilter([group('_id', objectId(id.toHexString()) as Value)], none)).toEqual({ _id: { $eq: id } })
    expect(anyOfFilter([group('number', '9007199254740993')], kindOf)).toEqual({
      number: { $in: ['9007199254740993', Long.fromString('9007199254740993')] },
    })
    expect(anyOfFilter([group('of', uuid.toHexString())], () => 'uuid')).toEqual({
      of: { $in: [uuid.toHexString(), uuid, uuid.toHexString().toUpperCase()] },
    })
  })

  it.each<[ValueKind | undefined, Value, unknown]>([
    ['object_id', objectId(hex) as Value, { $in: [new ObjectId(hex), hex, hex.toUpperCase()] }],
    ['integer', 5, { $in: [5, '5'] }],
    ['string', 'ann', { $eq: 'ann' }],
    ['string', hex, { $in: [hex, new ObjectId(hex)] }],
    ['boolean', true, { $eq: true }],
    [undefined, 5, { $eq: 5 }],
    [undefined, objectId(hex) as Value, { $eq: new ObjectId(hex) }],
  ])('in a column of the kind %s also meet what a sample did not show: %o', (kind, value, condition) => {
    expect(anyOfFilter([group('of', value)], () => kind)).toEqual({ of: condition })
  })

  it.each<[Value, unknown[], string[]]>([
    ['1000000000000000000000', ['1000000000000000000000', 1e21], ['1000000000000000000000']],
    ['1e21', ['1e21', 1e21], ['1e21', '1000000000000000000000']],
    ['1000000000000000000001', ['1000000000000000000001'], ['1000000000000000000001']],
    ['0.1', ['0.1', 0.1], ['0.1']],
    [1.5, [1.5, '1.5'], ['1.5']],
  ])('that write a number meet every number that is equal for core: %s', (value, listed, decimals) => {
    const condition = listed.length === 1 ? { $eq: listed[0] } : { $in: listed }
    const apart = decimals.map((digits) => ({ of: { $eq: Decimal128.fromString(digits) } }))
    expect(anyOfFilter([group('of', value)], () => 'float')).toEqual({ $or: [{ of: condition }, ...apart] })
  })

  it('that are many decimals are asked for in one list', () => {
    const values = Array.from({ length: 101 }, (_, at) => at + 0.5)
    const filter = anyOfFilter([group('of', ...values)], () => 'float') as { of: { $in: readonly unknown[] } }
    expect(filter.of.$in).toHaveLength(3 * values.length)
  })

  it('as a whole name a key of their own type alone', () => {
    const exact = { ...group('_id', objectId(hex) as Value, 5), exact: true as const }
    expect(anyOfFilter([exact], () => 'object_id')).toEqual({ _id: { $in: [new ObjectId(hex), 5] } })
  })

  it.each<[string, unknown]>([
    ['391', Long.fromNumber(391)],
    ['1.5', 1.5],
  ])('that write a number meet the number in a column of texts: %s', (text, number) => {
    const { $or } = anyOfFilter([group('of', text)], () => 'string') as { $or: readonly unknown[] }
    expect($or[0]).toEqual({ of: { $in: [text, number] } })
  })

  it.each(['007', '1.50', '1e3', '0.12345678901234567891'])('%s is no number, in a column of texts', (text) => {
    const { $or } = anyOfFilter([group('of', text)], () => 'string') as { $or: readonly unknown[] }
    expect($or[0]).toEqual({ of: { $eq: text } })
  })

  it('of text meet a Decimal128 by its type, and no other number', () => {
    expect(anyOfFilter([group('amount', '12.50')], () => 'string')).toEqual({
      $or: [{ amount: { $eq: '12.50' } }, { amount: { $type: 'decimal', $in: [Decimal128.fromString('12.50')] } }],
    })
  })

  it('compared without regard to case are patterns without a special character', () => {
    const field = { path: ['email'], caseInsensitive: true }
    const { $or } = anyOfFilter([{ fields: [field], values: [['a.*(b)$|[x]\\']] }], none) as Folded
    const [text, { email: pattern }] = $or
    expect(text).toEqual({ email: { $eq: 'a.*(b)$|[x]\\' } })
    expect(pattern.test('A.*(B)$|[X]\\')).toBe(true)
    for (const other of ['aXX(b)$|[x]\\', 'a.*(b)$|[x]\\\n', 'x', ' a.*(b)$|[x]\\'])
      expect(pattern.test(other)).toBe(false)
  })

  it('compared without regard to case are never patterns beside texts in one list', () => {
    const field = { path: ['_id'], caseInsensitive: true }
    expect(anyOfFilter([{ fields: [field], values: [['a@x', 'b@x']] }], none)).toEqual({
      $or: [{ _id: { $in: ['a@x', 'b@x'] } }, { _id: { $in: [expect.any(RegExp), expect.any(RegExp)] } }],
    })
  })

  it('compared without regard to case are those of ASCII letters: other cases are other people', () => {
    const field = { path: ['email'], caseInsensitive: true }
    const { $or } = anyOfFilter([{ fields: [field], values: [['kösk@x.example']] }], none) as Folded
    const pattern = $or[1].email
    expect(pattern.flags).toBe('')
    expect(pattern.test('KöSK@X.example')).toBe(true)
    for (const other of ['KÖSK@x.example', '\u212aösk@x.example', 'kö\u017fk@x.example'])
      expect(pattern.test(other)).toBe(false)
  })
})

describe('names', () => {
  it('that are digits are members, and no positions in a list', () => {
    const digits: KeyGroup = { fields: [{ path: ['at', '0'] }], values: [['ann']] }
    expect(Object.keys(anyOfFilter([digits], () => 'string') ?? {})).toEqual(['$expr'])
  })

  it('lead through members with dots between', () => {
    expect(anyOfFilter([group(['contact', 'email'], 'ann')], () => 'string')).toEqual({
      'contact.email': { $eq: 'ann' },
    })
  })

  it('lead into lists in lists by way of all documents that have some there', () => {
    const kindOf = Object.assign(() => undefined, { nested: new Set(['rows']) })
    const nested = { $elemMatch: { $type: 'array' } }
    const found = group(['rows', 'of'], true)
    expect(anyOfFilter([found], kindOf)).toEqual({
      $or: [{ 'rows.of': { $eq: true } }, { rows: nested }, { 'rows.of': nested }],
    })
    expect([found, group('of', true)].map((each) => comparesExactly(each, kindOf))).toEqual([false, true])
    const when = [{ path: ['rows', 'kind'], equals: 1 }]
    expect(comparesExactly({ ...group('of', true), when }, kindOf)).toBe(false)
  })

  it.each(['$where', '$expr', 'a.b', '', '$or'])('%o is a field and never an operator', (name) => {
    const filter = anyOfFilter([group(name, 'ann', { $gt: '' })], () => 'string') as Record<string, unknown>
    expect(Object.keys(filter)).toEqual(['$expr'])
    const text = JSON.stringify(filter)
    expect(text).toContain(JSON.stringify({ field: { $literal: name }, input: '$$ROOT' }))
    expect(text).toContain(JSON.stringify({ $literal: ['ann'] }))
    expect(text).not.toContain('$gt":""')
  })

  it('with a dollar are literals in a key as a whole', () => {
    expect(anyOfFilter([{ ...group('$where', '$email'), exact: true }], () => 'string')).toEqual({
      $expr: {
        $or: [{ $in: [{ $getField: { field: { $literal: '$where' }, input: '$$ROOT' } }, { $literal: ['$email'] }] }],
      },
    })
  })

  it('of the prototype are sent', () => {
    expect(Object.entries(sent(anyOfFilter([group('__proto__', 'ann')], () => 'string')))).toEqual([
      ['__proto__', { $eq: 'ann' }],
    ])
    expect(({} as { $eq?: unknown }).$eq).toBeUndefined()
  })

  it('of conditions beside a key are held to the same', () => {
    const when = [{ path: ['kind'], equals: '$ne' }]
    expect(anyOfFilter([{ ...group('id', 1), when }], () => 'string')).toEqual({
      $and: [{ id: { $in: [1, '1'] } }, { kind: { $eq: '$ne' } }],
    })
  })
})

it('a tuple meets where all of its parts do', () => {
  const tuples = {
    fields: [{ path: ['a'] }, { path: ['b'] }],
    values: [
      [1, 2],
      ['x', null],
    ],
  }
  expect(anyOfFilter([tuples], () => 'string')).toEqual({ $and: [{ a: { $in: [1, '1'] } }, { b: { $eq: 'x' } }] })
})
