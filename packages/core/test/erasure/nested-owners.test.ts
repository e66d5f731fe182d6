import { describe, expect, it, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { from, key, tableWith } from './described-erasure.js'
import { ann, bob, list, request, text, toUsers } from './element-world.js'

const userId = field('userId', toUsers, [])
const by = (user: number, text: string) => ({ userId: user, text })

/** One collection with a column of objects or of lists, and its rows. */
const shopOf = (name: string, fields: object[], columns: Parameters<typeof tableWith>[0], rows: unknown[][]) => ({
  collections: [collection(name, [key, ...fields])],
  database: { [name]: tableWith({ id: 'integer', ...columns }, rows as never) },
})

describe('sections that have no owner of their own', () => {
  const days = list('days', [text('title'), list('messages', [userId, text('text')])])
  const held = [
    { title: 'Monday', messages: [by(1, 'of Ann'), by(2, 'of Bob')] },
    { title: 'Tuesday', messages: [by(2, 'of Bob')] },
    { title: 'Wednesday', messages: [] },
  ]
  const gone = [{ ...held[0], messages: [by(1, null as never), by(2, 'of Bob')] }, ...held.slice(1)]

  it('stay with a row that is another person’s as well', async () => {
    const members = field('members', { ...toUsers, data_type: 'integer[]' }, [])
    const columns = { members: 'integer', topic: 'string', days: 'object' } as const
    const { end, rows } = await request(
      ann,
      shopOf('rooms', [members, text('topic'), days], columns, [[1, [1, 2], 'cats', held]]),
    )
    expect(end.failure ?? end.status).toBe('complete')
    expect(rows['rooms']?.[0]).toMatchObject({ topic: 'cats', days: gone })
  })

  it('stay with a row that nothing else makes somebody’s', async () => {
    const { end, rows } = await request(
      ann,
      shopOf('courses', [text('title'), days], { title: 'string', days: 'object' }, [[1, 'Cats', held]]),
    )
    expect(end.failure ?? end.status).toBe('complete')
    expect(rows['courses']?.[0]).toMatchObject({ title: 'Cats', days: gone })
  })
})

describe('replies inside of reviews', () => {
  const reviews = list('reviews', [userId, text('text'), list('replies', [userId, text('text')])])
  const products = (held: unknown) => shopOf('products', [reviews], { reviews: 'object' }, [[1, held]])
  const reply = by(1, 'a reply of Ann')
  const review = by(2, 'a review of Bob')

  test.each([
    ['a list', [{ ...review, replies: [reply] }]],
    ['an object in the place of the outer list', { ...review, replies: [reply] }],
    ['an object in the place of the inner list', [{ ...review, replies: reply }]],
    ['objects in the place of both', { ...review, replies: reply }],
  ])('are their writer’s, and the review is not: %s', async (_, held) => {
    const mine = await request(ann, products(held))
    expect(mine.end.failure ?? mine.end.status).toBe('complete')
    expect(JSON.stringify(mine.got['shop:products'])).toContain('a reply of Ann')
    expect(JSON.stringify(mine.got)).not.toContain('Bob')
    expect(JSON.stringify(mine.rows['products'])).toContain('a review of Bob')
    expect(JSON.stringify(mine.rows['products'])).not.toContain('a reply of Ann')
    const theirs = await request(bob, products(held))
    expect(JSON.stringify(theirs.got['shop:products'])).toContain('a review of Bob')
    expect(JSON.stringify(theirs.got)).not.toContain('Ann')
    expect(JSON.stringify(theirs.rows['products'])).not.toContain('a review of Bob')
    expect(JSON.stringify(theirs.rows['products'])).toContain('a reply of Ann')
  })
})

test('what stands beside reviews stays where somebody else has replied to one', async () => {
  const reviews = list('reviews', [userId, text('text'), list('replies', [userId, text('text')])])
  const held = [{ ...by(1, 'a review of Ann'), replies: [by(2, 'a reply of Bob')] }]
  const { end, rows } = await request(
    ann,
    shopOf('products', [text('title'), reviews], { title: 'string', reviews: 'object' }, [[1, 'a product', held]]),
  )
  expect(end.failure ?? end.status).toBe('complete')
  expect(rows['products']?.[0]).toMatchObject({
    title: 'a product',
    reviews: [{ text: null, replies: [{ text: 'a reply of Bob' }] }],
  })
})

describe('a list where nobody has said that there may be one', () => {
  const comments = field('comments', {}, [], [userId, text('text')])
  const posts = (held: unknown) =>
    shopOf(
      'posts',
      [from('by', 'users.id'), text('title'), comments],
      { by: 'integer', title: 'string', comments: 'object' },
      [[1, 1, 'a post of Ann', held]],
    )

  test.each([ann, bob])('leaves its row undecided, for %s', async (who) => {
    const { end, got, asked, rows } = await request(who, posts([by(2, 'of Bob'), by(1, 'of Ann')]))
    expect(end.status).toBe('paused')
    expect(asked?.message).toContain(
      "1 row of shop:posts may belong to this person by shop:posts.comments ('comments' is a list there, and the dataset does not say that it may be one). Say once in the dataset: `data_type: object[]` on shop:posts.comments.",
    )
    expect(got).toEqual({})
    expect(rows['posts']?.[0]).toMatchObject({ title: 'a post of Ann' })
  })

  it('changes nothing where there is one object', async () => {
    const { end, got } = await request(ann, posts(by(1, 'of Ann')))
    expect(end.failure ?? end.status).toBe('complete')
    expect(got['shop:posts']).toEqual([{ title: 'a post of Ann', comments: { text: 'of Ann' } }])
  })
})

describe('`both` in a list', () => {
  const toAccounts = {
    data_type: 'integer',
    references: [{ dataset: 'shop', field: 'accounts.id', direction: 'both' }],
  }
  const mails = (account: object, held: unknown, kind: 'integer' | 'object' = 'integer') => ({
    collections: [
      collection('accounts', [key, text('name')]),
      collection('mails', [key, field('email', { identity: 'email' }), account]),
    ],
    database: {
      accounts: tableWith({ id: 'integer', name: 'string' }, [
        [1, 'Ann'],
        [2, 'Bob'],
      ]),
      mails: tableWith({ id: 'integer', email: 'string', accounts: kind }, [[1, ann, held as never]]),
    },
  })
  const keys = field('accounts', { ...toAccounts, data_type: 'integer[]' }, [])
  const objects = list('accounts', [field('id', toAccounts, [])])

  it('finds the one person whom the row names', async () => {
    const { end, got, rows } = await request(ann, mails(keys, [1]))
    expect(end.failure ?? end.status).toBe('complete')
    expect(got['shop:accounts']).toEqual([{ name: 'Ann' }])
    expect(rows['accounts']?.map(({ name }) => name)).toEqual([null, 'Bob'])
  })

  test.each([
    ['where the row names several', keys, [1, 2], 'integer', 'shop:mails.accounts'],
    ['in an element that nothing else makes somebody’s', objects, [{ id: 1 }], 'object', 'shop:mails.accounts.id'],
  ] as const)('is undecided %s', async (_, account, held, kind, name) => {
    const { end, asked, rows } = await request(ann, mails(account, held, kind))
    expect(end.status).toBe('paused')
    expect(asked?.message).toContain(`by ${name} (it names somebody who may or may not be the person)`)
    expect(rows['accounts']?.map((row) => row['name'])).toEqual(['Ann', 'Bob'])
  })
})

describe('elements of a row on which nobody has decided', () => {
  const threads = (author: object[]) =>
    shopOf(
      'threads',
      [...author, text('title'), list('posts', [userId, text('text')])],
      { userId: 'integer', title: 'string', posts: 'object' },
      [[1, 2, 'a title of Bob', [by(1, 'of Ann'), by(2, 'of Bob')]]],
    )
  const { direction: _, ...undirected } = toUsers.references[0] as { direction: string; dataset: string; field: string }

  test.each([
    ['its reference is open', [field('userId', { ...toUsers, references: [undirected] }, [])]],
    ['its column is described and has no reference', [field('userId', {}, [])]],
    ['its column is not described', []],
  ])('are all that is the person’s, where %s', async (_, author) => {
    const { end, got, rows } = await request(ann, threads(author))
    expect(end.failure ?? end.status).toBe('complete')
    expect(got['shop:threads']).toEqual([{ posts: [{ text: 'of Ann' }] }])
    expect(rows['threads']?.[0]).toMatchObject({
      title: 'a title of Bob',
      posts: [by(1, null as never), by(2, 'of Bob')],
    })
  })
})

test('a member that is called like one of every object is not taken from there', async () => {
  const fields = [from('by', 'users.id'), text('constructor'), list('notes', [userId, text('text')])]
  const columns = { by: 'integer', constructor: 'string', notes: 'object' } as const
  const { end, got } = await request(ann, shopOf('posts', fields, columns, [[1, 2, 'of Bob', [by(1, 'of Ann')]]]))
  expect(end.failure ?? end.status).toBe('complete')
  expect(got['shop:posts']).toEqual([{ notes: [{ text: 'of Ann' }] }])
})
