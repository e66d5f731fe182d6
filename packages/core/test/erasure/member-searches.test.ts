import { describe, expect, it } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { from, kept, key, plain, shopWorld, tableWith, told } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const inside = (name: string, ...fields: object[]) => field(name, {}, [], fields)

/** A warehouse: its documents are read and masked, and are not searched by what lies inside of them. */
const world = () =>
  shopWorld({
    capabilities: { nestedFields: false },
    database: {
      customer: tableWith({ id: 'integer', email: 'string', address_id: 'integer', data: 'object' }, [
        [1, ann.email, 5, { nick: 'Annie', points: 3 }],
        [2, 'bob@example.com', 6, { nick: 'Bobby', points: 4 }],
      ]),
      address: tableWith({ id: 'integer', street: 'string' }, [
        [5, 'Long Lane 1'],
        [6, 'Short Lane 2'],
      ]),
      profile: tableWith({ id: 'integer', data: 'object', bio: 'string' }, [
        [1, { customer_id: 1 }, 'likes cats'],
        [2, { customer_id: 2 }, 'likes dogs'],
      ]),
      parcel: tableWith({ id: 'integer', data: 'object' }, [[1, { address_id: 5 }]]),
      note: tableWith({ id: 'integer', data: 'object', text: 'string' }, [[1, { customer_id: 1 }, 'called']]),
    },
    collections: [
      collection('customer', [
        key,
        field('email', { identity: 'email' }),
        kept(refer('address_id', 'address.id', { direction: 'to' })),
        inside('data', field('nick'), plain('points')),
      ]),
      collection('address', [key, field('street')]),
      collection('profile', [key, inside('data', from('customer_id', 'customer.id')), field('bio')]),
      collection('parcel', [key, inside('data', kept(refer('address_id', 'address.id', { direction: 'to' })))]),
      collection('note', [
        key,
        inside('data', plain('customer_id', { references: [{ dataset: 'shop', field: 'customer.id' }] })),
        field('text'),
      ]),
    ],
  })

describe('a database that is searched by whole columns only', () => {
  it('says before an erasure which collection is not searched, and goes on when that is accepted', async () => {
    await using shop = await world()
    const { privacy } = shop
    const asked = { policyKey: 'erase', identities: [ann] }
    const { plan } = await privacy.requests.preview(asked)
    expect(plan.unsearched).toEqual([
      { address: 'shop:profile', reason: 'members not searchable', targeted: true, detail: 'data.customer_id' },
      { address: 'shop:parcel', reason: 'no target needs it', targeted: false },
    ])
    const named = plan.findings.flatMap(({ type, loc }) => (type === 'unsearchable_member' ? [loc.join('.')] : []))
    expect(named).toEqual([
      'shop.profile.data.customer_id',
      'shop.note.data.customer_id',
      'shop.parcel.data.address_id',
    ])

    const { id } = await privacy.requests.submit(asked)
    const { status, actionRequired } = await shop.paused(id)
    expect(status).toBe('paused')
    expect(actionRequired?.message).toContain(
      "'shop:profile' (members not searchable: data.customer_id) would not be searched. Correct that: have data.customer_id in a column of its own, as by a view, and describe that.",
    )
    expect(shop.rows()).toEqual(shop.before)

    await privacy.requests.accept(id, { acceptUnsearched: ['shop:profile'] })
    expect((await shop.paused(id)).actionRequired).toMatchObject({
      accept: { acceptUndecided: ['shop:note.data.customer_id'] },
    })
    expect(shop.rows()).toEqual(shop.before)

    await privacy.requests.accept(id, { acceptUndecided: ['shop:note.data.customer_id'] })
    const request = await privacy.requests.settled(id)
    expect(request).toMatchObject({ status: 'complete', incomplete: true })
    expect(told(shop, 'customer', 'data')).toEqual({
      1: { nick: null, points: 3 },
      2: { nick: 'Bobby', points: 4 },
    })
    expect(told(shop, 'address', 'street')).toEqual({ 5: 'Long Lane 1', 6: 'Short Lane 2' })
    expect(told(shop, 'profile', 'bio')).toEqual({ 1: 'likes cats', 2: 'likes dogs' })
    expect(erasedOf(request)).toMatchObject({
      'shop:customer': 'masked 1',
      'shop:address': 'retained 1 (possibly shared, because rows of shop:parcel cannot be counted)',
      'shop:profile': 'skipped 0 (members not searchable: data.customer_id)',
    })
  })

  it('tells it when the dataset is written', async () => {
    await using shop = await world()
    const findings = await shop.privacy.datasets.findings('shop')
    expect(findings.filter(({ type }) => type === 'unsearchable_member')).toEqual([
      {
        type: 'unsearchable_member',
        severity: 'warning',
        loc: ['shop', 'profile', 'data.customer_id'],
        message:
          "'shop:profile.data.customer_id' lies inside of a column, and the connector of 'shop' searches columns only as a whole: 'shop:profile' is not searched. Have the value in a column of its own, as by a view, and describe that; or take the identity or reference from this field, or give it the direction 'none'.",
      },
    ])
  })
})
