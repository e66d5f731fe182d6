import { type Erase, type KeyGroup, objectId, type ValueKind } from '@habeas/core'
import { type Document, ObjectId } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { directWrite } from './direct-write.js'

const digits = '65f1a2b3c4d5e6f708192a3b'
const id = objectId(digits) as NonNullable<ReturnType<typeof objectId>>

const held = (column: string, ...values: readonly string[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [values],
})

const erasing = (change: Partial<Erase> = {}): Erase => ({
  collection: 'people',
  key: ['_id'],
  keys: [[id]],
  anyOf: [held('email', 'ann')],
  set: [{ column: 'name', to: 'x' }],
  ...change,
})

const kinds: Readonly<Record<string, ValueKind>> = { _id: 'object_id', email: 'string', name: 'string' }

function written(
  change?: Partial<Erase>,
  {
    keysEnforced = true,
    kind = kinds['_id'],
    nested = new Set<string>(),
    collation,
  }: { keysEnforced?: boolean; kind?: ValueKind; nested?: Set<string>; collation?: Document } = {},
) {
  const catalogue = {
    ...{ name: 'people', columns: [], primaryKey: ['_id'], uniqueKeys: [], foreignKeys: [], indexes: [] },
    ...(!keysEnforced && { keysEnforced: false as const }),
  }
  const kindOf = Object.assign((column: string) => (column === '_id' ? kind : kinds[column]), { nested })
  return directWrite(erasing(change), { catalogue, kindOf, ...(collation && { collation }) })
}

describe('one write for a batch', () => {
  it('meets documents that hold a key, a value of the person, and a text in the place of the new one', () => {
    expect(written()).toEqual({
      filter: {
        $and: [{ _id: { $in: [new ObjectId(digits)] } }, { email: { $eq: 'ann' } }, { name: { $type: 'string' } }],
      },
      change: { $set: { name: 'x' } },
    })
  })

  it('writes NULL over everything but NULL', () => {
    expect(written({ set: [{ column: 'name', to: null }] })).toEqual({
      filter: {
        $and: [
          { _id: { $in: [new ObjectId(digits)] } },
          { email: { $eq: 'ann' } },
          { name: { $exists: true, $not: { $type: ['null', 'undefined'] } } },
        ],
      },
      change: { $set: { name: null } },
    })
  })

  it('deletes', () => {
    expect(written({ set: 'delete' })).toEqual({
      filter: { $and: [{ _id: { $in: [new ObjectId(digits)] } }, { email: { $eq: 'ann' } }] },
      change: 'delete',
    })
  })

  it('takes a text for a text, whatever it looks like', () => {
    expect(written({ set: [{ column: 'name', to: '$email' }] })?.change).toEqual({ $set: { name: '$email' } })
  })
})

describe('a batch whose documents are read first', () => {
  it.each<[string, Partial<Erase>]>([
    ['has another key', { key: ['number'] }],
    ['has a key of several columns', { key: ['_id', 'number'], keys: [[id], [1]] }],
    ['has keys that name several rows', { rows: 2 }],
    ['has a key that is null', { keys: [[null]] }],
    ['has a key that is a document', { keys: [[{ a: 1 }]] }],
    ['has a key that a text and a decimal number spell', { keys: [['17']] }],
    ['has a key that a text and a UUID spell', { keys: [['0b6f1a3e-3c55-4a86-9a4e-8a4f6f5a2b11']] }],
    ['belongs to her by what columns hold as a whole', { anyOf: [{ ...held('email', 'ann'), exact: true }] }],
    ['belongs to nobody', { anyOf: [] }],
    ['has a value per document', { set: [{ column: 'name', toEach: ['x'] }] }],
    ['changes its key', { set: [{ column: '_id', to: 'x' }] }],
    ['changes a column that `find` cannot name', { set: [{ column: 'a.b', to: 'x' }] }],
    ['gets something else than a text or null', { set: [{ column: 'name', to: 7 }] }],
  ])('%s', (_, change) => {
    expect(written(change)).toBeUndefined()
  })

  it('has texts as keys that may be stored as ids', () => {
    expect(written({ keys: [[digits]] }, { kind: 'string' })).toBeUndefined()
    expect(written({ keys: [['user-1']] }, { kind: 'string' })).toBeDefined()
  })

  it('is of a sharded collection, where two documents may have one key', () => {
    expect(written({}, { keysEnforced: false })).toBeUndefined()
  })

  it('belongs to her by lists in lists, which the server does not search', () => {
    expect(written({}, { nested: new Set(['email']) })).toBeUndefined()
  })
})

it('is none where texts name the documents of a collection whose indexes fold texts', () => {
  const collation = { locale: 'en', strength: 2 }
  expect(written({ keys: [['k']] }, { kind: 'uuid', collation })).toBeUndefined()
  expect(written({ keys: [['k']] }, { kind: 'uuid' })).toBeDefined()
  expect(written({}, { collation })).toBeDefined()
})
