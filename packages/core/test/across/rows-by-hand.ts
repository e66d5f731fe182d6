import type { StoredRow } from './crossed-database.js'

/**
 * What is handed over of a person, by address, as a program finds it that knows these databases and nothing of Habeas. In a
 * collection that is not there it finds nothing, nor in those that refer to it.
 */
export function rowsByHand(
  all: ReadonlyMap<string, readonly StoredRow[]>,
  email: string,
): ReadonlyMap<string, readonly object[]> {
  const of = (address: string) => all.get(address) ?? []
  /** Rows of a collection that refer to one of these rows. Values are compared as text: drivers give them in many forms. */
  const referring = (address: string, field: string, to: readonly StoredRow[], key = 'id') => {
    const keys = new Set(to.map((row) => plain(row[key])))
    return of(address).filter((row) => keys.has(plain(row[field])))
  }
  const customer = of('shop:customer').filter((row) => row['email'] === email)
  const orders = referring('shop:orders', 'customer_id', customer)
  const profile = referring('app:profile', 'customer', customer)
  const event = referring('events:event', 'account', customer, 'account')
  const member = referring('forum:member', 'account', customer, 'account')
  const invoice = referring('billing:invoice', 'order_id', orders)
  const parcel = referring('warehouse:parcel', 'order_id', orders)
  const reading = referring('metrics:reading', 'parcel', parcel)
  const badge = referring('app:badge', 'event', event)
  const contact = referring('crm:contact', 'customer', customer)
  const visit = referring('lake:visit', 'contact', contact)
  const found: Record<string, [rows: readonly StoredRow[], ...fields: string[]]> = {
    'shop:customer': [customer, 'email', 'name'],
    'shop:orders': [orders, 'note'],
    'shop:dispute': [referring('shop:dispute', 'invoice_id', invoice), 'reason'],
    'shop:review': [referring('shop:review', 'profile', profile, '_id'), 'words'],
    'shop:ticket': [referring('shop:ticket', 'event', event), 'body'],
    'shop:viewed': [referring('shop:viewed', 'badge', badge, '_id'), 'remark'],
    'shop:rating': [referring('shop:rating', 'visit', visit), 'words'],
    'metrics:reading': [reading, 'remark'],
    'metrics:alarm': [referring('metrics:alarm', 'contact', contact), 'note'],
    'metrics:trace': [referring('metrics:trace', 'member', member), 'body'],
    'warehouse:parcel': [parcel, 'address'],
    'warehouse:pickup': [referring('warehouse:pickup', 'profile', profile, '_id'), 'note'],
    'warehouse:sticker': [referring('warehouse:sticker', 'reading', reading), 'words'],
    'forum:member': [member, 'nick'],
    'forum:post': [referring('forum:post', 'contact', contact), 'body'],
    'forum:vote': [referring('forum:vote', 'event', event), 'reason'],
    'crm:contact': [contact, 'name'],
    'crm:talk': [referring('crm:talk', 'visit', visit), 'words'],
    'crm:task': [referring('crm:task', 'invoice', invoice), 'note'],
    'lake:visit': [visit, 'url'],
    'lake:spend': [referring('lake:spend', 'order_id', orders), 'remark'],
    'lake:score': [referring('lake:score', 'profile', profile, '_id'), 'words'],
    'app:profile': [profile, 'nick', 'home'],
    'app:message': [referring('app:message', 'profile', profile, '_id'), 'body'],
    'app:badge': [badge, 'label'],
    'app:reminder': [referring('app:reminder', 'invoice', invoice), 'words'],
    'app:device': [referring('app:device', 'reading', reading), 'label'],
    'events:event': [event, 'ip'],
    'events:click': [referring('events:click', 'profile', profile, '_id'), 'url'],
    'events:charge': [referring('events:charge', 'invoice_id', invoice), 'card'],
    'events:scan': [referring('events:scan', 'parcel', parcel), 'note'],
    'billing:invoice': [invoice, 'address'],
    'billing:statement': [referring('billing:statement', 'profile', profile, '_id'), 'words'],
    'billing:slip': [referring('billing:slip', 'event', event), 'words'],
    'billing:fee': [referring('billing:fee', 'contact', contact), 'remark'],
  }
  return new Map(
    Object.entries(found)
      .filter(([, [rows]]) => rows.length > 0)
      .map(([address, [rows, ...fields]]) => [
        address,
        rows.map((row) =>
          Object.fromEntries(
            fields.map((field) => [
              field,
              field === 'home' ? { city: (row['home'] as StoredRow)['city'] } : row[field],
            ]),
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
