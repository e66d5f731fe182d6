import { randomBytes } from 'node:crypto'
import type { Connector, Value } from '@habeas/core'
import type { MemoryCall } from '@habeas/testkit'
import { type BSONRegExp, Double, Int32, Long, MongoClient, ObjectId } from 'mongodb'
import { afterAll, describe, expect } from 'vitest'
import { accessCheck, isSchemaless, type OpenDatabase } from '../../core/test/conformance/access.js'
import { type Case, conformance, type Json, sayWhenAbsent } from '../../core/test/conformance/bank.js'
import type { Database } from '../../core/test/conformance/databases.js'
import type { OpenErased } from '../../core/test/conformance/erased-world.js'
import { erasureCheck } from '../../core/test/conformance/erasure.js'
import { type FindExpected, type FindInput, isFind, readsOf } from '../../core/test/conformance/find.js'
import { readValue } from '../src/bson-value.js'
import { mongodbConnector } from '../src/index.js'
import { mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

sayWhenAbsent()

let opened: MongoClient | undefined
const client = () => {
  opened ??= new MongoClient(serverUrl(), { writeConcern: { w: 'majority' } })
  return opened
}
const names: string[] = []
afterAll(async () => {
  for (const name of names) await client().db(name).dropDatabase()
  await opened?.close()
})

const plain = mongodbConnector()
const readsByDatabase = new Map<string, MemoryCall[]>()

/** The connector, which writes down what each database is asked for. */
const connector: Connector = {
  ...plain,
  async connect(secrets, ...others) {
    const connection = await plain.connect(secrets, ...others)
    const calls = readsByDatabase.get(String((secrets as { database?: unknown }).database)) ?? []
    return {
      ...connection,
      read(read, ...rest) {
        calls.push({ operation: 'read', read })
        return connection.read(read, ...rest)
      },
    }
  },
}

async function loaded({ tables }: Pick<Database, 'tables'>): Promise<string> {
  const name = `habeas_${randomBytes(6).toString('hex')}`
  names.push(name)
  for (const [collection, { rows }] of tables) {
    await client().db(name).createCollection(collection)
    if (rows.length > 0)
      await client()
        .db(name)
        .collection(collection)
        .insertMany(rows.map(stored) as never)
  }
  return name
}

/** A value of a case as MongoDB keeps it: JSON has one kind of number, and MongoDB several. */
function stored(json: unknown): unknown {
  if (typeof json === 'number') return numberOf(json)
  if (Array.isArray(json)) return json.map(stored)
  if (typeof json !== 'object' || json === null) return json
  const { $date, $day, $oid } = json as Json
  if (typeof $date === 'string') return new Date(/[Zz]|[+-]\d\d:?\d\d$/.test($date) ? $date : `${$date}Z`)
  if (typeof $day === 'string') return $day
  if (typeof $oid === 'string') return new ObjectId($oid)
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, stored(member)]))
}

function numberOf(value: number): unknown {
  if (!Number.isInteger(value)) return new Double(value)
  return (value | 0) === value ? new Int32(value) : Long.fromNumber(value)
}

/** Databases of documents lie on the server; relational ones stay in memory. */
const openOnServer: OpenDatabase = async (_, database) => {
  if (database.relational) return undefined
  const name = await loaded(database)
  const calls: MemoryCall[] = []
  readsByDatabase.set(name, calls)
  return { connector, secrets: { url: serverUrl(), database: name }, calls }
}

const openForErasing: OpenErased = async (type, database) => {
  const taken = await openOnServer(type, database)
  if (!taken) return undefined
  const db = client().db(String(taken.secrets['database']))
  return {
    ...taken,
    async rows() {
      const found = new Map<string, Record<string, Value>[]>()
      for (const [name, { rows }] of database.tables) {
        const documents = await db
          .collection(name)
          .find({}, { promoteValues: false, sort: { _id: 1 } })
          .toArray()
        const ownKeys = rows.some((row) => '_id' in row)
        found.set(
          name,
          documents.map(
            ({ _id, ...members }) => readValue(ownKeys ? { _id, ...members } : members) as Record<string, Value>,
          ),
        )
      }
      return found
    },
  }
}

/** The field and the one value that a filter asks for. An address is asked for as it is, and in any case of its letters with blanks around it. */
function askedFor(filter: Json): Record<string, Value> {
  const either = filter['$or'] as
    | readonly [Readonly<Record<string, Json>>, Readonly<Record<string, BSONRegExp>>]
    | undefined
  if (either === undefined)
    return Object.fromEntries(Object.entries(filter).map(([name, rule]) => [name, readValue((rule as Json)['$eq'])]))
  const [exact, inAnyCase, ...others] = either
  const [[name, { $eq: address }]] = Object.entries(exact) as [[string, { readonly $eq: string }]]
  const pattern = inAnyCase[name] as BSONRegExp
  const blank = String.raw`[ \t\r\n]*`
  const end = String.raw`(?![\s\S])`
  const [start, text = '', after] = pattern.pattern.split(blank)
  const spelled = text.replace(/\[([a-z])[A-Z]\]/g, '$1').replace(/\\(.)/g, '$1')
  expect([start, spelled, after, pattern.options]).toEqual(['^', address, end, ''])
  expect(others).toEqual([])
  return { [name]: address }
}

/** What is sent for a read: its filter, each condition by its value, and its projection. */
async function checkFindOnServer({ input, expected }: Case<FindInput, FindExpected>): Promise<void> {
  const sent: [unknown, unknown][] = []
  const proxy = await mongoProxy(serverUrl(), {
    onCommand(name, moment, { filter, projection }) {
      if (name === 'find' && moment === 'before' && projection) sent.push([filter, projection])
      return undefined
    },
  })
  const reads = readsOf(input)
  const tables = new Map(reads.map(({ collection }) => [collection, { primaryKey: [], rows: [] }]))
  const connection = await plain.connect({ url: proxy.url, database: await loaded({ tables }) })
  try {
    for (const read of reads) for await (const rows of connection.read(read)) expect(rows).toEqual([])
  } finally {
    await connection.close()
    await proxy.close()
  }
  const asked = sent
    .slice(-reads.length)
    .map(([filter, projection]) => [askedFor(filter as Json), readValue(projection)])
  expect(asked).toEqual(expected.find)
}

describe('on MongoDB', () => {
  conformance('access', accessCheck(openOnServer), isSchemaless)
  conformance('query', checkFindOnServer, isFind)
})
describe('erasing on MongoDB', () => conformance('erasure', erasureCheck(openForErasing), isSchemaless))
