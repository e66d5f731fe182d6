import { type Connector, castValue, type Value } from '@habeas/core'
import { listKeys, type SqlColumn, type SqlDialect } from '@habeas/sql'
import type { MemoryCall } from '@habeas/testkit'
import { SqliteQueryCompiler, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { accessCheck, isRelational, type OpenDatabase } from '../../core/test/conformance/access.js'
import { conformance, folder, readValue, sayWhenAbsent } from '../../core/test/conformance/bank.js'
import type { Table } from '../../core/test/conformance/databases.js'
import type { OpenErased } from '../../core/test/conformance/erased-world.js'
import { erasureCheck } from '../../core/test/conformance/erasure.js'
import { isReadIn, queryCheck } from '../../core/test/conformance/query.js'
import { postgresDialect } from '../src/dialect.js'
import { postgresConnector } from '../src/index.js'
import { liveColumn } from '../src/live-column.js'
import { quoted } from './database.js'
import { sharedServer } from './shared-server.js'

sayWhenAbsent()

const server = sharedServer()
let client: pg.Client
if (folder !== '') {
  beforeAll(async () => {
    client = new pg.Client(server.url)
    await client.connect()
  })
  afterAll(async () => {
    await client?.end()
  })
}

const plain = postgresConnector()
let schemas = 0
const readsBySchema = new Map<string, MemoryCall[]>()

/** The connector, which writes down what each schema is asked for. */
const connector: Connector = {
  ...plain,
  async connect(secrets, ...others) {
    const connection = await plain.connect(secrets, ...others)
    const calls = readsBySchema.get(String((secrets as { db_schema?: unknown }).db_schema)) ?? []
    return {
      ...connection,
      read(read, ...rest) {
        calls.push({ operation: 'read', read })
        return connection.read(read, ...rest)
      },
    }
  },
}

/** Relational databases become schemas of the server; documents stay in memory. */
const openOnServer: OpenDatabase = async (_type, { relational, tables }) => {
  if (!relational) return undefined
  const schema = `conformance_${schemas++}`
  await client.query(`create schema ${schema}`)
  for (const [name, table] of tables) await createTable(`${schema}.${quoted(name)}`, table)
  const calls: MemoryCall[] = []
  readsBySchema.set(schema, calls)
  return { connector, secrets: { url: server.url, db_schema: schema }, calls }
}

/** Says in which order rows were put in, whatever becomes of them. */
const place = 'place_of_row'

const openForErasing: OpenErased = async (type, database) => {
  const opened = await openOnServer(type, database)
  if (!opened) return undefined
  const tableOf = (name: string) => `${opened.secrets['db_schema']}.${quoted(name)}`
  const names = [...database.tables.keys()]
  for (const name of names) await client.query(`alter table ${tableOf(name)} add column ${place} serial`)
  const rowsIn = async (name: string) => {
    const text = `select to_jsonb(t) - '${place}' as row from ${tableOf(name)} t order by ${place}`
    const { rows } = await client.query<{ row: Record<string, Value> }>(text)
    return rows.map(({ row }) => row)
  }
  return {
    ...opened,
    async rows() {
      const found = new Map<string, Record<string, Value>[]>()
      for (const name of names) found.set(name, await rowsIn(name))
      return found
    },
  }
}

async function createTable(name: string, { columns = [], primaryKey, rows }: Table): Promise<void> {
  const parts = columns.map((column) => `${quoted(column.name)} ${serverType(column.type)}`)
  if (primaryKey.length > 0) parts.push(`primary key (${primaryKey.map(quoted).join(', ')})`)
  await client.query(`create table ${name} (${parts.join(', ')})`)
  const names = columns.map((column) => quoted(column.name)).join(', ')
  const places = columns.map((_, at) => `$${at + 1}`).join(', ')
  for (const row of rows) {
    const values = columns.map((column) => readValue(row[column.name] ?? null))
    await client.query(`insert into ${name} (${names}) values (${places})`, values)
  }
}

const otherNames: Readonly<Record<string, string>> = { DATETIME: 'timestamp', BIT: 'boolean', SERIAL: 'integer' }

const serverType = (type: string) => otherNames[type] ?? type

const typeNames: Readonly<Record<string, string>> = { integer: 'int8', float: 'float8', boolean: 'bool' }

const generic: SqlDialect<SqlColumn, unknown> = {
  createCompiler: () => new SqliteQueryCompiler(),
  binder:
    ({ column }) =>
    (value) =>
      castValue(value, column.kind)?.value,
  ...listKeys({ rowValues: false }),
  holdsNothing: () => sql<boolean>`true`,
}

const inPostgres = queryCheck({
  name: 'postgres',
  dialect: postgresDialect,
  column: (name, kind) =>
    liveColumn({
      name,
      type: '',
      typeSchema: 'pg_catalog',
      typeName: typeNames[kind ?? ''] ?? 'text',
      labels: null,
      isArray: false,
      modifier: -1,
      nullable: true,
      generated: false,
      collation: null,
    }),
})

const inGeneric = queryCheck({
  name: 'generic',
  dialect: generic,
  column: (name, kind) => ({ name, ...(kind && { kind }) }),
})

describe('statements on PostgreSQL', () => conformance('query', inPostgres, isReadIn('postgres')))
describe('statements elsewhere', () => conformance('query', inGeneric, isReadIn('generic')))
describe('on PostgreSQL', () => conformance('access', accessCheck(openOnServer), isRelational))
describe('erasing on PostgreSQL', () => conformance('erasure', erasureCheck(openForErasing), isRelational))
