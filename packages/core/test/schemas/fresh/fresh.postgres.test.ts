import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sharedServer } from '../../../../adapter-postgres/test/shared-server.js'
import { accessComplaints } from '../access-complaints.js'
import { expectAnswered } from '../answering-expectations.js'
import { connected, dumpOf, keysOf, type Rows, type TableKey } from '../database-rows.js'
import { erasureComplaints } from '../erasure-complaints.js'
import { type Oracle, oracleOf } from '../oracle.js'
import { questionCounts } from '../question-counts.js'
import type { Person } from '../sample-schema.js'
import { openSample, packageOf, settledFor } from '../sample-service.js'
import { altsystem } from './altsystem.js'
import { campus } from './campus.js'
import { type FreshSchema, withoutNeeded } from './fresh-schema.js'
import { type KeylessRows, keylessComplaints, keylessRows } from './keyless.js'
import { versandhaus } from './versandhaus.js'

/* Databases written by somebody who had not read the library: German names, names that say nothing, and a learning
   platform. What a request delivers and erases is held against the truth in SQL. */

const schemas: readonly FreshSchema[] = [altsystem, campus, versandhaus]

const server = sharedServer()

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
  let reading: Awaited<ReturnType<typeof openSample>>

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
    reading = await openSample(schema, urlOf(`${name}_read`), { keys: Object.keys(truth) })
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

  it('is answered with what drafting proposes or offers, in so many questions', async () => {
    const counts = await expectAnswered(schema, urlOf(`${name}_read`))
    expect(counts).toEqual(questionCounts[name])
  })

  it.each(people)('delivers to $who what is hers or shared, and nothing else', async (person) => {
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

  const erased = async (answeredAs: FreshSchema, person: Person, deleting: boolean) => {
    const copy = `${name}_${copies++}`
    await admin(`create database ${copy} template ${name}`)
    try {
      const { privacy, dataset } = await openSample(
        answeredAs,
        urlOf(copy),
        deleting ? { deletes: schema.deletes } : {},
      )
      const request = await settledFor({ privacy, schema, policyKey: 'default_erasure_policy' }, person).finally(() =>
        privacy.close(),
      )
      return await connected(urlOf(copy), async (client) => {
        const [after, keylessAfter] = [await dumpOf(client, keys), await keylessRows(client, schema)]
        return { dataset, request, after, keylessAfter }
      })
    } finally {
      await admin(`drop database ${copy} with (force)`)
    }
  }
  const erase = async (person: Person, deleting: boolean) => {
    const { dataset, request, after, keylessAfter } = await erased(schema, person, deleting)
    const own = person.carries && deleting ? new Map() : ownKeyless(person)
    return [
      ...erasureComplaints({ schema, person, dataset, oracle: oracle(person), request, before, after, deleting }),
      ...keylessComplaints(own, keylessBefore, keylessAfter),
    ]
  }

  it.each(people)('masks all that belongs to $who alone, and nothing else', async (person) => {
    expectNone(person, await erase(person, false))
  })

  it.each(people)('deletes rows of $who where they may go, and touches nothing else', async (person) => {
    expectNone(person, await erase(person, true))
  })

  const { by: refused = [], without = /./ } = schema.needed ?? {}
  it.each(refused)('refuses to delete rows of %s, and touches none, where their dependents would stay', async (who) => {
    const person = people.find((each) => each.who === who) as Person
    const { request, after, keylessAfter } = await erased(withoutNeeded(schema), person, true)
    expect(request).toMatchObject({ status: 'error', failure: expect.stringMatching(without) })
    expect(after).toEqual(before)
    expect(keylessAfter).toEqual(keylessBefore)
  })
})
