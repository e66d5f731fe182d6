import { PrivacyError } from '@habeas/core'
import { type Fixture, shop } from '@habeas/testkit'
import { describe } from 'vitest'
import { type BrokenConnector, connectorsFoundOut, faulty, opened } from './faulty-connector.js'

const faultyCatalogue = (change: (table: Fixture[number]) => Partial<Fixture[number]> | undefined) => () =>
  opened(
    () => ({}),
    {},
    shop.flatMap((table) => {
      const changed = change(table)
      return changed === undefined ? [] : [{ ...table, ...changed }]
    }),
  )

const failWith = (failure: (error: PrivacyError) => unknown) => {
  const failing = (error: unknown): never => {
    throw failure(error as PrivacyError)
  }
  return faulty((connection) => ({
    async *read(read, options) {
      try {
        yield* connection.read(read, options)
      } catch (error) {
        failing(error)
      }
    },
    count: (counts, options) => connection.count(counts, options).catch(failing),
    ping: (options) => connection.ping(options).catch(failing),
    describe: (options) => connection.describe(options).catch(failing),
  }))
}

const catalogue: readonly BrokenConnector[] = [
  [
    'describes only tables with a key',
    faultyCatalogue((table) => (table.primaryKey.length === 0 ? undefined : table)),
    'describe lists every table once, and every column in its order',
  ],
  [
    'describes columns by alphabet',
    faultyCatalogue((table) => ({
      columns: table.columns.toSorted((left, right) => left.name.localeCompare(right.name)),
    })),
    'describe lists every table once, and every column in its order',
  ],
  [
    'does not know a kind',
    faultyCatalogue((table) => ({
      columns: table.columns.map((column) => (column.kind === 'decimal' ? { ...column, kind: 'float' } : column)),
    })),
    'describe gives each column its kind and its type',
  ],
  [
    'takes every column for nullable',
    faultyCatalogue((table) => ({ columns: table.columns.map((column) => ({ ...column, nullable: true })) })),
    'describe tells which columns may be null and how long a text may be',
  ],
  [
    'gives no lengths',
    faultyCatalogue((table) => ({ columns: table.columns.map(({ length: _length, ...column }) => column) })),
    'describe tells which columns may be null and how long a text may be',
  ],
  [
    "gives keys in the columns' order",
    faultyCatalogue((table) => ({ primaryKey: table.primaryKey.toReversed() })),
    'describe gives primary keys in the order of their parts, unique keys apart',
    'describe gives the columns of each index, keys included',
  ],
  [
    'forgets unique keys',
    faultyCatalogue(() => ({ uniqueKeys: [] })),
    'describe gives primary keys in the order of their parts, unique keys apart',
  ],
  [
    'lists the primary key among the unique ones',
    faultyCatalogue((table) => ({ uniqueKeys: [table.primaryKey, ...table.uniqueKeys] })),
    'describe gives primary keys in the order of their parts, unique keys apart',
  ],
  [
    'gives each part of a foreign key alone',
    faultyCatalogue((table) => ({
      foreignKeys: table.foreignKeys.flatMap((key) =>
        key.columns.map((column, part) => ({
          ...key,
          columns: [column],
          references: { ...key.references, columns: [key.references.columns[part]!] },
        })),
      ),
    })),
    'describe gives foreign keys with their delete rules, part by part',
  ],
  [
    'gives no delete rules',
    faultyCatalogue((table) => ({ foreignKeys: table.foreignKeys.map((key) => ({ ...key, onDelete: 'no action' })) })),
    'describe gives foreign keys with their delete rules, part by part',
  ],
]

const failures: readonly BrokenConnector[] = [
  [
    'fails with errors of its driver',
    failWith((error) => new Error(error.message)),
    'a collection that is not there is connection_failed with the reason missing_collection',
    'connect does not ask the server, and then every call is connection_failed',
    'after close every call is connection_failed',
  ],
  [
    'gives no reason',
    failWith((error) => new PrivacyError('connection_failed', error.message)),
    'a collection that is not there is connection_failed with the reason missing_collection',
    'a column that is not there is connection_failed with the reason missing_column',
  ],
  [
    'shows the statement that failed',
    faulty((connection) => ({
      async *read(read, options) {
        try {
          yield* connection.read(read, options)
        } catch {
          throw new PrivacyError('connection_failed', `select where ${JSON.stringify(read)}`, {
            reason: 'missing_column',
          })
        }
      },
    })),
    'a failure names no value',
  ],
  [
    'finds nothing in what is not there',
    faulty((connection) => ({
      async *read(read, options) {
        if (shop.some(({ name }) => name === read.collection)) yield* connection.read(read, options)
      },
    })),
    'a collection that is not there is connection_failed with the reason missing_collection',
  ],
  [
    'pings without asking',
    faulty(() => ({ ping: async () => {} })),
    'connect does not ask the server, and then every call is connection_failed',
    'after close every call is connection_failed',
    'every call rejects when its signal has been aborted before',
  ],
  [
    'cannot ping',
    faulty(() => ({ ping: () => Promise.reject(new PrivacyError('connection_failed', 'No route to the server')) })),
    'ping resolves when the server answers',
  ],
  [
    'asks the server when it connects',
    async () => {
      const sound = await opened(() => ({}))
      const connect = async (secrets: unknown) => {
        const connection = await sound.connector.connect(secrets)
        await connection.ping()
        return connection
      }
      return { ...sound, connector: { ...sound.connector, connect } }
    },
    'connect does not ask the server, and then every call is connection_failed',
  ],
  [
    'shows the password it was refused with',
    async () => {
      const sound = await opened(() => ({}))
      const connect = async (secrets: unknown) => ({
        ...(await sound.connector.connect(secrets)),
        ping: () => Promise.reject(new PrivacyError('connection_failed', 'refused a-wrong-password')),
      })
      return { ...sound, connector: { ...sound.connector, connect } }
    },
    'connect does not ask the server, and then every call is connection_failed',
  ],
  [
    'takes any secrets',
    async () => {
      const sound = await opened(() => ({}))
      return { ...sound, connector: { ...sound.connector, parseSecrets: (input) => input } }
    },
    'parseSecrets rejects members it does not know, naming them and no value',
    'parseSecrets rejects anything but an object',
  ],
  [
    'shows the secrets it does not know',
    async () => {
      const sound = await opened(() => ({}))
      const parseSecrets = (input: unknown) => {
        throw new PrivacyError('invalid_input', `unknown: ${JSON.stringify(input)}`, { issues: [] })
      }
      return { ...sound, connector: { ...sound.connector, parseSecrets } }
    },
    'parseSecrets rejects members it does not know, naming them and no value',
    'parseSecrets rejects anything but an object',
  ],
]

describe('connectorReadContract, on the catalogue', () => connectorsFoundOut(catalogue))
describe('connectorReadContract, on failures', () => connectorsFoundOut(failures))
