import { connect, createServer, type Socket } from 'node:net'
import { type Erase, PrivacyError } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { having, rowsOf, type TestDatabase } from '../database.js'
import { redshiftServer } from './redshift-database.js'

const server = redshiftServer()
const tables = `
  create table shop (id int not null, name varchar(20));
  insert into shop values (1, 'ann'), (2, 'bob');
  create view slow as select id, pg_sleep(600)::text as name from shop`
const trigger = (name: string, does: string) => `
  create table ${name} (id int not null, name varchar(20));
  insert into ${name} values (1, 'ann'), (2, 'bob');
  create function trigger_${name}() returns trigger language plpgsql as $$ begin ${does}; return new; end $$;
  create trigger each_row before update on ${name} for each row execute function trigger_${name}()`
const masking = (collection: string, ...ids: number[]): Erase => ({
  ...{ collection, key: ['id'], keys: [ids], anyOf: [having('id', ...ids)] },
  set: [{ column: 'name', to: 'x' }],
})

describe('the limits of a connection, on a double of Redshift', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await server.open([], tables)
  })
  afterAll(() => database?.close())

  const running = async (table: string) => {
    const text = `select 1 from pg_stat_activity where state = 'active' and query like $1 and pid <> pg_backend_pid()`
    return (await database.client.query(text, [`%"${table}"%`])).rows.length
  }
  const names = async (table: string) =>
    (await database.client.query(`select name from ${table} order by id`)).rows.map(({ name }) => name)

  it('a read that is aborted ends at the server as well, and the connection goes on', async () => {
    const abort = new AbortController()
    const asked = { collection: 'slow', columns: ['name'], anyOf: [having('id', 1, 2)] }
    const reading = (async () => {
      for await (const _ of database.connection.read(asked, { signal: abort.signal }));
    })()
    await expect.poll(() => running('slow')).toBe(1)
    abort.abort()
    await expect(reading).rejects.toMatchObject({ details: { reason: 'cancelled' } })
    await expect.poll(() => running('slow')).toBe(0)
    await database.connection.ping()
  })

  it('a read or count that says nothing for too long is ended at the server', async () => {
    const hasty = await database.connect({ statementTimeoutSeconds: 0.5 })
    const late = { code: 'connection_failed', details: { reason: 'statement_timeout' } }
    await expect(rowsOf(hasty, 'slow', ['name'], having('id', 1))).rejects.toMatchObject(late)
    const counting = hasty.count([{ collection: 'slow', anyOf: [having('name', 'x')] }])
    await expect(counting).rejects.toMatchObject(late)
    await expect.poll(() => running('slow')).toBe(0)
  })

  it('a write whose process is gone without a word is ended by the server, and takes no effect', async () => {
    await database.client.query(trigger('sleepy', 'if old.id = 2 then perform pg_sleep(600); end if'))
    const lines = await oneWay(server.url)
    const mortal = await database.connect({ statementTimeoutSeconds: 3, poolSize: 1 }, { url: lines.url })
    const writing = mortal.erase!(masking('sleepy', 1, 2)).catch(() => {})
    await expect.poll(() => running('sleepy')).toBe(1)
    lines.silence()
    await mortal.close()
    await writing
    await expect.poll(() => running('sleepy')).toBe(0)
    expect(await names('sleepy')).toEqual(['ann', 'bob'])
    lines.close()
  })

  it('a batch is repeated while others overtake it, and fails as something to try again, with nothing written', async () => {
    const overtaken = (times: number) => `
      perform nextval('attempts');
      if currval('attempts') <= ${times} then raise exception using errcode = '40001', message = 'overtaken'; end if`
    await database.client.query(`create sequence attempts; ${trigger('busy', overtaken(3))}`)
    await database.connection.erase!(masking('busy', 1))
    expect(await names('busy')).toEqual(['x', 'bob'])
    await database.client.query(trigger('crowded', overtaken(1_000)))
    await expect(database.connection.erase!(masking('crowded', 1))).rejects.toMatchObject({
      ...{ code: 'connection_failed', details: { reason: 'other', transient: true } },
      message: expect.stringMatching(/Other transactions kept ending this one.*try again/),
    })
    expect(await names('crowded')).toEqual(['ann', 'bob'])
  })

  it('a batch of a worker that was overtaken before COMMIT is taken back', async () => {
    const overtaken = new PrivacyError('connection_failed', 'another worker carries it out', { reason: 'other' })
    const fence = { lock: 'mine', confirm: () => Promise.reject(overtaken), leftMs: () => 0 }
    await expect(database.connection.erase!(masking('shop', 1, 2), { fence })).rejects.toBe(overtaken)
    expect(await names('shop')).toEqual(['ann', 'bob'])
    await database.connection.erase!(masking('shop', 1))
    expect(await names('shop')).toEqual(['x', 'bob'])
  })
})

/** Passes the first line on, and keeps it open at the server when the client is gone or says nothing more. */
async function oneWay(url: string) {
  const { hostname, port } = new URL(url)
  let upstream: Socket | undefined
  let isSilent = false
  const proxy = createServer((client) => {
    client.on('error', () => {})
    if (upstream) return void client.destroy()
    const line = connect(Number(port), hostname)
    upstream = line.on('error', () => {})
    client.on('data', (data) => isSilent || line.write(data))
    line.on('data', (data) => client.destroyed || client.write(data))
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: url.replace(`:${port}/`, `:${(proxy.address() as { port: number }).port}/`),
    silence() {
      isSilent = true
    },
    close() {
      upstream?.destroy()
      proxy.close()
    },
  }
}
