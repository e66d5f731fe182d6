import type { FixtureKind } from '@habeas/testkit'

/*
 * What nine databases hold of the same people: PostgreSQL has customers, and everything else hangs on them, by references that
 * lead from database to database. `whose` tells a test the person of a row, and no dataset says anything about it.
 */

/** How the rows of a table are told apart. */
export interface KeyForm {
  readonly kind: Extract<FixtureKind, 'integer' | 'big_integer' | 'string' | 'uuid'> | 'object_id'
  /** The key of the row with this number, in the order of the rows. */
  of(n: number): string | number
}

/** A table whose rows each belong to the person of a row elsewhere. */
export interface OwnedTable {
  readonly name: string
  readonly key: KeyForm
  /** The column that leads to the owner. */
  readonly reference: string
  /** The column it leads to: `database:table.column`. */
  readonly to: string
  /** The column that is handed over, and masked. */
  readonly text: string
  readonly deleted: boolean
}

const integers: KeyForm = { kind: 'integer', of: (n) => n }
/** Beyond 2^53, where a double holds even numbers only. */
const bigs: KeyForm = { kind: 'big_integer', of: (n) => String(9_007_199_254_740_993n + BigInt(n)) }
const texts = (word: string): KeyForm => ({ kind: 'string', of: (n) => `${word}-${n}` })
const uuids = (series: string): KeyForm => ({
  kind: 'uuid',
  of: (n) => `${series}-4000-8000-${String(n).padStart(12, '0')}`,
})
/** The 24 digits of an ObjectId. */
const objectIds = (series: string): KeyForm => ({
  kind: 'object_id',
  of: (n) => `${series}${String(n).padStart(20, '0')}`,
})

/** Keys of the customers, one for each person. */
export const customerKeys = {
  id: { ...integers, of: (person) => person + 1 },
  account: uuids('00000000-ac00'),
} satisfies Record<string, KeyForm>

const table = (name: string, key: KeyForm, reference: string, to: string, text: string): OwnedTable => ({
  ...{ name, key, reference, to, text },
  deleted: false,
})
const deleted = (...given: Parameters<typeof table>): OwnedTable => ({ ...table(...given), deleted: true })

/** By the key of the database. Those that a server checks references between come in their order. */
export const tables: Readonly<Record<string, readonly OwnedTable[]>> = {
  shop: [
    table('orders', bigs, 'customer_id', 'shop:customer.id', 'note'),
    table('dispute', integers, 'invoice_id', 'billing:invoice.id', 'reason'),
    table('review', integers, 'profile', 'app:profile._id', 'words'),
    deleted('ticket', integers, 'event', 'events:event.id', 'body'),
    table('viewed', integers, 'badge', 'app:badge._id', 'remark'),
    table('rating', integers, 'visit', 'lake:visit.id', 'words'),
  ],
  metrics: [
    table('reading', bigs, 'parcel', 'warehouse:parcel.id', 'remark'),
    table('alarm', integers, 'contact', 'crm:contact.id', 'note'),
    deleted('trace', uuids('00000000-7ace'), 'member', 'forum:member.id', 'body'),
  ],
  warehouse: [
    table('parcel', uuids('0000abcd-9a4c'), 'order_id', 'shop:orders.id', 'address'),
    table('pickup', integers, 'profile', 'app:profile._id', 'note'),
    deleted('sticker', bigs, 'reading', 'metrics:reading.id', 'words'),
  ],
  forum: [
    table('member', bigs, 'account', 'shop:customer.account', 'nick'),
    table('post', integers, 'contact', 'crm:contact.id', 'body'),
    deleted('vote', integers, 'event', 'events:event.id', 'reason'),
  ],
  crm: [
    table('contact', uuids('0000fade-c0de'), 'customer', 'shop:customer.id', 'name'),
    table('talk', integers, 'visit', 'lake:visit.id', 'words'),
    deleted('task', bigs, 'invoice', 'billing:invoice.id', 'note'),
  ],
  lake: [
    table('visit', texts('visit'), 'contact', 'crm:contact.id', 'url'),
    table('spend', integers, 'order_id', 'shop:orders.id', 'remark'),
    deleted('score', integers, 'profile', 'app:profile._id', 'words'),
  ],
  app: [
    table('profile', objectIds('65a0'), 'customer', 'shop:customer.id', 'nick'),
    table('message', objectIds('65a1'), 'profile', 'app:profile._id', 'body'),
    table('badge', uuids('00000000-bad0'), 'event', 'events:event.id', 'label'),
    deleted('reminder', integers, 'invoice', 'billing:invoice.id', 'words'),
    table('device', objectIds('65a2'), 'reading', 'metrics:reading.id', 'label'),
  ],
  events: [
    table('event', texts('event'), 'account', 'shop:customer.account', 'ip'),
    table('click', texts('click'), 'profile', 'app:profile._id', 'url'),
    deleted('charge', texts('charge'), 'invoice_id', 'billing:invoice.id', 'card'),
    table('scan', texts('scan'), 'parcel', 'warehouse:parcel.id', 'note'),
  ],
  billing: [
    table('invoice', bigs, 'order_id', 'shop:orders.id', 'address'),
    table('statement', texts('statement'), 'profile', 'app:profile._id', 'words'),
    deleted('slip', texts('slip'), 'event', 'events:event.id', 'words'),
    table('fee', integers, 'contact', 'crm:contact.id', 'remark'),
  ],
}

/** The form of the keys in a column: `database:table.column`. */
export function keyFormOf(to: string): KeyForm {
  const [key, name, column] = to.split(/[:.]/) as [string, string, string]
  const owner = tables[key]?.find((each) => each.name === name)
  return owner?.key ?? customerKeys[column as keyof typeof customerKeys]
}
