import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Row } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { having, openDatabase, rowsOf, type TestDatabase } from './database.js'
import { sharedServer } from './shared-server.js'
import { slowProxy } from './slow-proxy.js'

const server = sharedServer()
let database: TestDatabase

/** How slow a test goes that measures time. */
const paces = [1, 4, 16]
const trickling = (pace: number) =>
  `create view trickling_${pace} as select 1 as kind, i as id, repeat('y', 9000) as content,
     pg_sleep(${0.05 * pace})::text as waited from generate_series(1, 30) i`

beforeAll(async () => {
  database = await openDatabase(
    server.url,
    `create table small (id integer primary key, name text);
     insert into small select i, 'name ' || i from generate_series(1, 400) i;
     create table wide (id integer primary key, kind integer, content text);
     alter table wide alter column content set storage external;
     insert into wide select i, 1, repeat(chr(65 + i % 26), case when i <= 600 then 10 else 100000 end) from generate_series(1, 1600) i;
     create table long (id integer primary key, kind integer, content text);
     insert into long select i, 1, repeat('x', 100) from generate_series(1, 200000) i;
     create view slow as select 1 as id, pg_sleep(30)::text as waited;
     ${paces.map(trickling).join(';')}`,
  )
})
afterAll(async () => {
  await database?.close()
})

const all = having('kind', 1)
const sizeOf = (batch: readonly Row[]) =>
  batch.reduce((sum, row) => sum + row.reduce<number>((bytes, value) => bytes + String(value).length, 0), 0)
/** What is measured in time has to hold at one pace: a busy machine needs a slow one, and a fault shows at each. */
const atSomePace = (test: (pace: number) => Promise<void>) => async () => {
  let failure: unknown
  for (const pace of paces) {
    try {
      return await test(pace)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}
const busy = async () => {
  const { rows } = await database.client.query(
    `select count(*)::int as n from pg_stat_activity where application_name = 'habeas' and state <> 'idle'`,
  )
  return rows[0].n
}

describe('batches', () => {
  it('are sized by bytes, also where the rows grow while they are read', async () => {
    let rows = 0
    let largest = 0
    for await (const batch of database.connection.read({
      collection: 'wide',
      columns: ['id', 'content'],
      anyOf: [all],
    })) {
      rows += batch.length
      largest = Math.max(largest, sizeOf(batch))
    }
    expect(rows).toBe(1600)
    expect(largest).toBeLessThan(512 * 1024)
  })

  it('hold memory down while the consumer is slow', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    collect()
    const before = process.memoryUsage().rss
    let most = 0
    let turn = 0
    for await (const _ of database.connection.read({ collection: 'wide', columns: ['id', 'content'], anyOf: [all] })) {
      if (turn++ % 16 === 0) await delay(20)
      collect()
      most = Math.max(most, process.memoryUsage().rss)
    }
    // 100 MB in all
    expect(most - before).toBeLessThan(80 * 1024 * 1024)
  })

  it('are few where rows are small, and come in order of the statement', async () => {
    let batches = 0
    let rows = 0
    for await (const batch of database.connection.read({
      collection: 'long',
      columns: ['id', 'content'],
      anyOf: [all],
    })) {
      batches += 1
      rows += batch.length
    }
    expect(rows).toBe(200_000)
    expect(batches).toBeGreaterThan(40)
    expect(batches).toBeLessThan(160)
  })
})

describe('round trips', () => {
  it(
    'are one for a result that fits into the first batch, also for consecutive reads',
    atSomePace(async (pace) => {
      const roundTripMs = 120 * pace
      const proxy = await slowProxy(server.port, roundTripMs)
      const connection = await database.connect({}, { port: proxy.port })
      try {
        await connection.describe()
        // opens a second client, so that the last word to the first is not waited for
        await Promise.all([connection.ping(), connection.ping()])
        await delay(roundTripMs * 2)
        const started = performance.now()
        for (const id of [1, 2, 3]) expect(await rowsOf(connection, 'small', ['id'], having('id', id))).toEqual([[id]])
        expect(performance.now() - started).toBeLessThan(roundTripMs * 4)
        await delay(roundTripMs * 2)
        const again = performance.now()
        const everyId = Array.from({ length: 400 }, (_, index) => index + 1)
        expect(await rowsOf(connection, 'small', ['id', 'name'], having('id', ...everyId))).toHaveLength(400)
        expect(performance.now() - again).toBeLessThan(roundTripMs * 1.7)
      } finally {
        await connection.close()
        proxy.close()
      }
    }),
  )

  it(
    'the next rows are fetched while the consumer works',
    atSomePace(async (pace) => {
      const roundTripMs = 120 * pace
      const proxy = await slowProxy(server.port, roundTripMs)
      const connection = await database.connect({}, { port: proxy.port })
      try {
        await connection.describe()
        const read = connection.read({ collection: 'long', columns: ['id', 'content'], anyOf: [all] })
        const iterator = read[Symbol.asyncIterator]()
        await iterator.next()
        await delay(roundTripMs * 2.5)
        const started = performance.now()
        await iterator.next()
        expect(performance.now() - started).toBeLessThan(roundTripMs / 2)
        await iterator.return?.()
      } finally {
        await connection.close()
        proxy.close()
      }
    }),
  )
})

describe('time limits', () => {
  it('end a statement that sends nothing, at the server too', async () => {
    const connection = await database.connect({ statementTimeoutSeconds: 0.3 })
    for (const call of [
      () => rowsOf(connection, 'slow', ['waited'], having('id', 1)),
      () => connection.count([{ collection: 'slow', anyOf: [having('waited', '')] }]),
    ]) {
      await expect(call()).rejects.toMatchObject({ details: { reason: 'statement_timeout' } })
    }
    await connection.ping()
    await expect.poll(busy).toBe(0)
  })

  it(
    'do not count the time that the consumer takes, nor the whole time of a long read',
    atSomePace(async (pace) => {
      const connection = await database.connect({ statementTimeoutSeconds: 0.3 * pace })
      let rows = 0
      let turn = 0
      for await (const batch of connection.read({ collection: 'long', columns: ['id', 'content'], anyOf: [all] })) {
        rows += batch.length
        if (turn++ < 3) await delay(500 * pace)
      }
      expect(rows).toBe(200_000)
      expect(await rowsOf(connection, `trickling_${pace}`, ['id', 'content', 'waited'], all)).toHaveLength(30)
    }),
  )

  it('apply where the role has a shorter one of its own', async () => {
    await database.client.query(`create role hasty login superuser; alter role hasty set statement_timeout = '200ms'`)
    const connection = await database.connect({}, { user: 'hasty' })
    expect(await rowsOf(connection, 'trickling_1', ['id', 'content', 'waited'], all)).toHaveLength(30)
    await connection.close()
    await database.client.query('drop role hasty')
  })
})

describe('stopping', () => {
  it('an abort ends the statement at the server at once', async () => {
    const abort = new AbortController()
    const running = rowsOfSlow(abort.signal)
    await expect.poll(busy).toBeGreaterThan(0)
    abort.abort(new Error('not wanted any more'))
    await expect(running).rejects.toMatchObject({ details: { reason: 'cancelled' } })
    await expect.poll(busy).toBe(0)
    await database.connection.ping()
  })

  it('an abort while rows are read leaves its client fit for use', async () => {
    const connection = await database.connect({ poolSize: 1 })
    const pids = new Set<unknown>()
    for (let turn = 0; turn < 5; turn++) {
      const abort = new AbortController()
      const read = connection.read(
        { collection: 'long', columns: ['id', 'content'], anyOf: [all] },
        { signal: abort.signal },
      )
      await read[Symbol.asyncIterator]().next()
      abort.abort()
      await expect(read[Symbol.asyncIterator]().next()).rejects.toMatchObject({ details: { reason: 'cancelled' } })
      await connection.ping()
      const { rows } = await database.client.query(
        `select pid from pg_stat_activity where application_name = 'habeas' order by backend_start desc limit 1`,
      )
      pids.add(rows[0].pid)
    }
    expect(pids.size).toBe(1)
    await connection.close()
  })

  it('an abort also ends the wait for a client', async () => {
    const connection = await database.connect({ poolSize: 1 })
    const abort = new AbortController()
    const first = connection.read({ collection: 'long', columns: ['id'], anyOf: [all] })[Symbol.asyncIterator]()
    await first.next()
    const second = connection.count([{ collection: 'small', anyOf: [having('id', 1)] }], { signal: abort.signal })
    abort.abort()
    await expect(second).rejects.toMatchObject({ details: { reason: 'cancelled' } })
    await first.return?.()
    await connection.ping()
  })

  it('a consumer that stops early leaves its client fit for use', async () => {
    const connection = await database.connect({ poolSize: 1 })
    const pids = new Set<unknown>()
    for (let turn = 0; turn < 5; turn++) {
      for await (const _ of connection.read({ collection: 'long', columns: ['id', 'content'], anyOf: [all] })) break
      const { rows } = await database.client.query(
        `select pid, state from pg_stat_activity where application_name = 'habeas' order by backend_start desc limit 1`,
      )
      expect(rows[0].state).toBe('idle')
      pids.add(rows[0].pid)
    }
    expect(pids.size).toBe(1)
  })

  it('close ends what runs and leaves no session behind', async () => {
    const connection = await database.connect({ applicationName: 'closing' })
    const running = connection.read({ collection: 'slow', columns: ['waited'], anyOf: [having('id', 1)] })
    const outcome = expect(running[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      details: { reason: 'cancelled' },
    })
    const sessions = async () => {
      const query = `select count(*)::int as n from pg_stat_activity where application_name = 'closing'`
      return (await database.client.query(query)).rows[0].n
    }
    await expect.poll(sessions).toBeGreaterThan(0)
    await delay(200)
    await Promise.all([connection.close(), connection.close()])
    await outcome
    await expect.poll(sessions).toBe(0)
    await expect(connection.ping()).rejects.toMatchObject({ code: 'connection_failed' })
  })

  it('idle clients do not keep a process alive, and are closed after a while', async () => {
    const program = `
      import { postgresConnector } from '@habeas/adapter-postgres'
      const connection = await postgresConnector().connect({ url: ${JSON.stringify(server.url)} })
      await connection.ping()`
    const flags = ['--conditions=@habeas/source', '--import', 'tsx', '--input-type=module', '-e', program]
    const child = spawn(process.execPath, flags, { stdio: 'ignore', cwd: import.meta.dirname })
    expect(await once(child, 'exit')).toEqual([0, null])

    const connection = await database.connect({ applicationName: 'idling', idleTimeoutSeconds: 0.1 })
    await connection.ping()
    const query = `select 1 from pg_stat_activity where application_name = 'idling'`
    await expect.poll(async () => (await database.client.query(query)).rowCount).toBe(0)
    await connection.ping()
  })
})

function rowsOfSlow(signal: AbortSignal): Promise<Row[]> {
  const read = { collection: 'slow', columns: ['waited'], anyOf: [having('id', 1)] }
  return (async () => {
    const rows: Row[] = []
    for await (const batch of database.connection.read(read, { signal })) rows.push(...batch)
    return rows
  })()
}
