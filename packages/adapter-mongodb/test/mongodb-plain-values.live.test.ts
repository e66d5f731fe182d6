import { expect, it } from 'vitest'
import { key, ownDatabase, owner } from './own-database.js'

const world = ownDatabase()
const email = 'ann@example.org'

it('plain values in the place of members are delivered, masked, and reported as such', async () => {
  await world.connected({
    users: [{ _id: 1, email, contact: 'ann@example.org, 0123' }],
    cards: [
      { _id: 1, user: 1, contact: { phone: '0123', shop: 'x' } },
      { _id: 2, user: 1, contact: ['0123', { phone: '0456' }] },
    ],
  })
  const contact = { name: 'contact', fields: [{ name: 'phone' }] }
  const people = [key, { name: 'email', service_meta: { identity: 'email' } }, contact]
  await world.attached({ name: 'users', fields: people }, { name: 'cards', fields: [key, owner('user'), contact] })
  const { privacy, db } = world.of
  const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities: [{ email }] })
  await privacy.requests.settled(id)
  let text = ''
  for await (const part of privacy.requests.readPackage(id)) text += Buffer.from(part).toString()
  expect(JSON.parse(text)).toMatchObject({
    'm:users': [{ contact: 'ann@example.org, 0123' }],
    'm:cards': [{ contact: { phone: '0123' } }, { contact: ['0123', { phone: '0456' }] }],
  })
  expect(await world.erased(email)).toMatchObject({ status: 'complete' })
  const left = async (name: string) =>
    (await db.collection(name).find().sort({ _id: 1 }).toArray()).map((each) => each['contact'])
  expect(await left('users')).toEqual([null])
  expect(await left('cards')).toEqual([{ phone: null, shop: 'x' }, [null, { phone: null }]])
})

it('a document is undecided where one stands in the place of its owner', async () => {
  await world.connected({
    users: [
      { _id: 1, email },
      { _id: 2, email: 'bob@example.org' },
    ],
    notes: [
      { _id: 1, user: 1, by: { _id: 1 }, text: 'hers' },
      { _id: 2, user: 1, by: 2, text: 'perhaps his' },
      { _id: 3, user: 1, text: 'hers' },
    ],
  })
  const { privacy, db } = world.of
  const by = { name: 'by', fields: [owner('_id')] }
  await world.attached(
    { name: 'users', fields: [key, { name: 'email', service_meta: { identity: 'email' } }] },
    { name: 'notes', fields: [key, owner('user'), by, { name: 'text' }] },
  )
  const { id, status, actionRequired } = await world.erased(email)
  expect([status, actionRequired?.accept]).toEqual(['paused', { acceptUndecided: ['m:notes.user'] }])
  expect(actionRequired?.message).toContain("at 'by._id' a plain value stands in the place of its members")
  await privacy.requests.accept(id, { acceptUndecided: true })
  expect(await privacy.requests.settled(id)).toMatchObject({ status: 'complete', incomplete: true })
  const left = await db.collection('notes').find().sort({ _id: 1 }).toArray()
  expect(left.map(({ text }) => text)).toEqual([null, 'perhaps his', null])
})
