import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collection, field, refer } from '../../core/test/engine/described.js'
import { runCutOff } from '../../core/test/erasure/cut-off-request.js'
import { kept, plain } from '../../core/test/erasure/described-erasure.js'
import { type Cut, cuttingProxy } from './cutting-proxy.js'
import { connectorOf, type Kind, openDatabase, type TestDatabase } from './servers.js'

const [ann, ben] = ['ann@example.com', 'ben@example.com']

/** Ann's orders take several batches. Her tickets go as a whole, and her home member by member. */
const rows = [
  'delete from tickets',
  'delete from orders',
  'delete from person',
  `insert into person values (1, '${ann}', 'Ann', '{"city": "Rome", "floor": 1}'),
    (2, '${ben}', 'Ben', '{"city": "Bonn", "floor": 2}'), (3, '${ann}', null, '{"city": "Oslo"}')`,
  `insert into orders values (1, 1, 'note 1', 1), (2, 2, 'note 2', 2), (3, 3, 'note 3', 3), (4, 1, 'note 4', 4)`,
  `insert into tickets values (1, 1, 'help 1'), (2, 2, 'help 2'), (3, 3, 'help 3')`,
]
const tablesWith = (engine: string) => [
  'create table person (id int primary key, email varchar(190), name varchar(80), home json, key (email))',
  `create table orders (id int primary key, person_id int not null, note varchar(80), total int, key (person_id)) engine = ${engine}`,
  'create table tickets (id int primary key, person_id int not null, body varchar(80), key (person_id))',
]

const owner = kept(refer('person_id', 'person.id'))
const key = plain('id', { primary_key: true })
const collections = [
  collection('person', [
    key,
    field('email', { identity: 'email' }, []),
    field('name', { masking_strategy: { strategy: 'hash' } }),
    { name: 'home', fields: [field('city'), plain('floor')] },
  ]),
  collection('orders', [
    ...[key, owner, plain('total')],
    field('note', { masking_strategy: { strategy: 'random_string_rewrite' } }),
  ]),
  collection('tickets', [key, owner, field('body')], { erase: 'delete' }),
]

/** A request whose process is killed at each of its commands, and another process that ends it. */
export function crashSuite(kind: Kind): void {
  describe.each(['InnoDB', 'MyISAM'])(`processes that are killed over a table of %s, on ${kind}`, (engine) => {
    const isAlone = engine === 'MyISAM'
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(kind)
      await database.run(...tablesWith(engine))
    })
    afterAll(() => database?.close())

    /** Resolves when the server has noticed that nobody asks any more. */
    const noticed = (ports: readonly number[]) =>
      expect
        .poll(() =>
          database.rows(
            `select id from information_schema.processlist where substring_index(host, ':', -1) in (${ports.join()})`,
          ),
        )
        .toEqual([])

    async function run(policyKey: 'access' | 'erase', cut?: Omit<Cut, 'onCut'>) {
      await database.run(...rows)
      const proxy = await cuttingProxy(database.url)
      const connector = connectorOf(kind, { connectTimeoutSeconds: 5 })
      const ending = await runCutOff({
        ...{ policyKey, collections, email: ann, maxErased: 2 },
        connectors: { mortal: connector, successor: connector },
        secrets: { mortal: { url: proxy.url }, successor: { url: database.url } },
        begin: (die) => proxy.begin(cut && { ...cut, onCut: die }),
        async died() {
          proxy.cut()
          await noticed(proxy.ports())
        },
      })
      const [commands, wasCut] = [proxy.commands(), proxy.wasCut()]
      await proxy.close()
      const left: Record<string, unknown[]> = {}
      for (const table of ['person', 'orders', 'tickets'])
        left[table] = await database.rows(`select * from ${table} order by id`)
      return { ending: { ...ending, left }, commands, wasCut }
    }

    it.each([
      ['access', 'before'],
      ['access', 'after'],
      ['erase', 'before'],
      ['erase', 'after'],
    ] as const)('%s has the same end when its process is killed %s each command', async (policy, moment) => {
      const { ending: whole, commands } = await run(policy)
      expect(whole.end).toBe('complete')
      if (policy === 'access') expect(JSON.parse(whole.package)['shop:orders']).toHaveLength(3)
      else {
        expect(whole.erased).toEqual({
          'shop:person': 'masked 2',
          'shop:orders': 'masked 3',
          'shop:tickets': 'erased 2',
        })
        // what a kill may leave is said of the table that may be written in part, and of no other
        expect(whole.writeLimits).toEqual(isAlone ? { 'shop:orders': ['transactions', 'row_locks'] } : {})
      }
      let killed = 0
      for (const [at, command] of commands.entries()) {
        const { ending, wasCut } = await run(policy, { command: at + 1, moment })
        const where = `${moment} command ${at + 1}, ${command}`
        expect([where, ending]).toEqual([where, whole])
        if (wasCut) killed++
      }
      // the last commands of a process say goodbye, and are never answered
      expect(killed).toBeGreaterThanOrEqual(commands.length * 0.8)
    })
  })
}
