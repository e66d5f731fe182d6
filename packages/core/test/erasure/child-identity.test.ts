import { expect, test } from 'vitest'
import { collection, field, undirected } from '../engine/described.js'
import { from, kept, key, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const email = field('email', { identity: 'email' })
const ownerless = (name: string, to: string) => kept(undirected(name, to))

const opened = (userId: object, child: typeof from) =>
  shopWorld({
    database: {
      users: tableWith({ id: 'integer', name: 'string', password: 'string' }, [
        [1, 'Ann', 'hash of Ann'],
        [2, 'Bob', 'hash of Bob'],
      ]),
      emails: tableWith({ id: 'integer', user_id: 'integer', email: 'string' }, [
        [10, 1, ann.email],
        [11, 2, 'bob@example.com'],
      ]),
      orders: tableWith({ id: 'integer', user_id: 'integer', note: 'string' }, [
        [20, 1, 'hers'],
        [21, 2, 'his'],
      ]),
      phones: tableWith({ id: 'integer', user_id: 'integer', number: 'string' }, [
        [30, 1, 'hers'],
        [31, 2, 'his'],
      ]),
    },
    collections: [
      collection('users', [key, field('name'), field('password')]),
      collection('emails', [key, userId, email]),
      collection('orders', [key, child('user_id', 'users.id'), field('note')]),
      collection('phones', [key, child('user_id', 'users.id'), field('number')]),
    ],
  })
const unsaid = kept(undirected('user_id', 'users.id'))
const described: readonly [string, typeof from, string][] = [
  ['say whose they are', from, 'behind: shop:users'],
  ['say nothing either', ownerless, 'unreachable'],
]

test.each(described)(
  'nothing is called done while it is open who owns an identity in a child table, where orders %s',
  async (_, child, why) => {
    await using world = await opened(unsaid, child)
    const { requests } = world.privacy
    const { id } = await requests.submit({ policyKey: 'erase', identities: [ann] })
    const unsearched = await world.paused(id)
    expect([unsearched.status, unsearched.actionRequired?.accept]).toEqual([
      ...['paused', { acceptUnsearched: ['shop:orders', 'shop:phones'] }],
    ])
    expect([world.rows(), await world.privacy.isErased(ann)]).toEqual([world.before, false])
    // That these may stay says nothing of the user whom the e-mail names.
    await requests.accept(id, { acceptUnsearched: true })
    await requests.settled(id)
    const undecided = await world.paused(id)
    expect([undecided.status, undecided.actionRequired?.accept]).toEqual([
      ...['paused', { acceptUndecided: ['shop:emails.user_id'] }],
    ])
    expect(undecided.actionRequired?.message).toContain('1 row of shop:users may belong to this person')
    expect([world.rows(), await world.privacy.isErased(ann)]).toEqual([world.before, false])

    await requests.accept(id, { acceptUndecided: true })
    const end = await requests.settled(id)
    expect([end.status, end.failure, end.incomplete]).toEqual(['complete', undefined, true])
    expect(erasedOf(end)).toEqual({
      'shop:emails': 'masked 1',
      'shop:users': expect.stringMatching(/^skipped 1 \(undecided by shop:emails\.user_id/),
      'shop:orders': `skipped 0 (${why})`,
      'shop:phones': `skipped 0 (${why})`,
    })
    const { incomplete, collections, totals } = await requests.receipt(id)
    expect([incomplete, totals]).toEqual([true, { masked: 1, skipped: 1 }])
    expect(collections.map(({ collection: name }) => name).sort()).toEqual(['emails', 'orders', 'phones', 'users'])
    expect(world.rows()).toEqual({
      ...world.before,
      emails: [{ id: 10, user_id: 1, email: null }, world.before['emails']?.[1]],
    })
  },
)

test('once that is answered, the request that waits erases all of the user', async () => {
  await using world = await opened(unsaid, from)
  const { requests } = world.privacy
  const { id } = await requests.submit({ policyKey: 'erase', identities: [ann] })
  expect((await world.paused(id)).status).toBe('paused')
  await using answered = await opened(kept(undirected('user_id', 'users.id', { direction: 'both' })), from)
  const { collections } = await answered.privacy.datasets.get('shop')
  await world.privacy.connections.attachDataset('shop', { service_key: 'shop', collections } as never)
  await requests.accept(id, {})
  const end = await requests.settled(id)
  expect([end.status, end.failure, end.incomplete]).toEqual(['complete', undefined, undefined])
  expect(erasedOf(end)).toEqual({
    'shop:emails': 'masked 1',
    'shop:users': 'masked 1',
    'shop:orders': 'masked 1',
    'shop:phones': 'masked 1',
  })
  for (const name of ['emails', 'users', 'orders', 'phones']) {
    const [hers, his] = world.rows()[name] ?? []
    expect(his).toEqual(world.before[name]?.[1])
    expect(Object.values(hers ?? {}).filter((value) => typeof value === 'string')).toEqual([])
  }
  expect(await world.privacy.isErased(ann)).toBe(true)
})
