import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { from, key, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const people = tableWith({ id: 'integer', email: 'string' }, [[1, 'ann@example.com']])

test('a row that somebody writes to again while it is erased is masked again, and counted once', async () => {
  await using world = await shopWorld({
    capabilities: { nestedFields: true, maxErased: 1 },
    database: {
      people,
      room: tableWith({ id: 'integer', owner: 'integer', notes: 'object' }, [
        [1, 1, ['one'] as never],
        [2, 1, ['two'] as never],
        [3, 1, ['three'] as never],
      ]),
    },
    collections: [
      collection('people', [key, { name: 'email', service_meta: { identity: 'email' } }]),
      collection('room', [key, from('owner', 'people.id'), field('notes', { data_type: 'string[]' })]),
    ],
  })
  const rooms = () => world.rows()['room'] as Record<string, unknown>[]
  const gate = world.connector.hold({ operation: 'erase', collection: 'room', rollBack: false })
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: 'ann@example.com' }] })
  await gate.reached
  const readAgain = world.connector.hold({ operation: 'read', collection: 'room' })
  gate.open()
  await readAgain.reached
  const second = world.connector.hold({ operation: 'erase', collection: 'room', rollBack: false })
  readAgain.open()
  await second.reached
  // the first row was written and is written to again, and the second one makes all rows be found anew
  Object.assign(rooms()[0] as object, { notes: [null, 'more'] })
  Object.assign(rooms()[1] as object, { notes: ['two', 'more'] })
  second.open()
  let end = await world.privacy.requests.settled(id)
  for (let retries = 0; end.status === 'error' && retries < 3; retries++) {
    await world.privacy.requests.retry(id)
    end = await world.privacy.requests.settled(id)
  }
  expect([end.status, end.failure]).toEqual(['complete', undefined])
  expect(rooms().map(({ notes }) => notes)).toEqual([[null, null], [null, null], [null]])
  expect(erasedOf(end)['shop:room']).toEqual('masked 3')
})
