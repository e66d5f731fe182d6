import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { crashWorlds } from './crash-world.js'
import { customers } from './customers.js'
import { onPostgres } from './on-postgres.js'

/* A deploy starts a later version while processes of the one before still run. */

const tables = `
  create table customer (id int primary key, email text, name text);
  insert into customer values (1, 'ann@example.com', 'Ann'), (2, 'ben@example.com', 'Ben'), (3, 'cem@example.com', 'Cem')
`
const dataset = { service_key: 'shop', collections: [customers] }
const all = { data_categories: { matches: 'ANY', values: ['user'] } } as const
const policy = {
  service_key: 'both',
  rules: [
    { service_key: 'access', action_type: 'access', ...all },
    { service_key: 'erasure', action_type: 'erasure', ...all },
  ],
}
const of = (email: string) => ({ policyKey: 'both', identities: [{ email }] })
const openWorld = crashWorlds({ ...onPostgres, tables, dataset, policy })

describe('two versions side by side', () => {
  it.each(['described', 'customer: in the middle', 'customer: before the commit of what is erased'])(
    'the older one goes on while the later one changes the tables, and cannot come back: %s',
    async (step) => {
      const world = await openWorld()
      const test = new pg.Client({ connectionString: world.place.url })
      await test.connect()
      await test.query('select pg_advisory_lock(42)')
      const older = await world.startChild({ submission: of('ann@example.com'), pause: step, alone: true })
      const waiting = `select from pg_locks where locktype = 'advisory' and not granted and objid = 42`
      while ((await test.query(waiting)).rowCount === 0) await delay(10)

      const later = await world.startChild({ submission: of('ben@example.com'), newer: true })
      expect(await later.ended).toMatchObject({ killed: false })
      const { rows } = await test.query(`select name from ${world.place.state}.migration order by number desc limit 1`)
      expect(rows).toEqual([{ name: 'later' }])

      await test.query('select pg_advisory_unlock(42)')
      expect(await older.ended).toMatchObject({ killed: false })
      const statuses = `select document ->> 'status' as status from ${world.place.state}.record_privacy_request`
      expect((await test.query(statuses)).rows).toEqual([{ status: 'complete' }, { status: 'complete' }])

      const rolledBack = world.runChild({ submission: of('cem@example.com') })
      await expect(rolledBack).rejects.toThrow(/brought to number \d+ by a newer version.*upgrade it/)
      expect(JSON.parse(await world.rowsOf('customer')).customer).toEqual([
        { id: 1, email: null, name: null },
        { id: 2, email: null, name: null },
        { id: 3, email: 'cem@example.com', name: 'Cem' },
      ])
      await test.end()
      await world.close()
    },
  )
})
