import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Connection, Erase, KeyGroup } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DoubleDatabase, sharedDouble } from './double-database.js'

const group = (column: string, ...keys: readonly (string | number)[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [keys],
})
const masking = (collection: string, ...ids: number[]): Erase => ({
  ...{ collection, key: ['id'], keys: [ids], anyOf: [group('id', ...ids)] },
  set: [{ column: 'name', to: 'x' }],
})
const manyRows = 60_000

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
const double = sharedDouble()

describe('what a connection bears', () => {
  let database: DoubleDatabase
  let connection: Connection
  beforeAll(async () => {
    database = await double.openDatabase()
    connection = await database.connect()
    await database.client.query(`create table many (id int primary key, owner int, name text);
      insert into many select n, 1, repeat('n', 300) from generate_series(1, ${manyRows}) as n;
      create table shop (id int primary key, name varchar(20) collate mssql.ci);
      insert into shop values (1, 'ann'), (2, 'bob');
      create view slow as select id, pg_sleep(60)::text as name from shop`)
  })
  afterAll(() => database.close())
  const names = async () =>
    (await database.client.query('select name from shop order by id')).rows.map(({ name }) => name)
  const running = async (text: string) => {
    const { rows } = await database.client.query(
      `select 1 from pg_stat_activity where datname = current_database() and state = 'active' and query like '%' || $1 || '%' and pid <> pg_backend_pid()`,
      [text],
    )
    return rows.length
  }

  it('many rows are read in bounded memory, and a reader that pauses loses none', async () => {
    const held = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    // the driver is loaded with the first connection
    await connection.ping()
    const before = held()
    let [rows, most, batches] = [0, 0, 0]
    for await (const batch of connection.read({
      collection: 'many',
      columns: ['id', 'name'],
      anyOf: [group('owner', 1)],
    })) {
      // the server has much more to send than the sockets hold
      if (rows === 0) await delay(2_000)
      rows += batch.length
      if (++batches % 20 === 0) most = Math.max(most, held() - before)
    }
    expect(rows).toBe(manyRows)
    // all rows together are 18 MB of text, and 36 MB on the wire
    expect(most).toBeLessThan(10_000_000)
  })

  it('a reader that stops early gives the session back, and nothing goes on at the server', async () => {
    for await (const _ of connection.read({ collection: 'many', columns: ['id', 'name'], anyOf: [group('owner', 1)] }))
      break
    await connection.ping()
    await expect.poll(() => running('rows')).toBe(0)
  })

  it('a read that is aborted ends at the server as well, and the connection goes on', async () => {
    const abort = new AbortController()
    const reading = (async () => {
      for await (const _ of connection.read(
        { collection: 'slow', columns: ['name'], anyOf: [group('id', 1, 2)] },
        { signal: abort.signal },
      ));
    })()
    await expect.poll(() => running('rows')).toBe(1)
    abort.abort()
    await expect(reading).rejects.toMatchObject({ details: { reason: 'cancelled' } })
    await expect.poll(() => running('rows')).toBe(0)
    await connection.ping()
  })

  it('a write that takes too long is ended, and nothing of it stays', async () => {
    await database.client.query(`create table sleepy (id int primary key, name varchar(20));
      insert into sleepy values (1, 'ann'), (2, 'bob');
      create function sleeping() returns trigger language plpgsql as $$ begin if old.id = 2 then perform pg_sleep(60); end if; return new; end $$;
      create trigger sleeping before update on sleepy for each row execute function sleeping()`)
    const hasty = await database.connect({ statementTimeoutSeconds: 1 })
    await expect(hasty.erase?.(masking('sleepy', 1, 2))).rejects.toMatchObject({
      details: { reason: 'statement_timeout' },
    })
    await expect.poll(() => running('sleepy')).toBe(0)
    const { rows } = await database.client.query('select name from sleepy order by id')
    expect(rows).toEqual([{ name: 'ann' }, { name: 'bob' }])
    await hasty.ping()
  })

  it('a write waits for locks no longer than lockTimeoutSeconds', async () => {
    const hasty = await database.connect({ lockTimeoutSeconds: 1 })
    await database.client.query(`begin; update shop set name = 'bea' where id = 2`)
    await expect(hasty.erase?.(masking('shop', 1, 2))).rejects.toMatchObject({ details: { reason: 'lock_timeout' } })
    await database.client.query('rollback')
    expect(await names()).toEqual(['ann', 'bob'])
  })

  it('deadlocks are repeated', async () => {
    await database.client.query(`create table pair (id int primary key, name varchar(20)); insert into pair values (1, 'ann'), (2, 'bob');
      create function crossing() returns trigger language plpgsql as $$
        begin perform pg_sleep(0.2); perform 1 from dbo.pair where id = 3 - old.id for update; return new; end $$;
      create trigger crossing before update on pair for each row when (new.name = 'x') execute function crossing()`)
    await Promise.all([1, 2].map((id) => connection.erase?.(masking('pair', id))))
    const { rows } = await database.client.query('select name from pair')
    expect(rows).toEqual([{ name: 'x' }, { name: 'x' }])
  })

  it('writes of an overtaken worker take no effect once another one has ended them', async () => {
    const [old, next] = [await database.connect(), await database.connect()]
    let reached: () => void = () => {}
    const written = new Promise<void>((resolve) => {
      reached = resolve
    })
    const confirm = () => {
      reached()
      return new Promise<void>(() => {})
    }
    const fence = { lock: `${database.name}-fence`, confirm }
    const writing = old.erase?.(masking('shop', 1), { fence })
    void writing?.catch(() => {})
    await written
    await next.endWrites?.(fence.lock)
    expect(await names()).toEqual(['ann', 'bob'])
  })

  it('10,000 keys are one statement, and a batch as large as a batch may be is written', async () => {
    const ids = Array.from({ length: 10_000 }, (_, at) => at + 1)
    expect(await connection.count([{ collection: 'many', anyOf: [group('id', ...ids)] }])).toEqual([10_000])
    await connection.erase?.(masking('many', ...ids.slice(0, 1_000)))
    expect(await connection.count([{ collection: 'many', anyOf: [group('name', 'x')] }])).toEqual([1_000])
  })

  it('sessions that are idle are closed', async () => {
    const others = double.sessions()
    const idle = await database.connect({ idleTimeoutSeconds: 0.2 })
    await idle.ping()
    expect(double.sessions()).toBe(others + 1)
    await expect.poll(() => double.sessions()).toBe(others)
    await idle.ping()
  })
})
