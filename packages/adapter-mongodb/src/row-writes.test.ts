import type { Erase } from '@habeas/core'
import { BSON, type Document, Int32, Long, ObjectId } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { decoded } from './decoded.js'
import { rowWrites } from './row-writes.js'

const erasing = (set: Erase['set']): Erase => ({
  collection: 'people',
  key: ['_id'],
  keys: [[1, 2, 3]],
  anyOf: [],
  set,
})

const of = (...documents: readonly Document[]) => documents.map((document, index) => ({ document, index }))

/** As the driver sends it. */
const sent = (value: unknown) => BSON.deserialize(BSON.serialize(value as object), { promoteValues: true })

const column = (name: string) => ({ $getField: { field: { $literal: name }, input: '$$ROOT' } })
const isThere = (name: string) => ({
  $not: [{ $in: [{ $type: column(name) }, { $literal: ['missing', 'undefined', 'null'] }] }],
})
const filter = (ids: readonly unknown[], ...conditions: readonly object[]) => ({
  $and: [{ _id: { $in: ids } }, { $expr: { $and: conditions } }],
})

/** The filter and update of the only write. */
function onlyWrite(set: Erase['set'], document: Document, judged: readonly string[] = []) {
  const { operations } = rowWrites(erasing(set), of(document), judged)
  expect(operations.length).toBe(1)
  return (operations[0] as { updateMany: { filter: Document; update: Document | Document[] } }).updateMany
}

describe('new values', () => {
  it('are texts, whatever they look like', () => {
    const written = onlyWrite([{ column: 'name', to: '$email' }], { _id: 1, name: 'Ann', email: 'ann@example.com' })
    expect(written).toEqual({ filter: filter([1], isThere('name')), update: { $set: { name: '$email' } } })
  })

  it.each(['$name', 'first.name', '', '$set', '0'])('of the field %o are literals', (name) => {
    expect(onlyWrite([{ column: name, to: '$email' }], { _id: 1, [name]: 'Ann' })).toEqual({
      filter: filter([1], isThere(name)),
      update: [
        { $replaceWith: { $setField: { field: { $literal: name }, input: '$$ROOT', value: { $literal: '$email' } } } },
      ],
    })
  })

  it('of documents with operators are documents', () => {
    const to = { $gt: '', $function: { body: 'x' } }
    expect(onlyWrite([{ column: 'contact', to }], { _id: 1, contact: {} }).update).toEqual({ $set: { contact: to } })
    expect(onlyWrite([{ column: '$c', to }], { _id: 1, $c: {} }).update).toEqual([
      { $replaceWith: { $setField: { field: { $literal: '$c' }, input: '$$ROOT', value: { $literal: to } } } },
    ])
  })

  it('take the type of the old one, and one that does not fit is refused without being named', () => {
    expect(onlyWrite([{ column: 'age', to: '7' }], { _id: 1, age: Long.fromNumber(3) }).update).toEqual({
      $set: { age: Long.fromNumber(7) },
    })
    const refused = () => rowWrites(erasing([{ column: 'age', to: 'secret' }]), of({ _id: 1, age: new Int32(3) }), [])
    expect(refused).toThrow(/its field "age"/)
    expect(refused).not.toThrow(/secret/)
  })

  it('leave null as it is, and what is not there', () => {
    const set = [{ column: 'name', to: 'masked' }]
    expect(rowWrites(erasing(set), of({ _id: 1, name: null }, { _id: 2 }), [])).toEqual({ operations: [], rows: 0 })
  })

  it('of a field that every object has by nature are written where it is stored', () => {
    const stored = JSON.parse('{"_id": 1, "__proto__": "Ann", "constructor": "Ann"}')
    const set = ['__proto__', 'constructor', 'toString'].map((name) => ({ column: name, to: 'x' }))
    const { update } = onlyWrite(set, stored)
    expect(Object.entries(sent(update)['$set'])).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'x'],
    ])
  })
})

describe('what was read', () => {
  it('is compared as a whole and as a literal', () => {
    const held = { $ne: null, a: ['$email'] }
    const written = onlyWrite([{ column: 'name', to: 'x' }], { _id: 1, name: 'Ann', of: held, at: '$name' }, [
      'of',
      'at',
    ])
    expect(written.filter).toEqual(
      filter(
        [1],
        { $eq: [column('of'), { $literal: held }] },
        { $eq: [column('at'), { $literal: '$name' }] },
        isThere('name'),
      ),
    )
  })

  it('is missing still where it was, whatever every object has by nature', () => {
    for (const name of ['of', '__proto__', 'constructor']) {
      const written = onlyWrite([{ column: 'name', to: 'x' }], { _id: 1, name: 'Ann' }, [name])
      expect(written.filter).toEqual(filter([1], { $eq: [{ $type: column(name) }, 'missing'] }, isThere('name')))
    }
  })

  it('is compared and sent back byte for byte, a DBRef included', () => {
    const file = { before: new Int32(1), $ref: 'fs.files', $id: Long.fromNumber(8), $db: 'other', after: 'Bob' }
    const seatsOf = (t: string | null) =>
      [
        { user: 1, t },
        { user: 2, file, t: 'Bob' },
      ] as const
    const [[document] = []] = decoded([BSON.serialize({ _id: 1, seats: seatsOf('Ann') })], true)
    const plain = { before: 1, $ref: 'fs.files', $id: 8, $db: 'other', after: 'Bob' }
    const readOf = (t: string | null) =>
      [
        { user: 1, t },
        { user: 2, file: plain, t: 'Bob' },
      ] as const
    const set = [{ column: 'seats', toEach: [readOf(null)], was: [readOf('Ann')] }]
    const { filter: met, update } = onlyWrite(set as never, document as Document)
    expect(BSON.serialize(update)).toEqual(BSON.serialize({ $set: { seats: seatsOf(null) } }))
    const held = { $eq: [column('seats'), { $literal: seatsOf('Ann') }] }
    expect(BSON.serialize(met)).toEqual(BSON.serialize(filter([new Int32(1)], held)))
  })

  it('reaches the server with members that the driver would take for a type', () => {
    const document = { _id: { _bsontype: 'ObjectId', id: 'x' }, name: 'Ann', of: { _bsontype: 'Long', low: 1 } }
    const { filter: met } = onlyWrite([{ column: 'name', to: 'x' }], document, ['of'])
    expect(sent(met)).toEqual(
      filter([document._id], { $eq: [column('of'), { $literal: document.of }] }, isThere('name')),
    )
  })

  it('names documents by keys of any type', () => {
    const ids = [new ObjectId(), { tenant: 1, of: '$email' }, 'a', Long.fromString('9007199254740993')]
    const rows = of(...ids.map((_id) => ({ _id, name: 'Ann' })))
    expect(rowWrites(erasing([{ column: 'name', to: 'x' }]), rows, []).operations).toEqual([
      { updateMany: { filter: filter(ids, isThere('name')), update: { $set: { name: 'x' } } } },
    ])
  })
})

describe('members of documents', () => {
  const was = { email: 'ann', 'a.b': 'ann', $gt: 'ann', kept: 1 }

  it('are written one by one where their names allow that', () => {
    const set = [{ column: 'contact', toEach: [{ ...was, email: '$email' }], was: [was] }]
    expect(onlyWrite(set, { _id: 1, contact: was })).toEqual({
      filter: filter([1], {
        $eq: [{ $getField: { field: { $literal: 'email' }, input: column('contact') } }, { $literal: 'ann' }],
      }),
      update: { $set: { 'contact.email': '$email' } },
    })
  })

  it.each(['a.b', '$gt'])('named %o are written as literals', (name) => {
    const set = [{ column: 'contact', toEach: [{ ...was, [name]: '$email' }], was: [was] }]
    const { update } = onlyWrite(set, { _id: 1, contact: was })
    expect(update).toEqual([
      {
        $replaceWith: {
          $setField: {
            field: { $literal: 'contact' },
            input: '$$ROOT',
            value: {
              $setField: { field: { $literal: name }, input: column('contact'), value: { $literal: '$email' } },
            },
          },
        },
      },
    ])
  })

  it('that hold something else by now are left', () => {
    const set = [{ column: 'contact', toEach: [{ ...was, email: 'x' }], was: [was] }]
    expect(rowWrites(erasing(set), of({ _id: 1, contact: { ...was, email: 'bob' } }), []).rows).toBe(0)
  })

  it('in lists are written with the list, while it is what it was, and never by a position', () => {
    const list = [{ email: 'ann' }, { email: 'bob' }]
    const to = [{ email: '$email' }, { email: 'bob' }]
    const { filter: met, update } = onlyWrite([{ column: 'all', toEach: [to], was: [list] }], { _id: 1, all: list })
    expect(update).toEqual({ $set: { all: to } })
    expect(met).toEqual(filter([1], { $eq: [column('all'), { $literal: list }] }))
  })
})

it('deletes what still holds what was read', () => {
  const rows = of({ _id: 1, email: 'ann' }, { _id: 2, email: 'ann' }, { _id: 3, email: 'bob' })
  const { operations, rows: count } = rowWrites(erasing('delete'), rows, ['email'])
  const holds = (email: string) => ({ $eq: [column('email'), { $literal: email }] })
  expect(count).toBe(3)
  expect(operations).toEqual([
    { deleteMany: { filter: filter([1, 2], holds('ann')) } },
    { deleteMany: { filter: filter([3], holds('bob')) } },
  ])
})

it('documents with the same old and new values share a write, others do not', () => {
  const rows = of({ _id: 1, name: 'Ann' }, { _id: 2, name: 'Bob' }, { _id: 3, name: 'Ann' })
  const shared = rowWrites(erasing([{ column: 'name', to: 'x' }]), rows, [])
  expect(shared.operations.length).toBe(1)
  const each = rowWrites(erasing([{ column: 'name', toEach: ['a', 'b', 'a'] }]), rows, [])
  expect(
    each.operations.map((operation) => (operation as never as { updateMany: Document }).updateMany['update']),
  ).toEqual([{ $set: { name: 'a' } }, { $set: { name: 'b' } }])
})

describe('what one command may hold', () => {
  const sizes = (operations: readonly object[]) => operations.map((operation) => BSON.calculateObjectSize(operation))
  const limit = 16 * 1024 * 1024

  it('divides documents that share a write, and loses none', () => {
    const documents = Array.from({ length: 40 }, (_, at) => ({ _id: `${at}`.repeat(500_000), name: 'Ann' }))
    const { operations, rows } = rowWrites(erasing([{ column: 'name', to: null }]), of(...documents), [])
    expect(rows).toBe(40)
    expect(operations.length).toBeGreaterThan(1)
    expect(Math.max(...sizes(operations))).toBeLessThan(limit)
    const ids = operations.flatMap((operation) => {
      const { filter } = (operation as unknown as { updateMany: { filter: { $and: [{ _id: { $in: string[] } }] } } })
        .updateMany
      return filter.$and[0]._id.$in
    })
    expect(ids.toSorted()).toEqual(documents.map(({ _id }) => _id).toSorted())
  })

  it('refuses a document that does not fit, and does not repeat it', () => {
    const [was, to] = ['secret'.repeat(1_500_000), 'x'.repeat(8_000_000)]
    const large = { _id: 1, note: { text: was } }
    const set = [{ column: 'note', toEach: [{ text: to }], was: [{ text: was }] }]
    const writing = () => rowWrites(erasing(set), of(large), [])
    expect(writing).toThrow(/"people" is too large/)
    expect(writing).not.toThrow(/secret/)
  })

  it.each([8_500_000, 20_000_000])('refuses one of %d bytes as well, whatever the driver makes of it', (length) => {
    for (const was of ['x'.repeat(length), Array.from({ length: length / 1_000 }, () => 'x'.repeat(1_000))]) {
      const set = [{ column: 'note', toEach: [{ text: 'y'.repeat(8_000_000) }], was: [{ text: was }] }]
      expect(() => rowWrites(erasing(set), of({ _id: 1, note: { text: was } }), [])).toThrow(/"people" is too large/)
    }
  })
})

it('a new _id is refused before it is sent', () => {
  const rows = of({ _id: 'ann', name: 'Ann' })
  expect(() => rowWrites(erasing([{ column: '_id', to: 'x' }]), rows, [])).toThrow(/its field "_id"/)
})

describe('a collection that takes texts for equal', () => {
  const collationOf = (_id: unknown) => {
    const document = { _id, name: 'Ann', email: 'ann' }
    const { operations } = rowWrites(erasing([{ column: 'name', to: 'x' }]), of(document), ['email'], {
      collated: true,
    })
    return (operations[0] as { updateMany: Document }).updateMany['collation']
  }

  it('is told to compare each character', () => {
    expect(collationOf(new ObjectId())).toEqual({ locale: 'simple' })
    expect(collationOf(1)).toEqual({ locale: 'simple' })
  })

  it('finds texts that are keys by its own index', () => {
    expect(collationOf('ann')).toBeUndefined()
  })
})

describe('a document that holds the new text already', () => {
  it('is not written', () => {
    const set = [{ column: 'name', to: 'x' }]
    expect(rowWrites(erasing(set), of({ _id: 1, name: 'x' }), [])).toEqual({ operations: [], rows: 0 })
  })
})
