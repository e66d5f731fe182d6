import { Binary, BSON, Code, DBRef, Decimal128, type Document, Double, Int32, Long, ObjectId } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { decodedDocument } from './decoded-document.js'
import { sentValue } from './stored-document.js'

const id = new ObjectId('65f0c0ffee0123456789abcd')
const reference = { $ref: 'users', $id: id }

describe('a decoded document', () => {
  it.each<[string, Document]>([
    ['with further members', { who: { ...reference, name: 'Ann', $db: 'shop' } }],
    ['with members before it', { who: { name: 'Ann', $id: id, $ref: 'users' } }],
    ['of a collection with a dot', { file: { $ref: 'fs.files', $id: 8 } }],
    ['of a collection with a dot, and a database', { file: { $ref: 'fs.files', $id: 8, $db: 'other' } }],
    ['in lists', { seats: [{ who: reference }, [reference, 1], null] }],
    ['in itself', { who: { $ref: 'users', $id: { $ref: 'a.b', $id: 1 }, of: [reference] } }],
    ['as the document itself', { _id: 1, ...reference }],
    ['in the scope of code', { run: new Code('f', { file: { $ref: 'fs.files', $id: 8 } }), ...reference }],
    ['beside texts that read like one', { note: '$ref', '': 'a $ref', $id: 1, who: { $ref: 'users', $id: '$ref' } }],
    ['beside a prototype', { who: { ...reference, ...JSON.parse('{ "__proto__": { "a": 1 } }') } }],
    ['beside every width of number', { who: { ...reference, of: [new Int32(1), new Double(1), Long.fromNumber(1)] } }],
    [
      'beside other scalars',
      {
        who: { ...reference, of: [Decimal128.fromString('1.50'), new Date(0), new Binary(Buffer.from('a'), 5), null] },
      },
    ],
  ])('with a DBRef %s is sent back byte for byte', (_, document) => {
    const stored = BSON.serialize(document)
    const decoded = decodedDocument(stored, true)
    expect(BSON.serialize(sentValue(decoded) as Document)).toEqual(stored)
    expect(classesIn(decoded)).not.toContain(DBRef)
    expect(classesIn(decodedDocument(stored, false))).not.toContain(DBRef)
  })

  it('has the values of a DBRef as all others are read', () => {
    const stored = BSON.serialize({ seats: [{ who: { ...reference, age: Long.fromNumber(1) } }] })
    expect(decodedDocument(stored, false)).toEqual({ seats: [{ who: { ...reference, age: 1n } }] })
    expect(decodedDocument(stored, true)).toEqual({ seats: [{ who: { ...reference, age: Long.fromNumber(1) } }] })
  })
})

function classesIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return [value.constructor, ...Object.values(value).flatMap(classesIn)]
}
