import { expect, it } from 'vitest'
import { collection, field, filled, id, refer, shopOf, table, undirected } from './described.js'
import { accessTo, email, name } from './whose-access.js'

const people = collection('users', [id, email, name])
const database = () => ({
  users: table({ id: 'integer', email: 'string', name: 'string' }, [
    [1, 'ann@example.com', 'Kim'],
    [2, 'ben@example.com', 'Kim'],
  ]),
  note: filled(
    table({ id: 'integer', by: 'string', user_id: 'integer', email: 'string' }, [
      [10, 'Kim', 1, 'ann@example.com'],
      [11, 'Kim', 2, 'ben@example.com'],
    ]),
    'by',
  ),
})
const byName = refer('by', 'users.name')
const toKey = refer('user_id', 'users.id')

/* What is said of a reference to what several people hold, and what comes of it. */
it.each<[string, readonly object[], { owner?: string[] }, object, object]>([
  ['nothing', [undirected('by', 'users.name')], {}, {}, { 'shop:note.by': 2 }],
  ['the direction from', [byName], {}, {}, { 'shop:note.by': 2 }],
  ['it as the owner', [byName], { owner: ['by'] }, {}, { 'shop:note.by': 2 }],
  ['the direction none', [refer('by', 'users.name', { direction: 'none' })], {}, {}, {}],
  [
    'an owner before it',
    [byName, field('email', { identity: 'email' })],
    { owner: ['email', 'by'] },
    { note: [10] },
    {},
  ],
  ['a key beside it', [refer('by', 'users.name', { direction: 'none' }), toKey], {}, { note: [10] }, {}],
  ['a key as the owner', [byName, toKey], { owner: ['user_id'] }, { note: [10] }, {}],
])('a name that two people have, with %s', async (_, fields, meta, notes, open) => {
  const shop = shopOf([people, collection('note', [id, ...fields], meta)], database())
  const { got, undecided } = await accessTo([shop], { email: 'ann@example.com' })
  expect([got, undecided]).toEqual([{ users: [1], ...notes }, open])
})
