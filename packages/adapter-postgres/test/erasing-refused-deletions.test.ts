import { describe, expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { erased, erasedShop, key, plain, refer } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

/* A deletion that the server refuses is known before anything is written, wherever it can be tried. */

const server = sharedServer()

const ann = 'ann@example.com'
const tables = `
create table customer (id int primary key, email text, name text);
create table visit (id int primary key, customer_id int, note text);
create table wish (id int primary key, customer_id int, note text);
insert into customer values (1, '${ann}', 'Ann');
insert into visit values (1, 1, 'hers');
insert into wish values (1, 1, 'hers');`

const gone = { service_meta: { erase: 'delete' } }
const hers = [key, refer('customer_id', 'customer.id', 'from'), erased('note')]
const collections = [
  { name: 'customer', fields: [key, plain('email', { identity: 'email' }), erased('name')] },
  { name: 'visit', ...gone, fields: hers },
  { name: 'wish', ...gone, fields: hers },
]

const clerk = 'habeas_clerk_who_deletes_few_rows'
const roleWithout = (table: string) => `
  do $$ begin if not exists (select from pg_roles where rolname = '${clerk}') then create role ${clerk} login; end if; end $$;
  grant all on customer, visit, wish to ${clerk}; revoke delete on ${table} from ${clerk};
  do $$ begin execute format('grant usage on schema %I to ${clerk}', current_schema()); end $$;`
const triggerOn = (table: string) => `
  create function stay() returns trigger language plpgsql as $$ begin raise exception 'rows stay'; end $$;
  create trigger stay before delete on ${table} for each row execute function stay();`

// Whichever is written first, the other one is tried before that.
describe.each(['visit', 'wish'])('a deletion from %s that is refused', (table) => {
  it.each([
    ['to a role', roleWithout(table), clerk, `The user of the connection may not write this to "${table}"`],
    ['by a trigger', triggerOn(table), undefined, `The database refuses to delete rows of 'shop:${table}'`],
  ])('%s leaves everything as it is', async (_, setUp, user, why) => {
    const database = await openDatabase(server.url, `${tables} ${setUp}`)
    const url = new URL(server.url)
    if (user) url.username = user
    try {
      await using shop = await erasedShop({ database: { ...database, url: String(url) }, collections })
      const { status, failure } = await shop.erase({ email: ann })
      expect(status).toBe('error')
      expect(failure).toContain(why)
      const { rows } = await database.client.query(
        'select name as kept from customer union all select note from visit union all select note from wish order by 1',
      )
      expect(rows.map(({ kept }) => kept)).toEqual(['Ann', 'hers', 'hers'])
    } finally {
      await database.close()
    }
  })
})

it('a trigger that allows a deletion once nothing refers to the row stops nothing', async () => {
  const database = await openDatabase(
    server.url,
    `${tables} create table line (id int primary key, visit_id int, note text);
     insert into line values (1, 1, 'hers');
     create function stay() returns trigger language plpgsql as $$ declare there boolean; begin
       execute format('select exists (select from %I.line where visit_id = $1)', tg_table_schema) into there using old.id;
       if there then raise exception 'it has lines'; end if;
       return old; end $$;
     create trigger stay before delete on visit for each row execute function stay();`,
  )
  try {
    const line = { name: 'line', ...gone, fields: [key, refer('visit_id', 'visit.id', 'from'), erased('note')] }
    await using shop = await erasedShop({ database, collections: [...collections, line] })
    const { status, failure } = await shop.erase({ email: ann })
    expect([status, failure]).toEqual(['complete', undefined])
    expect((await database.client.query('select * from visit')).rows).toEqual([])
  } finally {
    await database.close()
  }
})
