import { describe, expect, test } from 'vitest'
import type { Column } from '../../src/model/catalogue.js'
import { objectId } from '../../src/model/value.js'
import { collection, field } from '../engine/described.js'
import { type ErasedShop, from, key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const [ann, bob] = ['ann@example.com', 'bob@example.com']
const category = { data_categories: { matches: 'ANY', values: ['user'] } }
const both = [
  { service_key: 'copy', action_type: 'access', ...category },
  { service_key: 'all', action_type: 'erasure', ...category },
]
const users = collection('users', [key, field('email', { identity: 'email' }), field('name')])
const people = () =>
  tableWith({ id: 'integer', email: 'string', name: 'string' }, [
    [1, ann, 'Ann'],
    [2, bob, 'Bob'],
  ])

/** A world with posts of Ann. A request for her data waits or ends, and `accept` accepts what it asks. */
async function request(posts: object, rows: ErasedShop['database'][string], accept = false) {
  await using world = await shopWorld({
    capabilities: { nestedFields: true },
    collections: [users, posts],
    database: { users: people(), posts: rows },
    rules: both,
  })
  const { requests } = world.privacy
  const { id } = await requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  const asked = await world.paused(id)
  if (accept) await requests.accept(id, { acceptUndecided: true })
  const end = accept ? await requests.settled(id) : asked
  let text = ''
  if (end.status === 'complete') for await (const part of requests.readPackage(id)) text += Buffer.from(part).toString()
  return { asked, end, text, rows: world.rows()['posts'] }
}

const comments = [
  { userId: 2, text: 'of Bob' },
  { userId: 1, text: 'of Ann' },
]
const postRows = (list: unknown, more: Partial<ErasedShop['database'][string]> = {}) =>
  tableWith(
    { id: 'integer', authorId: 'integer', title: 'string', comments: 'object' },
    [[1, 1, 'Latin', list as never]],
    more,
  )
const inList = (meta: object = {}) =>
  field(
    'comments',
    { data_type: 'object[]' },
    [],
    [plain('userId', { data_type: 'integer', ...meta }), field('text', { data_type: 'string' })],
  )
const posts = (list: object = inList(), meta: object = {}) =>
  collection('posts', [key, from('authorId', 'users.id'), field('title'), list], meta as never)

describe('elements that name somebody of whom nobody has said who it is', () => {
  test('make an erasure wait before its first write, naming the member and the answers', async () => {
    const { asked, rows } = await request(posts(), postRows(comments))
    expect(asked.status).toBe('paused')
    expect(asked.actionRequired?.accept).toEqual({ acceptUndecided: ['shop:posts.comments.userId'] })
    expect(asked.actionRequired?.message).toContain(
      "1 row of shop:posts may hold something of another person beside shop:posts.comments.userId (it is named like a key of 'shop:users'). Say once in the dataset: a reference on 'shop:posts.comments.userId' with the direction 'from'",
    )
    expect(rows).toEqual([{ id: 1, authorId: 1, title: 'Latin', comments }])
  })

  test('are neither delivered nor erased where that is accepted, and package, record and receipt say so', async () => {
    const { end, text, rows } = await request(posts(), postRows(comments), true)
    expect([end.status, end.failure, end.incomplete]).toEqual(['complete', undefined, true])
    expect(end.coverage?.references).toEqual(['shop:posts.comments.userId'])
    expect(JSON.parse(text)).toMatchObject({ 'shop:posts': [{ title: 'Latin' }], incomplete: expect.any(String) })
    expect(JSON.parse(text).not_searched[0].reason).toMatch(/^a part of 1 row left out that may be this person's by /)
    expect(text).not.toContain('of Bob')
    expect(rows).toEqual([{ id: 1, authorId: 1, title: null, comments }])
    expect(erasedOf(end)['shop:posts']).toContain('undecided by shop:posts.comments.userId')
  })

  test('stay where rows are deleted: such a row is masked instead', async () => {
    const { end, rows } = await request(posts(inList(), { erase: 'delete' }), postRows(comments), true)
    expect([end.status, end.failure]).toEqual(['complete', undefined])
    expect(rows).toEqual([{ id: 1, authorId: 1, title: null, comments }])
  })

  test('ask for nothing where no row holds any', async () => {
    const { end, rows } = await request(posts(), postRows([]))
    expect([end.status, end.incomplete]).toEqual(['complete', undefined])
    expect(rows).toEqual([{ id: 1, authorId: 1, title: null, comments: [] }])
  })

  test.each<[string, object, string[]]>([
    ['a direction', { references: [{ dataset: 'shop', field: 'users.id', direction: 'none' }] }, ['of Bob', 'of Ann']],
    ['reviewed', { reviewed: true }, ['of Bob', 'of Ann']],
    ['an owner', { references: [{ dataset: 'shop', field: 'users.id', direction: 'from' }] }, ['of Ann']],
  ])('are decided by %s on the member', async (_, meta, texts) => {
    const { end, text } = await request(posts(inList(meta)), postRows(comments))
    expect([end.status, end.incomplete]).toEqual(['complete', undefined])
    const [{ comments: list = [] }] = JSON.parse(text)['shop:posts']
    expect(list.map((each: { text: string }) => each.text)).toEqual(texts)
  })

  test('are left where the reference is described and has no direction', async () => {
    const open = { references: [{ dataset: 'shop', field: 'users.id' }] }
    const { asked, end, text } = await request(posts(inList(open)), postRows(comments), true)
    expect(asked.actionRequired?.accept).toEqual({ acceptUndecided: ['shop:posts.comments.userId'] })
    expect(end.status).toBe('complete')
    expect(text).not.toContain('of Bob')
  })

  test('are left where the list is described as a whole, and only the database tells of its members', async () => {
    const member = (name: string, kind: Column['kind']) => ({ name, type: '', nullable: true, ...(kind && { kind }) })
    const members = [member('userId', 'integer'), member('text', 'string')]
    const columns = [
      ...postRows([]).columns!.slice(0, 3),
      { name: 'comments', kind: 'object' as const, array: true, members },
    ]
    const { asked, rows } = await request(
      posts(field('comments', { data_type: 'object[]' })),
      postRows(comments, { columns } as never),
    )
    expect(asked.actionRequired?.accept).toEqual({ acceptUndecided: ['shop:posts.comments.userId'] })
    expect(rows).toEqual([{ id: 1, authorId: 1, title: 'Latin', comments }])
  })
})

/** Posts with a column of which the database alone tells the members. */
const withMembers = (held: unknown, members: readonly [string, Column['kind']][], array = true) => {
  const known = members.map(([name, kind]) => ({ name, type: '', nullable: true, ...(kind && { kind }) }))
  const column = { name: 'comments', kind: 'object' as const, ...(array && { array }), members: known }
  return postRows(held, { columns: [...(postRows([]).columns ?? []).slice(0, 3), column] } as never)
}

describe('members with a dot in their names', () => {
  test.each(['author.id', 'sender.userId', 'created.by', 'by._id', 'user.ref', 'guest.email'])(
    'leave elements undecided: %s',
    async (name) => {
      const held = [{ [name]: 2, text: 'of Bob' }]
      const { asked, rows } = await request(
        posts(field('comments', { data_type: 'object[]' })),
        withMembers(held, [
          [name, undefined],
          ['text', 'string'],
        ]),
      )
      expect(asked.actionRequired?.accept).toEqual({ acceptUndecided: [`shop:posts.comments.${name}`] })
      expect(rows).toEqual([{ id: 1, authorId: 1, title: 'Latin', comments: held }])
    },
  )

  test.each(['approval.by', 'guardian.phone', 'reviewer.id'])('leave the object that holds them: %s', async (name) => {
    const held = { [name]: '2', email: 'ann@x', text: 'of Bob' }
    const { asked } = await request(
      posts(field('comments')),
      withMembers(
        held,
        [
          ['email', 'string'],
          [name, 'string'],
          ['text', 'string'],
        ],
        false,
      ),
    )
    expect(asked.actionRequired?.accept).toEqual({ acceptUndecided: [`shop:posts.comments.${name}`] })
  })

  test.each(['address.street', 'file.id', 'home.phone'])('leave nothing where they name nobody: %s', async (name) => {
    const { asked, rows } = await request(
      posts(field('comments')),
      withMembers(
        { [name]: 'x', text: 'y' },
        [
          [name, 'string'],
          ['text', 'string'],
        ],
        false,
      ),
    )
    expect(asked.status).toBe('complete')
    expect(rows).toEqual([{ id: 1, authorId: 1, title: null, comments: null }])
  })
})

test.each(['senderId', 'recipient_id', 'assignee', 'reviewerId', 'created_by', 'postedBy', 'by', 'uid', 'voter'])(
  'elements with a member %s are undecided, and keep what they hold',
  async (name) => {
    const messages = field(
      'messages',
      { data_type: 'object[]' },
      [],
      [plain(name, { data_type: 'string' }), text('text')],
    )
    const rows = tableWith({ id: 'integer', authorId: 'integer', messages: 'object' }, [
      [1, 1, [{ [name]: 'u2', text: 'of Bob' }] as never],
    ])
    const { asked } = await request(collection('posts', [key, from('authorId', 'users.id'), messages]), rows)
    expect(asked.actionRequired?.accept?.acceptUndecided).toEqual([`shop:posts.messages.${name}`])
  },
)

const text = (name: string) => field(name, { data_type: 'string' })
const object = (name: string, fields: object[], type = 'object') => field(name, { data_type: type }, [], fields)

test.each<[string, object, object, string | undefined]>([
  [
    'a key in an object named for another',
    object('reviewer', [plain('user_id', { data_type: 'integer' }), text('phone')]),
    { user_id: 2, phone: '1' },
    'reviewer.user_id',
  ],
  ['a telephone in such an object', object('reviewer', [text('phone')]), { phone: '1' }, 'reviewer.phone'],
  ['a name in such an object', object('reviewer', [text('name')]), { name: 'Bob' }, 'reviewer.name'],
  ['names of guests', object('guests', [text('name')], 'object[]'), [{ name: 'Bob' }], 'guests.name'],
  [
    'names with telephones',
    object('contacts', [text('name'), text('phone')], 'object[]'),
    [{ name: 'Bob', phone: '1' }],
    'contacts.phone',
  ],
  [
    'what an object says was done by somebody',
    object('approval', [plain('by', { data_type: 'integer' }), text('comment')]),
    { by: 2, comment: 'of Bob' },
    'approval.by',
  ],
  [
    'what an object says was done by somebody with an id',
    object('approval', [object('by', [plain('_id', { data_type: 'integer' })]), text('comment')]),
    { by: { _id: 2 }, comment: 'of Bob' },
    'approval.by._id',
  ],
  ['names of things', object('items', [text('name'), text('price')], 'object[]'), [{ name: 'Tea' }], undefined],
  ['kinds of things', object('addresses', [text('kind')], 'object[]'), [{ kind: 'home' }], undefined],
  ['a list of own telephones', object('contacts', [text('phone')], 'object[]'), [{ phone: '1' }], undefined],
  [
    'an e-mail address in elements',
    object('guests', [text('email'), text('seat')], 'object[]'),
    [{ email: bob }],
    'guests.email',
  ],
  [
    'a gift for another',
    object('items', [text('sku'), object('giftFor', [text('email')])], 'object[]'),
    [{ giftFor: { email: bob } }],
    'items.giftFor.email',
  ],
  [
    'a list of own addresses',
    object('addresses', [text('name'), text('phone')], 'object[]'),
    [{ name: 'Ann' }],
    undefined,
  ],
  ['a list of own e-mail addresses', object('emails', [text('email')], 'object[]'), [{ email: ann }], undefined],
  ['contact data in an object', object('contact', [text('email'), text('phone')]), { email: ann }, undefined],
  ['parts of a name', object('name', [text('first'), text('last')]), { first: 'Ann' }, undefined],
])('%s', async (_, described, value, member) => {
  const name = (described as { name: string }).name
  const rows = tableWith({ id: 'integer', authorId: 'integer', [name]: 'object' }, [[1, 1, value as never]])
  const { asked } = await request(collection('posts', [key, from('authorId', 'users.id'), described]), rows)
  expect(asked.actionRequired?.accept?.acceptUndecided).toEqual(member && [`shop:posts.${member}`])
  expect(asked.status).toBe(member ? 'paused' : 'complete')
})

describe('an object that holds the id of somebody', () => {
  const holder = (name: string, id: string) => field(name, {}, [], [plain(id, { data_type: 'integer' })] as never)
  const within = (name: string, id: string) =>
    field('comments', { data_type: 'object[]' }, [], [
      holder(name, id),
      field('text', { data_type: 'string' }),
    ] as never)

  test.each([
    ['by', '_id'],
    ['by', '$id'],
    ['postedBy', 'id'],
    ['sender', 'id'],
  ])('leaves the element open in which it stands: %s.%s', async (name, id) => {
    const list = [
      { [name]: { [id]: 2 }, text: 'of Bob' },
      { [name]: { [id]: 1 }, text: 'of Ann' },
    ]
    const { asked, rows } = await request(posts(within(name, id)), postRows(list))
    expect(asked.actionRequired?.accept).toEqual({ acceptUndecided: [`shop:posts.comments.${name}.${id}`] })
    expect(rows).toEqual([{ id: 1, authorId: 1, title: 'Latin', comments: list }])
  })

  test.each(['from', 'who'])('is not needed where an element holds an ObjectId itself: %s', async (name) => {
    const member = plain(name, { data_type: 'object_id' })
    const list = field('comments', { data_type: 'object[]' }, [], [
      member,
      field('text', { data_type: 'string' }),
    ] as never)
    const { asked } = await request(posts(list), postRows([{ [name]: objectId('a'.repeat(24)), text: 'of Bob' }]))
    expect(asked.actionRequired?.accept).toEqual({ acceptUndecided: [`shop:posts.comments.${name}`] })
    const time = field('comments', { data_type: 'object[]' }, [], [
      plain(name, { data_type: 'string' }),
      field('text', { data_type: 'string' }),
    ] as never)
    expect((await request(posts(time), postRows([{ [name]: '09:00', text: 'of Ann' }]))).end.status).toBe('complete')
  })

  test('leaves nothing open where the id is the element’s own, or that of a product', async () => {
    const own = field('comments', { data_type: 'object[]' }, [], [
      plain('_id', { data_type: 'integer' }),
      holder('product', '_id'),
      field('text', { data_type: 'string' }),
    ] as never)
    const { end, rows } = await request(posts(own), postRows([{ _id: 7, product: { _id: 2 }, text: 'of Ann' }]))
    expect(end.status).toBe('complete')
    expect(rows).toEqual([{ id: 1, authorId: 1, title: null, comments: [{ _id: 7, product: { _id: 2 }, text: null }] }])
  })

  test('leaves itself open outside of lists, where it is named for another', async () => {
    const reviewer = field('reviewer', {}, [], [
      plain('_id', { data_type: 'integer' }),
      field('text', { data_type: 'string' }),
    ] as never)
    const described = collection('posts', [key, from('authorId', 'users.id'), field('title'), reviewer])
    const values = [[1, 1, 'Latin', { _id: 2, text: 'of Bob' } as never]]
    const table = tableWith({ id: 'integer', authorId: 'integer', title: 'string', reviewer: 'object' }, values)
    const { asked, rows } = await request(described, table)
    expect(asked.actionRequired?.accept).toEqual({ acceptUndecided: ['shop:posts.reviewer._id'] })
    expect(rows?.[0]?.['title']).toBe('Latin')
  })
})
