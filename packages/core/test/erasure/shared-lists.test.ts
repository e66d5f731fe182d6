import type { Identity, Value } from '@habeas/core'
import { describe, expect, test } from 'vitest'
import { collection, documents, field } from '../engine/described.js'
import { type ErasedShop, from, key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

type Meta = Readonly<Record<string, unknown>>

const [ann, bob] = ['ann@example.com', 'bob@example.com']

const unknown = 'its lists also name somebody who is not known to be the person'
const beside = `what stands beside its lists stays, because ${unknown} (a request that names every identity of the person in them, \`return_all_elements\` on a list that is one person’s, or \`on_shared: "erase"\` masks it as well)`
const onlyInside = `masked only inside its lists: ${beside}`

async function erased(shop: ErasedShop, ...more: Identity[]) {
  await using world = await shopWorld(shop)
  const end = await world.erase({ email: ann }, ...more)
  const { collections } = await world.privacy.requests.receipt(end.id)
  const fields = collections.flatMap((each) =>
    each.fields.map(
      ({ field, outcome, reason }) => `${each.collection}.${field} ${outcome}${reason ? ` (${reason})` : ''}`,
    ),
  )
  return { failure: end.failure, told: erasedOf(end), rows: world.rows(), fields }
}

const members = (meta: Meta = {}) =>
  field(
    'members',
    { data_type: 'object[]', ...meta },
    [],
    [
      field('email', { identity: 'email', data_type: 'string' }),
      field('name', { data_type: 'string' }),
      field(
        'address_id',
        {
          data_type: 'integer',
          references: [{ dataset: 'shop', field: 'address.id', direction: 'to' }],
        },
        [],
      ),
    ],
  )

const rooms = (list: Value, meta: Meta = {}, listMeta: Meta = {}) => ({
  capabilities: { nestedFields: true },
  database: {
    room: tableWith({ id: 'integer', title: 'string', members: 'object' }, [[1, 'Ann and Bob', list]]),
    message: tableWith({ id: 'integer', room_id: 'integer', text: 'string' }, [[1, 1, 'said in the room']]),
    address: tableWith({ id: 'integer', street: 'string' }, [
      [5, 'High Street'],
      [6, 'Low Street'],
    ]),
  },
  collections: [
    collection('room', [key, field('title'), members(listMeta)], meta),
    collection('message', [key, from('room_id', 'room.id'), field('text')]),
    collection('address', [key, field('street')]),
  ],
})

const annIs = { email: ann, name: 'Ann', address_id: 5 }
const bobIs = { email: bob, name: 'Bob', address_id: 6 }

describe('a review of somebody else in which the person has replied', () => {
  const text = (name: string) => field(name, { data_type: 'string' })
  const by = () => field('by', { identity: 'email', data_type: 'string' })
  const reply = (who: string) => ({ by: who, text: `reply of ${who}` })
  const bobs = { by: bob, text: 'of Bob', replies: [reply(ann), reply(bob)] }
  const anns = { by: ann, text: 'of Ann', replies: [reply(bob)] }

  test('keeps its own words: only the reply is erased', async () => {
    const replies = field('replies', { data_type: 'object[]' }, [], [by(), text('text')])
    const { failure, told, rows } = await erased({
      capabilities: { nestedFields: true },
      database: {
        course: tableWith({ id: 'integer', title: 'string', reviews: 'object' }, [[1, 'Latin', [bobs, anns] as never]]),
      },
      collections: [
        collection('course', [
          key,
          field('title'),
          field('reviews', { data_type: 'object[]' }, [], [by(), text('text'), replies]),
        ]),
      ],
    })
    expect(failure).toBeUndefined()
    const gone = { by: null, text: null }
    expect(rows['course']).toEqual([
      {
        id: 1,
        title: 'Latin',
        reviews: [
          { ...bobs, replies: [gone, reply(bob)] },
          { ...gone, replies: [reply(bob)] },
        ],
      },
    ])
    expect(told).toEqual({
      'shop:course': `masked 1 (${onlyInside})`,
    })
  })
})

describe('a row whose list names two people', () => {
  const gone = { email: null, name: null, address_id: 5 }

  test('belongs to both people: only the elements of the person are deleted', async () => {
    const { failure, told, rows } = await erased(rooms([annIs, bobIs] as never))
    expect(failure).toBeUndefined()
    expect(rows['room']).toEqual([{ id: 1, title: 'Ann and Bob', members: [gone, bobIs] }])
    expect(rows['message']).toEqual([{ id: 1, room_id: 1, text: 'said in the room' }])
    expect(rows['address']).toEqual([
      { id: 5, street: null },
      { id: 6, street: 'Low Street' },
    ])
    expect(told).toEqual({
      'shop:room': `masked 1 (${onlyInside})`,
      'shop:message': 'retained 1 (found through a row of shop:room that is shared)',
      'shop:address': 'masked 1',
    })
  })

  test.each(['mask', 'delete'])('keeps its title, and the receipt says so where rows are to %s', async (erase) => {
    const { fields } = await erased(rooms([annIs, bobIs] as never, { erase }))
    expect(fields.filter((each) => each.startsWith('room.'))).toEqual(
      expect.arrayContaining([`room.title retained (${unknown})`, 'room.members.name masked']),
    )
  })

  test('keeps its title beside a row that goes as a whole, and the receipt says both', async () => {
    const shop = rooms([annIs, bobIs] as never)
    const room = tableWith({ id: 'integer', title: 'string', members: 'object' }, [
      [1, 'Ann and Bob', [annIs, bobIs] as never],
      [2, 'Ann', [annIs] as never],
    ])
    const { fields, rows } = await erased({ ...shop, database: { ...shop.database, room } })
    expect(rows['room']?.map(({ title }) => title)).toEqual(['Ann and Bob', null])
    expect(fields).toContain(`room.title masked (stays in rows where ${unknown})`)
  })

  test('belongs to both at a retry as well', async () => {
    await using world = await shopWorld(rooms([annIs, bobIs] as never))
    world.connector.failNext({ operation: 'erase', collection: 'room', rollBack: false, afterWriting: true })
    const first = await world.erase({ email: ann })
    expect(first.status).toBe('error')
    await world.privacy.requests.retry(first.id)
    const end = await world.privacy.requests.settled(first.id)
    expect([end.status, end.failure]).toEqual(['complete', undefined])
    expect(world.rows()['room']).toEqual([{ id: 1, title: 'Ann and Bob', members: [gone, bobIs] }])
  })

  test('is masked as a whole where that is said', async () => {
    const { failure, told, rows } = await erased(rooms([annIs, bobIs] as never, { on_shared: 'erase' }))
    expect([failure, told['shop:room'], told['shop:message']]).toEqual([undefined, 'masked 1', 'masked 1'])
    expect(rows['room']).toEqual([{ id: 1, title: null, members: [gone, bobIs] }])
  })

  test('is erased in part only where rows are deleted', async () => {
    const { told, rows } = await erased(rooms([annIs, bobIs] as never, { erase: 'delete' }))
    expect(told['shop:room']).toBe(`masked 1 (masked instead of deleted, and only inside its lists: ${beside})`)
    expect(rows['room']).toEqual([{ id: 1, title: 'Ann and Bob', members: [gone, bobIs] }])
  })

  test.each<[string, Value, Meta?]>([
    ['of whom one is not named', [annIs, { name: 'a guest' }] as never],
    ['who are all the person', [annIs, annIs] as never],
    ['that is the person’s as a whole', [annIs, bobIs] as never, { return_all_elements: true }],
  ])('not one %s', async (_, list, listMeta) => {
    const { failure, told, rows } = await erased(rooms(list, {}, listMeta))
    expect([failure, told['shop:room'], told['shop:message']]).toEqual([undefined, 'masked 1', 'masked 1'])
    expect(rows['room']?.[0]).toMatchObject({ title: null })
    expect(rows['message']).toEqual([{ id: 1, room_id: 1, text: null }])
  })
})

describe('a list of addresses', () => {
  const person = (emails: Value, listMeta: Meta = {}) => ({
    capabilities: { nestedFields: true },
    database: { person: documents([{ id: 1, name: 'Ann', emails }]) },
    collections: [
      collection('person', [
        key,
        field('name'),
        field('emails', { identity: 'email', data_type: 'string[]', ...listMeta }),
      ]),
    ],
  })

  test('that holds another one may be two people’s', async () => {
    const { told, rows } = await erased(person([ann, bob]))
    expect(told).toEqual({
      'shop:person': `masked 1 (${onlyInside})`,
    })
    expect(rows['person']).toEqual([{ id: 1, name: 'Ann', emails: [null, bob] }])
  })

  test('whose every address the request names is one person’s', async () => {
    const { told, rows } = await erased(person([ann, bob]), { email: bob })
    expect(told).toEqual({ 'shop:person': 'masked 1' })
    expect(rows['person']).toEqual([{ id: 1, name: null, emails: [null, null] }])
  })

  test.each([
    ['that is one person’s as a whole', [ann, bob], { return_all_elements: true }],
    ['that holds nothing else', [ann, ' ', null], {}],
  ])('%s is deleted with the row', async (_, emails, listMeta) => {
    const { told, rows } = await erased(person(emails, listMeta))
    expect(told).toEqual({ 'shop:person': 'masked 1' })
    expect(rows['person']?.[0]).toMatchObject({ name: null })
  })
})

test('rows that belong to several people by a list of keys are theirs', async () => {
  const { told, rows } = await erased({
    capabilities: { nestedFields: true },
    database: {
      customer: tableWith({ id: 'integer', email: 'string' }, [
        [1, ann],
        [2, bob],
      ]),
      contract: documents([
        { id: 1, text: 'of both', customer_ids: [1, 2] },
        { id: 2, text: 'of Ann', customer_ids: [1] },
      ]),
    },
    collections: [
      collection('customer', [key, plain('email', { identity: 'email' })]),
      collection('contract', [
        key,
        field('text'),
        field(
          'customer_ids',
          {
            data_type: 'integer[]',
            references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }],
          },
          [],
        ),
      ]),
    ],
  })
  expect(told['shop:contract']).toBe(`masked 1, retained 1 (${unknown})`)
  expect(rows['contract']?.map(({ text }) => text)).toEqual(['of both', null])
})
