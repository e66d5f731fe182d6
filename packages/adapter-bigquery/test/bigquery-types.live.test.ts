import { randomBytes } from 'node:crypto'
import type { Connection, Erase, KeyGroup, Row } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bigqueryConnector } from '../src/index.js'
import { emulatorEngine } from './double/emulator-engine.js'
import { type JobServer, openJobServer } from './double/job-server.js'
import { type Rest, restOf } from './double/rest.js'
import { emulatorAddress } from './emulator-address.js'
import { project, secretsOf } from './emulator-fixture.js'

const by = (path: string, ...values: (string | number)[]): KeyGroup => ({
  fields: [{ path: path.split('.') }],
  values: [values],
})

describe('STRUCT and ARRAY columns, on an emulator', () => {
  const address = emulatorAddress
  if (!address) throw new Error('BIGQUERY_EMULATOR_HOST names no server')
  const dataset = `habeas_${randomBytes(6).toString('hex')}`
  const table = `\`${project}\`.\`${dataset}\`.\`orders\``
  const alike = `\`${project}\`.\`${dataset}\`.\`alike\``
  let rest: Rest
  let server: JobServer
  let connection: Connection

  const query = (text: string) =>
    rest('POST', `/projects/${project}/jobs`, { configuration: { query: { query: text, useLegacySql: false } } })

  beforeAll(async () => {
    rest = restOf(address)
    await rest('POST', `/projects/${project}/datasets`, {
      datasetReference: { projectId: project, datasetId: dataset },
    })
    await query(
      `create table ${table} (id INT64, buyer STRUCT<email STRING, home STRUCT<city STRING, floor INT64>, phones ARRAY<STRING>>,
      tags ARRAY<STRING>, items ARRAY<STRUCT<sku STRING, price INT64>>, at DATETIME, of TIME)`
        .replace(' at ', ' `at` ')
        .replace(' of ', ' `of` '),
    )
    const rows = [
      `1, struct('jane@x' as email, struct('Rome' as city, 1 as floor) as home, ['1', '2'] as phones), ['a', 'b'], [struct('s-1' as sku, 1 as price)]`,
      `2, struct('john@x' as email, struct('Oslo' as city, 2 as floor) as home, cast([] as array<string>) as phones), ['b'], [struct('s-1' as sku, 2 as price), struct('s-2' as sku, 3 as price)]`,
    ]
    for (const row of rows) {
      await query(`insert into ${table} values (${row}, datetime '2024-01-01 00:00:00.000001', time '12:00:00')`)
    }
    await query(`insert into ${table} (id) values (3)`)
    await query(`create table ${alike} (email STRING)`)
    for (const email of ['mark@x', ' MARK@x', 'mar\u212a@x']) await query(`insert into ${alike} values ('${email}')`)
    server = await openJobServer(emulatorEngine(address, project))
    const connector = bigqueryConnector({ apiEndpoint: server.address })
    connection = await connector.connect(connector.parseSecrets(secretsOf(dataset)))
  })
  afterAll(async () => {
    await connection?.close()
    await server?.close()
    await rest?.('DELETE', `/projects/${project}/datasets/${dataset}?deleteContents=true`)
  })

  async function rows(columns: readonly string[], ...anyOf: KeyGroup[]): Promise<Row[]> {
    const found: Row[] = []
    for await (const batch of connection.read({ collection: 'orders', columns, anyOf })) found.push(...batch)
    return found.sort(([one], [other]) => Number(one) - Number(other))
  }
  const ids = async (...groups: KeyGroup[]) => (await rows(['id'], ...groups)).flat()
  const all = by('id', 1, 2, 3)

  it('are described with their members', async () => {
    const { collections } = await connection.describe()
    expect(collections[0]?.columns.slice(0, 4)).toMatchObject([
      { name: 'id', kind: 'integer' },
      {
        name: 'buyer',
        kind: 'object',
        type: 'STRUCT<email STRING, home STRUCT<city STRING, floor INT64>, phones ARRAY<STRING>>',
      },
      { name: 'tags', kind: 'string', array: true, type: 'ARRAY<STRING>' },
      { name: 'items', kind: 'object', array: true, type: 'ARRAY<STRUCT<sku STRING, price INT64>>' },
    ])
  })

  it('are read whole', async () => {
    expect(await rows(['id', 'buyer', 'tags', 'items', 'at', 'of'], by('id', 1))).toEqual([
      [
        1,
        { email: 'jane@x', home: { city: 'Rome', floor: 1 }, phones: ['1', '2'] },
        ['a', 'b'],
        [{ sku: 's-1', price: 1 }],
        '2024-01-01T00:00:00.000001',
        expect.stringMatching(/^12:00:00/),
      ],
    ])
  })

  it('leave an address alone that only looks like the one that is asked for', async () => {
    const fields = [{ path: ['email'], caseInsensitive: true, trimmed: true }]
    const anyOf: KeyGroup[] = [{ fields, values: [['Mark@X']] }]
    const look = 'mar\u212a@x'
    expect(await connection.count([{ collection: 'alike', anyOf }])).toEqual([2])
    expect(await connection.countEach!({ collection: 'alike', group: { fields, values: [['mark@x', look]] } })).toEqual(
      [2, 1],
    )
    const keys = [['mark@x', ' MARK@x', look]]
    await connection.erase!({ collection: 'alike', key: ['email'], keys, anyOf, set: 'delete' })
    expect(await connection.count([{ collection: 'alike', anyOf: [by('email', ...keys[0]!)] }])).toEqual([1])
  })

  it('are searched, in members and in elements', async () => {
    expect(await ids(by('buyer.email', 'jane@x'))).toEqual([1])
    expect(await ids(by('buyer.home.floor', 2, '3'))).toEqual([2])
    expect(await ids(by('buyer.phones', '2'))).toEqual([1])
    expect(await ids(by('tags', 'b'))).toEqual([1, 2])
    expect(await ids(by('items.price', '3'))).toEqual([2])
    await expect(ids(by('items.nothing', 'x'))).rejects.toMatchObject({ details: { reason: 'missing_column' } })
    const lowered = { fields: [{ path: ['buyer', 'email'], caseInsensitive: true }], values: [['JANE@X']] }
    expect(await ids(lowered)).toEqual([1])
  })

  it('are counted, tuple by tuple and where they hold nothing', async () => {
    expect(await connection.countEach!({ collection: 'orders', group: by('items.sku', 's-1', 's-2', 's-3') })).toEqual([
      2, 1, 0,
    ])
    expect(await connection.countEach!({ collection: 'orders', group: by('tags', 'a', 'b') })).toEqual([1, 2])
    const empty = (path: string) => ({ collection: 'orders', anyOf: [all], empty: [{ path: path.split('.') }] })
    expect(await connection.count([empty('buyer.phones'), empty('buyer.home.city'), empty('tags')])).toEqual([2, 1, 1])
  })

  const erasing = (change: Partial<Erase>): Promise<void> =>
    connection.erase!({ collection: 'orders', key: ['id'], keys: [[1, 2]], anyOf: [all], set: 'delete', ...change })

  it('are written member by member, each while it is what it was', async () => {
    const jane = { email: 'jane@x', home: { city: 'Rome', floor: 1 }, phones: ['1', '2'] }
    const stale = { email: 'moved@x', home: { city: 'Oslo', floor: 2 }, phones: [] }
    await erasing({
      set: [
        {
          column: 'buyer',
          was: [jane, stale],
          toEach: [
            { ...jane, email: 'masked', phones: ['1', 'masked'] },
            { ...stale, email: 'masked', home: { city: 'masked', floor: 2 } },
          ],
        },
        { column: 'tags', was: [['a', 'b'], ['other']], toEach: [['masked', 'b'], ['masked']] },
        {
          column: 'items',
          was: [[{ sku: 's-1', price: 1 }], [{ sku: 's-1', price: 2 }]],
          toEach: [[{ sku: null, price: 1 }], [{ sku: null, price: 2 }]],
        },
      ],
    })
    expect(await rows(['id', 'buyer', 'tags', 'items'], all)).toEqual([
      [1, { ...jane, email: 'masked', phones: ['1', 'masked'] }, ['masked', 'b'], [{ sku: null, price: 1 }]],
      [
        ...[2, { email: 'john@x', home: { city: 'masked', floor: 2 }, phones: [] }, ['b']],
        [
          { sku: 's-1', price: 2 },
          { sku: 's-2', price: 3 },
        ],
      ],
      [3, null, [], []],
    ])
  })

  it('are written where much of one JSON document changes, each member while it is what it was', async () => {
    const wide = `\`${project}\`.\`${dataset}\`.\`wide\``
    const names = Array.from({ length: 16 }, (_, at) => `m${at}`)
    const elements = Array.from({ length: 60 }, (_, sku) => ({ sku, gift: 'g' }))
    const texts = Object.fromEntries(names.map((name) => [name, 'a']))
    const was = { ...texts, home: { city: 'Rome', floor: 1 }, list: elements }
    await rest('POST', `/projects/${project}/datasets/${dataset}/tables`, {
      tableReference: { projectId: project, datasetId: dataset, tableId: 'wide' },
      schema: {
        fields: [
          { name: 'id', type: 'INTEGER' },
          { name: 'data', type: 'JSON' },
        ],
      },
    })
    const documents = [
      JSON.stringify({ ...was, none: null, price: 1.5 }),
      '{"m1":null,"m2":"b","m3":"a","home":"Rome","list":[{"sku":0,"gift":"g"}]}',
      '{"m3":"a","home":{"city":null,"floor":2},"more":{"city":"Rome"}}',
    ]
    for (const [id, document] of documents.entries()) {
      await query(`insert into ${wide} values (${id}, json '${document}')`)
    }
    const to = {
      ...Object.fromEntries(names.map((name) => [name, 'x'])),
      ...{ home: { floor: 1 }, list: elements.map((element) => ({ ...element, gift: null })) },
    }
    await connection.erase!({
      ...{ collection: 'wide', key: ['id'], keys: [[0, 1, 2]], anyOf: [by('id', 0, 1, 2)] },
      set: [{ column: 'data', toEach: [to, to, to], was: [was, was, was] }],
    })
    const found: Row[] = []
    const asked = { collection: 'wide', columns: ['id', 'data'], anyOf: [by('id', 0, 1, 2)] }
    for await (const batch of connection.read(asked)) found.push(...batch)
    expect(found.sort(([one], [other]) => Number(one) - Number(other))).toEqual([
      [0, { ...to, none: null, price: 1.5 }],
      [1, { m1: null, m2: 'b', m3: 'x', home: 'Rome', list: [{ sku: 0, gift: 'g' }] }],
      [2, { m3: 'x', home: { city: null, floor: 2 }, more: { city: 'Rome' } }],
    ])
  })

  it('hold keys that are no numbers', async () => {
    const scores = `\`${project}\`.\`${dataset}\`.\`scores\``
    await query(`create table ${scores} (score FLOAT64, name STRING)`)
    for (const score of ['nan', 'inf', '-inf', '1.5']) {
      await query(`insert into ${scores} values (cast('${score}' as float64), '${score}')`)
    }
    const keys = ['NaN', 'Infinity', '-Infinity', 1.5]
    const each = await connection.countEach!({ collection: 'scores', group: by('score', ...keys, 2) })
    expect(each).toEqual([1, 1, 1, 1, 0])
    const exact = { fields: [{ path: ['score'] }, { path: ['name'] }], values: [keys, ['nan', 'inf', '-inf', '2']] }
    expect(await connection.count([{ collection: 'scores', anyOf: [{ ...exact, exact: true }] }])).toEqual([3])
    const anyOf = [by('name', 'nan', 'inf')]
    await connection.erase!({ collection: 'scores', key: ['score'], keys: [keys], anyOf, set: 'delete' })
    expect(await connection.count([{ collection: 'scores', anyOf: [by('score', ...keys)] }])).toEqual([2])
  })

  it('tell rows without a key apart whatever the sign of a zero, and a STRUCT of nothing from none', async () => {
    const zeros = `\`${project}\`.\`${dataset}\`.\`zeros\``
    await query(
      `create table ${zeros} (name STRING, score FLOAT64, part STRUCT<n FLOAT64, t STRING>, list ARRAY<FLOAT64>)`,
    )
    const values = [
      `'a', cast('-0.0' as float64), null, [1.0]`,
      `'b', 0.0, struct(cast('-0.0' as float64) as n, '-0.0' as t), [cast('-0.0' as float64), cast('-0.0' as float64)]`,
      `'c', 1.5, struct(cast(null as float64) as n, cast(null as string) as t), cast([] as array<float64>)`,
      `'d', 1.5, null, cast([] as array<float64>)`,
    ]
    for (const row of values) await query(`insert into ${zeros} values (${row})`)
    const all = [by('name', 'a', 'b', 'c', 'd')]
    const columns = ['name', 'score', 'part', 'list']
    const read: Row[] = []
    for await (const batch of connection.read({ collection: 'zeros', columns, anyOf: all })) read.push(...batch)
    for (const name of ['a', 'b', 'c', 'd']) {
      const row = read.find(([own]) => own === name)!
      const key = columns.slice(1)
      const keys = row.slice(1).map((value) => [value ?? null])
      const exact: KeyGroup = { fields: key.map((name) => ({ path: [name] })), values: keys, exact: true }
      await connection.erase!({ collection: 'zeros', key, keys, rows: 1, anyOf: [exact], set: 'delete' })
      expect(await connection.count([{ collection: 'zeros', anyOf: [by('name', name)] }])).toEqual([0])
    }
  })

  it('tell rows without a key apart', async () => {
    const buyer = { email: 'john@x', home: { city: 'masked', floor: 2 }, phones: [] }
    const batch = { key: ['buyer', 'tags'], keys: [[buyer], [['b']]] }
    await expect(erasing({ ...batch, rows: 2 })).rejects.toMatchObject({ details: { reason: 'ambiguous_rows' } })
    await expect(erasing({ ...batch, keys: [[{ ...buyer, email: 'x' }], [['b']]], rows: 1 })).rejects.toMatchObject({
      details: { reason: 'ambiguous_rows' },
    })
    await erasing({ ...batch, rows: 1 })
    expect(await ids(all)).toEqual([1, 3])
  })
})
