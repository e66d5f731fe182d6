import type { Identity } from '@habeas/core'
import { describe, expect, test } from 'vitest'
import { collection, field, type Said, undirected } from '../engine/described.js'
import { type ErasedShop, from, kept, key, shopWorld, tableWith, told } from './described-erasure.js'

const ann = { email: 'ann@example.com' }
const phone = field('phone', { identity: 'phone_number' }, ['user.contact.phone_number'])

/** Rider carries Ann's parcel and nobody else's, Runner one of hers and one of Bob's. */
const given = (said: Said, how: 'mask' | 'delete', hers: string | null): ErasedShop => ({
  database: {
    person: tableWith({ id: 'integer', email: 'string', phone: 'string', name: 'string' }, [
      [1, ann.email, hers, 'Ann'],
      [2, 'bob@example.com', '222', 'Bob'],
    ]),
    courier: tableWith({ id: 'integer', name: 'string', phone: 'string' }, [
      [7, 'Rider', '555'],
      [8, 'Runner', '666'],
    ]),
    parcel: tableWith({ id: 'integer', person_id: 'integer', courier_id: 'integer', street: 'string' }, [
      [10, 1, 7, 'hers'],
      [11, 1, 8, 'hers'],
      [12, 2, 8, 'his'],
    ]),
  },
  collections: [
    collection('person', [key, field('email', { identity: 'email' }), phone, field('name')]),
    collection('courier', [key, field('name'), phone], { erase: how }),
    collection('parcel', [
      ...[key, from('person_id', 'person.id'), kept(undirected('courier_id', 'courier.id', said))],
      field('street'),
    ]),
  ],
})

const asked: readonly [string, Identity[], string | null][] = [
  ['by e-mail alone', [ann], '111'],
  ['by e-mail alone, whose phone number nobody knows', [ann], null],
  ['by e-mail and her phone number', [ann, { phone_number: '111' }], '111'],
  ['by e-mail and a phone number that nobody has', [ann, { phone_number: '999' }], '111'],
  ['by e-mail and a phone number that no row holds', [ann, { phone_number: '111' }], null],
  ['by both as one person', [{ ...ann, phone_number: '111' }], '111'],
  ['by her e-mail together with a phone number that nobody has', [{ ...ann, phone_number: '999' }], '111'],
]
const directions: readonly [string, Said][] = [
  ['says nothing', {}],
  ["says 'none'", { direction: 'none' }],
  ["says 'from'", { direction: 'from' }],
  ["says 'to'", { direction: 'to' }],
]

describe.each(asked)('a courier stays as they are when a person is erased %s', (_, identities, hers) => {
  describe.each(directions)('and the reference to them %s', (_said, said) => {
    test.each(['mask', 'delete'] as const)('%s', async (how) => {
      await using world = await shopWorld(given(said, how, hers))
      const accepts = { acceptUndecided: true, acceptUnsearched: true, acceptUnconfirmed: true } as const
      const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities, ...accepts })
      const end = await world.privacy.requests.settled(id)
      expect([end.status, end.failure]).toEqual(['complete', undefined])
      expect(world.rows()['courier']).toEqual(world.before['courier'])
      // Nobody holds that e-mail together with that number: whoever has the e-mail is left alone as well.
      const isFound = identities.every((each) => !('email' in each) || each['phone_number'] !== '999')
      expect(told(world, 'person', 'name')).toEqual({ 1: isFound ? null : 'Ann', 2: 'Bob' })
      // A parcel that is the courier's as well is shared.
      const street = isFound && said.direction !== 'from' ? null : 'hers'
      expect(told(world, 'parcel', 'street')).toEqual({ 10: street, 11: street, 12: 'his' })
    })
  })
})
