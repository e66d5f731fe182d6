import type { Fixture, FixtureTable } from '@habeas/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collection, field, refer } from '../../core/test/engine/described.js'
import { runCutOff } from '../../core/test/erasure/cut-off-request.js'
import { kept, plain } from '../../core/test/erasure/described-erasure.js'
import { snowflakeConnector } from '../src/index.js'
import { type Accident, cuttingProxy, type Moment } from './cutting-proxy.js'
import { openDatabase, type TestDatabase } from './database.js'
import { type Emulator, openEmulator } from './emulator.js'

const url = process.env['SNOWFLAKE_URL']
if (!url) throw new Error('SNOWFLAKE_URL names no server')

const [ann, ben] = ['ann@example.com', 'ben@example.com']

const own: Pick<FixtureTable, 'uniqueKeys' | 'foreignKeys'> = { uniqueKeys: [], foreignKeys: [] }
const id = { name: 'ID', kind: 'integer' } as const
const person = { name: 'PERSON_ID', kind: 'integer' } as const
const text = (name: string) => ({ name, kind: 'string', nullable: true }) as const

/** Ann's orders take several batches. Her tickets go as a whole, and her home member by member. */
const fixture: Fixture = [
  {
    ...{ ...own, name: 'PERSON', primaryKey: ['ID'] },
    columns: [id, text('EMAIL'), text('NAME'), { name: 'HOME', kind: 'object', nullable: true }],
    rows: [
      { ID: 1, EMAIL: ann, NAME: 'Ann', HOME: { city: 'Rome', floor: 1 } },
      { ID: 2, EMAIL: ben, NAME: 'Ben', HOME: { city: 'Bonn', floor: 2 } },
      { ID: 3, EMAIL: ann, NAME: null, HOME: { city: 'Oslo' } },
    ],
  },
  {
    ...{ ...own, name: 'ORDERS', primaryKey: ['ID'] },
    columns: [id, person, text('NOTE'), { name: 'TOTAL', kind: 'integer' }],
    rows: [1, 2, 3, 1].map((owner, at) => ({ ID: at + 1, PERSON_ID: owner, NOTE: `note ${at}`, TOTAL: at })),
  },
  {
    ...{ ...own, name: 'TICKETS', primaryKey: [] },
    columns: [person, text('BODY')],
    rows: [1, 2, 3].map((owner) => ({ PERSON_ID: owner, BODY: `help ${owner}` })),
  },
]

const owner = kept(refer('PERSON_ID', 'PERSON.ID'))
const key = plain('ID', { primary_key: true })
const collections = [
  collection('PERSON', [
    key,
    field('EMAIL', { identity: 'email' }, []),
    field('NAME', { masking_strategy: { strategy: 'hash' } }),
    { name: 'HOME', fields: [field('city'), plain('floor')] },
  ]),
  collection('ORDERS', [
    ...[key, owner, plain('TOTAL')],
    field('NOTE', { masking_strategy: { strategy: 'random_string_rewrite' } }),
  ]),
  collection('TICKETS', [owner, field('BODY')], { erase: 'delete' }),
]

/** Something happens at the nth statement. */
interface Cut {
  readonly statement: number
  readonly moment: Moment
  readonly what: Accident
}

describe('on an emulator of Snowflake', () => {
  let emulator: Emulator
  let database: TestDatabase
  beforeAll(async () => {
    emulator = await openEmulator(url)
    database = await openDatabase(emulator, fixture)
  })
  afterAll(async () => {
    await database?.close()
    await emulator?.close()
  })

  async function run(policyKey: 'access' | 'erase', cut?: Cut) {
    await database.restore()
    const statements: string[] = []
    let wasCut = false
    let die = () => {}
    const proxy = await cuttingProxy(emulator.url, (sql, moment, number) => {
      if (moment === 'before') statements.push(sql)
      if (wasCut || number !== cut?.statement || moment !== cut.moment) return undefined
      wasCut = true
      if (cut.what === 'die') die()
      return cut.what
    })
    const connector = snowflakeConnector({ connectTimeoutSeconds: 5 })
    const ending = await runCutOff({
      ...{ policyKey, collections, email: ann, maxErased: 2 },
      connectors: { mortal: connector, successor: connector },
      secrets: { mortal: { ...database.secrets, url: proxy.url }, successor: database.secrets },
      begin(kill) {
        die = kill
      },
      died: proxy.settled,
    })
    await proxy.close()
    const rows: Record<string, unknown[]> = {}
    for (const { name, columns } of fixture) {
      const order = String(columns[0]?.name)
      rows[name] = [...(await database.rows(name))].sort((one, other) => Number(one[order]) - Number(other[order]))
    }
    return { ending: { ...ending, rows }, statements, wasCut }
  }

  it.each([
    ['access', 'is killed', 'before', 'die'],
    ['access', 'is killed', 'after', 'die'],
    ['erase', 'is killed', 'before', 'die'],
    ['erase', 'is killed', 'after', 'die'],
    ['erase', 'loses its connection at a write', 'before', 'cut'],
    ['erase', 'loses its connection at a write', 'after', 'cut'],
  ] as const)('%s has the same end when its process %s %s each statement', async (policy, _, moment, what) => {
    const { ending: whole, statements } = await run(policy)
    expect(whole.end).toBe('complete')
    if (policy === 'access') expect(JSON.parse(whole.package)['shop:ORDERS']).toHaveLength(3)
    else
      expect(whole.erased).toEqual({ 'shop:PERSON': 'masked 2', 'shop:ORDERS': 'masked 3', 'shop:TICKETS': 'erased 2' })
    // what is read is read again, by the driver and at a retry: what is written must be written once
    const matters = (at: number) => what === 'die' || /^(?:begin|update|delete|commit|rollback)/.test(statements[at]!)
    for (const at of [...statements.keys()].filter(matters)) {
      const { ending, statements: sent, wasCut } = await run(policy, { statement: at + 1, moment, what })
      const where = `${moment} statement ${at + 1}, ${sent[at]}`
      expect([where, wasCut, ending]).toEqual([where, true, whole])
    }
  })
})
