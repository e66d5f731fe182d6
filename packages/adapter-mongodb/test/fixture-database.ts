import { randomBytes } from 'node:crypto'
import type { Value } from '@habeas/core'
import type { Fixture, FixtureColumn, FixtureKind, FixtureTable } from '@habeas/testkit'
import { Binary, Decimal128, type Document, Double, Int32, Long, MongoClient, UUID } from 'mongodb'

const types: Readonly<Record<FixtureKind, readonly string[]>> = {
  integer: ['int'],
  big_integer: ['long'],
  decimal: ['decimal'],
  float: ['double'],
  boolean: ['bool'],
  string: ['string'],
  uuid: ['binData'],
  date: ['string'],
  timestamp: ['date'],
  bytes: ['binData'],
  object: ['object', 'array'],
}

const stored: Readonly<Record<FixtureKind, (value: Value) => unknown>> = {
  integer: (value) => new Int32(Number(value)),
  big_integer: (value) => Long.fromString(String(value)),
  decimal: (value) => Decimal128.fromString(String(value)),
  float: (value) => new Double(Number(value)),
  boolean: (value) => value,
  string: (value) => value,
  uuid: (value) => new UUID(String(value)),
  date: (value) => value,
  timestamp: (value) => new Date(String(value)),
  bytes: (value) => new Binary(Buffer.from(String(value), 'base64')),
  object: (value) => value,
}

/** A database that holds a fixture. */
export interface FixtureDatabase {
  readonly name: string
  readonly client: MongoClient
  /** Puts the documents of the fixture back. */
  refill(): Promise<void>
  close(): Promise<void>
}

/** Makes a database with a validator and the indexes of each table. */
export async function fixtureDatabase(url: string, fixture: Fixture): Promise<FixtureDatabase> {
  const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } })
  const name = `habeas_${randomBytes(6).toString('hex')}`
  const db = client.db(name)
  for (const table of fixture) {
    await db.createCollection(table.name, { validator: { $jsonSchema: schemaOf(table) } })
    const keys = [...(table.primaryKey.length > 0 ? [table.primaryKey] : []), ...table.uniqueKeys]
    if (keys.length === 0) continue
    const indexes = keys.map((key) => ({ key: new Map(key.map((column) => [column, 1])), unique: true }))
    await db.collection(table.name).createIndexes(indexes as never)
  }
  const refill = async () => {
    for (const table of fixture) {
      await db.collection(table.name).deleteMany({})
      if (table.rows.length > 0)
        await db.collection(table.name).insertMany(table.rows.map((row) => documentOf(table, row)))
    }
  }
  await refill()
  return {
    name,
    client,
    refill,
    async close() {
      await db.dropDatabase()
      await client.close()
    },
  }
}

function documentOf({ columns }: FixtureTable, row: Readonly<Record<string, Value>>): Document {
  return Object.fromEntries(
    columns.map(({ name, kind }) => {
      const value = row[name] ?? null
      return [name, value === null ? null : stored[kind](value)]
    }),
  )
}

function schemaOf({ columns, checks = [] }: FixtureTable): Document {
  const least = new Map(checks.map((check) => [check.column, check.least]))
  const rule = ({ name, kind, nullable, length }: FixtureColumn) => ({
    bsonType: [...types[kind], ...(nullable ? ['null'] : [])],
    ...(length !== undefined && { maxLength: length }),
    ...(least.has(name) && { minimum: least.get(name) }),
  })
  return {
    bsonType: 'object',
    required: columns.map(({ name }) => name),
    additionalProperties: false,
    properties: { _id: {}, ...Object.fromEntries(columns.map((column) => [column.name, rule(column)])) },
  }
}
