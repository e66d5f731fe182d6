import type { Document } from 'mongodb'
import { expect, it } from 'vitest'
import { key, ownDatabase } from './own-database.js'

const [ann, bob] = ['ann@example.com', 'bob@example.com']
const { of, connected, attached, erased } = ownDatabase()

const email = { name: 'email', service_meta: { identity: 'email' } }
const stored = () => of.db.collection('users').find().sort({ _id: 1 }).toArray()

const inObject = {
  at: 'contact.email',
  users: [ann, bob].map((address, at): Document => ({ _id: at + 1, contact: { email: address } })),
  fields: [{ name: 'contact', fields: [email] }],
  textOf: (user: Document) => user['contact'].email,
}
const inList = {
  at: 'emails.address',
  users: [ann, bob].map((address, at): Document => ({ _id: at + 1, emails: [{ address }] })),
  fields: [{ name: 'emails', fields: [{ name: 'address', service_meta: { identity: 'email' } }] }],
  textOf: (user: Document) => user['emails'][0].address,
}

it.each([
  ['an object', inObject],
  ['a list', inList],
])('people whose addresses are unique members of %s are erased one after the other', async (_, { at, ...model }) => {
  await connected({ users: model.users })
  await of.db.collection('users').createIndex({ [at]: 1 }, { unique: true })
  await attached({ name: 'users', fields: [key, ...model.fields] })
  for (const person of [ann, bob]) {
    const request = await erased(person)
    expect(request.failure ?? request.status).toBe('complete')
  }
  const texts = (await stored()).map(model.textOf)
  expect(new Set(texts).size).toBe(2)
  for (const text of texts) expect(text).toMatch(/^[^@ ]{30}$/)
})

it('an object with a unique member is not erased as a whole', async () => {
  await connected({ users: inObject.users.map((user) => ({ ...user, email: user['contact'].email })) })
  await of.db.collection('users').createIndex({ 'contact.email': 1 }, { unique: true })
  await attached({ name: 'users', fields: [key, email, { name: 'contact' }] })
  const before = await stored()
  const request = await erased(ann)
  expect(request.failure).toContain('describe its members')
  expect(await stored()).toEqual(before)
})

it('a duplicate in an index over several fields names the index, and no value', async () => {
  const seat = (_id: number) => ({ _id, email: ann, row: `row-${_id}`, seat: `seat-${_id}` })
  await connected({ users: [seat(1), seat(2)] })
  await of.db.collection('users').createIndex({ row: 1, seat: 1 }, { unique: true, name: 'places' })
  await attached({ name: 'users', fields: [key, email, { name: 'row' }, { name: 'seat' }] })
  const before = await stored()
  const { status, failure } = await erased(ann)
  expect(status).toBe('error')
  expect(failure).toMatch(/its unique index "places": name 'random_string_rewrite'/)
  expect(failure).not.toContain('row-')
  expect(await stored()).toEqual(before)
})
