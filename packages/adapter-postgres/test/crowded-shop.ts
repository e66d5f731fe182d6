import pg from 'pg'
import { quoted, type TestDatabase } from './database.js'
import { erased, key, plain, refer } from './erased-shop.js'

/** Customers 0 to 4 are erased by somebody; 5 to 8 by nobody. Neighbours share rows. */
export const erasedCustomers = [0, 1, 2, 3, 4]
const others = [5, 6, 7, 8]
/** An address that others live at as well, for good. */
const sharedAddress = 50

/** Who asks, and whose rows that reaches: rows of customer 1 are those of two requests. */
export const asked = [
  { identity: { login: 'zero@example.com' }, customers: [0, 1] },
  { identity: { phone: '1' }, customers: [1, 2] },
  { identity: { login: 'two@example.com' }, customers: [2, 3] },
  { identity: { phone: '4' }, customers: [4] },
] as const

/** Tables with an account of who wrote to which row and whose that was then, which the server keeps. */
export const setUp = `
create table customer (id int primary key, email text, phone text, name text);
create table address (id int primary key, street text);
create table orders (id int primary key, customer_id int not null references customer, address_id int references address, note text);
create table payment (id int primary key, order_id int not null references orders, card text);
create table message (id int primary key, customer_id int not null references customer, body text);
create index on orders (customer_id); create index on payment (order_id); create index on message (customer_id);
create sequence ids start 1000;
insert into customer values (0, 'zero@example.com', '0', 'n'), (1, 'zero@example.com', '1', 'n'), (2, 'two@example.com', '1', 'n'),
  (3, 'two@example.com', '3', 'n'), (4, 'four@example.com', '4', 'n'), (5, 'five@example.com', '5', 'n'),
  (6, 'six@example.com', '6', 'n'), (7, 'seven@example.com', '7', 'n'), (8, 'eight@example.com', '8', 'n');
insert into address select i, 'street' from generate_series(0, 8) i union select ${sharedAddress}, 'shared';
insert into orders values (1, 8, ${sharedAddress}, 'stays');
insert into orders select 10 + i, i % 9, i % 9, 'note' from generate_series(0, 89) i;
insert into payment select 10 + i, 10 + i, 'card' from generate_series(0, 89, 2) i;
insert into message select 10 + i, i % 9, 'body' from generate_series(0, 89) i;
create table written (at bigserial, who text, collection text, operation text, was jsonb, now jsonb, owner int);
create function account() returns trigger language plpgsql set search_path from current as $$ declare owner int; begin
  owner := case tg_table_name when 'customer' then old.id when 'address' then (case when old.id < 9 then old.id end)
    when 'payment' then (select customer_id from orders where id = (to_jsonb(old)->>'order_id')::int)
    else (to_jsonb(old)->>'customer_id')::int end;
  insert into written (who, collection, operation, was, now, owner)
    values (current_setting('application_name'), tg_table_name, tg_op, to_jsonb(old), to_jsonb(new), owner);
  return null;
end $$;
${['customer', 'address', 'orders', 'payment', 'message']
  .map((name) => `create trigger account after update or delete on ${name} for each row execute function account();`)
  .join('\n')}`

export const collections = [
  {
    name: 'customer',
    fields: [key, plain('email', { identity: 'login' }), plain('phone', { identity: 'phone' }), erased('name')],
  },
  { name: 'address', fields: [key, erased('street')] },
  {
    name: 'orders',
    service_meta: { erase: 'delete' },
    fields: [
      ...[key, refer('customer_id', 'customer.id', 'from'), refer('address_id', 'address.id', 'to'), erased('note')],
    ],
  },
  {
    name: 'payment',
    service_meta: { erase: 'delete' },
    fields: [key, refer('order_id', 'orders.id', 'from'), erased('card')],
  },
  { name: 'message', fields: [key, refer('customer_id', 'customer.id', 'from'), erased('body')] },
]

const pick = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)] as Item

/**
 * One thing that an application does. Orders that are paid for keep their customer, and nobody moves to an address of
 * somebody who is erased: what a row leads to, and who shares it, is as it was when it was read.
 */
function statement(): string {
  const anybody = pick([...erasedCustomers, ...erasedCustomers, ...others])
  const row = (table: string, of: number | string, where = 'true') =>
    `(select id from ${table} where customer_id = ${of} and ${where} order by random() limit 1)`
  return pick([
    `insert into orders values (nextval('ids') * 2, ${anybody}, ${sharedAddress}, 'new')`,
    `insert into payment select nextval('ids'), id, 'new' from orders where id % 2 = 0 and customer_id = ${anybody} limit 1`,
    `insert into message values (nextval('ids'), ${anybody}, 'new')`,
    `delete from payment where order_id = ${row('orders', anybody)}`,
    `delete from orders where id = ${row('orders', anybody, 'id % 2 = 1 and id > 1')}`,
    `delete from message where id = ${row('message', anybody)}`,
    `update orders set customer_id = ${pick(others)}, address_id = ${sharedAddress} where id = ${row('orders', anybody, 'id % 2 = 1')}`,
    `update message set customer_id = ${pick(others)} where id = ${row('message', anybody)}`,
    `update message set customer_id = ${pick(erasedCustomers)} where id = ${row('message', pick(others))}`,
    `update message set id = nextval('ids') where id = ${row('message', anybody)}`,
    `update message set body = 'edited' where id = ${row('message', anybody)}`,
    `update orders set note = 'edited' where id = ${row('orders', anybody)}`,
    `update address set street = 'renamed' where id = ${anybody}`,
    `update customer set name = 'renamed' where id = ${anybody}`,
  ])
}

/** Locks rows from the last to the first; an erasure takes them from the first to the last. */
const crossing = () => {
  const table = pick(['orders', 'message', 'customer'])
  const owner = pick(erasedCustomers)
  const column = table === 'customer' ? 'id' : 'customer_id'
  return `do $$ declare each int; begin
    for each in select id from ${table} where ${column} in (${owner}, ${(owner + 1) % 5}) order by id desc limit 6 loop
      perform 1 from ${table} where id = each for update; perform pg_sleep(0.002);
    end loop; end $$`
}

/** An application that writes in transactions until it is told to stop; resolves with how many the server ended. */
export async function application({ url, schema }: TestDatabase, stop: AbortSignal) {
  const client = new pg.Client({ connectionString: url, application_name: 'shop' })
  await client.connect()
  await client.query(`set search_path to ${quoted(schema)}, public`)
  const ended = { deadlocks: 0, refused: 0, committed: 0 }
  while (!stop.aborted) {
    const statements = Array.from({ length: 1 + Math.floor(Math.random() * 3) }, statement)
    if (Math.random() < 0.4) statements.unshift(crossing())
    try {
      await client.query(`begin; ${statements.join('; ')}; commit`)
      ended.committed++
    } catch (error) {
      await client.query('rollback')
      const { code } = error as { code?: string }
      if (code === '40P01') ended.deadlocks++
      else if (code === '23503') ended.refused++
      else throw error
    }
  }
  await client.end()
  return ended
}
