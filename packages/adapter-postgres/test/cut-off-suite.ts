import type { Connector } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collection, field, refer } from '../../core/test/engine/described.js'
import { type CutOff, runCutOff } from '../../core/test/erasure/cut-off-request.js'
import type { Cut } from '../../core/test/erasure/cutting-proxy.js'
import { kept, plain } from '../../core/test/erasure/described-erasure.js'
import type { PostgresConnectorOptions } from '../src/index.js'
import { cuttingProxy } from './cutting-proxy.js'
import { quoted, type TestDatabase } from './database.js'

const [ann, ben] = ['ann@example.com', 'ben@example.com']

/** Ann's orders take several batches. Her tickets go as a whole, and her home is a document. */
const rows = (json: string) => `
  delete from tickets; delete from orders; delete from person;
  insert into person values (1, '${ann}', 'Ann', ${json.replace('?', `'{"city": "Rome", "floor": 1}'`)}),
    (2, '${ben}', 'Ben', ${json.replace('?', `'{"city": "Bonn", "floor": 2}'`)}), (3, '${ann}', null, ${json.replace('?', `'{"city": "Oslo"}'`)});
  insert into orders values (1, 1, 'note 1', 1), (2, 2, 'note 2', 2), (3, 3, 'note 3', 3), (14, 1, 'note 4', 4);
  insert into tickets values (1, 1, 'help 1'), (2, 2, 'help 2'), (3, 3, 'help 3')`

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

/** What differs from server to server. */
export interface CutOffServer {
  connectorOf(options?: PostgresConnectorOptions): Connector
  /** A schema with tables for these columns, empty. */
  open(): Promise<TestDatabase>
  /** A text as a document. `?` is the text. */
  readonly json: string
  /** Where connections under test go. */
  url(): string
  /** What the receipt says that each table lacks. */
  readonly writeLimits?: readonly string[]
}

/** A request whose process is killed at each of its commands, and another process that ends it. */
export function cutOffSuite(kind: string, server: CutOffServer): void {
  describe(`processes that are killed, on ${kind}`, () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await server.open()
    })
    afterAll(() => database?.close())

    const name = 'a mortal process'
    /** Resolves when the server has noticed that nobody asks any more. */
    const noticed = () =>
      expect
        .poll(async () => {
          const text = 'select pid from pg_stat_activity where application_name = $1 and datname = current_database()'
          return (await database.client.query(text, [name])).rows
        })
        .toEqual([])

    async function run(policyKey: 'access' | 'erase', cut?: Omit<Cut, 'onCut'>) {
      await database.client.query(rows(server.json))
      const proxy = await cuttingProxy(server.url())
      const secrets = (url: string) => ({ url, db_schema: database.schema })
      const ending: CutOff = await runCutOff({
        ...{ policyKey, collections, email: ann, maxErased: 2 },
        connectors: {
          mortal: server.connectorOf({ applicationName: name, connectTimeoutSeconds: 5 }),
          successor: server.connectorOf(),
        },
        secrets: { mortal: secrets(proxy.url), successor: secrets(server.url()) },
        begin: (die) => proxy.begin(cut && { ...cut, onCut: die }),
        async died() {
          proxy.cut()
          await noticed()
        },
      })
      const [commands, wasCut] = [proxy.commands(), proxy.wasCut()]
      await proxy.close()
      const left: Record<string, unknown[]> = {}
      for (const table of ['person', 'orders', 'tickets']) {
        const text = `select * from ${quoted(table)} order by id`
        left[table] = (await database.client.query(text)).rows
      }
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
        const limits = ['person', 'orders', 'tickets'].map((table) => [`shop:${table}`, server.writeLimits])
        expect(whole.writeLimits).toEqual(server.writeLimits ? Object.fromEntries(limits) : {})
        const texts = JSON.stringify(whole.left)
        expect(texts).not.toMatch(/Rome|Oslo|note [134]|help [13]|"Ann"/)
        expect(texts).toMatch(/Bonn.*note 2.*help 2/)
      }
      let killed = 0
      for (const [at, command] of commands.entries()) {
        const { ending, wasCut } = await run(policy, { command: at + 1, moment })
        const where = `${moment} command ${at + 1}, ${command}`
        expect([where, ending]).toEqual([where, whole])
        if (wasCut) killed++
      }
      expect(killed).toBeGreaterThanOrEqual(commands.length * 0.8)
    })
  })
}
