import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { sharedServer } from '../shared-server.js'
import { erasure } from '../waiting-for.js'
import { onPostgres } from './on-postgres.js'
import { overtakenSuite, people, type SharedShop } from './overtaken-suite.js'

const server = sharedServer()
let opened = 0

overtakenSuite({ ...onPostgres, key: 'id', connectorOptions: { abandonedTransactionSeconds: 2 }, openShop })

async function openShop(): Promise<SharedShop> {
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  const name = `overtaken_${++opened}`
  await admin.query(`create database ${name}`)
  const url = Object.assign(new URL(server.url), { pathname: name }).href
  const application = new pg.Client({ connectionString: url, application_name: 'application' })
  /** Not the application: inside a transaction PostgreSQL shows one snapshot of what sessions do. */
  const watcher = new pg.Client({ connectionString: url })
  await Promise.all([application.connect(), watcher.connect()])
  await application.query('create table customer (id int primary key, email text, name text)')
  for (const { id, email, name } of people) {
    await application.query('insert into customer values ($1, $2, $3)', [id, email, name])
  }
  const numberOf = async (text: string) => (await watcher.query(text)).rowCount ?? 0
  return {
    secrets: { url },
    hold: async () => void (await application.query('begin; select from customer where id = 1 for update')),
    letGo: async () => void (await application.query('commit')),
    waits: async () =>
      (await numberOf(
        `select from pg_stat_activity as waits, unnest(pg_blocking_pids(waits.pid)) as pid
           join pg_stat_activity as blocking on blocking.pid = pid.pid
           where blocking.application_name = 'application' and ${erasure}`,
      )) > 0,
    async idle() {
      const running = `select from pg_stat_activity where application_name like 'habeas%' and state <> 'idle' and datname = '${name}'`
      while ((await numberOf(running)) !== 0) await delay(20)
    },
    rename: async (name) => void (await application.query('update customer set name = $1 where id = 1', [name])),
    signUp: async (name) =>
      void (await application.query(`insert into customer values (1, 'ann@example.com', $1)`, [name])),
    names: async () => (await watcher.query('select name from customer order by id')).rows.map((row) => row.name),
    async close() {
      await Promise.all([application.end(), watcher.end()])
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}
