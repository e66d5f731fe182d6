import { newestFirst, type RowKind, searchable } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { postgresBlobs, postgresStorage } from '../src/index.js'
import { rowStatements } from '../src/state/row-statements.js'
import { ask, bytesOf, ownSchemas, pool, row, schema, server } from './own-schema.js'

ownSchemas()

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

  it('have an index with its full name for each field that may be searched', async () => {
    await postgresStorage({ pool, schema }).table('checkpoint').count()
    const relations = await ask(
      `select relname, relkind from pg_class where relnamespace = '${schema}'::regnamespace and relname like 'record_%'`,
    )
    const kinds = Object.keys(searchable) as RowKind[]
    const fields = kinds.reduce((sum, kind) => sum + searchable[kind].length - 1, 0)
    expect(relations.filter(({ relkind }) => relkind === 'r')).toHaveLength(kinds.length)
    const indexes = relations.filter(({ relkind, relname }) => relkind === 'i' && !relname.endsWith('_pkey'))
    expect(indexes).toHaveLength(fields + Object.keys(newestFirst).length)
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

  it('list the newest by an index, wherever a page begins', async () => {
    const storage = postgresStorage({ pool, schema })
    const status = { status: 'complete', policyKey: 'all', encrypted: false } as const
    const rows = Array.from({ length: 2_000 }, (_, at) => {
      const createdAt = new Date(Date.UTC(2026, 0, 1, 0, at % 500)).toISOString()
      return { ...status, id: `pri_${at}`, version: 1, createdAt, requestedAt: createdAt }
    })
    await storage.table('privacyRequest').insertMany(rows)
    await pool.query(`analyze ${schema}.record_privacy_request`)
    const { sql, parameters } = rowStatements(schema, 'privacyRequest').find({
      orderBy: [
        { field: 'createdAt', direction: 'desc' },
        { field: 'id', direction: 'desc' },
      ],
      limit: 50,
      offset: 100,
    })
    const { rows: plan } = await pool.query(`explain ${sql}`, [...parameters])
    const lines = plan.map((line) => line['QUERY PLAN']).join('\n')
    expect(lines).toContain('Index Scan using record_privacy_request_newest')
    expect(lines).not.toContain('Sort')
  })

  it('are not touched by a version older than the one that made them', async () => {
    await postgresStorage({ pool, schema }).table('checkpoint').count()
    await pool.query(`insert into ${schema}.migration (number, name) values (99, 'to come')`)
    // As for a process that has never seen these tables.
    await pool.query(`update ${schema}.migration set applied_at = applied_at - interval '1 day'`)
    const attempt = postgresStorage({ pool, schema }).table('checkpoint').count()
    await expect(attempt).rejects.toMatchObject({
      code: 'misconfigured',
      details: { option: 'schema' },
      message: expect.stringMatching(/number 99 by a newer version .* upgrade it/),
    })
  })

  it('get what a newer version of core adds, and are otherwise only checked', async () => {
    await postgresStorage({ pool, schema }).table('checkpoint').insert(row('a'))
    await pool.query(`drop table ${schema}.record_registry; drop index ${schema}.record_checkpoint_request_id`)
    await postgresStorage({ pool, schema }).table('registry').count()
    const indexes = await ask(`select from pg_class where relname = 'record_checkpoint_request_id'`)
    expect(indexes.length).toBeGreaterThan(0)
    // From then on an account that may make nothing will do.
    await pool.query(`
      create role reader_${schema} login; grant usage on schema ${schema} to reader_${schema};
      grant select, insert, update, delete on all tables in schema ${schema} to reader_${schema};
    `)
    const connectionString = server.url.replace('postgres@', `reader_${schema}@`)
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

  it('are created later where the server could not be reached at first', async () => {
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

  it('decide what close ends: the pool that was opened, but not one that was passed in', async () => {
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
