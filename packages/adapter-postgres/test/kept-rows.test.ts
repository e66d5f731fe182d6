import { expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { erased, erasedShop, key, plain } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
const body = (text: string) => `returns trigger language plpgsql as $$ begin ${text} return null; end $$`

it('names triggers that may copy old values', async () => {
  const database = await openDatabase(
    server.url,
    `create table person (id int primary key, email text, seen timestamptz);
     create table visit (id int, day date) partition by range (day);
     create table visit_2024 partition of visit for values from ('2024-01-01') to ('2025-01-01');
     create table log (line text);
     create function copied() ${body('insert into log values (to_jsonb(old)::text);')};
     create function copied_all() ${body('insert into log select before::text from before;')};
     create function touched() ${body('new.seen := now();')};
     create function told() ${body(`insert into log values ('written');`)};
     create trigger audit after update or delete on person for each row execute function copied();
     create trigger audit_all after delete on person referencing old table as before for each statement execute function copied_all();
     create trigger off before update on person for each row execute function copied();
     alter table person disable trigger off;
     create trigger touch before update on person for each row execute function touched();
     create trigger added after insert on person for each row execute function copied();
     create trigger each after update on person for each statement execute function told();
     create trigger builtin before update on person for each row execute function suppress_redundant_updates_trigger();
     create trigger of_visits after update on visit for each row execute function copied();
     create trigger of_part after update on visit_2024 for each row execute function copied();
     alter table visit add foreign key (id) references person on delete cascade;`,
  )
  try {
    const { collections } = await database.connection.describe()
    expect(collections.map(({ name, keptIn }) => [name, keptIn?.map((each) => `${each.kind} ${each.name}`)])).toEqual([
      ['log', undefined],
      ['person', ['trigger audit', 'trigger audit_all']],
      ['visit', ['trigger of_part', 'trigger of_visits']],
    ])
  } finally {
    await database.close()
  }
})

it('names columns of large objects that an erasure concerns, and the trigger, in the receipt', async () => {
  const ann = 'ann@example.com'
  const database = await openDatabase(
    server.url,
    `create domain lo as oid;
     create table person (id int primary key, email text, cv oid, photo lo, made_by oid);
     create function copied() ${body('insert into person select old.*;')};
     create trigger audit after delete on person for each row execute function copied();
     insert into person values (1, '${ann}', lo_from_bytea(0, 'CV of Ann'), lo_from_bytea(0, 'Ann'), 1);`,
  )
  try {
    const fields = [key, plain('email', { identity: 'email' }), erased('cv'), erased('photo'), plain('made_by')]
    await using shop = await erasedShop({ database, collections: [{ name: 'person', fields }] })
    const { status, results = [] } = await shop.erase({ email: ann })
    expect(status).toBe('complete')
    expect(results.find(({ actionType }) => actionType === 'erasure')?.keptCopies).toEqual([
      { name: 'cv', kind: 'large_object' },
      { name: 'photo', kind: 'large_object' },
      { name: 'audit', kind: 'trigger' },
    ])
    const { rows } = await database.client.query('select cv, photo, made_by::int from person')
    expect(rows).toEqual([{ cv: null, photo: null, made_by: 1 }])
  } finally {
    await database.close()
  }
})
