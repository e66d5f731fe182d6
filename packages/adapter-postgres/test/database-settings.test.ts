import { describe, expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { erased, erasedShop, key, plain } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

const ann = 'ann@example.com'

describe.each([
  ['off', 'on'],
  ['local', 'on'],
  ['remote_write', 'remote_write'],
  ['remote_apply', 'remote_apply'],
])('a database with synchronous_commit = %s and array_nulls = off', (setting, written) => {
  const server = sharedServer({ synchronous_commit: setting, array_nulls: 'off' })

  it('is erased for good, and NULL in a list stays NULL', async () => {
    const database = await openDatabase(
      server.url,
      `create table thing (id int primary key, email text, tags text[]);
       create table public.log (setting text);
       create function logged() returns trigger language plpgsql as
         $$ begin insert into public.log values (current_setting('synchronous_commit')); return null; end $$;
       create trigger logged after update on thing for each row execute function logged();
       insert into thing values (1, '${ann}', array['a', null]);`,
    )
    try {
      const fields = [key, plain('email', { identity: 'email' }), erased('tags')]
      await using shop = await erasedShop({ database, collections: [{ name: 'thing', fields }] })
      const { status, failure } = await shop.erase({ email: ann })
      expect([status, failure]).toEqual(['complete', undefined])
      const { rows } = await database.client.query('select distinct setting, tags from public.log, thing')
      expect(rows).toEqual([{ setting: written, tags: [null, null] }])
    } finally {
      await database.close()
    }
  })
})
