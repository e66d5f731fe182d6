import { randomBytes } from 'node:crypto'
import { createPrivacyService, type PrivacyService, verifyEvidence } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { emulatorAddress } from '../../../adapter-bigquery/test/emulator-address.js'
import { sharedServer } from '../../../adapter-postgres/test/shared-server.js'
import {
  type CrossedDatabase,
  openBigquery,
  openMongodb,
  openPostgres,
  openSnowflake,
  type StoredRow,
} from './four-databases.js'
import { datasets } from './four-datasets.js'
import { emailOf, personName } from './four-fixtures.js'
import { rowsByHand } from './rows-by-hand.js'
import { type WatchedCall, watchedConnector } from './watched-connector.js'

/** The database that is cut off while a person is searched and erased, by person. The last one loses none. */
const cutOff = ['shop', 'app', 'events', 'billing', undefined] as const
const deleted = new Set(['shop:ticket', 'app:reminder', 'events:charge', 'billing:slip'])
const addresses = datasets.flatMap(({ service_key, collections }) =>
  (collections ?? []).map(({ name }) => `${service_key}:${name}`),
)

describe('one person across PostgreSQL, MongoDB, BigQuery and Snowflake', () => {
  const { MONGODB_URL, SNOWFLAKE_URL } = process.env
  if (!MONGODB_URL || !SNOWFLAKE_URL || !emulatorAddress)
    throw new Error('MONGODB_URL, BIGQUERY_EMULATOR_HOST and SNOWFLAKE_URL have to name servers')
  const server = sharedServer()
  let databases: readonly CrossedDatabase[] = []
  let privacy: PrivacyService
  let calls: WatchedCall[] = []
  /** Called with each call as it begins. */
  let onCall: (call: WatchedCall) => void = () => {}

  beforeAll(async () => {
    const people = cutOff.length
    databases = await Promise.all([
      openPostgres(server.url, people),
      openMongodb(MONGODB_URL, people),
      openBigquery(emulatorAddress as string, people),
      openSnowflake(SNOWFLAKE_URL, people),
    ])
    const tell = (call: WatchedCall) => {
      calls.push(call)
      if (call.when === 'begins') onCall(call)
    }
    privacy = createPrivacyService({
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: databases.map(({ connector, key }) => watchedConnector(connector, key, tell)),
    })
    for (const [at, { key, connector, secrets }] of databases.entries()) {
      await privacy.connections.put({ key, connectionType: connector.type as 'postgres', access: 'write' })
      expect(await privacy.connections.setSecrets(key, secrets as never)).toMatchObject({ testStatus: 'succeeded' })
      await privacy.connections.attachDataset(key, datasets[at] as (typeof datasets)[number])
    }
    const all = { service_key: 'all', data_categories: { matches: 'ANY', values: ['user'] } } as const
    await privacy.policies.put({ service_key: 'erase', rules: [{ ...all, action_type: 'erasure' }] })
    await privacy.policies.put({ service_key: 'access', rules: [{ ...all, action_type: 'access' }] })
  })
  afterAll(async () => {
    await privacy?.close()
    for (const database of databases) await database.close()
  })

  const databaseOf = (key: string) => databases.find((each) => each.key === key) as CrossedDatabase

  async function everyRow(): Promise<ReadonlyMap<string, readonly StoredRow[]>> {
    const rows = new Map<string, readonly StoredRow[]>()
    // One after the other: a session of Snowflake answers one statement at a time.
    for (const address of addresses) {
      const [key, collection] = address.split(':') as [string, string]
      rows.set(address, await databaseOf(key).rows(collection))
    }
    return rows
  }

  /** Cuts a database off at the second collection of its that is searched, or written. Resolves with the request that failed. */
  async function cutMidway(key: string, what: 'read' | 'erase', policyKey: string, person: number): Promise<string> {
    const met = new Set<string>()
    const { proxy } = databaseOf(key)
    onCall = (call) => {
      if (call.key === key && call.what === what) met.add(call.collection)
      if (met.size === 2) proxy.cut()
    }
    const { id } = await privacy.requests.submit({ policyKey, identities: [{ email: emailOf(person) }] })
    const request = await privacy.requests.settled(id)
    onCall = () => {}
    proxy.mend()
    expect(request).toMatchObject({ status: 'error', failure: expect.stringContaining(key) })
    return id
  }

  /** Runs a request to its end, with one database cut off in between where there is one to cut. */
  async function carriedOut(what: 'read' | 'erase', person: number) {
    calls = []
    const policyKey = what === 'read' ? 'access' : 'erase'
    const key = cutOff[person]
    if (key === undefined) {
      const { id } = await privacy.requests.submit({ policyKey, identities: [{ email: emailOf(person) }] })
      return privacy.requests.settled(id)
    }
    const id = await cutMidway(key, what, policyKey, person)
    await privacy.requests.retry(id)
    return privacy.requests.settled(id)
  }

  /** How often each collection outside of the database that was cut was read to its end, or written. */
  function often(what: 'read' | 'erase', person: number): ReadonlyMap<string, number> {
    const ended = calls.filter((call) => call.what === what && call.when === 'ended' && call.key !== cutOff[person])
    const counts = new Map<string, number>()
    for (const { key, collection } of ended)
      counts.set(`${key}:${collection}`, (counts.get(`${key}:${collection}`) ?? 0) + 1)
    return counts
  }

  describe.each(cutOff.map((key, person) => [person, key ?? 'no database'] as const))(
    'person %i, %s cut off',
    (person) => {
      it('is handed over as by hand, and what was read is not read again', async () => {
        const request = await carriedOut('read', person)
        expect(request).toMatchObject({ status: 'complete' })
        let text = ''
        for await (const part of privacy.requests.readPackage(request.id)) text += Buffer.from(part).toString()
        const rows = rowsByHand(await everyRow(), emailOf(person))
        const handedOver = JSON.parse(text) as Record<string, object[]>
        expect(Object.keys(handedOver).sort()).toEqual([...addresses].sort())
        for (const address of addresses) {
          const sorted = (all: readonly object[] | undefined) => all?.map((row) => JSON.stringify(row)).sort()
          expect(sorted(handedOver[address]), address).toEqual(sorted(rows.get(address)))
        }
        expect(Math.max(...often('read', person).values())).toBe(1)
      })

      it('is erased, and nothing of anybody else is, and no other database is written twice', async () => {
        const before = await everyRow()
        const request = await carriedOut('erase', person)
        expect(request).toMatchObject({ status: 'complete' })
        const after = await everyRow()
        for (const address of addresses) {
          const whose = personName(person)
          const expected = (before.get(address) ?? []).flatMap((row) =>
            row['whose'] !== whose ? [row] : deleted.has(address) ? [] : [masked(row)],
          )
          const sorted = (all: readonly object[]) => all.map((row) => JSON.stringify(row)).sort()
          expect(sorted(after.get(address) ?? []), address).toEqual(sorted(expected))
        }
        expect(Math.max(...often('erase', person).values())).toBe(1)
        const evidence = await privacy.requests.exportEvidence(request.id)
        const key = await privacy.requests.evidenceKey()
        expect(verifyEvidence(JSON.stringify(evidence), { key })).toMatchObject({ ok: true, problems: [] })
      })
    },
  )
})

const personal = new Set([
  'email',
  'name',
  'note',
  'reason',
  'words',
  'remark',
  'nick',
  'city',
  'body',
  'label',
  'ip',
  'url',
  'address',
])

/** A row whose personal members are null. */
const masked = (row: StoredRow): StoredRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      name === 'home' ? masked(value as StoredRow) : personal.has(name) ? null : value,
    ]),
  )
