import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedServer } from '../../../adapter-postgres/test/shared-server.js'
import { accessComplaints } from './access-complaints.js'
import { adventureworks } from './adventureworks.js'
import { expectAnswered } from './answering-expectations.js'
import { blog } from './blog.js'
import { chat } from './chat.js'
import { chinook } from './chinook.js'
import { crm } from './crm.js'
import { connected, dumpOf, keysOf, type Rows, type TableKey } from './database-rows.js'
import { erasureComplaints } from './erasure-complaints.js'
import { helpdesk } from './helpdesk.js'
import { northwind } from './northwind.js'
import { type Oracle, oracleOf } from './oracle.js'
import { pagila } from './pagila.js'
import { questionCounts } from './question-counts.js'
import { saas } from './saas.js'
import type { Person, SampleSchema } from './sample-schema.js'
import { openSample, packageOf, settledFor } from './sample-service.js'
import { shop } from './shop.js'
import { social } from './social.js'
import { surveys } from './surveys.js'

/* Databases as teams have them, described as a team does it, for everybody in them: what a request delivers and erases
   is held against what those say who know the database. */

const schemas: readonly SampleSchema[] = [
  adventureworks,
  blog,
  chat,
  chinook,
  crm,
  helpdesk,
  northwind,
  pagila,
  saas,
  shop,
  social,
  surveys,
]

const server = sharedServer()

const urlOf = (database: string) => server.url.replace(/\/[^/]*$/, `/${database}`)
const admin = (sql: string) => connected(server.url, (client) => client.query(sql))

describe.each(schemas)('$name', (schema) => {
  const { name, sql, people, truth, nobodys } = schema
  let keys: readonly TableKey[]
  let before: ReadonlyMap<string, Rows>
  const oracles = new Map<string, Oracle>()
  let copies = 0
  let reading: Awaited<ReturnType<typeof openSample>>

  beforeAll(async () => {
    await admin(`create database ${name}`)
    await connected(urlOf(name), async (client) => {
      await client.query(sql)
      await client.query('analyze')
      keys = await keysOf(client)
      before = await dumpOf(client, keys)
      for (const person of people) oracles.set(person.who, await oracleOf(client, keys, schema, person))
    })
    // Connections to a database stand in the way of its copies.
    await admin(`create database ${name}_read template ${name}`)
    reading = await openSample(schema, urlOf(`${name}_read`), { keys: Object.keys(truth) })
  })
  afterAll(() => reading?.privacy.close())

  const expectNone = ({ who }: Person, complaints: readonly string[]) =>
    expect(complaints, [`${name}, ${who}:`, ...complaints].join('\n')).toEqual([])
  const oracle = ({ who }: Person) => oracles.get(who) as Oracle

  it('speaks for every table and view, and gives no row to two people', () => {
    expect([...Object.keys(truth), ...nobodys].sort()).toEqual(keys.map(({ table }) => table).sort())
    const owners = new Map<string, string>()
    const twice: string[] = []
    for (const [who, tables] of oracles) {
      for (const [table, { own, shared, undecided }] of tables) {
        for (const key of own) {
          const row = `${table} ${key}`
          const other = owners.get(row) ?? [...oracles].find(([, each]) => each.get(table)?.shared.has(key))?.[0]
          if (other !== undefined) twice.push(`${row}: ${who} and ${other}`)
          owners.set(row, who)
        }
        for (const key of undecided) if (shared.has(key)) twice.push(`${table} ${key}: shared and undecided for ${who}`)
      }
    }
    expect(twice).toEqual([])
    for (const { who } of people) {
      const found = [...(oracles.get(who) as Oracle).values()].some(({ own, shared }) => own.size + shared.size > 0)
      expect(found, `${who} has rows`).toBe(true)
    }
  })

  it('is answered with what drafting proposes or offers, in so many questions', async () => {
    const counts = await expectAnswered(schema, urlOf(`${name}_read`))
    expect(counts).toEqual(questionCounts[name])
  })

  it.each(people)('delivers to $who what is hers or shared, and nothing else', async (person) => {
    const { privacy } = reading
    const request = await settledFor({ privacy, schema, policyKey: 'default_access_policy' }, person)
    const rows = request.status === 'complete' ? await packageOf(privacy, request.id) : {}
    expectNone(person, accessComplaints({ schema, keys, oracle: oracle(person), request, rows }))
  })

  const erase = async (person: Person, deleting: boolean) => {
    const copy = `${name}_${copies++}`
    await admin(`create database ${copy} template ${name}`)
    try {
      const { privacy, dataset } = await openSample(schema, urlOf(copy), deleting ? { deletes: schema.deletes } : {})
      const request = await settledFor({ privacy, schema, policyKey: 'default_erasure_policy' }, person).finally(() =>
        privacy.close(),
      )
      const after = await connected(urlOf(copy), (client) => dumpOf(client, keys))
      return erasureComplaints({ schema, person, dataset, oracle: oracle(person), request, before, after, deleting })
    } finally {
      await admin(`drop database ${copy} with (force)`)
    }
  }

  it.each(people)('masks all that belongs to $who alone, and nothing else', async (person) => {
    expectNone(person, await erase(person, false))
  })

  it.each(people)('deletes rows of $who where they may go, and touches nothing else', async (person) => {
    expectNone(person, await erase(person, true))
  })
})
