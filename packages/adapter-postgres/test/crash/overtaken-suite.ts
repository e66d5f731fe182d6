import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { erasure, waitingFor } from '../waiting-for.js'
import { crashWorlds } from './crash-world.js'
import { onPostgres } from './on-postgres.js'

/* A worker stops while its statement waits for a lock at the person's database. Another worker takes its request over. */

const email = 'ann@example.com'
const submission = { policyKey: 'forget', identities: [{ email }] }
const tables = `
  create table customer (id int primary key, email text, name text);
  insert into customer values (1, '${email}', 'Ann'), (2, 'ben@example.com', 'Ben')
`
const user = { data_categories: ['user'] }
const dataset = {
  service_key: 'shop',
  collections: [
    {
      name: 'customer',
      service_meta: { erase: 'delete' },
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'email', ...user, service_meta: { identity: 'email' } },
        { name: 'name', ...user },
      ],
    },
  ],
}
const policy = {
  service_key: 'forget',
  rules: [{ service_key: 'all', action_type: 'erasure', data_categories: { matches: 'ANY', values: ['user'] } }],
}

const openWorld = crashWorlds({ ...onPostgres, tables, dataset, policy })

describe('a worker that stops while its statement waits for a lock', () => {
  let world: Awaited<ReturnType<typeof openWorld>>
  let application: pg.Client
  /** Not the application: inside a transaction PostgreSQL shows one snapshot of what sessions do. */
  let watcher: pg.Client
  let child: Awaited<ReturnType<typeof world.startChild>>
  let id: string
  const people = () =>
    world.rowsOf('customer').then((text) => JSON.parse(text).customer.map((row: { name: string }) => row.name))

  /** The application holds Ann's row, and the write of the child waits for it. */
  beforeEach(async () => {
    world = await openWorld()
    application = new pg.Client({ connectionString: world.place.url, application_name: 'application' })
    watcher = new pg.Client({ connectionString: world.place.url })
    await Promise.all([application.connect(), watcher.connect()])
    await application.query(`set search_path to ${world.place.shop}; select pg_advisory_lock(42)`)
    child = await world.startChild({ submission, pause: 'customer: before it is erased' })
    await reachedBy("waits.wait_event = 'advisory'")
    await application.query('begin; select from customer where id = 1 for update; select pg_advisory_unlock(42)')
    await reachedBy(`${erasure} and waits.wait_event <> 'advisory'`)
    id = (await world.requests())[0] as string
  }, 120_000)
  afterEach(async () => {
    child.signal('SIGKILL')
    await Promise.all([application.end(), watcher.end()])
    await world.close()
  })

  it('writes nothing more once it is killed: a legal hold that was made since keeps the rows', async () => {
    child.signal('SIGKILL')
    await child.ended
    const successor = world.openSuccessor()
    await successor.holds.create({ identities: [{ email }], reason: 'a claim' })
    while ((await successor.requests.get(id)).status !== 'paused') await delay(50)
    await application.query('commit')
    await idle()
    expect(await people()).toEqual(['Ann', 'Ben'])
    await successor.close()
  }, 120_000)

  it('writes nothing more after it was frozen: rows that came after its successor had ended stay', async () => {
    child.signal('SIGSTOP')
    await application.query('commit')
    const { request } = await world.endingOf(id)
    expect(request.failure ?? request.status).toBe('complete')
    await application.query(`insert into customer values (1, '${email}', 'Ann again')`)
    child.signal('SIGCONT')
    await child.ended.catch(() => {})
    expect(await people()).toEqual(['Ann again', 'Ben'])
  }, 120_000)

  /** Resolves when a session that meets the condition waits for the application. Fails when the child has ended before. */
  async function reachedBy(who: string): Promise<void> {
    const early = child.ended.then((end) => Promise.reject(new Error(`The child ended early: ${JSON.stringify(end)}`)))
    await Promise.race([waitingFor(watcher, `blocking.application_name = 'application' and ${who}`), early])
  }

  /** Resolves when no session of the erasure does anything any more. */
  async function idle(): Promise<void> {
    const running = `select from pg_stat_activity where application_name like 'habeas%' and state <> 'idle' and datname = current_database()`
    while ((await watcher.query(running)).rowCount !== 0) await delay(20)
  }
})
