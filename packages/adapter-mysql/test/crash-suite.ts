import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inSmallBatches } from '../../adapter-postgres/test/crash/crash-service.js'
import { crashWorlds } from '../../adapter-postgres/test/crash/crash-world.js'
import { type KillAt, killedRun } from '../../adapter-postgres/test/crash/killed-run.js'
import {
  expectErased,
  expectTheSameEnd,
  killedRows,
  killedShop,
  killedSubmission,
  killedTables,
} from '../../adapter-postgres/test/crash/killed-shop.js'
import { cuttingProxy } from './cutting-proxy.js'
import { connectorOf, type Kind, openDatabase, type TestDatabase } from './servers.js'

const rows = ['delete from tickets', 'delete from orders', 'delete from person', ...killedRows]
const tablesWith = (engine: string) => [
  'create table person (id int primary key, email varchar(190), name varchar(80), home json, key (email))',
  `create table orders (id int primary key, person_id int not null, note varchar(80), total int, key (person_id)) engine = ${engine}`,
  'create table tickets (id int primary key, person_id int not null, body varchar(80), key (person_id))',
]

/** Processes that are killed at their commands, and another one that takes the request over and ends it. */
export function crashSuite(kind: Kind): void {
  const openWorld = crashWorlds({
    connector: inSmallBatches(connectorOf(kind), 2),
    program: new URL('./crash-child.ts', import.meta.url),
    ...killedShop,
  })

  describe.each(['InnoDB', 'MyISAM'])(`processes that are killed over a table of %s, on ${kind}`, (engine) => {
    const databases: TestDatabase[] = []
    beforeAll(async () => {
      for (const _ of [1, 2]) databases.push(await openDatabase(kind))
      for (const database of databases) await database.run(...tablesWith(engine))
    })
    afterAll(() => Promise.all(databases.map((database) => database.close())))

    /** Runs the request in a process, which is killed where it says, and in another one to its end. */
    async function run(database: TestDatabase, at?: KillAt) {
      await database.run(...rows)
      const found = await killedRun(openWorld, await cuttingProxy(database.url), killedSubmission, at)
      return { ...found, left: await tablesOf(database) }
    }

    it('before the first statement of each kind and after the last, nothing is lost, doubled or falsely complete', async () => {
      // what a kill may leave is said of the table that may be written in part, and of no other
      const writeLimits = engine === 'MyISAM' ? { orders: lacking } : {}
      await expectTheSameEnd(databases, run, { writing: 'get_lock', kindOf, writeLimits })
    })

    // a table with transactions takes the whole statement back
    if (engine === 'MyISAM')
      it('in the middle of a statement, rows before are changed, and the next process changes the others', async () => {
        const [database] = databases as [TestDatabase]
        const gate = `${database.name}-gate`
        await database.run(
          ...rows,
          `create trigger halfway before update on orders for each row
          if old.id = 3 then do get_lock('${gate}', 3600); do release_lock('${gate}'); end if`,
        )
        await database.rows(`select get_lock('${gate}', 0)`)
        const world = await openWorld({ url: database.url })
        const child = await world.startChild({ submission: killedSubmission })
        const held = () =>
          database.rows(
            `select id from information_schema.processlist where db = '${database.name}' and info like 'do get_lock%'`,
          )
        await expect.poll(held).toHaveLength(1)
        const [[session]] = (await held()) as [[number]]
        child.signal('SIGKILL')
        await child.ended
        const [id] = await world.requests()
        const successor = world.endingOf(id as string)
        await expect.poll(async () => (await held()).flat().includes(session)).toBe(false)
        const notes = await database.rows('select note from orders where id in (1, 3) order by id')
        // MariaDB ends the wait, and still writes the row that waited
        expect(notes).toEqual([
          [expect.stringMatching(hashed)],
          [expect.stringMatching(kind === 'mysql' ? 'note 3' : hashed)],
        ])
        await database.rows(`select release_lock('${gate}')`)
        const { request, doubts } = await successor
        await world.close()
        await database.run('drop trigger halfway')
        expect([request.failure ?? request.status, doubts]).toEqual(['complete', []])
        expectErased(await tablesOf(database))
      })
  })
}

const hashed = /^[0-9a-f]{64}$/
const lacking = ['transactions', 'row_locks']

async function tablesOf(database: TestDatabase) {
  const found: Record<string, unknown[][]> = {}
  for (const table of killedTables) found[table] = await database.rows(`select * from ${table} order by id`)
  return found
}

/** A statement is prepared before it is carried out, and the last words of a process are never answered. */
function kindOf(command: string): string | undefined {
  if (!/^(?:3|23) /.test(command)) return undefined
  return command.replaceAll(/(, ?)?(?:\(.{0,90}?\?.{0,60}?\)|\?)(?=,|\))/g, '')
}
