import { ObjectId, UUID } from 'mongodb'
import { expect, it } from 'vitest'
import { key, ownDatabase } from './own-database.js'

const world = ownDatabase()
const email = 'ann@example.org'
const uuid = '11111111-1111-4111-8111-11111111111a'
const hex = 'aaaaaaaaaaaaaaaaaaaaaaaa'

const refersTo = { references: [{ dataset: 'm', field: 'addresses._id', direction: 'to' }] }
const described = [
  {
    name: 'users',
    fields: [key, { name: 'email', service_meta: { identity: 'email' } }, { name: 'address', service_meta: refersTo }],
  },
  { name: 'addresses', fields: [key, { name: 'street' }] },
]

it.each<[string, id: unknown, his: unknown, isShared: boolean]>([
  ['a UUID as its text', new UUID(uuid), uuid, true],
  ['a UUID as its text in capitals', new UUID(uuid), uuid.toUpperCase(), true],
  ['an ObjectId as its text', new ObjectId(hex), hex, true],
  ['an ObjectId as its text in capitals', new ObjectId(hex), hex.toUpperCase(), true],
  ['a number in a list', 1, [2, 1], true],
  ['an ObjectId as its text in a list', new ObjectId(hex), [hex], true],
  ['another number in a list', 1, [2], false],
  ['an empty list', 1, [], false],
])(
  'an address stays where another person refers to it by the same id, and by nothing else: %s',
  async (_, id, his, isShared) => {
    await world.connected({
      users: [
        { _id: 1, email, address: id },
        { _id: 2, email: 'ben@example.org', address: his },
      ],
      addresses: [{ _id: id, street: 'Elm Street' }],
    })
    await world.attached(...described)
    const { status, results } = await world.erased(email)
    expect(status).toBe('complete')
    const outcomes = results?.find(({ collection }) => collection === 'addresses')?.outcomes
    expect(outcomes).toMatchObject([{ outcome: isShared ? 'retained' : 'masked' }])
    expect(await world.of.db.collection('addresses').findOne()).toMatchObject({
      street: isShared ? 'Elm Street' : null,
    })
  },
)
