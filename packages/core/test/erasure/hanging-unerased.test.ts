import { expect, it } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { from, kept, key, shopWorld, tableWith, told } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const bob = { email: 'bob@example.com' }

/** Pets with owners, and visits of which no rule asks for anything. */
const clinic = () =>
  shopWorld({
    database: {
      person: tableWith({ id: 'integer', email: 'string' }, [
        [1, ann.email],
        [2, bob.email],
      ]),
      pet: tableWith({ id: 'integer', name: 'string' }, [
        [1, 'Rex'],
        [2, 'Tom'],
      ]),
      pet_owner: tableWith({ pet_id: 'integer', person_id: 'integer' }, [
        [1, 1],
        [2, 1],
        [2, 2],
      ]),
      visit: tableWith({ id: 'integer', pet_id: 'integer', note: 'string' }, [
        [1, 1, 'x'],
        [2, 2, 'x'],
      ]),
      bill: tableWith({ id: 'integer', visit_id: 'integer' }, [
        [1, 1],
        [2, 2],
      ]),
    },
    collections: [
      collection('person', [key, field('email', { identity: 'email' })]),
      collection('pet', [key, field('name')]),
      collection('pet_owner', [kept(refer('pet_id', 'pet.id', { direction: 'to' })), from('person_id', 'person.id')]),
      collection('visit', [key, from('pet_id', 'pet.id'), kept(field('note'))]),
      collection('bill', [key, from('visit_id', 'visit.id')]),
    ],
  })

it('a row is not shared with rows that hang on it alone, whether or not these are erased', async () => {
  await using world = await clinic()
  const request = await world.erase(ann)
  expect([request.status, request.failure]).toEqual(['complete', undefined])
  expect(erasedOf(request)['shop:pet']).toBe('masked 1, retained 1 (shared with 1 row of shop:pet_owner)')
  expect(told(world, 'pet', 'name')).toEqual({ 1: null, 2: 'Tom' })
})

it('a row that hangs on a shared one is left by its person as well: the second of them takes the shared row along', async () => {
  await using world = await shopWorld({
    database: {
      person: tableWith({ id: 'integer', email: 'string' }, [
        [1, ann.email],
        [2, bob.email],
        [3, 'cleo@example.com'],
      ]),
      pet: tableWith({ id: 'integer', name: 'string' }, [
        [1, 'Rex'],
        [2, 'Tom'],
      ]),
      pet_owner: tableWith({ pet_id: 'integer', person_id: 'integer' }, [
        [1, 1],
        [1, 2],
        [2, 1],
        [2, 2],
      ]),
      visit: tableWith({ id: 'integer', pet_id: 'integer', brought_by: 'integer', note: 'string' }, [
        [1, 1, 1, 'by Ann'],
        [2, 1, 2, 'by Bob'],
        [3, 2, 1, 'by Ann'],
        [4, 2, 3, 'by Cleo'],
      ]),
    },
    collections: [
      collection('person', [key, field('email', { identity: 'email' })]),
      collection('pet', [key, field('name')]),
      collection('pet_owner', [kept(refer('pet_id', 'pet.id', { direction: 'to' })), from('person_id', 'person.id')]),
      collection('visit', [key, from('pet_id', 'pet.id'), from('brought_by', 'person.id'), field('note')]),
    ],
  })
  await world.erase(ann)
  expect(told(world, 'pet', 'name')).toEqual({ 1: 'Rex', 2: 'Tom' })
  const second = await world.erase(bob)
  expect([second.status, second.failure]).toEqual(['complete', undefined])
  expect(told(world, 'pet', 'name')).toEqual({ 1: null, 2: 'Tom' })
  expect(told(world, 'visit', 'note')).toEqual({ 1: 'by Ann', 2: null, 3: 'by Ann', 4: 'by Cleo' })
})
