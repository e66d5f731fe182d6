import { MinKey } from 'mongodb'
import { expect, it } from 'vitest'
import { key, ownDatabase, owner } from './own-database.js'

const world = ownDatabase()
const email = 'ann@example.org'
const user = new MinKey()

it('MinKey, which comes before null, and a key that is null are found and erased like all others', async () => {
  await world.connected({
    users: [{ _id: user, email, name: 'Ann' }],
    notes: [
      { _id: new MinKey(), user, text: new MinKey() },
      { _id: 1, user, text: 'hers', tags: [new MinKey(), 'x'] },
      { _id: 2, user: null, text: 'of nobody' },
      { _id: 3, text: 'of nobody' },
    ],
  })
  // `insertMany` gives a document another key than null
  await world.of.db.command({ insert: 'notes', documents: [{ _id: null, user, text: 'hers' }] })
  const fields = [key, owner('user'), { name: 'text' }, { name: 'tags' }]
  await world.attached(
    { name: 'users', fields: [key, { name: 'email', service_meta: { identity: 'email' } }, { name: 'name' }] },
    { name: 'notes', fields },
  )
  const { status, failure, results } = await world.erased(email)
  expect([status, failure]).toEqual(['complete', undefined])
  expect(results?.map(({ collection, outcomes }) => [collection, outcomes])).toEqual([
    ['users', [{ outcome: 'masked', rowCount: 1 }]],
    ['notes', [{ outcome: 'masked', rowCount: 3 }]],
  ])
  const left = await world.of.db.collection('notes').find().sort({ _id: 1 }).toArray()
  expect(left.map(({ text, tags }) => [text, tags])).toEqual([
    [null, undefined],
    [null, undefined],
    [null, [null, null]],
    ['of nobody', undefined],
    ['of nobody', undefined],
  ])
})
