import { setTimeout as delay } from 'node:timers/promises'
import type { Erase } from '@habeas/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { having, openDatabase, quoted, type TestDatabase } from './database.js'
import { sharedServer } from './shared-server.js'
import { slowProxy } from './slow-proxy.js'
import { erasure, waitingFor } from './waiting-for.js'

const server = sharedServer({ deadlock_timeout: '20ms' })
let database: TestDatabase
beforeEach(async () => {
  const setUp = `create table entry (id int primary key, owner int, line text);
    insert into entry select i, 1, 'line' from generate_series(1, 500) i; analyze entry`
  database = await openDatabase(server.url, setUp)
})
afterEach(() => database?.close())

const ids = Array.from({ length: 500 }, (_, index) => index + 1)
const batch = (keys: readonly number[], text = 'masked'): Erase => ({
  collection: 'entry',
  key: ['id'],
  keys: [keys],
  anyOf: [having('owner', 1)],
  set: [{ column: 'line', toEach: keys.map(() => text) }],
})
const lines = async () => {
  const { rows } = await database.client.query('select line, count(*)::int as n from entry group by line order by line')
  return Object.fromEntries(rows.map(({ line, n }) => [line, n]))
}
/** A transaction of somebody else that holds a row. */
const holding = async (id: number) => {
  const client = await database.session()
  await client.query('begin')
  await client.query('update entry set line = line where id = $1', [id])
  return client
}
const waiting = () => waitingFor(database.client, erasure)

describe('erasing beside others', () => {
  it('repeats a batch that the server ended because of a deadlock', async () => {
    const other = await holding(400)
    const writing = database.connection.erase!(batch(ids))
    await waiting()
    // now each waits for the other, and the server ends whoever notices first
    const ended = await other.query('update entry set line = line where id = 1').then(
      () => 'kept',
      () => 'ended',
    )
    await other.query(ended === 'kept' ? 'commit' : 'rollback')
    await writing
    expect(await lines()).toEqual({ masked: 500 })
    // the server counts with a delay
    const counted = 'select deadlocks::int as n from pg_stat_database where datname = current_database()'
    while ((await database.client.query(counted)).rows[0].n === 0) await delay(20)
  })

  it('overlapping batches in opposite order never fail', async () => {
    const others = await Promise.all([1, 2, 3].map(() => database.connect()))
    const constant = { set: [{ column: 'line', to: 'constant' }] }
    for (let round = 0; round < 15; round++) {
      await Promise.all(
        [database.connection, ...others].flatMap((connection, index) => {
          const keys = index % 2 === 0 ? ids : [...ids].reverse()
          return [connection.erase!(batch(keys)), connection.erase!({ ...batch(keys), ...constant })]
        }),
      )
    }
    expect(Object.values(await lines())).toEqual([500])
  })

  it('a row that changes while the batch waits for it is judged as it is then', async () => {
    const other = await holding(400)
    const writing = database.connection.erase!(batch(ids))
    await waiting()
    await other.query('update entry set owner = 2 where id = 400')
    await other.query('commit')
    await writing
    expect(await lines()).toEqual({ line: 1, masked: 499 })
  })

  it('a batch whose session ends in the middle has written nothing', async () => {
    const other = await holding(400)
    const failing = database.connection.erase!(batch(ids)).catch((error) => error)
    await waiting()
    await database.client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'habeas' and wait_event_type = 'Lock'`,
    )
    expect(await failing).toMatchObject({ code: 'connection_failed' })
    await other.query('commit')
    expect(await lines()).toEqual({ line: 500 })
    await database.connection.erase!(batch(ids))
    expect(await lines()).toEqual({ masked: 500 })
  })

  it('a batch that waits too long ends with statement_timeout, and has written nothing', async () => {
    const impatient = await database.connect({ statementTimeoutSeconds: 0.3 })
    const other = await holding(400)
    for (const rows of [undefined, 500]) {
      const { rows: _, ...erase } = { ...batch(ids), rows }
      const failing = impatient.erase!(rows === undefined ? erase : { ...erase, rows })
      await expect(failing).rejects.toMatchObject({ details: { reason: 'statement_timeout' } })
    }
    await other.query('commit')
    expect(await lines()).toEqual({ line: 500 })
  })

  it('a batch that waits too long for a lock ends with lock_timeout, and has written nothing', async () => {
    const impatient = await database.connect({ lockTimeoutSeconds: 0.3, statementTimeoutSeconds: 20 })
    const other = await holding(400)
    const fence = { lock: 'mine', confirm: async () => {} }
    for (const options of [{}, { fence }]) {
      const failing = impatient.erase!(batch(ids), options)
      await expect(failing).rejects.toMatchObject({ details: { reason: 'lock_timeout' } })
    }
    await other.query('commit')
    expect(await lines()).toEqual({ line: 500 })
  })

  it('closing ends a batch that waits, and a transaction between its packets', async () => {
    const other = await holding(400)
    const connection = await database.connect()
    const failing = connection.erase!({ ...batch(ids), rows: 500 }).catch((error) => error)
    await waiting()
    await connection.close()
    expect(await failing).toMatchObject({ code: 'connection_failed' })
    await other.query('commit')
    expect(await lines()).toEqual({ line: 500 })
  })

  it('a batch by a unique key costs one round trip, and one by another key two', async () => {
    const proxy = await slowProxy(server.port, 200)
    const url = server.url.replace(String(server.port), String(proxy.port))
    const connection = await database.connect({}, { url })
    try {
      await connection.erase!(batch([1]))
      const roundTripsOf = async (erase: Erase) => {
        const before = proxy.roundTrips
        await connection.erase!(erase)
        return proxy.roundTrips - before
      }
      expect(await roundTripsOf(batch([2]))).toBe(1)
      expect(await roundTripsOf({ ...batch([3]), rows: 1 })).toBe(2)
    } finally {
      await connection.close()
      proxy.close()
    }
    expect(await lines()).toEqual({ line: 497, masked: 3 })
  })

  it('says when the user may not write, or the server does not let it', async () => {
    await database.client.query(`create role reader_${process.pid} login; grant usage on schema ${quoted(database.schema)} to reader_${process.pid};
      grant select on entry to reader_${process.pid}`)
    const url = new URL(server.url)
    url.username = `reader_${process.pid}`
    const reader = await database.connect({}, { url: String(url) })
    await expect(reader.erase!(batch(ids))).rejects.toMatchObject({ details: { reason: 'permission' } })
    await database.client.query(
      `grant update on entry to reader_${process.pid}; alter role reader_${process.pid} set default_transaction_read_only = on`,
    )
    const readOnly = await database.connect({}, { url: String(url) })
    await expect(readOnly.erase!(batch(ids))).rejects.toMatchObject({ details: { reason: 'permission' } })
    await database.client.query(`alter role reader_${process.pid} set default_transaction_read_only = off;
      alter table entry enable row level security; create policy see on entry using (true) with check (false)`)
    const ruled = await database.connect({}, { url: String(url) })
    await expect(ruled.erase!(batch(ids))).rejects.toMatchObject({
      message: expect.stringMatching(/grant the permission.*row-level security.*change the policy/),
    })
    expect(await lines()).toEqual({ line: 500 })
  })
})
