import { isPrivacyError, memoryStorage, type RowKind, searchable } from '@habeas/core'
import { type PostgresServer, startPostgres } from '@habeas/testkit'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postgresBlobs, postgresStorage } from '../src/index.js'

let server: PostgresServer
let pool: pg.Pool
let number = 0
let schema: string

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())
beforeEach(() => {
  schema = `case_${++number}`
  pool = openPool({ max: 10 })
})
afterEach(() => pool.end())

/** Its last clients may hear that the server stops. */
const openPool = (settings: pg.PoolConfig) =>
  new pg.Pool({ connectionString: server.url, ...settings }).on('error', () => {})

const row = (id: string, version = 1, state: unknown = {}) => {
  return { id, version, requestId: 'pri_1', signature: 's', state }
}
async function* bytesOf(...chunks: readonly (string | Uint8Array)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk)
}
const textOf = async (bytes: AsyncIterable<Uint8Array>) => {
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part)
  return Buffer.concat(parts).toString()
}
const ask = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows

describe('the tables', () => {
  it('are made once, however many processes start at the same time', async () => {
    const storages = Array.from({ length: 8 }, () => postgresStorage({ pool, schema }))
    const blobs = Array.from({ length: 4 }, () => postgresBlobs({ pool, schema }))
    await Promise.all([
      ...storages.map((storage, index) => storage.table('checkpoint').insert(row(`row ${index}`))),
      ...blobs.map((each, index) => each.write(`blob ${index}`, bytesOf('content'))),
    ])
    expect(await storages[0]?.table('checkpoint').count()).toBe(8)
    const applied = await ask(`select number, name from ${schema}.migration order by number`)
    expect(applied).toEqual([
      { number: 1, name: 'records' },
      { number: 2, name: 'blobs' },
    ])
  })

  it('have an index for each field that may be searched, whose name is whole', async () => {
    await postgresStorage({ pool, schema }).table('checkpoint').count()
    const relations = await ask(
      `select relname, relkind from pg_class where relnamespace = '${schema}'::regnamespace and relname like 'record_%'`,
    )
    const kinds = Object.keys(searchable) as RowKind[]
    const fields = kinds.reduce((sum, kind) => sum + searchable[kind].length - 1, 0)
    expect(relations.filter(({ relkind }) => relkind === 'r')).toHaveLength(kinds.length)
    const indexes = relations.filter(({ relkind, relname }) => relkind === 'i' && !relname.endsWith('_pkey'))
    expect(indexes).toHaveLength(fields)
    expect(indexes.every(({ relname }) => relname.length < 63)).toBe(true)
  })

  it('are searched by these indexes', async () => {
    const storage = postgresStorage({ pool, schema })
    const rows = Array.from({ length: 2_000 }, (_, index) => ({ ...row(`${index}`), requestId: `pri_${index % 500}` }))
    await storage.table('checkpoint').insertMany(rows)
    await pool.query(`analyze ${schema}.record_checkpoint`)
    const said: string[] = []
    const watching = {
      async connect() {
        const client = await pool.connect()
        return {
          query: async (text: string, values?: unknown[]) => {
            if (/from "case_\d+"\."record_checkpoint"/.test(text)) {
              const { rows } = await client.query(`explain ${text}`, values)
              said.push(rows.map((line) => line['QUERY PLAN']).join('\n'))
            }
            return client.query(text, values)
          },
          release: (failure?: Error) => client.release(failure),
          on: client.on.bind(client),
          removeListener: client.removeListener.bind(client),
        }
      },
    }
    const table = postgresStorage({ pool: watching, schema }).table('checkpoint')
    await table.get('7')
    await table.find({ where: { requestId: { equals: 'pri_7' } } })
    await table.find({ where: { requestId: { in: ['pri_7', 'pri_8'] } } })
    await table.find({ where: { requestId: { startsWith: 'pri_77' } } })
    await table.find({ orderBy: [{ field: 'requestId' }], limit: 5 })
    expect(said).toHaveLength(5)
    expect(said[0]).toContain('record_checkpoint_pkey')
    for (const plan of said.slice(1)) expect(plan).toContain('record_checkpoint_request_id')
  })

  it('are not touched by a version older than the one that made them', async () => {
    await postgresStorage({ pool, schema }).table('checkpoint').count()
    await pool.query(`insert into ${schema}.migration (number, name) values (99, 'to come')`)
    const attempt = postgresStorage({ pool, schema }).table('checkpoint').count()
    await expect(attempt).rejects.toMatchObject({
      code: 'misconfigured',
      details: { option: 'schema' },
      message: expect.stringMatching(/number 99 by a newer version .* upgrade it/),
    })
  })

  it('get what a newer version of core adds, and are otherwise only looked at', async () => {
    await postgresStorage({ pool, schema }).table('checkpoint').insert(row('a'))
    await pool.query(`drop table ${schema}.record_registry; drop index ${schema}.record_checkpoint_request_id`)
    await postgresStorage({ pool, schema }).table('registry').count()
    const indexes = await ask(`select from pg_class where relname = 'record_checkpoint_request_id'`)
    expect(indexes.length).toBeGreaterThan(0)
    // From then on an account that may make nothing will do.
    await pool.query(`
      create role reader_${number} login; grant usage on schema ${schema} to reader_${number};
      grant select, insert, update, delete on all tables in schema ${schema} to reader_${number};
    `)
    const connectionString = server.url.replace('postgres@', `reader_${number}@`)
    const storage = postgresStorage({ connectionString, schema })
    await storage.table('checkpoint').insert(row('b'))
    expect(await storage.table('checkpoint').count()).toBe(2)
    await storage.close()
    const refused = postgresStorage({ connectionString, schema: `${schema}_other` })
    await expect(refused.table('checkpoint').count()).rejects.toMatchObject({
      ...{ code: 'unavailable', details: { reason: 'permission' } },
    })
    await refused.close()
  })

  it('are tried again where the server was away at first', async () => {
    let isAway = true
    const storage = postgresStorage({
      schema,
      pool: {
        connect: () => (isAway ? Promise.reject(Object.assign(new Error(), { code: 'ECONNREFUSED' })) : pool.connect()),
      },
    })
    await expect(storage.table('checkpoint').count()).rejects.toMatchObject({
      ...{ code: 'unavailable', details: { reason: 'refused' } },
    })
    isAway = false
    expect(await storage.table('checkpoint').count()).toBe(0)
  })
})

describe('the options', () => {
  it.each([
    [{}, 'connectionString'],
    [{ pool: {} }, 'pool'],
    [{ connectionString: 'postgres://x', pool: { connect() {} } }, 'connectionString'],
    [{ connectionString: 'postgres://x', schema: 'Habeas' }, 'schema'],
    [{ connectionString: 'postgres://x', schema: 'pg_habeas' }, 'schema'],
    [{ connectionString: 'postgres://x', schema: 'a"; drop' }, 'schema'],
    [{ connectionString: 'postgres://x', poolSize: 0 }, 'poolSize'],
    [{ connectionString: 'postgres://x', poolsize: 3 }, 'poolsize'],
  ])('%j are misconfigured', (options, option) => {
    for (const make of [postgresStorage, postgresBlobs]) {
      expect(() => make(options as never)).toThrow(
        expect.objectContaining({ code: 'misconfigured', details: { option } }),
      )
    }
  })

  it('decide what close ends: a pool that was opened, none that was handed in', async () => {
    for (const open of [postgresStorage, postgresBlobs]) {
      const handed = open({ pool, schema })
      await handed.close()
      expect(await ask('select 1 as one')).toEqual([{ one: 1 }])
    }
    const storage = postgresStorage({ connectionString: server.url, schema })
    await storage.table('checkpoint').insert(row('a'))
    await storage.close()
    await storage.close()
    await expect(storage.table('checkpoint').get('a')).rejects.toMatchObject({ code: 'unavailable' })
    await expect(storage.transaction(async () => {})).rejects.toMatchObject({ code: 'unavailable' })
    const blobs = postgresBlobs({ connectionString: server.url, schema })
    await blobs.write('key', bytesOf('content'))
    await blobs.close()
    await expect(blobs.size('key')).rejects.toMatchObject({ code: 'unavailable' })
    await expect.poll(() => ask(`select from pg_stat_activity where application_name = 'habeas'`)).toEqual([])
  })
})

describe('a server that goes away', () => {
  const kill = (where: string) => ask(`select pg_terminate_backend(pid) from pg_stat_activity where ${where}`)

  it('in the middle of a transaction leaves nothing of it, and the storage goes on', async () => {
    const storage = postgresStorage({ pool, schema })
    await storage.table('checkpoint').insert(row('a'))
    for (const when of ['between its statements', 'before its commit']) {
      const work = storage.transaction(async (inside) => {
        await inside.table('checkpoint').replace(row('a', 2))
        await inside.table('checkpoint').insert(row('b'))
        await kill(`state = 'idle in transaction'`)
        // The client hears of it by itself.
        await new Promise((resolve) => setTimeout(resolve, 50))
        if (when === 'between its statements') await inside.table('checkpoint').insert(row('c'))
      })
      await expect(work).rejects.toSatisfy((error) => isPrivacyError(error, 'unavailable'))
      expect(await storage.table('checkpoint').find()).toEqual([row('a')])
    }
    expect(await storage.table('checkpoint').replace(row('a', 2))).toBe(true)
  })

  it('while a blob is written or read, is told, and nothing of it can be read', async () => {
    const blobs = postgresBlobs({ pool, schema })
    await blobs.write('key', bytesOf('old'))
    let isAway = false
    const away = {
      connect: () => (isAway ? Promise.reject(Object.assign(new Error(), { code: 'ECONNRESET' })) : pool.connect()),
    }
    const lossy = postgresBlobs({ pool: away, schema })
    const writing = lossy.write(
      'key',
      (async function* () {
        yield Buffer.alloc(600_000)
        isAway = true
        yield Buffer.alloc(600_000)
      })(),
    )
    await expect(writing).rejects.toMatchObject({ code: 'unavailable' })
    expect(await textOf(blobs.read('key'))).toBe('old')
    isAway = false
    await blobs.write('large', bytesOf(Buffer.alloc(2_000_000)))
    const reading = (async () => {
      for await (const _ of lossy.read('large')) isAway = true
    })()
    await expect(reading).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('is told to end transactions of processes that stand still, so that others can take over', async () => {
    const texts: string[] = []
    const watching = {
      async connect() {
        const client = await pool.connect()
        const query = client.query.bind(client) as (text: string, values?: unknown[]) => ReturnType<typeof ask>
        return Object.assign(Object.create(client), {
          query(text: string, values?: unknown[]) {
            texts.push(text)
            return query(text, values)
          },
        })
      },
    }
    await postgresStorage({ pool: watching, schema }).transaction(async (inside) => {
      await inside.table('checkpoint').get('a')
    })
    expect(texts.join()).toContain(`idle_in_transaction_session_timeout = '30s'`)
  })
})

describe('rows', () => {
  it('hold no id that an index has no room for, and say so', async () => {
    const table = postgresStorage({ pool, schema }).table('checkpoint')
    for (const attempt of [table.insert(row('é'.repeat(1_001))), table.insertMany([row('x'.repeat(2_001))])]) {
      await expect(attempt).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining('2000 bytes'),
      })
    }
    await table.insert(row(Array.from({ length: 666 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('')))
    expect(await table.count()).toBe(1)
  })

  it('are sent again when the server gives a statement up, and work within a pool of one client', async () => {
    const single = openPool({ max: 1 })
    let failures = 3
    const storage = postgresStorage({
      schema,
      pool: {
        async connect() {
          const client = await single.connect()
          const query = client.query.bind(client) as (text: string, values?: unknown[]) => Promise<pg.QueryResult>
          return Object.assign(Object.create(client), {
            query(text: string, values?: unknown[]) {
              const isWrite = text.startsWith('update')
              if (isWrite && failures-- > 0) return query(`do $$ begin raise exception sqlstate '40001'; end $$`)
              return query(text, values)
            },
          })
        },
      },
    })
    await storage.table('checkpoint').insert(row('a'))
    expect(await storage.table('checkpoint').replace(row('a', 2))).toBe(true)
    failures = 3
    let times = 0
    await storage.transaction(async (inside) => {
      times++
      await inside.table('checkpoint').replace(row('a', 3))
    })
    expect([times, await storage.table('checkpoint').get('a')]).toEqual([4, row('a', 3)])
    failures = 100
    const attempt = storage.table('checkpoint').replace(row('a', 4))
    await expect(attempt).rejects.toMatchObject({ code: 'conflict' })
    await single.end()
  })

  it('of a transaction that swallowed the failure of a statement are not half kept', async () => {
    const storage = postgresStorage({ pool, schema })
    const work = storage.transaction(async (inside) => {
      await inside.table('checkpoint').insert(row('a'))
      await inside
        .table('checkpoint')
        .insert(row('b', 2 ** 40))
        .catch(() => {})
    })
    await expect(work).rejects.toSatisfy(isPrivacyError)
    expect(await storage.table('checkpoint').count()).toBe(0)
  })

  it('are read the same whatever the parsers of the host do', async () => {
    const text = 25
    const getTypeParser = (type: number) => (value: string) => (type === text ? value : 'parsed by the host')
    const own = openPool({ types: { getTypeParser } as never })
    const memory = memoryStorage()
    for (const storage of [memory, postgresStorage({ pool: own, schema })]) {
      await storage.table('checkpoint').insert(row('a', 1, { deep: [1, null] }))
    }
    const storage = postgresStorage({ pool, schema })
    expect(await storage.table('checkpoint').get('a')).toEqual(await memory.table('checkpoint').get('a'))
    await postgresBlobs({ pool: own, schema }).write('key', bytesOf(Buffer.alloc(600_000, 'x')))
    expect(await textOf(postgresBlobs({ pool: own, schema }).read('key', { from: 599_990 }))).toBe('x'.repeat(10))
    await own.end()
  })
})

describe('blobs', () => {
  const contents = async () => Number((await ask(`select count(*) as count from ${schema}.blob_content`))[0]?.count)

  it('that processes were killed over are removed after a day, and no others', async () => {
    const blobs = postgresBlobs({ pool, schema })
    await blobs.write('kept', bytesOf('kept'))
    await pool.query(`
      insert into ${schema}.blob_content (id, key, touched_at) values
        (gen_random_uuid(), 'old', now() - interval '25 hours'), (gen_random_uuid(), 'young', now() - interval '23 hours');
      update ${schema}.blob_content set touched_at = now() - interval '1 year' where key = 'kept';
    `)
    expect(await contents()).toBe(3)
    await postgresBlobs({ pool, schema }).write('another', bytesOf('another'))
    expect(await ask(`select key from ${schema}.blob_content order by key`)).toEqual([
      ...[{ key: 'another' }, { key: 'kept' }, { key: 'young' }],
    ])
    expect(await textOf(blobs.read('kept'))).toBe('kept')
  })

  it('leave nothing behind when they are replaced, refused or deleted', async () => {
    const blobs = postgresBlobs({ pool, schema })
    const large = Buffer.alloc(700_000, 1)
    for (const content of [large, 'small', large, '']) await blobs.write('a/b', bytesOf(content))
    expect(await contents()).toBe(1)
    const failing = blobs.write(
      'a/c',
      (async function* () {
        yield large
        throw new Error('no more')
      })(),
    )
    await expect(failing).rejects.toThrow('no more')
    expect(await contents()).toBe(1)
    await blobs.delete('a')
    expect(await contents()).toBe(0)
    expect(await ask(`select from ${schema}.blob_chunk`)).toEqual([])
  })

  it('that are deleted while they are written do not come back', async () => {
    const blobs = postgresBlobs({ pool, schema })
    const writing = blobs.write(
      'run/1/spool',
      (async function* () {
        yield Buffer.alloc(600_000)
        yield Buffer.alloc(600_000)
        await blobs.delete('run')
        yield Buffer.alloc(1)
      })(),
    )
    await expect(writing).rejects.toMatchObject({ code: 'unavailable', details: { reason: 'deleted' } })
    expect(await contents()).toBe(0)
  })

  it('hold no client while a slow producer is waited for', async () => {
    const single = openPool({ max: 1 })
    const blobs = postgresBlobs({ pool: single, schema })
    await blobs.write(
      'key',
      (async function* () {
        for (let part = 0; part < 4; part++) {
          yield Buffer.alloc(300_000, part)
          const { rows } = await single.query(
            `select count(*)::int as count from pg_stat_activity where state = 'idle in transaction'`,
          )
          expect(rows).toEqual([{ count: 0 }])
        }
      })(),
    )
    expect(await blobs.size('key')).toBe(1_200_000)
    await single.end()
  })

  it('under long keys are told apart, and deleted by any part of them', async () => {
    const blobs = postgresBlobs({ pool, schema })
    const long = 'é'.repeat(400)
    for (const key of [`${long}/a`, `${long}/b/c`, `${long}x/a`, long]) await blobs.write(key, bytesOf(key))
    await blobs.delete(`${long}/b`)
    expect(await blobs.size(`${long}/b/c`)).toBeUndefined()
    await blobs.delete(long)
    for (const key of [`${long}/a`, long]) expect(await blobs.size(key)).toBeUndefined()
    expect(await textOf(blobs.read(`${long}x/a`))).toBe(`${long}x/a`)
    await expect(blobs.write('nul \0', bytesOf(''))).rejects.toMatchObject({ code: 'invalid_input' })
  })
})
