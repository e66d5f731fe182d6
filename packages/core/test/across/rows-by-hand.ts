import type { StoredRow } from './four-databases.js'

/** What is handed over of a person, by address, as a program finds it that knows these databases and nothing of Habeas. */
export function rowsByHand(
  all: ReadonlyMap<string, readonly StoredRow[]>,
  email: string,
): ReadonlyMap<string, readonly object[]> {
  const of = (address: string) => all.get(address) ?? []
  /** Rows of a collection that refer to one of these rows. Values are compared as text: drivers give them in many forms. */
  const referring = (address: string, field: string, to: readonly StoredRow[], key: string) => {
    const keys = new Set(to.map((row) => plain(row[key])))
    return of(address).filter((row) => keys.has(plain(row[field])))
  }
  const customer = of('shop:customer').filter((row) => row['email'] === email)
  const orders = referring('shop:orders', 'customer_id', customer, 'id')
  const profile = referring('app:profile', 'customer', customer, 'id')
  const event = referring('events:event', 'account', customer, 'account')
  const invoice = referring('billing:invoice', 'order_id', orders, 'id')
  const badge = referring('app:badge', 'event', event, 'id')
  const found: Record<string, [rows: readonly StoredRow[], ...fields: string[]]> = {
    'shop:customer': [customer, 'email', 'name'],
    'shop:orders': [orders, 'note'],
    'shop:dispute': [referring('shop:dispute', 'invoice_id', invoice, 'id'), 'reason'],
    'shop:review': [referring('shop:review', 'profile', profile, '_id'), 'words'],
    'shop:ticket': [referring('shop:ticket', 'event', event, 'id'), 'body'],
    'shop:viewed': [referring('shop:viewed', 'badge', badge, '_id'), 'remark'],
    'app:profile': [profile, 'nick', 'home'],
    'app:message': [referring('app:message', 'profile', profile, '_id'), 'body'],
    'app:badge': [badge, 'label'],
    'app:reminder': [referring('app:reminder', 'invoice', invoice, 'id'), 'words'],
    'events:event': [event, 'ip'],
    'events:click': [referring('events:click', 'profile', profile, '_id'), 'url'],
    'events:charge': [referring('events:charge', 'invoice_id', invoice, 'id'), 'card'],
    'billing:invoice': [invoice, 'address'],
    'billing:statement': [referring('billing:statement', 'profile', profile, '_id'), 'words'],
    'billing:slip': [referring('billing:slip', 'event', event, 'id'), 'words'],
  }
  return new Map(
    Object.entries(found).map(([address, [rows, ...fields]]) => [
      address,
      rows.map((row) =>
        Object.fromEntries(
          fields.map((field) => [field, field === 'home' ? { city: (row['home'] as StoredRow)['city'] } : row[field]]),
        ),
      ),
    ]),
  )
}

/** A key as text, whether it came as a number, as text or as extended JSON. */
function plain(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const [held] = Object.values(value)
  const { base64 } = held as { base64?: string }
  if (base64 === undefined) return String(held)
  const digits = Buffer.from(base64, 'base64').toString('hex')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
