import { randomBytes } from 'node:crypto'
import { type Connection, castValue, type KeyGroup, objectId, type Value, type ValueKind } from '@habeas/core'
import { Binary, Decimal128, Double, Int32, Long, MongoClient, ObjectId, UUID } from 'mongodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { serverUrl } from './server-url.js'

const uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'
const hex = '65f0c0ffee0123456789abcd'
const date = new Date('2024-01-01T00:00:00Z')
const dates = ['2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00Z', '2024-01-01T01:00:00+01:00']
const decimal = (text: string) => Decimal128.fromString(text)
// DocumentDB holds 1E+21 unequal to its digits where it looks for several values
const decimals = ['5', '5.00', '9007199254740993', '1000000000000000000000'].map(decimal)
const wide = [new Double(2 ** 53), Long.fromString('9007199254740993'), new Double(1e21), new Double(0.1), new Int32(5)]
const digits = ['5', '5.00', '0.1', '9007199254740992', '9007199254740993', '1e21', '1000000000000000000000']

/** What a field holds, by the name of a collection. */
const stored: Readonly<Record<string, readonly unknown[]>> = {
  uuids: [new UUID(uuid)],
  uuids_and_texts: [new UUID(uuid), uuid, uuid.toUpperCase()],
  dates: [date],
  dates_and_texts: [date, ...dates],
  decimals,
  decimals_and_texts: [...decimals, ...digits],
  decimals_and_dates: [...decimals, ...digits, date],
  doubles: [9007199254740994, 1e21, 0.1, 5],
  numbers_and_texts: [...wide, ...digits],
  numbers_and_dates: [...wide, ...digits, date],
  ids: [new ObjectId(hex), hex, hex.toUpperCase()],
  ids_and_dates: [new ObjectId(hex), hex, hex.toUpperCase(), date],
  bytes_and_texts: [new Binary(Buffer.from('abc')), new Binary(Buffer.from('abc'), 5), 'YWJj'],
}
const keys: readonly Value[] = [
  ...[uuid, uuid.toUpperCase(), ...dates, ...digits, '5.0', '1E21', '1e+21', hex, hex.toUpperCase()],
  ...[5, 0.1, 1e21, 2n ** 53n, 9007199254740993n, 10n ** 21n, objectId(hex) as Value, 'YWJj', '5:YWJj', true],
]

const client = new MongoClient(serverUrl(), { writeConcern: { w: 'majority' } })
const db = client.db(`habeas_${randomBytes(6).toString('hex')}`)
const kinds = new Map<string, ValueKind | undefined>()
let connection: Connection

beforeAll(async () => {
  for (const [name, values] of Object.entries(stored)) {
    await db
      .collection<{ _id: number }>(name)
      .insertMany(values.map((held, at) => ({ _id: at, held, in: { held }, all: 1 })))
  }
  const connector = mongodbConnector()
  connection = await connector.connect(connector.parseSecrets({ url: serverUrl(), database: db.databaseName }))
  for (const { name, columns } of (await connection.describe()).collections) {
    kinds.set(name, columns.find((column) => column.name === 'held')?.kind)
  }
})

afterAll(async () => {
  await connection.close()
  await db.dropDatabase()
  await client.close()
})

/** How what documents of a group hold compares in a column of the kind. */
async function canonicalTexts(collection: string, group: KeyGroup, kind: ValueKind | undefined) {
  const texts: (string | undefined)[] = []
  for await (const rows of connection.read({ collection, columns: ['held'], anyOf: [group] })) {
    texts.push(...rows.map(([held]) => castValue(held, kind, kind)?.canonical))
  }
  return texts
}

it.each(Object.keys(stored))(
  '%s: reads find all that is counted, and counts are of what equals the key alone',
  async (collection) => {
    const kind = kinds.get(collection)
    const all = await canonicalTexts(collection, { fields: [{ path: ['all'] }], values: [[1]] }, kind)
    expect(all).toHaveLength(stored[collection]?.length as number)
    for (const path of [['held'], ['in', 'held']]) {
      for (const value of keys) {
        const key = castValue(value, kind)
        if (!key) continue
        const group: KeyGroup = { fields: [{ path, ...(kind && { kind }) }], values: [[key.value]] }
        const equal = (texts: readonly (string | undefined)[]) => texts.filter((text) => text === key.canonical).length
        const found = equal(await canonicalTexts(collection, group, kind))
        const counts = await connection.count([{ collection, anyOf: [group] }])
        const each = await connection.countEach?.({ collection, group })
        expect([value, path, found, counts, each]).toEqual([value, path, equal(all), [equal(all)], [equal(all)]])
      }
    }
  },
)
