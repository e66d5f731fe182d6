import { randomBytes } from 'node:crypto'
import type { Connection } from '@habeas/core'
import { type PostgresServer, startPostgres } from '@habeas/testkit'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { type MssqlConnectorOptions, mssqlConnector } from '../src/index.js'
import { postgresFunctions } from './double/postgres-functions.js'
import { startTdsDouble, type TdsDoubleOptions } from './double/tds-double.js'

/** Lives as long as the process of this worker, which takes it along. */
let started: Promise<PostgresServer> | undefined

/** A database of its own, with a client that is no part of what is tested. */
export interface DoubleDatabase {
  readonly name: string
  readonly url: string
  readonly client: pg.Client
  connect(options?: MssqlConnectorOptions, secrets?: Readonly<Record<string, unknown>>): Promise<Connection>
  close(): Promise<void>
}

/** A double for the file that calls this. */
export function sharedDouble(options: Omit<TdsDoubleOptions, 'postgresUrl'> = {}) {
  let double: Awaited<ReturnType<typeof startTdsDouble>>
  let postgresUrl = ''
  beforeAll(async () => {
    started ??= startPostgres({ settings: { max_connections: '300' } })
    postgresUrl = (await started).url
    double = await startTdsDouble({ ...options, postgresUrl })
  })
  afterAll(() => double.close())
  return {
    get port() {
      return double.port
    },
    sessions: () => double.sessions(),
    async openDatabase(): Promise<DoubleDatabase> {
      const name = `tests_${randomBytes(4).toString('hex')}`
      const plain = new pg.Client(postgresUrl)
      await plain.connect()
      await plain.query(`create database ${name}`)
      await plain.end()
      const client = new pg.Client(postgresUrl.replace(/\/postgres$/, `/${name}`))
      client.on('error', () => {})
      await client.connect()
      await client.query(`${postgresFunctions}; create schema dbo; set search_path to dbo`)
      const url = double.url(name)
      const connections: Connection[] = []
      return {
        ...{ name, url, client },
        async connect(options, secrets = {}) {
          const connector = mssqlConnector(options)
          const connection = await connector.connect(connector.parseSecrets({ url, ...secrets }))
          connections.push(connection)
          return connection
        },
        async close() {
          for (const connection of connections) await connection.close()
          await client.end()
          const last = new pg.Client(postgresUrl)
          await last.connect()
          await last.query(`drop database ${name} with (force)`)
          await last.end()
        },
      }
    },
  }
}
