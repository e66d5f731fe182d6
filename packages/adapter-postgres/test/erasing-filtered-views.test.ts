import { expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { erased, erasedShop, key, plain } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
const ann = 'ann@example.com'
const email = plain('email', { identity: 'email' })

async function erasedThings(setUp: string, ...fields: readonly object[]) {
  const database = await openDatabase(server.url, setUp)
  try {
    await using shop = await erasedShop({ database, collections: [{ name: 'thing', fields }] })
    const { status, failure, results = [] } = await shop.erase({ email: ann })
    const { rows } = await database.client.query('select note from thing_table order by place')
    return {
      status,
      failure,
      outcomes: results.flatMap(({ outcomes }) => outcomes),
      notes: rows.map(({ note }) => note),
    }
  } finally {
    await database.close()
  }
}

const table = `create table thing_table (id int primary key, place int, email text, note text);
  insert into thing_table values (1, 1, '${ann}', 'hers'), (2, 2, 'bob@example.com', 'bobs');`

it('a row that a view does not show any more may have been written, and is told as such', async () => {
  const view = `create view thing as select * from thing_table where note is not null`
  const found = await erasedThings(`${table} ${view}`, key, email, erased('note'))
  const reason = expect.stringMatching(
    /^the view does not show it any more: it may have been written.*describe that table$/,
  )
  expect(found).toMatchObject({
    status: 'complete',
    outcomes: [{ outcome: 'gone', rowCount: 1, reason }],
    notes: [null, 'bobs'],
  })
})

it('rows without a key whose trigger puts a value back are told with the way out', async () => {
  const trigger = `create table thing (place int, email text, note text);
    insert into thing values (1, '${ann}', 'hers'), (2, 'bob@example.com', 'bobs');
    create view thing_table as select * from thing;
    create function back() returns trigger language plpgsql as $$ begin new.note := 'again'; return new; end $$;
    create trigger back before update on thing for each row execute function back();`
  const { status, failure } = await erasedThings(trigger, plain('place'), email, erased('note'))
  expect(status).toBe('error')
  expect(failure).toContain("1 row of 'shop:thing' still holds data that was to be erased (note)")
  expect(failure).toContain('These rows have no key. Where a trigger changes what is written')
})

const documentsOf = (...notes: string[]) => `create table thing (place int, email text, note json);
  insert into thing values ${notes.map((note) => `(1, '${ann}', '${note}')`).join(', ')};
  create view thing_table as select * from thing;`

it('rows without a key are erased whose documents read alike', async () => {
  const documents = documentsOf('{"n": 1e400}', '{"n": "1e400"}')
  const { status, notes } = await erasedThings(documents, plain('place'), email, erased('note'))
  expect([status, notes]).toEqual(['complete', [null, null]])
})

it('rows without a key are told with the way out where a document holds such a number and such a text', async () => {
  const documents = documentsOf('{"n": 1e400, "m": "1e400"}', '{"n": "1e400", "m": 1e400}')
  const { status, failure, notes } = await erasedThings(documents, plain('place'), email, erased('note'))
  expect([status, notes]).toEqual(['error', [expect.anything(), expect.anything()]])
  expect(failure).toContain(
    'a document holds a number that does not fit into a double beside a text that looks like one',
  )
  expect(failure).toContain('add a unique key to the table')
})
