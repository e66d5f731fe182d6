import { type PostgresServer, startPostgres } from '@habeas/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessComplaints } from '../access-complaints.js'
import { connected, dumpOf, keysOf, type Rows, type TableKey } from '../database-rows.js'
import { erasureComplaints } from '../erasure-complaints.js'
import { type Oracle, oracleOf } from '../oracle.js'
import type { Person } from '../sample-schema.js'
import { packageOf, settledFor } from '../sample-service.js'
import { altsystem } from './altsystem.js'
import { campus } from './campus.js'
import { deletable, type FreshSchema } from './fresh-schema.js'
import { openFresh } from './fresh-service.js'
import { type KeylessRows, keylessComplaints, keylessRows } from './keyless.js'
import { versandhaus } from './versandhaus.js'

/* Databases written by somebody who had not read the library: German names, names that say nothing, and a learning
   platform. What a request delivers and erases is held against the truth in SQL. */

const schemas: readonly FreshSchema[] = [altsystem, campus, versandhaus]

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const urlOf = (database: string) => server.url.replace(/\/[^/]*$/, `/${database}`)
const admin = (sql: string) => connected(server.url, (client) => client.query(sql))

describe.each(schemas)('$name', (schema) => {
  const { name, sql, people, truth, nobodys, keyless } = schema
  let keys: readonly TableKey[]
  let before: ReadonlyMap<string, Rows>
  let keylessBefore: KeylessRows
  const oracles = new Map<string, Oracle>()
  const keylessOwn = new Map<string, KeylessRows>()
  let copies = 0
  let reading: Awaited<ReturnType<typeof openFresh>>

  beforeAll(async () => {
    await admin(`create database ${name}`)
    await connected(urlOf(name), async (client) => {
      await client.query(sql)
      await client.query('analyze')
      keys = await keysOf(client)
      before = await dumpOf(client, keys)
      keylessBefore = await keylessRows(client, schema)
      for (const person of people) {
        oracles.set(person.who, await oracleOf(client, keys, schema, person))
        keylessOwn.set(person.who, await keylessRows(client, schema, person.who))
      }
    })
    // Connections to a database stand in the way of its copies.
    await admin(`create database ${name}_read template ${name}`)
    reading = await openFresh(schema, urlOf(`${name}_read`), { keys: Object.keys(truth) })
  })
  afterAll(() => reading?.privacy.close())

  const expectNone = ({ who }: Person, complaints: readonly string[]) =>
    expect(complaints, [`${name}, ${who}:`, ...complaints].join('\n')).toEqual([])
  const oracle = ({ who }: Person) => oracles.get(who) as Oracle
  const ownKeyless = ({ who }: Person) => keylessOwn.get(who) as KeylessRows

  it('speaks for every table and view, and leaves nothing open', () => {
    expect([...Object.keys(truth), ...nobodys].sort()).toEqual(keys.map(({ table }) => table).sort())
    expect(reading.open.references).toEqual([])
    for (const { who } of people) {
      const found = [...(oracles.get(who) as Oracle).values()].some(({ own, shared }) => own.size + shared.size > 0)
      expect(found, `${who} has rows`).toBe(true)
    }
  })

  it.each(people)('delivers to $who what is hers or shared, and nothing else', { timeout: 60_000 }, async (person) => {
    const { privacy } = reading
    const request = await settledFor({ privacy, schema, policyKey: 'default_access_policy' }, person)
    const rows = request.status === 'complete' ? await packageOf(privacy, request.id) : {}
    for (const table of Object.keys(keyless)) {
      const collection = `${name}:${table}`
      expect(rows[collection]?.length ?? 0, collection).toBe(ownKeyless(person).get(table)?.length)
      delete rows[collection]
    }
    expectNone(person, accessComplaints({ schema, keys, oracle: oracle(person), request, rows }))
  })

  const erase = async (person: Person, deleting: boolean) => {
    const copy = `${name}_${copies++}`
    await admin(`create database ${copy} template ${name}`)
    try {
      const { privacy, dataset } = await openFresh(schema, urlOf(copy), deleting ? { deletes: schema.deletes } : {})
      const request = await settledFor({ privacy, schema, policyKey: 'default_erasure_policy' }, person).finally(() =>
        privacy.close(),
      )
      return await connected(urlOf(copy), async (client) => {
        const after = await dumpOf(client, keys)
        const own = person.carries && deleting ? new Map() : ownKeyless(person)
        return [
          ...erasureComplaints({ schema, person, dataset, oracle: oracle(person), request, before, after, deleting }),
          ...keylessComplaints(own, keylessBefore, await keylessRows(client, schema)),
        ]
      })
    } finally {
      await admin(`drop database ${copy} with (force)`)
    }
  }

  it.each(people)('masks all that is of $who alone, and nothing else', { timeout: 60_000 }, async (person) => {
    expectNone(person, await erase(person, false))
  })

  it.each(deletable(schema))(
    'deletes rows of $who where they may go, and touches nothing else',
    { timeout: 60_000 },
    async (person) => {
      expectNone(person, await erase(person, true))
    },
  )
})
