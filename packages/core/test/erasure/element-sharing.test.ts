import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { eraseWhile, from, key, tableWith } from './described-erasure.js'
import { list, request, text } from './element-world.js'

/* Dan’s address stands in Cleo’s row as well, so her row is shared with him. What she wrote in lists is hers all the same. */

const [dan, cleo] = ['dan@example.com', 'cleo@example.com']
const [ana, cleos, dans] = [1, 3, 4]
const byMembers = (name: string, more: object = {}) =>
  field(
    name,
    { data_type: 'integer', references: [{ dataset: 'shop', field: 'members.id', direction: 'from' }], ...more },
    [],
  )
const replies = () => list('replies', [byMembers('by'), text('text')])
const reviews = () => list('reviews', [byMembers('by'), byMembers('to'), text('text'), replies()])
const review = (by: number, more: object = {}) => ({ by, text: `review of ${by}`, ...more })
const masked = (by: number, more: object = {}) => ({ by, text: null, ...more })

const inTwoFields = {
  collection: collection('members', [
    key,
    field('email', { identity: 'email' }),
    field('second', { identity: 'email' }),
  ]),
  rows: tableWith({ id: 'integer', email: 'string', second: 'string' }, [
    [ana, 'ana@example.com', null],
    [cleos, cleo, dan],
    [dans, dan, null],
  ]),
}
const address = list('emails', [field('address', { identity: 'email', data_type: 'string' })])
const inList = {
  collection: collection('members', [key, address]),
  rows: tableWith({ id: 'integer', emails: 'object' }, [
    [ana, [{ address: 'ana@example.com' }] as never],
    [cleos, [{ address: cleo }, { address: dan }] as never],
    [dans, [{ address: dan }] as never],
  ]),
}

const products = (
  seller: number,
  list: unknown,
  members = inTwoFields,
  meta: Readonly<Record<string, unknown>> = {},
) => ({
  collections: [
    members.collection,
    collection('products', [key, from('seller', 'members.id'), text('blurb'), reviews()], meta),
  ],
  database: {
    members: structuredClone(members.rows),
    products: tableWith({ id: 'integer', seller: 'integer', blurb: 'string', reviews: 'object' }, [
      [1, seller, 'blurb', list as never],
    ]),
  },
})

const stay = 'elements of its lists stay, because rows that may be shared say whose they are'

describe('an element of somebody whose row is shared with the person', () => {
  test.each([
    ['two fields', inTwoFields],
    ['a list', inList],
  ])('stays beside one of the person, where the address stands in %s', async (_, members) => {
    const { failure, got, told, rows } = await request(dan, products(ana, [review(cleos), review(dans)], members))
    expect(failure).toBeUndefined()
    expect(rows['products']?.[0]).toMatchObject({ blurb: 'blurb', reviews: [review(cleos), masked(dans)] })
    expect(got['shop:products']).toEqual([{ reviews: [{ text: 'review of 3' }, { text: 'review of 4' }] }])
    expect(told['shop:products']).toBe(
      `masked 1 (masked only inside its lists: what stands beside its lists stays, because the row belongs to another person; ${stay})`,
    )
  })

  test.each(['mask', 'delete'])('stays in a row of the person (%s)', async (erase) => {
    const { failure, told, rows } = await request(dan, products(dans, [review(cleos)], inTwoFields, { erase }))
    expect(failure).toBeUndefined()
    expect(rows['products']?.[0]).toMatchObject({ blurb: null, reviews: [review(cleos)] })
    expect(told['shop:products']).toContain(
      erase === 'mask' ? stay : 'rows that may be shared say whose elements of its lists are',
    )
  })

  test('stays around a reply of the person, and a reply stays in a review of the person', async () => {
    const inside = { replies: [review(cleos), review(dans)] }
    const { rows } = await request(dan, products(ana, [review(cleos, inside), review(dans, inside)]))
    const left = { replies: [review(cleos), masked(dans)] }
    expect(rows['products']?.[0]).toMatchObject({ reviews: [review(cleos, left), masked(dans, left)] })
  })

  test('stays although another field of it names the person', async () => {
    const { rows } = await request(
      dan,
      products(ana, [review(dans), review(dans, { to: cleos }), review(cleos, { to: dans })]),
    )
    expect(rows['products']?.[0]).toMatchObject({
      reviews: [masked(dans), review(dans, { to: cleos }), review(cleos, { to: dans })],
    })
  })

  test('stays where an object stands in place of the list', async () => {
    const { rows } = await request(dan, products(dans, review(cleos)))
    expect(rows['products']?.[0]).toMatchObject({ blurb: null, reviews: review(cleos) })
  })

  test('is masked with `on_shared: "erase"`', async () => {
    const { rows } = await request(
      dan,
      products(dans, [review(cleos), review(ana)], inTwoFields, { on_shared: 'erase' }),
    )
    expect(rows['products']?.[0]).toMatchObject({ blurb: null, reviews: [masked(cleos), review(ana)] })
  })

  test('is found by the person, and what hangs on it is no more theirs than the element', async () => {
    const told = list('reviews', [field('id', { data_type: 'integer' }, []), byMembers('by'), text('text')])
    const {
      got,
      rows,
      told: outcomes,
    } = await request(dan, {
      collections: [
        inTwoFields.collection,
        collection('products', [key, from('seller', 'members.id'), told]),
        collection('votes', [key, from('review', 'products.reviews.id'), text('text')]),
      ],
      database: {
        members: structuredClone(inTwoFields.rows),
        products: tableWith({ id: 'integer', seller: 'integer', reviews: 'object' }, [
          [1, dans, [review(cleos, { id: 7 }), review(dans, { id: 8 })] as never],
        ]),
        votes: tableWith({ id: 'integer', review: 'integer', text: 'string' }, [
          [1, 7, 'on Cleo'],
          [2, 8, 'on Dan'],
        ]),
      },
    })
    expect(got['shop:votes']).toEqual([{ text: 'on Cleo' }, { text: 'on Dan' }])
    expect(rows['votes']?.map(({ text }) => text)).toEqual(['on Cleo', null])
    expect(outcomes['shop:votes']).toBe('masked 1, retained 1 (found through a row of shop:products that is shared)')
  })
})

describe('a list that says whose the row is', () => {
  const rooms = (members: object, held: unknown) => ({
    collections: [inTwoFields.collection, collection('rooms', [key, text('topic'), members])],
    database: {
      members: structuredClone(inTwoFields.rows),
      rooms: tableWith({ id: 'integer', topic: 'string', members: 'object' }, [[1, 'cats', held as never]]),
    },
  })

  test('keeps what is beside it where it also names somebody whose row is shared', async () => {
    const nicks = [
      { by: cleos, text: 'C' },
      { by: dans, text: 'D' },
    ]
    const { rows } = await request(dan, rooms(list('members', [byMembers('by'), text('text')]), nicks))
    expect(rows['rooms']).toEqual([{ id: 1, topic: 'cats', members: [nicks[0], masked(dans)] }])
  })

  test('keeps what is beside it where it is a list of keys', async () => {
    const shop = rooms(byMembers('members', { data_type: 'integer[]' }), [cleos, dans])
    const { columns = [] } = shop.database.rooms
    const ofKeys = columns.map((each) =>
      each.name === 'members' ? { ...each, type: 'integer', kind: 'integer' as const, array: true } : each,
    )
    const { failure, rows } = await request(dan, {
      ...shop,
      database: { ...shop.database, rooms: { ...shop.database.rooms, columns: ofKeys } },
    })
    expect(failure).toBeUndefined()
    expect(rows['rooms']).toEqual([{ id: 1, topic: 'cats', members: [cleos, dans] }])
  })
})

describe('an element of the person in a row that is shared', () => {
  test.each([
    ['somebody whose row is shared', cleos],
    ['the person and somebody else', [dans, ana] as never],
  ])('is erased alone where the row is of %s', async (_, seller) => {
    const sellers = Array.isArray(seller)
      ? [from('seller', 'members.id'), from('second', 'members.id')]
      : [from('seller', 'members.id')]
    const held = [review(dans), review(ana), review(cleos)] as never
    const { failure, told, rows, end } = await request(dan, {
      collections: [inTwoFields.collection, collection('products', [key, ...sellers, text('blurb'), reviews()])],
      database: {
        members: structuredClone(inTwoFields.rows),
        products: tableWith(
          { id: 'integer', seller: 'integer', second: 'integer', blurb: 'string', reviews: 'object' },
          [Array.isArray(seller) ? [1, dans, ana, 'blurb', held] : [1, cleos, null, 'blurb', held]],
        ),
      },
    })
    expect([end.status, failure]).toEqual(['complete', undefined])
    expect(rows['products']?.[0]).toMatchObject({
      blurb: 'blurb',
      reviews: [masked(dans), review(ana), review(cleos)],
    })
    expect(told['shop:products']).toContain('because the row belongs to another person as well')
  })
})

test('an element stays whose owner’s row becomes shared before the write', async () => {
  const moment = { operation: 'erase', collection: 'products', rollBack: true } as const
  const twice = {
    ...inTwoFields,
    rows: tableWith({ id: 'integer', email: 'string', second: 'string' }, [
      [3, dan, null],
      [4, dan, null],
    ]),
  }
  const shop = { capabilities: { nestedFields: true }, ...products(4, [review(3), review(4)], twice) }
  await using run = await eraseWhile(
    shop as never,
    moment,
    (world) => {
      Object.assign(world.rows()['members']?.[0] as object, { email: cleo, second: dan })
    },
    { email: dan },
  )
  expect(run.world.rows()['products']?.[0]).toMatchObject({ reviews: [review(3), review(4)] })
  expect(run.request.status).toBe('error')
  expect(run.request.failure).toMatch(/no longer the person's/)
})
