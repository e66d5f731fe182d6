import { describe, expect, it } from 'vitest'
import { collection, documents, field, refer, undirected } from '../engine/described.js'
import {
  type ErasedWorld,
  foreignKey,
  from,
  kept,
  key,
  plain,
  shopWorld,
  tableWith,
  told,
} from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const bob = { email: 'bob@example.com' }
const cleo = { email: 'cleo@example.com' }
const email = field('email', { identity: 'email' })

/** Erases telephone numbers alone. */
async function erasePhonesOf({ privacy: { policies, requests } }: ErasedWorld, person: { readonly email: string }) {
  const values = ['user.contact.phone_number']
  await policies.put({
    service_key: 'phones',
    rules: [{ service_key: 'all', action_type: 'erasure', data_categories: { matches: 'ANY', values } }],
  })
  const { id } = await requests.submit({ policyKey: 'phones', identities: [person] })
  expect((await requests.settled(id)).failure).toBeUndefined()
}

const house = () =>
  shopWorld({
    database: {
      customer: tableWith({ id: 'integer', email: 'string', address_id: 'integer' }, [
        [1, ann.email, 5],
        [2, bob.email, 5],
        [3, cleo.email, 6],
      ]),
      orders: tableWith({ id: 'integer', customer_id: 'integer', ship_to: 'integer', note: 'string' }, [
        [1, 1, 5, 'ring twice'],
        [2, 2, 5, 'ring once'],
        [3, 2, 6, "to Cleo's"],
      ]),
      address: tableWith({ id: 'integer', street: 'string' }, [
        [5, 'Long Lane 1'],
        [6, 'Short Street 2'],
      ]),
    },
    collections: [
      collection('customer', [key, email, kept(refer('address_id', 'address.id', { direction: 'to' }))]),
      collection('orders', [
        key,
        from('customer_id', 'customer.id'),
        kept(refer('ship_to', 'address.id', { direction: 'to' })),
        field('note'),
      ]),
      collection('address', [key, field('street')]),
    ],
  })

describe('an address that two people have', () => {
  it('is erased with the second of them, who no longer shares it with anybody', async () => {
    await using world = await house()
    const first = await world.erase(ann)
    expect(erasedOf(first)['shop:address']).toBe(
      'retained 1 (shared with 1 row of shop:customer and 1 row of shop:orders)',
    )
    const second = await world.erase(bob)
    expect([second.status, second.failure]).toEqual(['complete', undefined])
    expect(told(world, 'address', 'street')).toEqual({ 5: null, 6: 'Short Street 2' })
    expect(erasedOf(second)['shop:address']).toBe('masked 1, retained 1 (shared with 1 row of shop:customer)')
  })

  it.each([
    ['while the first is written', { operation: 'erase', collection: 'customer', rollBack: false }],
    ['before the first is written', { operation: 'countEach', collection: 'customer' }],
  ] as const)('is erased with the later one where both are erased at the same time: %s', async (_, moment) => {
    await using world = await house()
    const { privacy, connector } = world
    const submit = (identity: object) =>
      privacy.requests.submit({ policyKey: 'erase', identities: [identity as never] })
    const gate = connector.hold(moment)
    const { id: first } = await submit(ann)
    await gate.reached
    const { id: second } = await submit(bob)
    // The second has found its rows, and counted who lives there.
    await expect.poll(async () => (await privacy.requests.log(second)).items.length).toBeGreaterThan(3)
    gate.open()
    const ends = await Promise.all([first, second].map((id) => privacy.requests.settled(id)))
    expect(ends.map(({ status, failure }) => [status, failure])).toEqual(ends.map(() => ['complete', undefined]))
    expect(told(world, 'address', 'street')).toEqual({ 5: null, 6: 'Short Street 2' })
  })

  it('stays while somebody else has come to live there', async () => {
    await using world = await house()
    await world.erase(ann)
    world.database['customer']?.rows.push({ id: 4, email: 'dora@example.com', address_id: 5 })
    await world.erase(bob)
    expect(told(world, 'address', 'street')).toEqual({ 5: 'Long Lane 1', 6: 'Short Street 2' })
  })

  it('stays for a person who was erased only in part, and nothing readable is kept of anybody', async () => {
    await using world = await house()
    await world.erase(ann)
    const left = await world.storage.table('leftPointer').find({})
    expect(left.map(({ address }) => address).sort()).toEqual(['shop:customer', 'shop:orders'])
    expect(JSON.stringify(left)).not.toMatch(/ann|Lane/)
    // What was erased once is found no more, so that nobody counts it twice.
    const again = await world.erase(ann)
    expect(again.found).toBe('nothing')
    expect(told(world, 'address', 'street')).toEqual({ 5: 'Long Lane 1', 6: 'Short Street 2' })
  })

  it('stays where a row that referred to it was handed on to somebody else since', async () => {
    await using world = await house()
    await world.erase(ann)
    Object.assign(world.database['orders']?.rows[0] as object, { customer_id: 3 })
    await world.erase(bob)
    expect(told(world, 'address', 'street')).toEqual({ 5: 'Long Lane 1', 6: 'Short Street 2' })
  })

  it.each([
    ['somebody else', 'dora@example.com'],
    ['the first of them, who has come back,', ann.email],
  ])('stays where the row of the first was given to %s', async (_, address) => {
    await using world = await house()
    await world.erase(ann)
    Object.assign(world.database['customer']?.rows[0] as object, { email: address })
    const second = await world.erase(bob)
    expect(second.failure).toBeUndefined()
    expect(erasedOf(second)['shop:address']).toContain('shared with 1 row of shop:customer')
    expect(told(world, 'address', 'street')).toEqual({ 5: 'Long Lane 1', 6: 'Short Street 2' })
  })

  const moved = { id: 1, email: 'dora@example.com', name: null }
  it.each([
    ['goes: the first left a random text', { masking_strategy: { strategy: 'random_string_rewrite' } }, {}, null],
    [
      'stays: what was left random was given to somebody else',
      { masking_strategy: { strategy: 'hash' } },
      moved,
      'Lane',
    ],
    ['goes: the first left the e-mail, which is kept', { retain: { reason: 'tax' } }, {}, null],
    ['stays: the e-mail that was kept is another one now', { retain: { reason: 'tax' } }, moved, 'Lane'],
    ['stays: no identity is in the row, but a name is again', undefined, { name: 'Dora' }, 'Lane'],
  ])('%s', async (_, meta, changes, street) => {
    const isInRow = meta !== undefined
    await using world = await shopWorld({
      database: {
        customer: tableWith({ id: 'integer', email: 'string', name: 'string', address_id: 'integer' }, [
          [1, ann.email, 'Ann', 5],
          [2, bob.email, 'Bob', 5],
        ]),
        mail: tableWith({ id: 'integer', customer_id: 'integer', address: 'string' }, [
          [1, 1, ann.email],
          [2, 2, bob.email],
        ]),
        address: tableWith({ id: 'integer', street: 'string' }, [[5, 'Lane']]),
      },
      collections: [
        collection('customer', [
          key,
          ...(isInRow ? [field('email', { identity: 'email', ...meta })] : []),
          field('name'),
          kept(refer('address_id', 'address.id', { direction: 'to' })),
        ]),
        ...(isInRow
          ? []
          : [
              collection('mail', [
                key,
                kept(refer('customer_id', 'customer.id', { direction: 'both' })),
                field('address', { identity: 'email' }),
              ]),
            ]),
        collection('address', [key, field('street')]),
      ],
    })
    await world.erase(ann)
    Object.assign(world.database['customer']?.rows[0] as object, changes)
    const second = await world.erase(bob)
    expect([second.status, second.failure]).toEqual(['complete', undefined])
    expect(told(world, 'address', 'street')).toEqual({ 5: street })
  })

  it('stays where less of the first of them was erased', async () => {
    await using world = await shopWorld({
      database: {
        customer: tableWith({ id: 'integer', email: 'string', address_id: 'integer' }, [
          [1, ann.email, 5],
          [2, bob.email, 5],
        ]),
        address: tableWith({ id: 'integer', street: 'string', phone: 'string' }, [[5, 'Long Lane 1', '555']]),
      },
      collections: [
        collection('customer', [key, email, kept(refer('address_id', 'address.id', { direction: 'to' }))]),
        collection('address', [key, field('street'), field('phone', {}, ['user.contact.phone_number'])]),
      ],
    })
    await erasePhonesOf(world, ann)
    await world.erase(bob)
    expect(told(world, 'address', 'street')).toEqual({ 5: 'Long Lane 1' })
  })

  it('stays for a third person, though a list of the first holds it twice', async () => {
    await using world = await shopWorld({
      database: {
        customer: documents([
          { id: 1, email: ann.email, address_ids: [5, 5] },
          { id: 2, email: bob.email, address_ids: [5, 6] },
          { id: 3, email: cleo.email, address_ids: [6, 5] },
        ]),
        address: documents([
          { id: 5, street: 'Long Lane 1' },
          { id: 6, street: 'Short Street 2' },
        ]),
      },
      collections: [
        collection('customer', [
          key,
          email,
          kept(refer('address_ids', 'address.id', { direction: 'to', meta: { data_type: 'integer[]' } })),
        ]),
        collection('address', [key, field('street')]),
      ],
    })
    await world.erase(ann)
    const second = await world.erase(bob)
    expect(second.failure).toBeUndefined()
    expect(told(world, 'address', 'street')).toEqual({ 5: 'Long Lane 1', 6: 'Short Street 2' })
    expect(erasedOf(second)['shop:address']).toBe('retained 2 (shared with 1 row of shop:customer)')
  })
})

describe('what hangs on a row that two people share', () => {
  const family = (described: object) =>
    shopWorld({
      database: {
        guardian: tableWith({ id: 'integer', email: 'string', family_id: 'integer' }, [
          [1, ann.email, 5],
          [2, bob.email, 5],
          [3, cleo.email, 6],
        ]),
        family: tableWith({ id: 'integer', name: 'string' }, [
          [5, 'Long'],
          [6, 'Short'],
        ]),
        pupil: tableWith({ id: 'integer', name: 'string', phone: 'string', family_id: 'integer' }, [
          [7, 'Tim', '555', 5],
          [8, 'Tom', '556', 6],
        ]),
        lesson: tableWith({ id: 'integer', pupil_id: 'integer', note: 'string' }, [
          [9, 7, 'flute'],
          [10, 8, 'drums'],
        ]),
      },
      collections: [
        collection('guardian', [key, email, kept(refer('family_id', 'family.id', { direction: 'to' }))]),
        collection('family', [key, described]),
        collection('pupil', [
          key,
          field('name'),
          field('phone', {}, ['user.contact.phone_number']),
          from('family_id', 'family.id'),
        ]),
        collection('lesson', [key, field('note'), from('pupil_id', 'pupil.id')]),
      ],
    })

  it.each([
    ['is erased itself', field('name')],
    ['is kept', field('name', { retain: { reason: 'tax' } })],
    ['tells nothing of anybody', plain('name')],
  ])('is erased with the second of them, where that row %s', async (_, described) => {
    await using world = await family(described)
    const first = await world.erase(ann)
    expect(erasedOf(first)).toMatchObject({
      'shop:pupil': 'retained 1 (found through a row of shop:family that is shared)',
      'shop:lesson': 'retained 1 (found through a row of shop:pupil that is shared)',
    })
    const second = await world.erase(bob)
    expect([second.status, second.failure]).toEqual(['complete', undefined])
    expect(told(world, 'pupil', 'name')).toEqual({ 7: null, 8: 'Tom' })
    expect(told(world, 'lesson', 'note')).toEqual({ 9: null, 10: 'drums' })
  })

  it('stays where the first erasure asked for less of it', async () => {
    await using world = await family(plain('name'))
    await erasePhonesOf(world, ann)
    await world.erase(bob)
    expect(told(world, 'pupil', 'name')).toEqual({ 7: 'Tim', 8: 'Tom' })
    expect(told(world, 'lesson', 'note')).toEqual({ 9: 'flute', 10: 'drums' })
  })

  it.each([
    ["though a row that is not searched refers to it, as that row is its owner's", refer('pupil_id', 'pupil.id'), true],
    ["not while such a row may be anybody's", refer('pupil_id', 'pupil.id', { direction: 'none' }), false],
    ['not while nobody has said whose such a row is', undirected('pupil_id', 'pupil.id'), false],
  ])('is erased %s', async (_, reference, erased) => {
    await using world = await shopWorld({
      database: {
        guardian: tableWith({ id: 'integer', email: 'string', family_id: 'integer' }, [[1, ann.email, 5]]),
        family: tableWith({ id: 'integer' }, [[5]]),
        pupil: tableWith({ id: 'integer', name: 'string', family_id: 'integer' }, [[7, 'Tim', 5]]),
        loan: tableWith({ id: 'integer', pupil_id: 'integer' }, [[1, 7]], {
          foreignKeys: [foreignKey('pupil_id', 'pupil')],
        }),
      },
      collections: [
        collection('guardian', [key, email, kept(refer('family_id', 'family.id', { direction: 'to' }))]),
        collection('family', [key]),
        collection('pupil', [key, field('name'), from('family_id', 'family.id')]),
        collection('loan', [key, kept(reference)], { waived: { reason: 'It holds instruments.' } }),
      ],
    })
    const { status, failure, results } = await world.erase(ann)
    expect([status, failure]).toEqual(['complete', undefined])
    expect(told(world, 'pupil', 'name')).toEqual({ 7: erased ? null : 'Tim' })
    expect(erasedOf({ results } as never)['shop:pupil']).toBe(
      erased ? 'masked 1' : 'retained 1 (shared with 1 row of shop:loan)',
    )
  })
})
