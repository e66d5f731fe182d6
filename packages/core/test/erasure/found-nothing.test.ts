import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { type ErasedWorld, from, key, plain, shopWorld, tableWith, told } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const bob = { email: 'bob@example.com' }
const phone = { phone_number: '555' }
const since = '2020-01-01'

const opened = () =>
  shopWorld({
    database: {
      customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [[2, bob.email, 'Bob']]),
      orders: tableWith({ id: 'integer', customer_id: 'integer', note: 'string' }, [[20, 2, 'his']]),
      call: tableWith({ id: 'integer', phone: 'string' }, [[30, '777']]),
    },
    collections: [
      collection('customer', [key, field('email', { identity: 'email' }), field('name')]),
      collection('orders', [key, from('customer_id', 'customer.id'), field('note')]),
      collection('call', [key, field('phone', { identity: 'phone_number' })]),
    ],
  })

/** What a backup brings, or an import. */
function comesBack({ database }: ErasedWorld): void {
  database['customer']?.rows.push({ id: 1, email: 'Ann@example.com', name: 'Ann' })
  database['orders']?.rows.push({ id: 10, customer_id: 1, note: 'hers' })
}

async function replayed({ privacy }: ErasedWorld, candidates: readonly object[] = [{ ...ann, ...phone }, bob]) {
  const { submitted, failed } = await privacy.replayErasures({ since, candidates: candidates as never })
  expect(failed).toEqual([])
  return Promise.all(submitted.map((id) => privacy.requests.settled(id)))
}

const tombstonesOf = async ({ storage }: ErasedWorld) =>
  (await storage.table('tombstone').find()).map(({ notErased }) => notErased)

const left = (world: ErasedWorld) => [told(world, 'customer', 'name'), told(world, 'orders', 'note')]
const hisAlone = [{ 2: 'Bob' }, { 20: 'his' }]

test('a person who was not found counts as erased under no name, and is erased when they have come back', async () => {
  await using world = await opened()
  const end = await world.erase(ann, phone)
  expect([end.status, end.failure, end.found]).toEqual(['complete', undefined, 'nothing'])
  expect(erasedOf(end)).toEqual({
    'shop:customer': 'nothing_found 0',
    'shop:orders': 'nothing_found 0',
    'shop:call': 'nothing_found 0',
  })
  expect(new Set(end.lookedFor)).toEqual(
    new Set([
      { property: 'email', spellings: ['as given', 'without regard to case'], fields: ['shop:customer.email'] },
      { property: 'phone_number', spellings: ['as given'], fields: ['shop:call.phone'] },
    ]),
  )
  expect(await tombstonesOf(world)).toEqual(['nothing found', 'nothing found'])
  for (const each of [ann, phone, { ...ann, ...phone }]) expect(await world.privacy.isErased(each)).toBe(false)
  expect(world.rows()).toEqual(world.before)

  comesBack(world)
  expect(left(world)).toEqual([
    { 1: 'Ann', 2: 'Bob' },
    { 10: 'hers', 20: 'his' },
  ])
  const [again, ...more] = await replayed(world)
  expect([again?.status, again?.found, more]).toEqual(['complete', undefined, []])
  expect(left(world)).toEqual([
    { 1: null, 2: 'Bob' },
    { 10: null, 20: 'his' },
  ])
  expect(told(world, 'customer', 'email')).toEqual({ 1: null, 2: bob.email })
  expect(world.rows()['call']).toEqual(world.before['call'])
  expect(await world.privacy.isErased(ann)).toBe(true)
})

test('a replay that finds nothing either says so, and no one is erased by it', async () => {
  await using world = await opened()
  await world.erase(ann, phone)
  const [again, ...more] = await replayed(world)
  expect([again?.status, again?.found, more]).toEqual(['complete', 'nothing', []])
  expect(await tombstonesOf(world)).toEqual(Array(4).fill('nothing found'))
  expect([await world.privacy.isErased(ann), world.rows()]).toEqual([false, world.before])
})

test('a person who was found counts as erased by each identity, and is erased again after a restore', async () => {
  await using world = await opened()
  comesBack(world)
  const end = await world.erase(ann, phone)
  expect([end.status, end.found, end.lookedFor]).toEqual(['complete', undefined, undefined])
  expect(new Set(await tombstonesOf(world))).toEqual(new Set([undefined]))
  for (const each of [ann, phone]) expect(await world.privacy.isErased(each)).toBe(true)
  expect(await world.privacy.isErased(bob)).toBe(false)
  const gone = [1, 10].map(String)
  const rows = (name: string) => world.database[name]?.rows ?? []
  for (const name of ['customer', 'orders']) {
    const stay = rows(name).filter(({ id }) => !gone.includes(String(id)))
    rows(name).splice(0, rows(name).length, ...stay)
  }
  expect(left(world)).toEqual(hisAlone)

  comesBack(world)
  const ends = await replayed(world)
  expect(ends.map(({ status, found }) => [status, found])).toEqual([['complete', undefined]])
  expect(left(world)).toEqual([
    { 1: null, 2: 'Bob' },
    { 10: null, 20: 'his' },
  ])
})

test('an identity that had to stay does not count as erased, and a replay erases what is added', async () => {
  const keyed = plain('email', { identity: 'email', primary_key: true })
  await using world = await shopWorld({
    database: {
      account: tableWith({ email: 'string', name: 'string' }, [
        [ann.email, 'Ann'],
        [bob.email, 'Bob'],
      ]),
    },
    collections: [collection('account', [keyed, field('name')])],
  })
  const end = await world.erase(ann)
  expect([end.status, end.identityRemains]).toEqual(['complete', ['shop:account.email']])
  expect(await tombstonesOf(world)).toEqual(['identity remains'])
  expect(await world.privacy.isErased(ann)).toBe(false)
  const names = () => world.rows()['account']?.map(({ name }) => name)
  expect(names()).toEqual([null, 'Bob'])
  Object.assign(world.database['account']?.rows[0] as object, { name: 'Ann again' })
  const [again] = await replayed(world)
  expect([again?.status, names()]).toEqual(['complete', [null, 'Bob']])
})

test.each([
  ['describes nothing', []],
  [
    'describes only what the database does not have',
    [collection('custmer', [key, field('email', { identity: 'email' })])],
  ],
])('an erasure that can search nothing ends in error: a dataset %s', async (_, collections) => {
  await using world = await shopWorld({ database: {}, collections })
  const end = await world.erase(ann)
  expect([end.status, end.failure]).toEqual([
    'error',
    expect.stringContaining('No described collection can be searched'),
  ])
})
