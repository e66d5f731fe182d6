import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { type ErasedShop, eraseWhile, from, key, shopWorld, tableWith } from './described-erasure.js'
import { ann, bob, list, people, request, text, toUsers, users } from './element-world.js'

/* Messages in a chat that name people in a list of keys: it speaks of the message, as a single key does. */

const toMany = { ...toUsers, data_type: 'integer[]' }
const { data_type: _, ...toAny } = toUsers

/** The chat belongs to Bob where `by` is 2. */
const chat = (
  message: object,
  names: Readonly<Record<string, unknown>> = toMany,
  by: number | null = 2,
  ...more: object[]
) => ({
  collections: [
    collection('chats', [
      key,
      ...(by === null ? [] : [from('by', 'users.id')]),
      list('messages', [field('from', toUsers, []), field('to', names, []), text('text'), ...more]),
    ]),
  ],
  database: {
    chats: tableWith({ id: 'integer', by: 'integer', messages: 'object' }, [[1, by, [message] as never]]),
  },
})
const said = { text: 'said' }
const messagesIn = ({ rows }: Awaited<ReturnType<typeof request>>) => rows['chats']?.[0]?.['messages']

describe.each([
  ['described as a list', toMany],
  ['described without a type', toAny],
])('a list of keys in an element (%s)', (_, names) => {
  describe.each([
    ['in a row of somebody else', 2],
    ['in a row with no owner of its own', null],
  ])('%s', (_, by) => {
    const shared = [{ from: 1, to: [3] }, { from: 1, to: [1, 3] }, { from: 1, to: [3, 1] }, { to: [1, 3] }]
    test.each(shared)('leaves the element where one of them is somebody else: %j', async (named) => {
      const message = { ...named, ...said }
      const hers = await request(ann, chat(message, names, by))
      expect(hers.failure).toBeUndefined()
      expect(hers.got['shop:chats']).toBeUndefined()
      expect(messagesIn(hers)).toEqual([message])
      expect(hers.told['shop:chats']).not.toContain('masked')
    })

    const own = [{ to: [1] }, { to: [1, 1] }, { from: 1, to: [1] }, { from: 1, to: [] }, { from: 1, to: [null] }]
    test.each(own)('gives the element to the only person it names: %j', async (named) => {
      const hers = await request(ann, chat({ ...named, ...said }, names, by))
      expect(hers.failure).toBeUndefined()
      expect(hers.got['shop:chats']).toEqual([{ messages: [said] }])
      expect(messagesIn(hers)).toEqual([{ ...named, text: null }])
      const single = await request(ann, chat({ from: 1, ...said }, names, by))
      expect([hers.told, hers.fields]).toEqual([single.told, single.fields])
    })
  })
})

test.each([
  [
    { from: 1, to: [3] },
    { from: 1, to: 3 },
  ],
  [{ to: [1, 3] }, { from: 3, to: 1 }],
])('what a list of keys leaves is told as what a single key leaves: %j', async (many, single) => {
  const [one, other] = [
    await request(ann, chat({ ...many, ...said })),
    await request(ann, chat({ ...single, ...said })),
  ]
  expect([one.told, one.fields, one.end.incomplete]).toEqual([other.told, other.fields, other.end.incomplete])
})

test('a row is masked instead of deleted while a list of keys in it names somebody else', async () => {
  const shop = (to: number[]) => {
    const { collections, database } = chat({ from: 1, to, ...said }, toMany, 1)
    return { collections: collections.map((each) => ({ ...each, service_meta: { erase: 'delete' } })), database }
  }
  const [kept, gone] = [await request(ann, shop([1, 3])), await request(ann, shop([1]))]
  expect(kept.failure).toBeUndefined()
  expect(messagesIn(kept)).toEqual([{ from: 1, to: [1, 3], ...said }])
  expect(gone.rows['chats']).toEqual([])
})

test('an element that is left is counted once, however many keys it holds', async () => {
  const { end } = await request(ann, chat({ to: [1, 3, 2], ...said }, toMany, null))
  expect(end.results?.find(({ collection }) => collection === 'chats')?.elementsLeft).toBe(1)
})

test('a list of keys in an object of an element speaks of the element', async () => {
  const meta = field('meta', { data_type: 'object' }, [], [field('seen', toMany, [])])
  for (const [seen, left] of [
    [[1], null],
    [[1, 3], 'said'],
  ]) {
    const hers = await request(ann, chat({ from: 1, meta: { seen }, ...said }, toMany, 2, meta))
    expect(messagesIn(hers)).toEqual([{ from: 1, meta: { seen }, text: left }])
  }
})

test('a list of keys speaks of the innermost element that holds it', async () => {
  const notes = list('notes', [field('for', toMany, []), text('note')])
  const message = {
    from: 1,
    ...said,
    notes: [
      { for: [1, 3], note: 'for both' },
      { for: [1], note: 'for Ann' },
    ],
  }
  const hers = await request(ann, chat(message, toMany, 2, notes))
  expect(hers.got['shop:chats']).toEqual([{ messages: [{ ...said, notes: [{ note: 'for Ann' }] }] }])
  const left = [message.notes[0], { for: [1], note: null }]
  expect(messagesIn(hers)).toEqual([{ from: 1, text: null, notes: left }])
})

test('addresses in a list of an element speak of the element', async () => {
  const shop = (emails: string[]) => ({
    collections: [
      collection('chats', [
        key,
        from('by', 'users.id'),
        list('messages', [field('emails', { identity: 'email', data_type: 'string[]' }, []), text('text')]),
      ]),
    ],
    database: {
      chats: tableWith({ id: 'integer', by: 'integer', messages: 'object' }, [[1, 2, [{ emails, ...said }] as never]]),
    },
  })
  const [alone, shared] = [await request(ann, shop([ann])), await request(ann, shop([ann, bob]))]
  expect(alone.got['shop:chats']).toEqual([{ messages: [said] }])
  expect(messagesIn(alone)).toEqual([{ emails: [ann], text: null }])
  expect(shared.got['shop:chats']).toBeUndefined()
  expect(messagesIn(shared)).toEqual([{ emails: [ann, bob], ...said }])
})

test('objects in a list of an element are elements of their own', async () => {
  const message = {
    from: 1,
    ...said,
    copies: [
      { uid: 1, seen: 'by Ann' },
      { uid: 3, seen: 'by Cy' },
    ],
  }
  const copies = list('copies', [field('uid', toUsers, []), text('seen')])
  const hers = await request(ann, chat(message, toMany, 2, copies))
  expect(hers.got['shop:chats']).toEqual([{ messages: [{ ...said, copies: [{ seen: 'by Ann' }] }] }])
  expect(messagesIn(hers)).toEqual([{ from: 1, text: null, copies: [{ uid: 1, seen: null }, message.copies[1]] }])
})

test('an element that names somebody else by now stays', async () => {
  const shop = (): ErasedShop => {
    const { collections, database } = chat({ from: 1, to: [1], ...said })
    return {
      capabilities: { nestedFields: true },
      collections: [users, ...collections],
      database: { users: people(), ...database },
    }
  }
  const joined = [{ from: 1, to: [1, 3], ...said }]
  const moment = { operation: 'erase', collection: 'chats', rollBack: false } as const
  await using run = await eraseWhile(shop(), moment, (world) => {
    Object.assign(world.rows()['chats']?.[0] as object, { messages: joined })
  })
  expect(run.world.rows()['chats']?.[0]?.['messages']).toEqual(joined)
  if (run.request.status !== 'complete') await run.again()
  expect(run.world.rows()['chats']?.[0]?.['messages']).toEqual(joined)
  await using calm = await shopWorld(shop())
  expect((await calm.erase({ email: ann })).failure).toBeUndefined()
  expect(calm.rows()['chats']?.[0]?.['messages']).toEqual([{ from: 1, to: [1], text: null }])
})
