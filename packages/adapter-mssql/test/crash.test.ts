import { afterAll, beforeAll, it } from 'vitest'
import { inSmallBatches } from '../../adapter-postgres/test/crash/crash-service.js'
import { crashWorlds } from '../../adapter-postgres/test/crash/crash-world.js'
import { type KillAt, killedRun } from '../../adapter-postgres/test/crash/killed-run.js'
import {
  expectTheSameEnd,
  killedRows,
  killedShop,
  killedSubmission,
  killedTables,
} from '../../adapter-postgres/test/crash/killed-shop.js'
import { mssqlConnector } from '../src/index.js'
import { cuttingProxy } from './cutting-proxy.js'
import { type DoubleDatabase, sharedDouble } from './double-database.js'

const tables = `
  create table person (id int primary key, email varchar(190) collate mssql.ci, name varchar(80) collate mssql.ci, home mssql.document);
  create index on person (email);
  create table orders (id int primary key, person_id int not null, note varchar(80) collate mssql.ci, total int);
  create index on orders (person_id);
  create table tickets (id int primary key, person_id int not null, body varchar(80) collate mssql.ci);
  create index on tickets (person_id)`
const double = sharedDouble()
const openWorld = crashWorlds({
  connector: inSmallBatches(mssqlConnector(), 2),
  program: new URL('./crash-child.ts', import.meta.url),
  ...killedShop,
})

const databases: DoubleDatabase[] = []
beforeAll(async () => {
  for (const _ of [1, 2]) databases.push(await double.openDatabase())
  for (const { client } of databases) await client.query(tables)
})
afterAll(() => Promise.all(databases.map((database) => database.close())))

/** Runs the request in a process, which is killed where it says, and in another one to its end. */
async function run({ client, url }: DoubleDatabase, at?: KillAt) {
  await client.query(['truncate tickets, orders, person', ...killedRows].join(';'))
  const found = await killedRun(openWorld, await cuttingProxy(url), killedSubmission, at)
  const left: Record<string, unknown[][]> = {}
  for (const table of killedTables)
    left[table] = (await client.query({ text: `select * from ${table} order by id`, rowMode: 'array' })).rows
  return { ...found, left }
}

it('a process that is killed at its statements loses nothing, doubles nothing and leaves nothing falsely complete', async () => {
  // values travel as parameters, beside the words
  await expectTheSameEnd(databases, run, { writing: 'sp_getapplock', kindOf: (command) => command })
})
