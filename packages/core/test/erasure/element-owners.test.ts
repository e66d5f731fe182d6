import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { type ErasedShop, eraseWhile, from, key, shopWorld, tableWith } from './described-erasure.js'
import {
  ann,
  bob,
  both,
  comments,
  cy,
  list,
  people,
  request,
  text,
  toUsers,
  undecidedIn,
  users,
} from './element-world.js'

/* Posts with comments in them, each by somebody else: the author of a post and those who comment have their own each. */

const ofBob = { userId: 2, text: 'of Bob' }
const ofAnn = { userId: 1, text: 'of Ann' }
const gone = (userId: number) => ({ userId, text: null })

const blog = (meta: object = {}, ...more: object[]) => ({
  collections: [
    collection('posts', [key, from('authorId', 'users.id'), text('title'), comments(), ...more], meta as never),
    collection('reactions', [key, from('postId', 'posts.id'), text('emoji')]),
  ],
  database: {
    posts: tableWith({ id: 'integer', authorId: 'integer', title: 'string', comments: 'object' }, [
      [1, 1, 'by Ann', [ofBob, ofAnn] as never],
      [2, 2, 'by Bob', [ofAnn, { userId: 3, text: 'of Cy' }] as never],
      [3, 3, 'by Cy', [ofBob] as never],
      [4, null, 'by nobody', [ofBob, ofAnn] as never],
    ]),
    reactions: tableWith({ id: 'integer', postId: 'integer', emoji: 'string' }, [
      [1, 1, 'on Ann'],
      [2, 2, 'on Bob'],
    ]),
  },
})

describe('a list whose elements have owners of their own', () => {
  test('gives everybody their comments, and the post to its author alone', async () => {
    const { failure, got } = await request(ann, blog())
    expect(failure).toBeUndefined()
    expect(got['shop:posts']).toEqual([
      { title: 'by Ann', comments: [{ text: 'of Ann' }] },
      { comments: [{ text: 'of Ann' }] },
      { comments: [{ text: 'of Ann' }] },
    ])
    expect(got['shop:reactions']).toEqual([{ emoji: 'on Ann' }])
  })

  test('is erased with its post where the elements are the person’s, and nothing else of it', async () => {
    const { told, rows, fields } = await request(ann, blog())
    const before = blog().database
    expect(rows['posts']).toEqual([
      { id: 1, authorId: 1, title: null, comments: [ofBob, gone(1)] },
      { id: 2, authorId: 2, title: 'by Bob', comments: [gone(1), { userId: 3, text: 'of Cy' }] },
      before.posts.rows[2],
      { id: 4, authorId: null, title: 'by nobody', comments: [ofBob, gone(1)] },
    ])
    expect(rows['reactions']).toEqual([{ id: 1, postId: 1, emoji: null }, before.reactions.rows[1]])
    expect(told['shop:posts']).toBe(
      'masked 1, masked 2 (masked only inside its lists: what stands beside its lists stays, because the row belongs to another person)',
    )
    expect(fields).toContain('posts.title masked (stays in rows of other people)')
  })

  test('is never followed from a post of somebody else', async () => {
    const { rows, got } = await request(cy, blog())
    expect(got['shop:posts']).toEqual([{ comments: [{ text: 'of Cy' }] }, { title: 'by Cy' }])
    expect(rows['reactions']).toEqual(blog().database.reactions.rows)
  })

  test.each(['retain', 'erase'])('stays with a post of another that is deleted or shared (%s)', async (on_shared) => {
    const { failure, rows } = await request(bob, blog({ erase: 'delete', on_shared }))
    expect(failure).toBeUndefined()
    expect(rows['posts']).toEqual([
      { id: 1, authorId: 1, title: 'by Ann', comments: [gone(2), ofAnn] },
      { id: 2, authorId: 2, title: null, comments: [ofAnn, { userId: 3, text: 'of Cy' }] },
      { id: 3, authorId: 3, title: 'by Cy', comments: [gone(2)] },
      { id: 4, authorId: null, title: 'by nobody', comments: [gone(2), ofAnn] },
    ])
  })

  test('is told apart by a written owner as well', async () => {
    const { got } = await request(cy, blog({ owner: ['authorId'] }))
    expect(got['shop:posts']).toEqual([{ comments: [{ text: 'of Cy' }] }, { title: 'by Cy' }])
  })

  test('leaves an element of which another field names somebody else', async () => {
    const shop = blog()
    const told = comments(field('toId', toUsers, []))
    const { failure, got, rows } = await request(bob, {
      collections: [collection('posts', [key, from('authorId', 'users.id'), text('title'), told])],
      database: {
        posts: tableWith({ id: 'integer', authorId: 'integer', title: 'string', comments: 'object' }, [
          [1, 1, 'by Ann', [{ ...ofBob, toId: 3 }] as never],
        ]),
      },
    })
    expect([failure, got['shop:posts'], rows['posts']?.length]).toEqual([undefined, undefined, 1])
    expect(rows['posts']?.[0]).toMatchObject({ title: 'by Ann', comments: [{ ...ofBob, toId: 3 }] })
    expect(shop.database.posts.rows).toHaveLength(4)
  })

  test('keeps a row shared where nothing outside of lists says whose it is', async () => {
    const members = list('members', [field('userId', toUsers, []), text('nick')])
    const { got } = await request(bob, {
      collections: [collection('rooms', [key, text('topic'), members])],
      database: {
        rooms: tableWith({ id: 'integer', topic: 'string', members: 'object' }, [
          [
            1,
            'cats',
            [
              { userId: 1, nick: 'A' },
              { userId: 2, nick: 'B' },
            ] as never,
          ],
        ]),
      },
    })
    expect(got['shop:rooms']).toEqual([{ topic: 'cats', members: [{ nick: 'B' }] }])
  })

  test('holds identities of its own beside an owner that a reference names', async () => {
    const signed = list('comments', [field('email', { identity: 'email', data_type: 'string' }), text('text')])
    const shop = () => ({
      collections: [collection('posts', [key, from('authorId', 'users.id'), text('title'), signed])],
      database: {
        posts: tableWith({ id: 'integer', authorId: 'integer', title: 'string', comments: 'object' }, [
          [
            1,
            1,
            'by Ann',
            [
              { email: bob, text: 'of Bob' },
              { email: ann, text: 'of Ann' },
            ] as never,
          ],
        ]),
      },
    })
    const [hers, his] = [await request(ann, shop()), await request(bob, shop())]
    expect(hers.got['shop:posts']).toEqual([{ title: 'by Ann', comments: [{ email: ann, text: 'of Ann' }] }])
    expect(his.got['shop:posts']).toEqual([{ comments: [{ email: bob, text: 'of Bob' }] }])
    expect(his.rows['posts']?.[0]).toMatchObject({ title: 'by Ann', comments: [{ text: null }, { text: 'of Ann' }] })
  })

  test('says whose the record of a person is, where a list of that person’s addresses is searched', async () => {
    const emails = list('emails', [field('address', { identity: 'email', data_type: 'string' })])
    const phones = list('phones', [field('number', { identity: 'phone', data_type: 'string' })])
    const { got } = await request('old@example.com', {
      collections: [collection('members', [key, text('name'), field('email', { identity: 'email' }), emails, phones])],
      database: {
        members: tableWith({ id: 'integer', name: 'string', email: 'string', emails: 'object', phones: 'object' }, [
          [1, 'Ann', ann, [{ address: 'old@example.com' }] as never, [{ number: '1' }] as never],
        ]),
      },
    })
    expect(got['shop:members']).toEqual([
      { name: 'Ann', email: ann, emails: [{ address: 'old@example.com' }], phones: [{ number: '1' }] },
    ])
  })

  test('leaves elements that hold an identity whose value for the person is not known', async () => {
    const signed = list('comments', [field('email', { identity: 'email', data_type: 'string' }), text('text')])
    const { end, got } = await request(
      { phone: '1' },
      {
        collections: [
          collection('callers', [key, field('phone', { identity: 'phone' })]),
          collection('posts', [key, from('authorId', 'callers.id'), text('title'), signed]),
        ],
        database: {
          callers: tableWith({ id: 'integer', phone: 'string' }, [[1, '1']]),
          posts: tableWith({ id: 'integer', authorId: 'integer', title: 'string', comments: 'object' }, [
            [1, 1, 'by Ann', [{ email: bob, text: 'of Bob' }] as never],
          ]),
        },
      },
      [both[0] as object],
    )
    expect(got['shop:posts']).toEqual([{ title: 'by Ann' }])
    expect(undecidedIn(end)).toEqual({ 'shop:posts.comments.email': 1 })
    expect(end.incomplete).toBe(true)
  })

  test('leaves elements that name somebody of a collection that is not searched', async () => {
    const { end, got } = await request(
      ann,
      {
        collections: [
          collection('guests', [key, text('name')], { skip_processing: true }),
          collection('posts', [
            key,
            from('authorId', 'users.id'),
            text('title'),
            list('comments', [
              field(
                'guestId',
                { ...toUsers, references: [{ dataset: 'shop', field: 'guests.id', direction: 'from' }] },
                [],
              ),
              text('text'),
            ]),
          ]),
        ],
        database: {
          guests: tableWith({ id: 'integer', name: 'string' }, [[1, 'Gus']]),
          posts: tableWith({ id: 'integer', authorId: 'integer', title: 'string', comments: 'object' }, [
            [1, 1, 'by Ann', [{ guestId: 1, text: 'of Gus' }, { text: 'of somebody' }] as never],
          ]),
        },
      },
      [both[0] as object],
    )
    expect(got['shop:posts']).toEqual([{ title: 'by Ann' }])
    expect(undecidedIn(end)).toEqual({ 'shop:posts.comments.guestId': 1 })
  })
})

describe('a row that is part of a person', () => {
  test('is that person’s, and an element in it that of whom it names', async () => {
    const shop = () => ({
      collections: [
        collection('people', [
          key,
          field('email', { identity: 'email' }),
          field('profile', { references: [{ dataset: 'shop', field: 'profiles.id', direction: 'to' }] }, []),
        ]),
        collection('profiles', [key, text('bio'), list('endorsements', [field('by', toUsers, []), text('text')])], {
          erase: 'delete',
        } as never),
      ],
      database: {
        people: tableWith({ id: 'integer', email: 'string', profile: 'integer' }, [[1, bob, 9]]),
        profiles: tableWith({ id: 'integer', bio: 'string', endorsements: 'object' }, [
          [9, 'of Bob', [{ by: 1, text: 'of Ann' }] as never],
        ]),
      },
    })
    const [hers, his] = [await request(ann, shop()), await request(bob, shop())]
    expect(hers.got['shop:profiles']).toEqual([{ endorsements: [{ text: 'of Ann' }] }])
    expect(hers.rows['profiles']).toEqual([{ id: 9, bio: 'of Bob', endorsements: [{ by: 1, text: null }] }])
    expect(his.got['shop:profiles']).toEqual([{ bio: 'of Bob' }])
    expect(his.rows['profiles']).toEqual([{ id: 9, bio: null, endorsements: [{ by: 1, text: 'of Ann' }] }])
  })
})

describe('elements of somebody else’s row', () => {
  const posts = (...members: object[]) =>
    collection('posts', [key, from('authorId', 'users.id'), list('comments', members)])
  const rows = (...comments: object[]) => ({
    posts: tableWith({ id: 'integer', authorId: 'integer', comments: 'object' }, [[1, 1, comments as never]]),
  })

  test('are undecided where a second field of theirs names somebody who is not known', async () => {
    const signed = field('phone', { identity: 'phone', data_type: 'string' })
    const { end } = await request(
      bob,
      {
        collections: [posts(field('userId', toUsers, []), signed, text('text'))],
        database: rows({ userId: 2, phone: '1', text: 'of Bob?' }),
      },
      [both[0] as object],
    )
    expect(undecidedIn(end)).toEqual({ 'shop:posts.comments.phone': 1 })
  })

  test('are judged by whom they name, also where references lead to them', async () => {
    const { got } = await request(bob, {
      collections: [
        collection('pins', [
          key,
          from('userId', 'users.id'),
          field('commentId', { references: [{ dataset: 'shop', field: 'posts.comments.id', direction: 'to' }] }, []),
        ]),
        posts(field('id', { data_type: 'integer' }, []), field('userId', toUsers, []), text('text')),
      ],
      database: {
        pins: tableWith({ id: 'integer', userId: 'integer', commentId: 'integer' }, [[1, 2, null]]),
        ...rows({ id: 5, userId: 2, text: 'of Bob' }, { id: 6, userId: 3, text: 'of Cy' }),
      },
    })
    expect(got['shop:posts']).toEqual([{ comments: [{ text: 'of Bob' }] }])
  })

  test('are theirs although an object stands where a list is described', async () => {
    const shop = () => ({
      collections: [posts(field('userId', toUsers, []), text('text'))],
      database: {
        posts: tableWith({ id: 'integer', authorId: 'integer', comments: 'object' }, [[1, 1, ofBob as never]]),
      },
    })
    const [hers, his] = [await request(ann, shop()), await request(bob, shop())]
    expect([hers.got['shop:posts'], hers.rows['posts']]).toEqual([undefined, shop().database.posts.rows])
    expect(his.got['shop:posts']).toEqual([{ comments: { text: 'of Bob' } }])
    expect(his.rows['posts']).toEqual([{ id: 1, authorId: 1, comments: gone(2) }])
  })
})

test('rows that hang on an element stay where the element is somebody else’s by now', async () => {
  const told = list('comments', [field('id', { data_type: 'integer' }, []), field('userId', toUsers, []), text('text')])
  const posts = () =>
    tableWith({ id: 'integer', authorId: 'integer', comments: 'object' }, [
      [
        1,
        2,
        [
          { id: 7, ...ofAnn },
          { id: 8, ...ofBob },
        ] as never,
      ],
    ])
  const moment = { operation: 'erase', collection: 'votes', rollBack: true } as const
  const shop = (): ErasedShop => ({
    capabilities: { nestedFields: true },
    collections: [
      users,
      collection('posts', [key, from('authorId', 'users.id'), told]),
      collection('votes', [key, from('commentId', 'posts.comments.id'), text('text')]),
    ],
    database: {
      users: people(),
      posts: posts(),
      votes: tableWith({ id: 'integer', commentId: 'integer', text: 'string' }, [
        [1, 7, 'on Ann'],
        [2, 8, 'on Bob'],
      ]),
    },
  })
  await using run = await eraseWhile(shop(), moment, (world) => {
    Object.assign(world.rows()['posts']?.[0] as object, { comments: [{ id: 7, ...ofBob }] })
  })
  expect([run.request.status, run.world.rows()['votes']]).toEqual(['error', shop().database['votes']?.rows])
  expect(run.request.failure).toMatch(/of 'shop:posts' (is|are) no longer the person's/)
  await using calm = await shopWorld(shop())
  expect((await calm.erase({ email: ann })).failure).toBeUndefined()
  expect(calm.rows()['votes']?.map(({ text }) => text)).toEqual([null, 'on Bob'])
})

describe('a list without owners between two lists with owners', () => {
  const items = list('items', [text('text'), list('copies', [field('userId', toUsers, []), text('text')])])
  const groups = (userId: number, ...copies: object[]) => [
    { userId, text: 'group', items: [{ text: 'first', copies }, { text: 'second' }] },
  ]
  const orders = (row: object[], ...values: (number | null | object)[][]) => ({
    collections: [
      collection('orders', [key, ...row, list('groups', [field('userId', toUsers, []), text('text'), items])]),
    ],
    database: {
      orders: tableWith({ id: 'integer', by: 'integer', groups: 'object' }, values as never),
    },
  })

  test.each([
    ['the row says nothing', [] as object[], null],
    ['the row is theirs as well', [from('by', 'users.id')], 1],
  ])('is that of the element around it where %s', async (_, row, by) => {
    const shop = orders(row, [1, by, groups(1, ofBob, ofAnn)], [2, by && 2, groups(2, ofAnn)])
    const { end, got, rows, told } = await request(ann, shop)
    expect([end.status, end.failure]).toEqual(['complete', undefined])
    expect(got['shop:orders']).toEqual([
      { groups: [{ text: 'group', items: [{ text: 'first', copies: [{ text: 'of Ann' }] }, { text: 'second' }] }] },
      { groups: [{ items: [{ copies: [{ text: 'of Ann' }] }] }] },
    ])
    expect(rows['orders']?.[0]?.['groups']).toEqual([
      { userId: 1, text: null, items: [{ text: null, copies: [ofBob, gone(1)] }, { text: null }] },
    ])
    expect(rows['orders']?.[1]?.['groups']).toEqual([
      { userId: 2, text: 'group', items: [{ text: 'first', copies: [gone(1)] }, { text: 'second' }] },
    ])
    expect(told['shop:orders']).toContain('masked 2')
  })

  test('is that of the element around it where nobody has a copy', async () => {
    const { end, got, rows } = await request(ann, orders([], [1, null, groups(1)]))
    expect(end.status).toBe('complete')
    expect(got['shop:orders']).toEqual([
      { groups: [{ text: 'group', items: [{ text: 'first' }, { text: 'second' }] }] },
    ])
    expect(rows['orders']?.[0]?.['groups']).toEqual([
      { userId: 1, text: null, items: [{ text: null, copies: [] }, { text: null }] },
    ])
  })
})

describe('elements that name their person by a reference and by an address', () => {
  const posts = () => ({
    collections: [
      collection('posts', [
        key,
        field('email', { identity: 'email' }),
        text('body'),
        list('comments', [
          field('userId', toUsers, []),
          field('email', { identity: 'email', data_type: 'string' }),
          text('text'),
        ]),
      ]),
    ],
    database: {
      posts: tableWith({ id: 'integer', email: 'string', body: 'string', comments: 'object' }, [
        [
          1,
          ann,
          'by Ann',
          [
            { ...ofBob, email: bob },
            { ...ofAnn, email: ann },
          ] as never,
        ],
      ]),
    },
  })

  test('say nothing of the row, which another address names', async () => {
    const { end, got } = await request(bob, posts())
    expect(end.status).toBe('complete')
    expect(got['shop:posts']).toEqual([{ comments: [{ email: bob, text: 'of Bob' }] }])
  })

  test('leave the row to its owner', async () => {
    const { end, got, rows } = await request(ann, posts())
    expect(end.status).toBe('complete')
    expect(got['shop:posts']).toEqual([{ email: ann, body: 'by Ann', comments: [{ email: ann, text: 'of Ann' }] }])
    expect(rows['posts']).toEqual([
      {
        id: 1,
        email: null,
        body: null,
        comments: [
          { ...ofBob, email: bob },
          { ...gone(1), email: null },
        ],
      },
    ])
  })
})
