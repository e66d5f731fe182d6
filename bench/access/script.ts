import { writeFile } from 'node:fs/promises'
import pg from 'pg'
import { identities } from '../../demo/service.js'

type Row = Record<string, unknown>

/** One warm pool, as a script of one's own would keep it. Days stay days, whatever the time zone. */
export function scriptPool(connectionString: string, size: number): pg.Pool {
  const types = { getTypeParser: (type: number) => (type === 1082 ? String : pg.types.getTypeParser(type)) }
  return new pg.Pool({ connectionString, max: size, types: types as pg.CustomTypesConfig })
}

const notSearched = [
  { collection: 'shop:legacy_imports', reason: 'skip_processing' },
  { collection: 'shop:walk_in_sales', reason: 'identity not provided: club_card' },
]

/**
 * What one writes by hand for this shop and nothing else: the statements the engine sends, each as soon as the rows it
 * depends on are there, and the same package written to a file.
 */
export async function script(pool: pg.Pool, path: string): Promise<void> {
  const query = async (sql: string, ...values: unknown[]): Promise<Row[]> => (await pool.query(sql, values)).rows
  const [known, former] = identities as [{ email: string; phone_number: string }, { email: string }]
  const spelled = (text: string) => `lower(btrim(${text}, E' \\t\\r\\n'))`
  // Whether the two belong together: the former address needs no row to say so.
  await query(
    `select email, phone_number from customers where ${spelled('email')} = any($1) or phone_number = any($2)`,
    [known.email],
    [known.phone_number],
  )
  const emails = [known.email, former.email]
  const sharedLists = query(
    `select title, members from shared_lists where exists (select 1
      from jsonb_path_query(to_jsonb(members), $1::jsonpath) as element where ${spelled("element #>> '{}'")} = any($2))`,
    'lax $[*]."email"[*][*]',
    emails,
  )
  const newsletters = query(
    `select email, list from newsletter_subscriptions where ${spelled('email')} = any($1)`,
    emails,
  )
  const candidates = await query(
    `select id, email, phone_number, first_name, last_name, birth_date, address_id, profile, created_at from customers
    where ${spelled('email')} = any($1) or phone_number = any($2)`,
    emails,
    [known.phone_number],
  )
  const customers = candidates.filter(
    ({ email, phone_number }) =>
      email === former.email || (email === known.email && phone_number === known.phone_number),
  )
  const ids = values(customers, 'id')
  const byCustomer = (columns: string, table: string) =>
    query(`select ${columns} from ${table} where customer_id = any($1)`, ids)
  const wishLists = byCustomer('customer_id, product_id, note', 'wish_lists')
  const visits = byCustomer('id, customer_id, ip_address, landing_page, referrer, started_at', 'visits')
  const reviews = byCustomer('product_id, customer_id, stars, body', 'product_reviews')
  const cards = byCustomer('customer_id, billing_address_id, holder, brand, last_digits, expires_on', 'payment_cards')
  const accounts = byCustomer('program, member_number, customer_id, tier', 'loyalty_accounts')
  const logins = byCustomer('id, customer_id, ip_address, user_agent, device, logged_in_at', 'logins')
  const orders = byCustomer('id, customer_id, shipping_address_id, status, total_cents, gift_note, placed_at', 'orders')
  const threads = byCustomer('customer_id, subject', 'support_threads')
  const messages = query('select author_id, body, sent_at from support_messages where author_id = any($1)', ids)
  const points = accounts.then((found) =>
    query(
      `select program, member_number, points, reason from loyalty_points where member_number = any($1)
      and program = any($2) and ((member_number, program) in (select * from unnest($1::int4[], $2::text[]))) is true`,
      each(found, 'member_number'),
      each(found, 'program'),
    ),
  )
  const challenges = logins.then((found) =>
    query('select login_id, method, sent_to from login_challenges where login_id = any($1)', values(found, 'id')),
  )
  const events = visits.then((found) =>
    query('select visit_id, kind, page, happened_at from visit_events where visit_id = any($1)', values(found, 'id')),
  )
  const orderIds = orders.then((found) => values(found, 'id'))
  const shipments = orderIds.then((found) =>
    query('select order_id, tracking_code, recipient_name, signed_by from shipments where order_id = any($1)', found),
  )
  const items = orderIds.then((found) =>
    query('select order_id, line, product_id, quantity, engraving from order_items where order_id = any($1)', found),
  )
  const audit = orderIds.then((found) =>
    query(
      `select owner_type, owner_id, action, ip_address, at from audit_log
      where (owner_id = any($1) and owner_type = any($2)) or (owner_id = any($3) and owner_type = any($4))`,
      ids,
      ['customer'],
      found,
      ['order'],
    ),
  )
  const addresses = Promise.all([cards, orders]).then(([paid, placed]) =>
    query('select id, street, postal_code, city, country from addresses where id = any($1)', [
      ...new Set([
        ...each(customers, 'address_id'),
        ...each(paid, 'billing_address_id'),
        ...each(placed, 'shipping_address_id'),
      ]),
    ]),
  )
  const products = Promise.all([wishLists, reviews, items]).then((found) =>
    query('select id, name from products where id = any($1)', values(found.flat(), 'product_id')),
  )
  const returns = items.then((found) =>
    query(
      `select order_id, line, reason from order_returns where line = any($1) and order_id = any($2)
      and ((line, order_id) in (select * from unnest($1::int4[], $2::int4[]))) is true`,
      each(found, 'line'),
      each(found, 'order_id'),
    ),
  )
  const sections: Record<string, Row[]> = {
    'shop:addresses': (await addresses).map(({ id, ...rest }) => rest),
    'shop:audit_log': (await audit).map(({ owner_type, owner_id, ...rest }) => rest),
    'shop:customers': customers.map(({ id, address_id, profile, ...rest }) => ({
      ...rest,
      profile: told(profile as Row),
    })),
    'shop:login_challenges': (await challenges).map(({ login_id, ...rest }) => rest),
    'shop:logins': (await logins).map(({ id, ...rest }) => rest),
    'shop:loyalty_accounts': (await accounts).map(({ program, ...rest }) => rest),
    'shop:loyalty_points': (await points).map(({ program, ...rest }) => rest),
    'shop:newsletter_subscriptions': await newsletters,
    'shop:order_items': (await items).map(({ line, ...rest }) => rest),
    'shop:order_returns': (await returns).map(({ reason }) => ({ reason })),
    'shop:orders': (await orders).map(({ shipping_address_id, ...rest }) => rest),
    'shop:payment_cards': (await cards).map(({ billing_address_id, ...rest }) => rest),
    'shop:product_reviews': await reviews,
    'shop:products': await products,
    'shop:shared_lists': (await sharedLists).map(({ title, members }) => ({
      title,
      members: (members as Row[]).filter(({ email }) => emails.includes(email as string)),
    })),
    'shop:shipments': (await shipments).map(({ order_id, ...rest }) => rest),
    'shop:support_messages': (await messages).map(({ body, sent_at }) => ({ body, sent_at })),
    'shop:support_threads': (await threads).map(({ subject, customer_id }) => ({ subject, customer_id })),
    'shop:visit_events': (await events).map(({ visit_id, ...rest }) => rest),
    'shop:visits': (await visits).map(({ id, ...rest }) => rest),
    'shop:wish_lists': await wishLists,
  }
  const found = Object.entries(sections).filter(([, rows]) => rows.length > 0)
  await writeFile(path, JSON.stringify({ ...Object.fromEntries(found), not_searched: notSearched }, undefined, 1))
}

const each = (rows: readonly Row[], column: string) => rows.map((row) => row[column])
const values = (rows: readonly Row[], column: string) => [...new Set(each(rows, column))]
const told = ({ language, sizes, interests }: Row) => ({ language, sizes, interests })
