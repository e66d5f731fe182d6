import type { Connector, Value, ValueKind } from '@habeas/core'
import type { FixtureColumn, FixtureKind, FixtureTable, MemoryCall } from '@habeas/testkit'
import { afterAll, describe } from 'vitest'
import { accessCheck, isRelational, type OpenDatabase } from '../../core/test/conformance/access.js'
import { conformance, readValue, sayWhenAbsent } from '../../core/test/conformance/bank.js'
import type { Database, LiveColumn, Table } from '../../core/test/conformance/databases.js'
import type { OpenErased } from '../../core/test/conformance/erased-world.js'
import { erasureCheck } from '../../core/test/conformance/erasure.js'
import { isReadIn, queryCheck } from '../../core/test/conformance/query.js'
import { kindOfType } from '../../sql/src/value-kind.js'
import { snowflakeDialect } from '../src/dialect.js'
import { snowflakeConnector } from '../src/index.js'
import { liveColumn } from '../src/live-column.js'
import { openDatabase, type TestDatabase } from './database.js'
import { type Emulator, openEmulator } from './emulator.js'

sayWhenAbsent()

const url = process.env['SNOWFLAKE_URL']
if (!url) throw new Error('SNOWFLAKE_URL names no server')

let emulator: Promise<Emulator> | undefined
const databases: TestDatabase[] = []
afterAll(async () => {
  for (const database of databases) await database.close()
  await (await emulator)?.close()
})

const plain = snowflakeConnector()
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

const place = 'place_of_row'

/** Relational databases become schemas of the account; documents stay in memory. */
async function loaded({ tables }: Database): Promise<TestDatabase> {
  emulator ??= openEmulator(url!)
  const database = await openDatabase(await emulator, [...tables].map(fixtureTable))
  databases.push(database)
  return database
}

/** A table of a case, whose rows say in which order they were put in, whatever becomes of them. */
function fixtureTable([name, { columns = [], primaryKey, rows }]: readonly [string, Table]): FixtureTable {
  const typed = columns.map(fixtureColumn)
  return {
    ...{ name, primaryKey, uniqueKeys: [], foreignKeys: [] },
    columns: [...typed, { name: place, kind: 'integer' }],
    rows: rows.map((row, at) => ({
      ...Object.fromEntries(typed.map(({ name, kind }) => [name, storedValue(kind, readValue(row[name] ?? null))])),
      [place]: at,
    })),
  }
}

function fixtureColumn({ name, type }: LiveColumn): FixtureColumn {
  const kind = kindOfType(type)
  const length = /^(?:CHARACTER VARYING|VARCHAR)\((\d+)\)$/.exec(type)?.[1]
  return { name, kind: fixtureKinds[kind ?? 'string'], nullable: true, ...(length && { length: Number(length) }) }
}

const fixtureKinds: Readonly<Record<ValueKind, FixtureKind>> = {
  integer: 'big_integer',
  decimal: 'decimal',
  float: 'float',
  boolean: 'boolean',
  string: 'string',
  uuid: 'uuid',
  date: 'date',
  timestamp: 'timestamp',
  datetime: 'timestamp',
  object_id: 'string',
  bytes: 'bytes',
  object: 'object',
}

/** Amounts of money have their sign, and a bit is a number, where a case comes from another server. */
function storedValue(kind: FixtureKind, value: Value): Value {
  if (value === null) return null
  if (kind === 'decimal') return String(value).replace(/[$,]/g, '')
  return kind === 'boolean' ? value === true || value === 1 : value
}

/** Some versions of the driver write a number that is null as text. No time of a case has a fraction. */
function valueFrom(kind: ValueKind | undefined, value: unknown): Value {
  if ((kind === 'timestamp' || kind === 'datetime') && value !== null)
    return (value as { toISOString(): string }).toISOString()
  return value === 'NULL' && numbers.includes(kind) ? null : (value as Value)
}

const numbers: readonly (ValueKind | undefined)[] = ['integer', 'decimal', 'float']

const openOnServer: OpenDatabase = async (_type, database) => {
  if (!database.relational) return undefined
  const { secrets } = await loaded(database)
  const calls: MemoryCall[] = []
  readsBySchema.set(String(secrets['db_schema']), calls)
  return { connector, secrets, calls }
}

const openForErasing: OpenErased = async (_type, database) => {
  if (!database.relational) return undefined
  const opened = await loaded(database)
  const rowsIn = async (name: string) => {
    const rows = await opened.rows(name)
    const inOrder = [...rows].sort((one, other) => Number(one[place]) - Number(other[place]))
    const kinds = new Map(database.tables.get(name)?.columns?.map(({ name, type }) => [name, kindOfType(type)]))
    return inOrder.map(({ [place]: _, ...row }) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [column, valueFrom(kinds.get(column), value)])),
    )
  }
  return {
    connector,
    secrets: opened.secrets,
    async rows() {
      const found = new Map<string, Record<string, Value>[]>()
      for (const name of database.tables.keys()) found.set(name, await rowsIn(name))
      return found
    },
  }
}

const types: Readonly<Record<string, string>> = {
  integer: 'NUMBER',
  decimal: 'NUMBER',
  float: 'FLOAT',
  boolean: 'BOOLEAN',
}

const statements = queryCheck({
  name: 'generic',
  dialect: snowflakeDialect,
  column: (name, kind) => {
    const type = types[kind ?? ''] ?? 'TEXT'
    const listed = { collection: '', name, position: 1, type, nullable: true, length: null, collation: null }
    return { name, ...liveColumn({ ...listed, scale: kind === 'decimal' ? 10 : 0 }) }
  },
})

describe('statements for Snowflake', () => conformance('query', statements, isReadIn('generic')))
describe('on Snowflake', () => conformance('access', accessCheck(openOnServer), isRelational))
describe('erasing on Snowflake', () => conformance('erasure', erasureCheck(openForErasing), isRelational))
