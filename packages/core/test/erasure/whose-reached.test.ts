import { expect, test } from 'vitest'
import { collection, field, filled, refer, table } from '../engine/described.js'
import { type ErasedShop, eraseShop, from, kept, key, shopWorld, tableWith, told } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const bob = { email: 'bob@example.com' }
const email = field('email', { identity: 'email' })

test("a card that the person's order names stays where its owner's collection is disabled", async () => {
  const card = (...further: readonly object[]) =>
    collection('card', [
      ...[key, kept(refer('customer_id', 'customer.id', { dataset: 'crm' })), ...further],
      field('number'),
    ])
  const given = (cards: object): ErasedShop => ({
    database: {
      orders: tableWith({ id: 'integer', email: 'string', card_id: 'integer' }, [[1, ann.email, 5]]),
      account: tableWith({ id: 'integer', email: 'string' }, [[9, ann.email]]),
      card: tableWith({ id: 'integer', customer_id: 'integer', account_id: 'integer', number: 'string' }, [
        [5, 2, null, "Bob's"],
        [6, 2, 9, "Ann's, or Bob's"],
        [7, null, 9, "Ann's"],
      ]),
    },
    collections: [
      collection('orders', [key, email, kept(refer('card_id', 'card.id', { direction: 'to' }))]),
      collection('account', [key, email]),
      cards,
    ],
  })
  const customers = { service_key: 'crm', collections: [collection('customer', [key, email])] }
  const erased = async (cards: object) => {
    await using world = await shopWorld(given(cards))
    const { privacy } = world
    await privacy.connections.put({ key: 'crm', connectionType: 'postgres', disabled: true } as never)
    await privacy.connections.attachDataset('crm', customers as never)
    const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [ann] })
    const accepted = []
    for (let paused = await world.paused(id); paused.status === 'paused'; paused = await world.paused(id)) {
      accepted.push(paused.actionRequired?.accept)
      await privacy.requests.accept(id, { acceptUnsearched: true, acceptUndecided: accepted.length > 1 })
      await privacy.requests.settled(id)
    }
    const end = await privacy.requests.get(id)
    expect([end.failure, erasedOf(end)['shop:orders']]).toEqual([undefined, 'masked 1'])
    return { accepted, numbers: told(world, 'card', 'number') }
  }
  expect(await erased(card())).toEqual({
    accepted: [{ acceptUnsearched: ['crm:customer', 'shop:card'] }],
    numbers: { 5: "Bob's", 6: "Ann's, or Bob's", 7: "Ann's" },
  })
  // Where another owner is searched, those stay that name somebody in what is not.
  const two = await erased(card(from('account_id', 'account.id')))
  expect(two).toEqual({
    accepted: [{ acceptUnsearched: ['crm:customer'] }, { acceptUndecided: expect.any(Array) }],
    numbers: { 5: "Bob's", 6: "Ann's, or Bob's", 7: null },
  })
})

test('rows that hang on a shared row of their own collection stay with it', async () => {
  await using world = await shopWorld({
    database: {
      customer: tableWith({ id: 'integer', email: 'string', folder_id: 'integer' }, [
        [1, ann.email, 10],
        [2, bob.email, 10],
        [3, ann.email, 20],
      ]),
      folder: tableWith({ id: 'integer', parent_id: 'integer', name: 'string' }, [
        [10, null, 'shared'],
        [11, 10, 'in what is shared'],
        [12, 11, 'deeper'],
        [20, null, "Ann's"],
        [21, 20, "in Ann's"],
      ]),
    },
    collections: [
      collection('customer', [key, email, kept(refer('folder_id', 'folder.id', { direction: 'to' }))]),
      collection('folder', [key, from('parent_id', 'folder.id'), field('name')]),
    ],
  })
  const end = await world.erase(ann)
  expect([end.failure, erasedOf(end)['shop:folder']]).toEqual([
    undefined,
    'masked 2, retained 1 (shared with 1 row of shop:customer), retained 2 (found through a row of shop:folder that is shared)',
  ])
  expect(told(world, 'folder', 'name')).toEqual({
    10: 'shared',
    11: 'in what is shared',
    12: 'deeper',
    20: null,
    21: null,
  })
})

test('an identity in a child table erases all of its user, even what is found by their other e-mails', async () => {
  const of = (column: string, ...rows: readonly (readonly [number, number, string])[]) =>
    filled(table({ id: 'integer', user_id: 'integer', [column]: 'string' }, rows), 'user_id')
  for (const meta of [{}, { erase: 'delete' }]) {
    await using world = await shopWorld({
      database: {
        users: tableWith({ id: 'integer', name: 'string' }, [
          [1, 'Ann'],
          [2, 'Bob'],
        ]),
        emails: of('email', [10, 1, ann.email], [11, 1, 'ann@work.example'], [12, 2, bob.email]),
        orders: of('note', [20, 1, 'hers'], [21, 2, 'his']),
        phones: of('number', [30, 1, 'hers'], [31, 2, 'his']),
      },
      collections: [
        collection('users', [key, field('name')], meta),
        collection('emails', [key, kept(refer('user_id', 'users.id', { direction: 'both' })), email], meta),
        collection('orders', [key, from('user_id', 'users.id'), field('note')], meta),
        collection('phones', [key, from('user_id', 'users.id'), field('number')], meta),
      ],
    })
    const end = await world.erase(ann)
    const word = 'erase' in meta ? 'erased' : 'masked'
    expect([end.failure, erasedOf(end)]).toEqual([
      undefined,
      {
        'shop:emails': `${word} 2`,
        'shop:users': `${word} 1`,
        'shop:orders': `${word} 1`,
        'shop:phones': `${word} 1`,
      },
    ])
    const left = (name: string, column: string) => Object.values(told(world, name, column)).filter(Boolean)
    expect([left('users', 'name'), left('emails', 'email')]).toEqual([['Bob'], [bob.email]])
    expect([left('orders', 'note'), left('phones', 'number')]).toEqual([['his'], ['his']])
  }
})

test("an address is not somebody else's because rows of the person refer to it that no rule asks for", async () => {
  const to = refer('address_id', 'address.id', { direction: 'to' })
  const ship = refer('ship_id', 'address.id', { direction: 'none' })
  const { erased, rows } = await eraseShop({
    database: {
      customer: tableWith({ id: 'integer', email: 'string', address_id: 'integer' }, [
        [1, ann.email, 5],
        [2, bob.email, 6],
      ]),
      orders: tableWith({ id: 'integer', customer_id: 'integer', ship_id: 'integer' }, [
        [10, 1, 5],
        [11, 1, 6],
      ]),
      address: tableWith({ id: 'integer', street: 'string' }, [
        [5, "Ann's"],
        [6, "Bob's"],
      ]),
    },
    collections: [
      collection('customer', [key, email, kept(to)]),
      collection('orders', [key, kept(from('customer_id', 'customer.id')), kept(ship)]),
      collection('address', [key, field('street')]),
    ],
  })
  expect(erased).toEqual({
    'shop:customer': 'masked 1',
    'shop:orders': 'retained 2 (no rule asks for anything of it)',
    'shop:address': 'masked 1',
  })
  expect(rows['address']).toEqual([
    { id: 5, street: null },
    { id: 6, street: "Bob's" },
  ])
})
