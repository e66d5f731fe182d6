import { isPrivacyError, memoryStorage } from '@habeas/core'
import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { postgresBlobs, postgresStorage } from '../src/index.js'
import { ask, bytesOf, openPool, ownSchemas, pool, row, schema, textOf } from './own-schema.js'

ownSchemas()

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

  it('while a blob is written or read causes an error, and nothing of the blob can be read', async () => {
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

  it('ends transactions of processes that hang, so that others can take over', async () => {
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
    expect(texts.join()).toContain(`'idle_in_transaction_session_timeout', '30s', true`)
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

  it('of a transaction that caught the failure of a statement are not half kept', async () => {
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

  it('that killed processes have left are removed after a day, and no others', async () => {
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

  it('hold no client while they wait for a slow producer', async () => {
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
