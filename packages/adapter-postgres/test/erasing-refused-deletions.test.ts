import { type PostgresServer, startPostgres } from '@habeas/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { erased, erasedShop, key, plain, refer } from './erased-shop.js'

/* A deletion that the server refuses is known before anything is written, wherever it can be tried. */

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const ann = 'ann@example.com'
const tables = `
create table customer (id int primary key, email text, name text);
create table orders (id int primary key, customer_id int, note text);
create table line (id int primary key, order_id int, note text);
insert into customer values (1, '${ann}', 'Ann');
insert into orders values (1, 1, 'hers');
insert into line values (1, 1, 'hers');`

const gone = { service_meta: { erase: 'delete' } }
const collections = [
  { name: 'customer', fields: [key, plain('email', { identity: 'email' }), erased('name')] },
  { name: 'orders', ...gone, fields: [key, refer('customer_id', 'customer.id', 'from'), erased('note')] },
  { name: 'line', ...gone, fields: [key, refer('order_id', 'orders.id', 'from'), erased('note')] },
]

const clerk = 'habeas_clerk_who_deletes_no_orders'
const ways = [
  [
    'a role that may not',
    `do $$ begin if not exists (select from pg_roles where rolname = '${clerk}') then create role ${clerk} login; end if; end $$;
     grant all on customer, line to ${clerk}; grant select, update on orders to ${clerk};
     do $$ begin execute format('grant usage on schema %I to ${clerk}', current_schema()); end $$;`,
    clerk,
    'The user of the connection may not write this to "orders"',
  ],
  [
    'a trigger',
    `create function stay() returns trigger language plpgsql as $$ begin raise exception 'orders stay'; end $$;
     create trigger stay before delete on orders for each row execute function stay();`,
    undefined,
    "The database refuses to delete rows of 'shop:orders', because of one of its rules",
  ],
] as const

it.each(ways)('a deletion refused because of %s leaves everything as it is', async (_, setUp, user, why) => {
  const database = await openDatabase(server.url, `${tables} ${setUp}`)
  const url = new URL(server.url)
  if (user) url.username = user
  try {
    await using shop = await erasedShop({ database: { ...database, url: String(url) }, collections })
    const { status, failure } = await shop.erase({ email: ann })
    expect(status).toBe('error')
    expect(failure).toContain(why)
    const { rows } = await database.client.query(
      'select name as kept from customer union all select note from orders union all select note from line order by 1',
    )
    expect(rows.map(({ kept }) => kept)).toEqual(['Ann', 'hers', 'hers'])
  } finally {
    await database.close()
  }
})
