import type { Value, ValueKind } from '@habeas/core'
import fc from 'fast-check'
import { collection, field, filled, id, shopOf, table } from './described.js'

/*
 * A shop of many people who share what people share. Who each row belongs to is known from how it was made, so that what
 * a person must get needs no engine and no model to be known.
 */

const few = fc.nat(3)

export const shopArbitrary = fc.record({
  /** Address and household of each person, and who brought them, as indices. */
  people: fc.array(fc.record({ address: few, household: few, brought: fc.nat(9) }), {
    minLength: 2,
    maxLength: 6,
    size: 'max',
  }),
  addresses: fc.integer({ min: 1, max: 4 }),
  products: fc.integer({ min: 1, max: 3 }),
  /** Without an owner a card is a shared one. */
  cards: fc.array(fc.option(fc.nat(9)), { minLength: 1, maxLength: 4, size: 'max' }),
  orders: fc.array(
    fc.record({ by: fc.nat(9), address: few, card: few, lines: fc.array(fc.nat(2), { maxLength: 3, size: 'max' }) }),
    { maxLength: 10, size: 'max' },
  ),
  threads: fc.integer({ min: 1, max: 3 }),
  participants: fc.array(fc.record({ thread: few, person: fc.nat(9) }), { maxLength: 8, size: 'max' }),
  messages: fc.array(fc.record({ thread: few, by: fc.nat(9), answers: fc.option(fc.nat(9)) }), {
    maxLength: 10,
    size: 'max',
  }),
  /** Ticket n lies with a customer or an order of the same number: only `about` says which. */
  tickets: fc.array(fc.record({ about: fc.constantFrom('customer', 'order'), to: fc.nat(9) }), {
    maxLength: 8,
    size: 'max',
  }),
  subject: fc.nat(9),
  /** Whether each reference is written without its direction, where the description does not say all. */
  undirected: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  batchSize: fc.integer({ min: 1, max: 4 }),
  maxKeys: fc.constantFrom(1000, 2, 3),
  loose: fc.boolean(),
})

export type RandomShop = typeof shopArbitrary extends fc.Arbitrary<infer Each> ? Each : never

/** Rows of each table with the people they belong to, or what they are: shared by nature, and pointed to by whom. */
interface Made {
  readonly row: readonly Value[]
  readonly owners: readonly number[]
}

const at = (number: number, size: number) => number % size

/** The database, and what one person must get of it. The description says of all references what they mean, or of some. */
export function shopOfShape(shape: RandomShop, saysAll: boolean) {
  const { people, addresses, products, cards, threads } = shape
  const of = (list: readonly unknown[], number: number) => at(number, list.length)
  const owned = (row: readonly Value[], owner: number): Made => ({ row, owners: [owner] })
  const orders = shape.orders.map((order) => ({
    ...order,
    by: of(people, order.by),
    card: of(cards, order.card),
    address: at(order.address, addresses),
  }))
  const participants = shape.participants.map(({ thread, person }) => ({
    thread: at(thread, threads),
    person: of(people, person),
  }))
  const messages = shape.messages.map((message) => ({
    ...message,
    thread: at(message.thread, threads),
    by: of(people, message.by),
  }))
  const cardOwner = (card: number) => (cards[card] === null ? undefined : of(people, cards[card] as number))
  /** Whoever points to one of these shared things. */
  const seenBy = (pairs: readonly (readonly [thing: number, person: number])[], thing: number) =>
    pairs.flatMap(([each, person]) => (each === thing ? [person] : []))
  const range = (size: number) => Array.from({ length: size }, (_, number) => number)
  const usedCards = orders.map(({ card, by }) => [card, by] as const)
  const made: Record<string, Made[]> = {
    customer: people.map(({ address, household, brought }, number) =>
      owned(
        [number, `person${number}@example.com`, at(address, addresses), at(household, 4), of(people, brought), 7],
        number,
      ),
    ),
    tenant: [{ row: [7, 'everybody'], owners: range(people.length) }],
    address: range(addresses).map((number) => ({
      row: [number, `street ${number}`],
      owners: [
        ...people.flatMap(({ address }, person) => (at(address, addresses) === number ? [person] : [])),
        ...seenBy(
          orders.map(({ address, by }) => [address, by] as const),
          number,
        ),
      ],
    })),
    household: range(4).map((number) => ({
      row: [number, `house ${number}`],
      owners: people.flatMap(({ household }, person) => (at(household, 4) === number ? [person] : [])),
    })),
    // A card that has an owner is the owner's; one without is whoever's order it paid.
    card: range(cards.length).map((number) => {
      const owner = cardOwner(number)
      return {
        row: [number, `**** ${number}`, owner ?? null],
        owners: owner === undefined ? seenBy(usedCards, number) : [owner],
      }
    }),
    orders: orders.map(({ by, address, card }, number) => owned([number, by, address, card, `order ${number}`, 7], by)),
    order_line: orders.flatMap(({ lines, by }, number) =>
      lines.map((product, line) => owned([number, line, at(product, products), 'gift'], by)),
    ),
    product: range(products).map((number) => ({
      row: [number, `thing ${number}`],
      owners: orders.flatMap(({ lines, by }) => lines.filter((each) => at(each, products) === number).map(() => by)),
    })),
    thread: range(threads).map((number) => ({
      row: [number, `talk ${number}`],
      owners: [
        ...seenBy(
          participants.map(({ thread, person }) => [thread, person] as const),
          number,
        ),
        ...seenBy(
          messages.map(({ thread, by }) => [thread, by] as const),
          number,
        ),
      ],
    })),
    participant: participants.map(({ thread, person }) => owned([thread, person, 'since May'], person)),
    message: messages.map(({ thread, by, answers }, number) =>
      owned([number, thread, by, answers === null ? null : of(messages, answers), `message ${number}`], by),
    ),
    ticket: shape.tickets.flatMap(({ about, to }, number) => {
      const owner = about === 'customer' ? of(people, to) : orders[of(orders, to)]?.by
      return owner === undefined
        ? []
        : [owned([number, about, of(about === 'customer' ? people : orders, to), `ticket ${number}`], owner)]
    }),
  }
  const subject = of(people, shape.subject)
  return {
    ...described(
      shape,
      Object.fromEntries(Object.entries(made).map(([name, rows]) => [name, rows.map(({ row }) => row)])),
      saysAll,
    ),
    identity: { email: `person${subject}@example.com` },
    expected: Object.fromEntries(
      Object.entries(made).flatMap(([name, rows]) => {
        const mine = rows.filter(({ owners }) => owners.includes(subject)).map(({ row }) => row)
        return mine.length > 0 ? [[`shop:${name}`, mine] as const] : []
      }),
    ),
  }
}

const columns: Readonly<Record<string, readonly string[]>> = {
  customer: ['id', 'email', 'address_id', 'household_id', 'brought_by', 'tenant_id'],
  tenant: ['id', 'name'],
  address: ['id', 'street'],
  household: ['id', 'name'],
  card: ['id', 'number', 'owner_id'],
  orders: ['id', 'customer_id', 'address_id', 'card_id', 'note', 'tenant_id'],
  order_line: ['order_id', 'line', 'product_id', 'wish'],
  product: ['id', 'title'],
  thread: ['id', 'subject'],
  participant: ['thread_id', 'customer_id', 'note'],
  message: ['id', 'thread_id', 'author_id', 'answers_id', 'body'],
  ticket: ['id', 'about', 'about_id', 'text'],
}
const textual = ['email', 'name', 'street', 'number', 'note', 'wish', 'title', 'subject', 'body', 'about', 'text']
const keys: Readonly<Record<string, readonly string[]>> = {
  order_line: ['order_id', 'line'],
  participant: ['thread_id', 'customer_id'],
}

/** Where each foreign key leads, and what that says about whose rows are. */
const foreign: readonly (readonly [collection: string, column: string, to: string, Direction])[] = [
  ['customer', 'address_id', 'address', 'to'],
  ['customer', 'household_id', 'household', 'to'],
  ['customer', 'brought_by', 'customer', 'none'],
  ['customer', 'tenant_id', 'tenant', 'to'],
  ['orders', 'customer_id', 'customer', 'from'],
  ['orders', 'address_id', 'address', 'to'],
  ['orders', 'card_id', 'card', 'to'],
  ['orders', 'tenant_id', 'tenant', 'to'],
  ['card', 'owner_id', 'customer', 'from'],
  ['order_line', 'order_id', 'orders', 'from'],
  ['order_line', 'product_id', 'product', 'to'],
  ['participant', 'thread_id', 'thread', 'to'],
  ['participant', 'customer_id', 'customer', 'from'],
  ['message', 'thread_id', 'thread', 'to'],
  ['message', 'author_id', 'customer', 'from'],
  ['message', 'answers_id', 'message', 'none'],
]
type Direction = 'from' | 'to' | 'none'

function described(shape: RandomShop, rows: Readonly<Record<string, readonly (readonly Value[])[]>>, saysAll: boolean) {
  const referencesOf = (name: string, column: string) => [
    ...foreign.flatMap(([from, own, to, direction], number) => {
      if (from !== name || own !== column) return []
      // Whoever says that a card is part of the person has to say as well that some have an owner.
      const isSaid = saysAll || from === 'card' || to === 'card' || !shape.undirected[at(number, 12)]
      return [{ dataset: 'shop', field: `${to}.id`, ...(isSaid && { direction }) }]
    }),
    ...(name === 'ticket' && column === 'about_id'
      ? [
          { dataset: 'shop', field: 'customer.id', when: { about: 'customer' }, direction: 'from' },
          { dataset: 'shop', field: 'orders.id', when: { about: 'order' }, direction: 'from' },
        ]
      : []),
  ]
  const collections = Object.entries(columns).map(([name, fields]) =>
    collection(
      name,
      fields.map((column) =>
        column === 'id' && name !== 'order_line'
          ? id
          : field(column, { references: referencesOf(name, column), ...(column === 'email' && { identity: 'email' }) }),
      ),
    ),
  )
  const database = Object.fromEntries(
    Object.entries(columns).map(([name, fields]) => {
      const kinds = Object.fromEntries(
        fields.map((column): [string, ValueKind] => [column, textual.includes(column) ? 'string' : 'integer']),
      )
      const full = fields.filter((column, at) => column.endsWith('_id') && rows[name]?.every((row) => row[at] !== null))
      return [name, filled(table(kinds, rows[name] ?? [], keys[name]), ...full)]
    }),
  )
  const { batchSize, maxKeys, loose } = shape
  return { shop: shopOf(collections, database, { batchSize, loose, capabilities: { maxKeys } }), columns }
}
