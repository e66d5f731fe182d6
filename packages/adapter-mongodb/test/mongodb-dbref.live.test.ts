import { expect, it } from 'vitest'
import { ann, bytes, key, ownDatabase, owner, people, users } from './own-database.js'

const { of, connected, attached, erased, stored } = ownDatabase()

it('members of a DBRef in a list are erased, and it stays one', async () => {
  await connected({
    users: people,
    reviews: [{ _id: 1, by: 1, seen: [{ $ref: 'users', $id: 9, note: 'Ann secret' }] }],
  })
  const seen = { name: 'seen', service_meta: { data_type: 'object[]' }, fields: [{ name: 'note' }] }
  await attached(users, { name: 'reviews', fields: [key, owner('by'), seen] })
  const request = await erased(ann)
  expect(request.failure ?? request.status).toBe('complete')
  expect(await stored('reviews')).toEqual([bytes({ _id: 1, by: 1, seen: [{ $ref: 'users', $id: 9, note: null }] })])
})

it('members of a DBRef in an element are erased, and those of another person are left', async () => {
  const seat = (id: number, name: string | null) => ({ who: { $ref: 'users', $id: id, name }, t: name })
  await connected({ users: people, chats: [{ _id: 1, seats: [seat(1, 'Ann'), seat(2, 'Bob')] }] })
  const who = { name: 'who', fields: [owner('$id'), { name: 'name' }] }
  const seats = { name: 'seats', service_meta: { data_type: 'object[]' }, fields: [who, { name: 't' }] }
  await attached(users, { name: 'chats', fields: [key, seats] })
  const request = await erased(ann)
  expect(request.failure ?? request.status).toBe('complete')
  expect(await stored('chats')).toEqual([bytes({ _id: 1, seats: [seat(1, null), seat(2, 'Bob')] })])
})

it('the members of a DBRef are written as members', async () => {
  await connected({
    users: people,
    invoices: [{ _id: 1, patient: { $ref: 'users', $id: 1, $db: 'clinic', name: 'Ann' } }],
  })
  const fields = [owner('$id'), { name: '$ref' }, { name: '$db' }, { name: 'name' }]
  await attached(users, { name: 'invoices', fields: [key, { name: 'patient', fields }] })
  const request = await erased(ann)
  expect(request.failure ?? request.status).toBe('complete')
  const patient = { $ref: null, $id: 1, $db: null, name: null }
  expect(await stored('invoices')).toEqual([bytes({ _id: 1, patient })])
})

it('a draft has the members of a DBRef', async () => {
  const plain = { name: 'Bob', $ref: 'users' }
  await connected({
    orders: [
      { _id: 1, who: { $ref: 'users', $id: 1, name: 'Ann' } },
      { _id: 2, who: plain },
    ],
  })
  const { dataset } = await of.privacy.connections.draftDataset('m')
  const who = dataset.collections.find(({ name }) => name === 'orders')?.fields.find(({ name }) => name === 'who')
  expect(who?.fields.map(({ name }) => name).toSorted()).toEqual(['$id', '$ref', 'name'])
})
