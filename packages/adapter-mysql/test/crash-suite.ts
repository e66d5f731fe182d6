import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inSmallBatches } from '../../adapter-postgres/test/crash/crash-service.js'
import { crashWorlds } from '../../adapter-postgres/test/crash/crash-world.js'
import { collection, field, refer } from '../../core/test/engine/described.js'
import type { Cut } from '../../core/test/erasure/cutting-proxy.js'
import { kept, plain } from '../../core/test/erasure/described-erasure.js'
import { erasedOf } from '../../core/test/erasure/erasure-world.js'
import { cuttingProxy } from './cutting-proxy.js'
import { connectorOf, type Kind, openDatabase, type TestDatabase } from './servers.js'

const [ann, ben] = ['ann@example.com', 'ben@example.com']

/** Ann's rows take several batches of each table. Her tickets go as a whole, and her home member by member. */
const rows = [
  ...['delete from tickets', 'delete from orders', 'delete from person'],
  `insert into person values (1, '${ann}', 'Ann', '{"city": "Rome", "floor": 1}'),
    (2, '${ben}', 'Ben', '{"city": "Bonn", "floor": 2}'), (3, '${ann}', null, '{"city": "Oslo"}'), (5, '${ann}', 'Ann', null)`,
  `insert into orders values (1, 1, 'note 1', 1), (2, 2, 'note 2', 2), (3, 3, 'note 3', 3), (4, 1, 'note 1', 4), (6, 2, 'note 6', 6)`,
  `insert into tickets values (1, 1, 'help 1'), (2, 2, 'help 2'), (3, 3, 'help 3'), (5, 5, 'help 5')`,
]
const tablesWith = (engine: string) => [
  'create table person (id int primary key, email varchar(190), name varchar(80), home json, key (email))',
  `create table orders (id int primary key, person_id int not null, note varchar(80), total int, key (person_id)) engine = ${engine}`,
  'create table tickets (id int primary key, person_id int not null, body varchar(80), key (person_id))',
]

const owner = kept(refer('person_id', 'person.id'))
const key = plain('id', { primary_key: true })
const masked = (strategy: string) => ({ masking_strategy: { strategy } })
const collections = [
  collection('person', [
    key,
    field('email', { identity: 'email' }, []),
    field('name', masked('hash')),
    { name: 'home', fields: [field('city'), plain('floor')] },
  ]),
  collection('orders', [...[key, owner, plain('total')], field('note', masked('hash'))]),
  collection('tickets', [key, owner, field('body')], { erase: 'delete' }),
]
const all = { data_categories: { matches: 'ANY', values: ['user'] } }
const policy = {
  service_key: 'forget',
  rules: [
    { ...all, service_key: 'shown', action_type: 'access' },
    { ...all, service_key: 'erased', action_type: 'erasure' },
  ],
}
const submission = { policyKey: 'forget', identities: [{ email: ann }] }

/** Processes that are killed at their commands, and another one that takes the request over and ends it. */
export function crashSuite(kind: Kind): void {
  const openWorld = crashWorlds({
    connector: inSmallBatches(connectorOf(kind), 2),
    program: new URL('./crash-child.ts', import.meta.url),
    dataset: { service_key: 'shop', collections },
    policy,
  })

  describe.each(['InnoDB', 'MyISAM'])(`processes that are killed over a table of %s, on ${kind}`, (engine) => {
    const databases: TestDatabase[] = []
    beforeAll(async () => {
      for (const _ of [1, 2]) databases.push(await openDatabase(kind))
      for (const database of databases) await database.run(...tablesWith(engine))
    })
    afterAll(() => Promise.all(databases.map((database) => database.close())))

    /** Runs the request in a process, which is killed where it says, and in another one to its end. */
    async function run(database: TestDatabase, cut?: Pick<Cut, 'command' | 'moment'>) {
      await database.run(...rows)
      const proxy = await cuttingProxy(database.url)
      const world = await openWorld({ url: proxy.url })
      let kill: () => void = () => {}
      proxy.begin(cut && { ...cut, holds: true, onCut: () => kill() })
      const child = await world.startChild({ submission })
      kill = () => child.signal('SIGKILL')
      const { killed } = await child.ended
      const commands = [...proxy.commands()]
      proxy.heal()
      const [id] = await world.requests()
      const { request, doubts, package: text } = await world.endingOf(id as string)
      await Promise.all([world.close(), proxy.close()])
      const lacks = (request.results ?? []).flatMap(({ collection, writeLimits }) =>
        writeLimits ? [[collection, writeLimits] as const] : [],
      )
      return {
        ending: {
          end: request.failure ?? request.status,
          ...{ erased: erasedOf(request), writeLimits: Object.fromEntries(lacks), doubts, package: text },
        },
        ...{ left: await tablesOf(database), commands, killed },
      }
    }

    it('before the first statement of each kind and after the last, nothing is lost, doubled or falsely complete', async () => {
      const whole = await run(databases[0] as TestDatabase)
      expectErased(whole.left)
      const { package: text, ...told } = whole.ending
      expect(told).toEqual({
        ...{ end: 'complete', doubts: [] },
        erased: { 'shop:person': 'masked 3', 'shop:orders': 'masked 3', 'shop:tickets': 'erased 3' },
        // what a kill may leave is said of the table that may be written in part, and of no other
        writeLimits: engine === 'MyISAM' ? { orders: lacking } : {},
      })
      expect(JSON.parse(text)).toMatchObject({ 'shop:tickets': [{}, {}, {}] })

      const cuts = cutsOf(whole.commands)
      const places = cuts.length
      let killed = 0
      const attend = async (database: TestDatabase) => {
        for (let cut = cuts.shift(); cut !== undefined; cut = cuts.shift()) {
          const { ending, left, killed: isKilled } = await run(database, cut)
          const where = `${cut.moment} command ${cut.command}, ${whole.commands[cut.command - 1]}`
          expect([where, ending]).toEqual([where, whole.ending])
          expectErased(left)
          if (isKilled) killed++
        }
      }
      await Promise.all(databases.map(attend))
      // in another order of reads a process may end a command earlier
      expect(killed).toBeGreaterThanOrEqual(places * 0.9)
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
        const child = await world.startChild({ submission })
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
  for (const table of ['person', 'orders', 'tickets'])
    found[table] = await database.rows(`select * from ${table} order by id`)
  return found
}

/** Once rows are written: before the first statement of each kind, and after the last. Earlier: after the first. */
function cutsOf(commands: readonly string[]): Pick<Cut, 'command' | 'moment'>[] {
  const writing = commands.findIndex((command) => command.includes('get_lock'))
  const kinds = new Map<string, number[]>()
  for (const [at, command] of commands.entries()) {
    // a statement is prepared before it is carried out, and the last words of a process are never answered
    if (!/^(?:3|23) /.test(command)) continue
    const kind = `${at >= writing} ${command.replaceAll(/(, ?)?(?:\(.{0,90}?\?.{0,60}?\)|\?)(?=,|\))/g, '')}`
    kinds.set(kind, [...(kinds.get(kind) ?? []), at])
  }
  return [...kinds.values()].flatMap((places) => {
    const [first, last] = [places[0] as number, places.at(-1) as number]
    if (first < writing) return [{ command: first + 1, moment: 'after' as const }]
    return [
      { command: first + 1, moment: 'before' as const },
      { command: last + 1, moment: 'after' as const },
    ]
  })
}

/** Ann's values are gone, equal ones are still equal, so that none was masked twice, and nothing else has changed. */
function expectErased({ person, orders, tickets }: Readonly<Record<string, unknown[][]>>): void {
  const hash = expect.stringMatching(hashed)
  const parsed = person?.map((row) =>
    row.map((value, at) => (at === 3 && typeof value === 'string' ? JSON.parse(value) : value)),
  )
  expect(parsed).toEqual([
    [1, ann, hash, { city: null, floor: 1 }],
    [2, ben, 'Ben', { city: 'Bonn', floor: 2 }],
    [3, ann, null, { city: null }],
    [5, ann, parsed?.[0]?.[2], null],
  ])
  expect(orders).toEqual([
    [1, 1, hash, 1],
    [2, 2, 'note 2', 2],
    [3, 3, hash, 3],
    [4, 1, orders?.[0]?.[2], 4],
    [6, 2, 'note 6', 6],
  ])
  expect(tickets).toEqual([[2, 2, 'help 2']])
}
