import type { Value } from '@habeas/core'
import type { MemoryCollection } from '@habeas/testkit'
import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import {
  type ErasedShop,
  type ErasedWorld,
  eraseWhile,
  from,
  kept,
  key,
  shopWorld,
  tableWith,
} from './described-erasure.js'

const [ann, bob] = ['ann@example.com', 'bob@example.com']
const person = collection('person', [key, kept(field('email', { identity: 'email' }))])
const people = tableWith({ id: 'integer', email: 'string' }, [
  [1, ann],
  [2, bob],
])
const members = {
  name: 'members',
  service_meta: {
    data_type: 'integer[]',
    references: [{ dataset: 'shop', field: 'person.id', direction: 'from' }],
  },
}
const room = (list: Value): MemoryCollection => {
  const columns = {
    id: 'integer',
    owner_id: 'integer',
    watcher_id: 'integer',
    members: 'integer',
    topic: 'string',
  } as const
  const table = tableWith(columns, [
    [1, 1, null, list, 'of Ann'],
    [2, 2, 2, [2], 'of Bob'],
  ])
  const isList = ({ name }: { readonly name: string }) => name === 'members'
  return {
    ...table,
    columns: (table.columns ?? []).map((column) => (isList(column) ? { ...column, array: true } : column)),
  }
}
const rooms = (erase: 'mask' | 'delete'): ErasedShop => ({
  capabilities: { nestedFields: true },
  database: { person: people, room: room([1]) },
  collections: [
    person,
    collection('room', [key, from('owner_id', 'person.id'), from('watcher_id', 'person.id'), members, field('topic')], {
      erase,
    }),
  ],
})
const roomOf = (world: ErasedWorld) => world.rows()['room']?.find(({ id }) => id === 1)

describe('a row with a list that names somebody else by now is left', () => {
  const joins = {
    'in its list': { members: [1, 2] },
    'beside its list': { watcher_id: 2 },
    'in both': { members: [2, 1], watcher_id: 2 },
  }
  describe.each(['mask', 'delete'] as const)('that was to be written (%s)', (erase) => {
    test.each(Object.entries(joins))('%s, before its batch', async (_, joined) => {
      const moment = { operation: 'erase', collection: 'room', rollBack: false } as const
      await using run = await eraseWhile(rooms(erase), moment, (world) =>
        Object.assign(roomOf(world) as object, joined),
      )
      expect(roomOf(run.world)).toEqual({
        id: 1,
        owner_id: 1,
        watcher_id: null,
        members: [1],
        topic: 'of Ann',
        ...joined,
      })
    })
  })

  test('and is written where it is the same', async () => {
    await using world = await shopWorld(rooms('delete'))
    expect((await world.erase({ email: ann })).failure).toBeUndefined()
    expect(roomOf(world)).toBeUndefined()
  })
})

test('a list that grows by nobody else is erased, at the latest by a retry', async () => {
  const shop = rooms('mask')
  const moment = { operation: 'erase', collection: 'room', rollBack: false } as const
  await using run = await eraseWhile(shop, moment, (world) =>
    Object.assign(roomOf(world) as object, { members: [1, 1] }),
  )
  const end = run.request.status === 'complete' ? run.request : await run.again()
  expect([end.failure, roomOf(run.world)?.['topic']]).toEqual([undefined, null])
})

describe('rows of a room with a list', () => {
  const messages = (list: Value): ErasedShop => ({
    ...rooms('mask'),
    database: {
      person: people,
      room: room(list),
      message: tableWith({ id: 'integer', room_id: 'integer', text: 'string' }, [[1, 1, 'said']]),
    },
    collections: [
      ...rooms('mask').collections,
      collection('message', [key, from('room_id', 'room.id'), field('text')]),
    ],
  })
  const moment = { operation: 'erase', collection: 'message', rollBack: false } as const
  const said = (world: ErasedWorld) => world.rows()['message']?.[0]?.['text']

  test('stay where the room belongs to somebody else by now', async () => {
    const moves = { owner_id: 2, members: [] }
    await using run = await eraseWhile(messages([]), { ...moment, rollBack: true }, (world) =>
      Object.assign(roomOf(world) as object, moves),
    )
    expect([run.request.status, said(run.world)]).toEqual(['error', 'said'])
    expect(run.request.failure).toContain("1 row of 'shop:room' is no longer the person's")
    const end = await run.again()
    expect([end.status, said(run.world)]).toEqual(['complete', 'said'])
  })

  test('stay where its list names somebody else as well by now', async () => {
    await using run = await eraseWhile(messages([1]), { ...moment, rollBack: true }, (world) =>
      Object.assign(roomOf(world) as object, { members: [1, 2] }),
    )
    expect([run.request.status, said(run.world)]).toEqual(['error', 'said'])
    expect([(await run.again()).status, said(run.world)]).toEqual(['complete', 'said'])
  })

  test('go where the room is the same', async () => {
    await using world = await shopWorld(messages([1]))
    expect([(await world.erase({ email: ann })).failure, said(world)]).toEqual([undefined, null])
  })
})

describe('a value that is no key of the rows it leads to names somebody else', () => {
  test.each(['guest:bob', '02', 2.5, true, { guest: 'bob' }] as Value[])('%j', async (other) => {
    const document = (s: Value, r: Value) => ({ s, r, text: 'text' }) as unknown as Value
    const leads = (name: string) => ({
      name,
      service_meta: {
        data_type: 'integer',
        references: [{ dataset: 'shop', field: 'person.id', direction: 'from' }],
      },
    })
    await using world = await shopWorld({
      capabilities: { nestedFields: true },
      database: {
        person: people,
        note: tableWith({ id: 'integer', about: 'object' }, [
          [1, document(1, other)],
          [2, document(1, null)],
        ]),
      },
      collections: [
        person,
        collection('note', [key, field('about', { data_type: 'object' }, [], [leads('s'), leads('r'), field('text')])]),
      ],
    })
    const end = await world.erase({ email: ann })
    expect(end.failure).toBeUndefined()
    expect(world.rows()['note']?.map(({ about }) => (about as unknown as { text: Value }).text)).toEqual(['text', null])
  })
})

test('an address of a row whose list names other people stays', async () => {
  const member = (id: number, note: string) => ({ member: id, note })
  await using world = await shopWorld({
    capabilities: { nestedFields: true },
    database: {
      person: people,
      post: tableWith({ id: 'integer', by: 'integer', likes: 'object', address_id: 'integer' }, [
        [1, 1, [member(2, 'of Bob'), member(1, 'of Ann')] as unknown as Value, 7],
        [2, 1, [member(1, 'of Ann')] as unknown as Value, 8],
      ]),
      address: tableWith({ id: 'integer', street: 'string' }, [
        [7, 'Lane 7'],
        [8, 'Lane 8'],
      ]),
    },
    collections: [
      person,
      collection('post', [
        key,
        field(
          'likes',
          { data_type: 'object[]' },
          [],
          [
            {
              name: 'member',
              service_meta: {
                data_type: 'integer',
                references: [{ dataset: 'shop', field: 'person.id', direction: 'from' }],
              },
            },
            field('note'),
          ],
        ),
        {
          name: 'address_id',
          service_meta: { references: [{ dataset: 'shop', field: 'address.id', direction: 'to' }] },
        },
      ]),
      collection('address', [key, field('street')]),
    ],
  })
  const end = await world.erase({ email: ann })
  expect(end.failure).toBeUndefined()
  expect(world.rows()['address']).toEqual([
    { id: 7, street: 'Lane 7' },
    { id: 8, street: null },
  ])
})
