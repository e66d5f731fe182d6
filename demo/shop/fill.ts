import { adjectives, agents, firstNames, goods, lastNames, questions, remarks, streets, towns } from './words.js'

/** How many rows a shop of so many customers has, and one statement that makes them. */
export interface Filling {
  readonly table: string
  readonly sql: string
}

let salts = 0
/** A whole number below `size`, the same for the same row and place on every run. */
const pick = (row: string, size: number | string) => `pg_temp.pick(${row}, ${++salts}, ${size})`
const word = (row: string, words: readonly string[]) =>
  `(array['${words.join("','")}'])[1 + ${pick(row, words.length)}]`
const moment = (row: string) => `timestamptz '2021-01-01' + ${pick(row, 94_608_000)} * interval '1 second'`
const day = (row: string, from: string, days: number) => `date '${from}' + ${pick(row, days)}`
const address = (row: string) => `'10.' || ${pick(row, 256)} || '.' || ${pick(row, 256)} || '.' || ${pick(row, 256)}`
const sometimes = (row: string, oneIn: number, value: string) => `case when ${pick(row, oneIn)} = 0 then ${value} end`
const uuidOf = (row: string) => `md5('visit ' || ${row})::uuid`

/** Statements that fill the shop, those that are referred to first. `customers` is at least 100. */
export function fillings(customers: number): readonly Filling[] {
  salts = 0
  const size = {
    suppliers: 40,
    products: 600,
    households: Math.ceil((customers * 5) / 8),
    orders: customers * 5,
    threads: Math.ceil(customers / 2),
    logins: customers * 6,
    visits: customers * 4,
  }
  const rows = (count: number, as = 'row') => `from generate_series(1, ${Math.ceil(count)}) as ${as}`
  const customer = (row: string) => `1 + ${pick(row, customers)}`
  const order = (row: string) => `1 + ${pick(row, size.orders)}`
  return [
    {
      table: 'suppliers',
      sql: `select row, initcap(${word('row', goods)}) || ' works ' || row, split_part(${word('row', towns)}, '/', 1)
        ${rows(size.suppliers)}`,
    },
    {
      table: 'products',
      sql: `select row, 1 + ${pick('row', size.suppliers)}, 'SKU-' || lpad(row::text, 6, '0'),
        ${word('row', adjectives)} || ' ' || ${word('row', goods)}, 500 + ${pick('row', 20_000)},
        jsonb_build_object('weight_grams', ${pick('row', 5000)}, 'tags', jsonb_build_array(${word('row', adjectives)}))
        ${rows(size.products)}`,
    },
    {
      table: 'addresses',
      sql: `select row, ${word('row', streets)} || ' ' || 1 + ${pick('row', 120)}, lpad((${pick('row', 99_999)})::text, 5, '0'),
        split_part(town, '/', 1), split_part(town, '/', 2)
        from (select row, ${word('row', towns)} as town ${rows(size.households)}) as place`,
    },
    {
      table: 'customers',
      sql: `select row, lower(first || '.' || last || '.' || row || '@example.org'),
        '+49 30 ' || 1000000 + case when ${pick('household', 3)} = 0 then household else 100000 + row end,
        first, last, ${day('row', '1940-01-01', 23_000)}, household,
        ${sometimes('row', 6, `greatest(1, row - 1 - ${pick('row', 50)})`)}, md5('password ' || row),
        jsonb_build_object('language', ${word('row', ['de', 'en', 'fr', 'sv'])}, 'birthday_mail', ${pick('row', 2)} = 0,
          'sizes', jsonb_build_object('shoe', 35 + ${pick('row', 12)}, 'shirt', ${word('row', ['S', 'M', 'L', 'XL'])}),
          'interests', jsonb_build_array(${word('row', goods)}, ${word('row', goods)})),
        ${moment('row')}
        from (select row, 1 + (row - 1) * 5 / 8 as household, ${word('row', firstNames)} as first,
          ${word('1 + (row - 1) * 5 / 8', lastNames)} as last ${rows(customers)}) as person`,
    },
    {
      table: 'payment_cards',
      sql: `select row, owner.id, owner.address_id, owner.first_name || ' ' || owner.last_name,
        ${word('row', ['Visa', 'Mastercard', 'Maestro'])}, lpad((${pick('row', 9999)})::text, 4, '0'), 'tok_' || md5('card ' || row),
        ${day('row', '2024-01-01', 1400)} ${rows(customers)} join customers owner on owner.id = row`,
    },
    {
      table: 'orders',
      sql: `select row, buyer.id, buyer.address_id, ${sometimes('row', 2, 'buyer.id')},
        ${word('row', ['delivered', 'delivered', 'delivered', 'returned', 'open'])}, 900 + ${pick('row', 50_000)},
        ${sometimes('row', 9, word('row', ['Happy birthday!', 'With love', 'Get well soon']))}, ${moment('row')}
        from (select row, ${customer('row')} as buyer ${rows(size.orders)}) as made
        join customers buyer on buyer.id = made.buyer`,
    },
    {
      table: 'order_items',
      sql: `select row, line, 1 + ${pick('row * 8 + line', size.products)}, 1 + ${pick('row * 8 + line', 3)},
        500 + ${pick('row * 8 + line', 20_000)}, ${sometimes('row * 8 + line', 12, word('row', firstNames))}
        ${rows(size.orders)}, generate_series(1, 1 + ${pick('row', 3)}) as line`,
    },
    {
      table: 'order_returns',
      sql: `select row, ${order('row')}, 1, ${word('row', remarks)}, ${moment('row')} ${rows(size.orders / 16)}`,
    },
    {
      table: 'shipments',
      sql: `select row, placed.id, ${word('row', ['Northpost', 'Parcel & Sons', 'Velo'])}, 'TRK' || upper(substr(md5('parcel ' || row), 1, 12)),
        buyer.first_name || ' ' || buyer.last_name, ${sometimes('row', 3, word('row', lastNames))}, ${moment('row')}
        ${rows(size.orders)} join orders placed on placed.id = row join customers buyer on buyer.id = placed.customer_id
        where placed.status <> 'open'`,
    },
    {
      table: 'product_reviews',
      sql: `select row, 1 + ${pick('row', size.products)}, ${customer('row')}, 1 + ${pick('row', 5)}, ${word('row', remarks)},
        ${moment('row')} ${rows(customers)}`,
    },
    {
      table: 'wish_lists',
      sql: `select row, 1 + (row * 7 + wish * 13) % ${size.products}, ${sometimes('row + wish', 5, word('row', remarks))},
        ${moment('row + wish')} ${rows(customers)}, generate_series(1, ${pick('row', 3)}) as wish`,
    },
    {
      table: 'shared_lists',
      sql: `select row, 'Presents for ' || ${word('row', firstNames)},
        (select jsonb_agg(jsonb_build_object('email', member.email, 'first_name', member.first_name,
          'wants', jsonb_build_array(${word('member.id', goods)})) order by member.id)
        from customers member where member.id in (${customer('row')}, ${customer('row')}, ${customer('row')})),
        ${moment('row')} ${rows(customers / 8)}`,
    },
    {
      table: 'support_threads',
      sql: `select row, buyer, placed, ${word('row', questions)}, ${moment('row')}
        from (select row, ${customer('row')} as buyer, ${sometimes('row', 2, order('row'))} as placed ${rows(size.threads)}) as opened`,
    },
    {
      table: 'support_messages',
      sql: `select (thread.id - 1) * 3 + part, thread.id, case when part = 2 then null else thread.customer_id end,
        ${word('thread.id * 4 + part', questions)},
        case when part = 1 then jsonb_build_array(jsonb_build_object('name', 'photo.jpg', 'bytes', ${pick('thread.id', 90_000)}))
        else '[]' end, thread.opened_at + part * interval '7 hours'
        from support_threads thread, generate_series(1, 3) as part`,
    },
    {
      table: 'logins',
      sql: `select row, ${customer('row')}, ${address('row')}, ${word('row', agents)},
        jsonb_build_object('screen', jsonb_build_object('width', 320 + ${pick('row', 2000)}), 'touch', ${pick('row', 2)} = 0),
        ${pick('row', 20)} > 0, ${moment('row')} ${rows(size.logins)}`,
    },
    {
      table: 'login_challenges',
      sql: `select row, 1 + ${pick('row', size.logins)}, ${word('row', ['sms', 'mail', 'app'])}, '+49 30 ' || 1000000 + ${pick('row', 900_000)},
        ${sometimes('row', 2, moment('row'))} ${rows(customers)}`,
    },
    {
      table: 'visits',
      sql: `select ${uuidOf('row')}, ${customer('row')}, ${address('row')}, '/' || ${word('row', goods)},
        ${sometimes('row', 3, "'https://search.example/'")}, ${moment('row')} ${rows(size.visits)}`,
    },
    {
      table: 'visit_events',
      sql: `select row, ${uuidOf(`1 + ${pick('row', size.visits)}`)}, ${word('row', ['view', 'click', 'search'])}, '/' || ${word('row', goods)},
        ${moment('row')} ${rows(size.visits)}`,
    },
    {
      table: 'newsletter_subscriptions',
      sql: `select email, list, ${word('id', ['checkout', 'footer', 'fair'])}, ${moment('id')}
        from customers, unnest(array['news', 'offers']) as list where ${pick('id * 2 + length(list)', 3)} = 0`,
    },
    {
      table: 'loyalty_accounts',
      sql: `select ${word('row', ['bonus', 'family'])}, row, ${customer('row')}, ${word('row', ['blue', 'silver', 'gold'])},
        ${day('row', '2019-01-01', 1500)} ${rows(customers / 2)}`,
    },
    {
      table: 'loyalty_points',
      sql: `select (account.member_number - 1) * 3 + entry, account.program, account.member_number,
        ${pick('account.member_number * 4 + entry', 500)}, ${word('account.member_number', ['order', 'birthday', 'referral'])},
        ${moment('account.member_number')} from loyalty_accounts account, generate_series(1, 3) as entry`,
    },
    {
      table: 'audit_log',
      sql: `select row, case when row % 3 = 0 then 'product' when row % 3 = 1 then 'customer' else 'order' end,
        case when row % 3 = 2 then ${order('row')} else ${customer('row')} end, ${word('row', ['viewed', 'exported', 'changed'])}, ${address('row')},
        jsonb_build_object('by', ${word('row', ['helpdesk', 'billing', 'warehouse'])}), ${moment('row')} ${rows(customers * 3)}`,
    },
    {
      table: 'walk_in_sales',
      sql: `select row, 'CLUB-' || lpad((${pick('row', 9999)})::text, 4, '0'), ${word('row', firstNames)} || ' ' || ${word('row', lastNames)},
        300 + ${pick('row', 9000)}, ${moment('row')} ${rows(customers / 2)}`,
    },
    {
      table: 'legacy_imports',
      sql: `select row, ${word('row', lastNames)} || ';' || ${word('row', streets)} || ';' || ${pick('row', 9999)} ${rows(customers / 2)}`,
    },
  ]
}
