import { type SampleSchema, sqlOf } from './sample-schema.js'

const customers = `(select customer_id from customer where lower(email) = lower($1))`

/** Who lives where: customers, staff and stores. */
const dwellers = `(
  select address_id, lower(email) is not distinct from lower($1) as hers from customer
  union all select address_id, lower(email) is not distinct from lower($1) from staff
  union all select address_id, false from store
) as dweller`

/** A chain of video stores, whose customers, staff and stores share one table of addresses. */
export const pagila: SampleSchema = {
  name: 'pagila',
  sql: sqlOf('pagila'),
  people: [
    { who: 'mary.smithe@films.example', carries: 'a payment of linda, who paid for a rental of hers' },
    { who: 'patricia.johnsen@films.example' },
    { who: 'linda.willems@films.example' },
    { who: 'barbara.jonas@films.example' },
    { who: 'timmy.jonas@films.example' },
    { who: 'mike.hillyer@store.example' },
    // He works in one of the stores and rents films as well.
    { who: 'jon.stephens@store.example' },
  ],
  truth: {
    customer: { own: `select customer_id from customer where lower(email) = lower($1)` },
    staff: { own: `select staff_id from staff where lower(email) = lower($1)` },
    address: {
      own: `select address_id from ${dwellers} group by address_id having bool_and(hers)`,
      shared: `select address_id from ${dwellers} group by address_id having bool_or(hers) and not bool_and(hers)`,
    },
    rental: { own: `select rental_id from rental where customer_id in ${customers}` },
    // Of whoever paid, whoever's the rental was.
    payment: { own: `select payment_id from payment where customer_id in ${customers}` },
  },
  nobodys: [
    'actor',
    'category',
    'city',
    'country',
    'film',
    'film_actor',
    'film_category',
    'inventory',
    'language',
    'store',
    'customer_list',
    'sales_by_store',
    'staff_list',
  ],
  answers: {
    asked: {
      'customer.email': { identity: 'email' },
      'staff.email': { identity: 'email' },
      'customer.address_id': { direction: 'to' },
      'staff.address_id': { direction: 'to' },
      'payment.rental_id': { direction: 'none' },
      actor: { owner: [] },
      country: { owner: [] },
    },
    categories: { 'address.district': 'user.contact.address', 'staff.picture': 'user.biometric' },
  },
  deletes: ['customer', 'rental', 'payment'],
}
