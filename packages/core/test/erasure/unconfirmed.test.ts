import type { Identity } from '@habeas/core'
import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { type ErasedShop, from, key, shopWorld, tableWith, told } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const email = field('email', { identity: 'email' })
const people = collection('person', [key, email, field('name')])
const orders = collection('orders', [key, from('person_id', 'person.id'), field('note')])
const club = collection('club', [key, field('member_no', { identity: 'member_no' }), field('points')])

const database = (): ErasedShop['database'] => ({
  person: tableWith({ id: 'integer', email: 'string', name: 'string' }, [
    [1, ann.email, 'somebody with this e-mail'],
    [2, 'bob@example.com', 'Bob'],
  ]),
  orders: tableWith({ id: 'integer', person_id: 'integer', note: 'string' }, [
    [10, 1, 'of somebody'],
    [11, 2, 'his'],
  ]),
  club: tableWith({ id: 'integer', member_no: 'integer', points: 'string' }, [
    [20, 7, "somebody else's"],
    [21, 8, 'his'],
  ]),
})

const cases: readonly [string, readonly object[], Identity, string[]][] = [
  ['no collection declares one of its properties', [people, orders], { ...ann, mobile: '555' }, ['email', 'mobile']],
  ['two collections hold one each', [people, orders, club], { ...ann, member_no: 7 }, ['email', 'member_no']],
]

describe.each(cases)('an erasure by an e-mail and something else, where %s', (_, collections, identity, properties) => {
  test('waits once, before it reads a row, asks everything that is open, and writes nothing once that is accepted', async () => {
    await using world = await shopWorld({ database: database(), collections })
    const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [identity] })
    const asked = []
    const calls = () => new Set(world.connector.calls.map(({ operation }) => operation))
    let paused = await world.paused(id)
    for (; paused.status === 'paused'; paused = await world.paused(id)) {
      const { message = '', accept = {} } = paused.actionRequired ?? {}
      asked.push(accept)
      for (const each of properties) expect(message).toContain(`'${each}'`)
      expect(message).toMatch(/accept_unconfirmed: .*accept_unsearched: .* Further questions may follow/)
      expect([calls().has('read'), calls().has('erase'), world.rows()]).toEqual([false, false, world.before])
      await world.privacy.requests.accept(id, accept)
      await world.privacy.requests.settled(id)
    }
    expect(asked).toEqual([
      {
        acceptUnconfirmed: properties,
        acceptUnsearched: (collections as { name: string }[]).map(({ name }) => `shop:${name}`),
      },
    ])
    const end = await world.privacy.requests.settled(id)
    expect([end.status, end.unconfirmed, end.incomplete, end.found]).toEqual(['complete', properties, true, 'nothing'])
    expect([calls().has('erase'), world.rows()]).toEqual([false, world.before])
    const receipt = await world.privacy.requests.receipt(id)
    expect([receipt.unconfirmed, receipt.foundNothing, receipt.totals]).toEqual([properties, true, {}])
    for (const each of [identity, ann]) expect(await world.privacy.isErased(each)).toBe(false)
  })

  test('erases what another identity of the request finds by itself, and nothing of theirs', async () => {
    await using world = await shopWorld({ database: database(), collections })
    const identities = [identity, { email: 'bob@example.com' }]
    const submitted = { policyKey: 'erase', identities, acceptUnconfirmed: properties, acceptUnsearched: true }
    const { id } = await world.privacy.requests.submit(submitted)
    const end = await world.privacy.requests.settled(id)
    expect([end.status, end.failure, end.unconfirmed, end.incomplete]).toEqual([
      ...['complete', undefined, properties, true],
    ])
    expect(erasedOf(end)).toMatchObject({ 'shop:orders': 'masked 1' })
    expect([told(world, 'person', 'name'), told(world, 'orders', 'note')]).toEqual([
      { 1: 'somebody with this e-mail', 2: null },
      { 10: 'of somebody', 11: null },
    ])
    expect(told(world, 'person', 'email')).toEqual({ 1: ann.email, 2: null })
    expect(world.rows()['club']).toEqual(world.before['club'])
  })
})

test('an erasure by e-mail and number goes on where a row holds both, and leaves the owner of the e-mail alone', async () => {
  const both = collection('club', [key, email, field('member_no', { identity: 'member_no' }), field('points')])
  const given = (other: string): ErasedShop => ({
    database: {
      ...database(),
      club: tableWith({ id: 'integer', email: 'string', member_no: 'integer', points: 'string' }, [
        [20, ann.email, 7, 'hers'],
        [21, other, 8, 'his'],
      ]),
    },
    collections: [people, orders, both],
  })
  const identity = { ...ann, member_no: 7 }
  await using world = await shopWorld(given('bob@example.com'))
  const end = await world.erase(identity)
  expect([end.status, end.unconfirmed]).toEqual(['complete', undefined])
  expect(told(world, 'club', 'points')).toEqual({ 20: null, 21: 'his' })
  expect(told(world, 'orders', 'note')).toEqual({ 10: null, 11: 'his' })

  // Another member has her e-mail address as well: it is not one person's.
  await using shared = await shopWorld(given(ann.email))
  const { id } = await shared.privacy.requests.submit({ policyKey: 'erase', identities: [identity] })
  expect([(await shared.paused(id)).status, shared.rows()]).toEqual(['paused', shared.before])
  await shared.privacy.requests.accept(id, { acceptUndecided: true, acceptUnconfirmed: true })
  expect((await shared.privacy.requests.settled(id)).status).toBe('complete')
  expect(told(shared, 'club', 'points')).toEqual({ 20: null, 21: 'his' })
  expect([shared.rows()['person'], shared.rows()['orders']]).toEqual([shared.before['person'], shared.before['orders']])
})

test('an erasure by e-mail and number waits where no row holds both, and leaves the owner of the e-mail alone', async () => {
  const both = collection('club', [key, email, field('member_no', { identity: 'member_no' }), field('points')])
  await using world = await shopWorld({
    database: {
      ...database(),
      club: tableWith({ id: 'integer', email: 'string', member_no: 'integer', points: 'string' }, [
        [21, 'bob@example.com', 8, 'his'],
      ]),
    },
    collections: [people, orders, both],
  })
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ ...ann, member_no: 7 }] })
  const paused = await world.paused(id)
  expect([paused.status, paused.actionRequired?.accept]).toEqual(['paused', { acceptUnconfirmed: ['email'] }])
  expect(world.rows()).toEqual(world.before)
  await world.privacy.requests.accept(id, { acceptUnconfirmed: ['email'] })
  const end = await world.privacy.requests.settled(id)
  expect([end.status, end.found, end.unconfirmed, world.rows()]).toEqual([
    ...['complete', 'nothing', ['email']],
    world.before,
  ])
})
