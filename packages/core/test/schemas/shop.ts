import { type SampleSchema, sqlOf } from './sample-schema.js'

const customers = `(select id from customers where lower(email) = lower($1))`

/** An account decides whose an order is; the e-mail address counts where there is none. */
const isHers = `case when customer_id is not null then customer_id in ${customers} else lower(email) = lower($1) end`
const orders = `(select id from orders where ${isHers})`
const carts = `(select id from carts where customer_id in ${customers})`
const dwellers = `(
  select address_id, lower(email) = lower($1) as hers from customers where address_id is not null
  union all select shipping_address_id, ${isHers} from orders where shipping_address_id is not null
) as dweller`
const called = (phone: string) => ({ who: phone, identities: [{ phone_number: phone }] })

/** A shop with guests, couriers and addresses that several people use. */
export const shop: SampleSchema = {
  name: 'shop',
  sql: sqlOf('shop'),
  people: [
    { who: 'ann@shop.example', carries: 'a payment for an order of bob with a card of hers' },
    { who: 'first@shop.example' },
    { who: 'carl@shop.example' },
    { who: 'carl.old@shop.example' },
    { who: 'dora@shop.example' },
    { who: 'guest@shop.example' },
    { who: 'empty@shop.example' },
    called('+49 151 11'),
    called('+49 151 22'),
  ],
  truth: {
    customers: { own: `select id from customers where lower(email) = lower($1)` },
    couriers: { own: `select id from couriers where phone_number = $1` },
    addresses: {
      own: `select address_id as id from ${dwellers} group by address_id having bool_and(hers)`,
      shared: `select address_id as id from ${dwellers} group by address_id having bool_or(hers) and not bool_and(hers)`,
    },
    orders: { own: `select id from orders where ${isHers}` },
    order_lines: { own: `select order_id, line from order_lines where order_id in ${orders}` },
    shipments: { own: `select id from shipments where order_id in ${orders}` },
    reviews: { own: `select id from reviews where customer_id in ${customers}` },
    cards: { own: `select id from cards where customer_id in ${customers}` },
    payments: { own: `select id from payments where order_id in ${orders}` },
    carts: { own: `select id from carts where customer_id in ${customers}` },
    cart_items: { own: `select cart_id, product_id from cart_items where cart_id in ${carts}` },
  },
  nobodys: ['brands', 'categories', 'coupons', 'product_images', 'products', 'order_overview'],
  answers: {
    asked: {
      'customers.email': { identity: 'email' },
      'couriers.phone_number': { identity: 'phone_number' },
      'orders.email': { identity: 'email' },
      orders: { owner: ['customer_id', 'email'] },
      'customers.address_id': { direction: 'to' },
      'orders.shipping_address_id': { direction: 'to' },
      // Who signed for a parcel need not be who ordered it.
      'shipments.order_id': { direction: 'from' },
      'payments.card_id': { direction: 'none' },
    },
    beyond: {
      orders: 'Each field alone is offered; that the account comes before the address is how the shop works.',
    },
    categories: {
      'couriers.name': 'user.name',
      'orders.note': 'user.social',
      'order_lines.engraving': 'user.social',
      'shipments.signed_by': 'user.name',
      'reviews.body': 'user.social',
    },
  },
  deletes: ['carts', 'cart_items', 'reviews', 'cards', 'payments'],
}
