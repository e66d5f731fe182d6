import { afterAll, beforeAll, expect, it } from 'vitest'
import { timescaleConnector } from '../src/index.js'
import { openDatabase, type TestDatabase } from './database.js'
import { sharedServer } from './shared-server.js'

/**
 * The open-source edition of TimescaleDB can neither compress nor aggregate. So rows stand in for what its views list, which is
 * no more than shows that they are looked up, named and left alone.
 */
const standIn = `
  create schema timescaledb_information;
  create table timescaledb_information.chunks (
    hypertable_schema name, hypertable_name name, chunk_schema name, chunk_name name, is_compressed boolean);
  create table timescaledb_information.continuous_aggregates (
    hypertable_schema name, hypertable_name name, view_schema name, view_name name,
    materialization_hypertable_schema name, materialization_hypertable_name name)`

const server = sharedServer()
let database: TestDatabase

beforeAll(async () => {
  database = await openDatabase(
    server.url,
    `${standIn}; create table visits (id integer primary key, email text); create table people (id integer primary key);
     create view visits_by_day as select email, count(*) from visits group by email`,
    timescaleConnector,
  )
  const { client, schema } = database
  const fill = async (table: string, ...rows: (readonly unknown[])[]) => {
    for (const row of rows) {
      const places = row.map((_, at) => `$${at + 1}`).join(', ')
      await client.query(`insert into timescaledb_information.${table} values (${places})`, [...row])
    }
  }
  await fill(
    'continuous_aggregates',
    [schema, 'visits', schema, 'visits_by_day', '_timescaledb_internal', '_materialized_hypertable_2'],
    ['_timescaledb_internal', '_materialized_hypertable_2', 'reports', 'by_month', '_timescaledb_internal', '_m_3'],
    ['elsewhere', 'visits', 'elsewhere', 'not_ours', '_timescaledb_internal', '_m_4'],
  )
  await fill(
    'chunks',
    [schema, 'visits', '_timescaledb_internal', '_hyper_1_1_chunk', true],
    [schema, 'visits', '_timescaledb_internal', '_hyper_1_2_chunk', true],
    [schema, 'people', '_timescaledb_internal', '_hyper_5_1_chunk', false],
    ['elsewhere', 'people', '_timescaledb_internal', '_hyper_6_1_chunk', true],
  )
})
afterAll(() => database?.close())

it('names continuous aggregates, those over aggregates too, and tables with compressed chunks', async () => {
  const { collections } = await database.connection.describe()
  expect(collections.map(({ name, keptIn }) => [name, keptIn])).toEqual([
    ['people', undefined],
    [
      'visits',
      [
        { name: 'reports.by_month', kind: 'aggregate' },
        { name: 'visits_by_day', kind: 'aggregate' },
        { name: 'visits', kind: 'compressed' },
      ],
    ],
    ['visits_by_day', undefined],
  ])
})

it('takes no chunk for a collection, and its rows for those of its hypertable, whatever the schema of the chunk', async () => {
  const { client, schema } = database
  await client.query('create table people_1 (check (id < 10)) inherits (people); insert into people_1 values (7)')
  const count = async () => {
    await database.connection.describe()
    return database.connection.count([
      { collection: 'people', anyOf: [{ fields: [{ path: ['id'] }], values: [[7]] }], noneOf: [] },
    ])
  }
  expect(await count()).toEqual([0])
  await client.query(
    'update timescaledb_information.chunks set chunk_schema = $1, chunk_name = $2 where hypertable_name = $3',
    [schema, 'people_1', 'people'],
  )
  expect(await count()).toEqual([1])
  const { collections } = await database.connection.describe()
  expect(collections.map(({ name }) => name)).toEqual(['people', 'visits', 'visits_by_day'])
})

it('takes the foreign key of a chunk for that of its hypertable', async () => {
  const { client, schema, connection } = database
  const key = 'constraint pets_owner foreign key (owner_id) references owners on delete cascade'
  await client.query(`create schema parts; create table owners (id integer primary key);
    create table pets (id integer, owner_id integer, ${key}); create table parts.pets_1 (${key}) inherits (pets)`)
  await client.query('insert into timescaledb_information.chunks values ($1, $2, $3, $4, false)', [
    ...[schema, 'pets', 'parts', 'pets_1'],
  ])
  const { collections } = await connection.describe()
  const named = (name: string) => collections.find((collection) => collection.name === name)
  expect(named('owners')).not.toHaveProperty('incomingForeignKeys')
  expect(named('pets')?.foreignKeys).toMatchObject([{ columns: ['owner_id'], onDelete: 'cascade' }])
})

it('refuses a database without TimescaleDB, and says which type it is', async () => {
  const connector = timescaleConnector()
  const connection = await connector.connect(connector.parseSecrets({ url: server.url.replace(/[^/]*$/, 'postgres') }))
  await expect(connection.ping()).rejects.toMatchObject({
    code: 'connection_failed',
    details: { reason: 'database_missing' },
    message: expect.stringMatching(/no TimescaleDB.*type postgres/),
  })
  await connection.close()
})
