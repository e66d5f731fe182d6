import { objectId, type Value } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { eraseShop, from, kept, key, tableWith } from '../erasure/described-erasure.js'
import { collection, documents, field, refer } from './described.js'

const ann = 'ann@example.com'
const uuid = (last: string) => `a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1${last}`
const hex = (last: string) => `65f0c0ffee0123456789abc${last}`
const user = { name: 'no', service_meta: { primary_key: true } }
const collections = [
  collection('users', [kept(user), kept(field('email', { identity: 'email' }))]),
  collection('orders', [key, from('u', 'users.no'), field('note')]),
]

/** Notes of orders after an erasure for Ann, where each order says in `u` whose it is. */
async function notesOf(orders: object, users: object) {
  const database = { users, orders } as never
  const { status, rows } = await eraseShop({ database, collections }, { email: ann })
  expect(status).toBe('complete')
  return rows['orders']?.map(({ note }) => note)
}

const typed = (kind: 'uuid' | 'object_id' | 'string', keys: readonly Value[]) =>
  tableWith({ no: kind, email: 'string' }, [
    [keys[0] as Value, ann],
    [keys[1] as Value, 'bob@example.com'],
  ])
const texts = (values: readonly Value[]) =>
  tableWith(
    { id: 'integer', u: 'string', note: 'string' },
    values.map((u, at) => [at, u, 'theirs']),
  )
const anything = (values: readonly Value[]) => documents(values.map((u, at) => ({ id: at, u, note: 'theirs' })))

describe('an id that a text writes in capitals', () => {
  it.each([
    ['a UUID', typed('uuid', [uuid('a'), uuid('b')]), uuid],
    ['an ObjectId', typed('object_id', [objectId(hex('a')) as Value, objectId(hex('b')) as Value]), hex],
  ])('is the same id, whose rows alone are erased: %s', async (_, users, of) => {
    const held = [of('a'), of('a').toUpperCase(), of('b').toUpperCase(), of('b')]
    for (const orders of [texts(held), anything(held)])
      expect(await notesOf(orders, users)).toEqual([null, null, 'theirs', 'theirs'])
  })

  const ofUuids = () =>
    tableWith({ id: 'uuid', note: 'string' }, [
      [uuid('a'), 'theirs'],
      [uuid('b'), 'his'],
    ])
  const ofAnything = () =>
    documents([
      { id: uuid('a'), note: 'theirs' },
      { id: uuid('b'), note: 'his' },
    ])
  it.each([
    ['and the rows of others, which leave the row', uuid('b').toUpperCase(), null, ofUuids],
    ['and by others, who share the row', uuid('a'), 'theirs', ofUuids],
    ['and by others in capitals, who share the row', uuid('a').toUpperCase(), 'theirs', ofAnything],
    ['and the rows of others, which leave a row without types', uuid('b').toUpperCase(), null, ofAnything],
  ])('is counted where the rows of the person refer to a row %s', async (_, others, left, made) => {
    const refers = { ...refer('home', 'homes.id', { direction: 'to' }), data_categories: [] }
    const shop = [
      collection('users', [key, kept(field('email', { identity: 'email' })), refers]),
      collection('homes', [key, field('note')]),
    ]
    const users = tableWith({ id: 'integer', email: 'string', home: 'string' }, [
      [1, ann, uuid('a').toUpperCase()],
      [2, 'bob@example.com', others],
    ])
    const { status, rows } = await eraseShop({ database: { users, homes: made() }, collections: shop }, { email: ann })
    expect(status).toBe('complete')
    expect(rows['homes']?.map(({ note }) => note)).toEqual([left, 'his'])
  })

  it('names nobody where it is a placeholder', async () => {
    const users = typed('uuid', [uuid('a'), uuid('b')])
    const meta = { placeholders: [uuid('a')] }
    const [people] = collections
    const orders = collection('orders', [key, kept(refer('u', 'users.no', { meta })), field('note')])
    const database = { users, orders: texts([uuid('a').toUpperCase()]) }
    const { rows } = await eraseShop({ database, collections: [people as never, orders] }, { email: ann })
    expect(rows['orders']).toMatchObject([{ note: 'theirs' }])
  })
})

describe('a text that leads to a field of no known type', () => {
  it.each<[string, Value, readonly Value[], readonly Value[]]>([
    ['a number', '391', [391, '391'], [392, '0391']],
    ['an ObjectId', hex('a'), [objectId(hex('a')) as Value, hex('a')], [objectId(hex('b')) as Value]],
    ['neither', '007', ['007'], [7, '7']],
  ])('finds what is stored as such and as text: %s', async (_, no, hers, his) => {
    const users = typed('string', [no, 'another'])
    const notes = await notesOf(anything([...hers, ...his]), users)
    expect(notes).toEqual([...hers.map(() => null), ...his.map(() => 'theirs')])
  })

  it.each([uuid('a'), hex('a')])('finds %s in the other letters', async (id) => {
    const held = [id, id.toUpperCase()]
    for (const no of held) expect(await notesOf(anything(held), typed('string', [no, 'another']))).toEqual([null, null])
  })

  it('is the text of a request as well', async () => {
    const people = collection('people', [key, kept(field('phone', { identity: 'phone' })), field('note')])
    const held = [391, '391', 392, '0391'].map((phone, at) => ({ id: at, phone, note: 'theirs' }))
    const { rows } = await eraseShop({ database: { people: documents(held) }, collections: [people] }, { phone: '391' })
    expect(rows['people']?.map(({ note }) => note)).toEqual([null, null, 'theirs', 'theirs'])
  })
})
