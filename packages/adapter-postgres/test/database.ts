import { randomBytes } from 'node:crypto'
import type { Connection, Connector, KeyGroup, Row, Value } from '@habeas/core'
import pg from 'pg'
import { type PostgresConnectorOptions, postgresConnector } from '../src/index.js'

/** A schema of its own on a server, with a client to prepare it and a connection under test. */
export interface TestDatabase {
  readonly url: string
  /** Its name needs quoting in every way. */
  readonly schema: string
  readonly connection: Connection
  /** A plain client that looks into the schema first. */
  readonly client: pg.Client
  /** Another connection under test to the same schema. */
  connect(options?: PostgresConnectorOptions, secrets?: Readonly<Record<string, unknown>>): Promise<Connection>
  /** Another plain client to the same schema, for what happens meanwhile. It ends with the database. */
  session(): Promise<pg.Client>
  close(): Promise<void>
}

/** Makes the connector under test. */
export type ConnectorOf = (options?: PostgresConnectorOptions) => Connector

export async function openDatabase(
  url: string,
  setUp = '',
  connectorOf: ConnectorOf = postgresConnector,
  /** Where the connection under test goes, if not straight to the server. */
  through = url,
): Promise<TestDatabase> {
  const schema = `we"ird ;drop '${randomBytes(4).toString('hex')}`
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`create schema ${quoted(schema)}; set search_path to ${quoted(schema)}, public; ${setUp}`)
  const connections: Connection[] = []
  const sessions: pg.Client[] = []
  const connect: TestDatabase['connect'] = async (options, secrets = {}) => {
    const connector = connectorOf(options)
    const opened = await connector.connect(connector.parseSecrets({ url: through, db_schema: schema, ...secrets }))
    connections.push(opened)
    return opened
  }
  return {
    url,
    schema,
    connection: await connect(),
    client,
    connect,
    async session() {
      const another = new pg.Client(url)
      sessions.push(another)
      await another.connect()
      await another.query(`set search_path to ${quoted(schema)}, public`)
      return another
    },
    async close() {
      for (const session of sessions) await session.end()
      for (const connection of connections) await connection.close()
      await client.query(`drop schema ${quoted(schema)} cascade`)
      await client.end()
    },
  }
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

/** Rows in which the column, or what the path leads to, holds one of the values. */
export function having(path: string | readonly string[], ...values: Value[]): KeyGroup {
  return { fields: [{ path: typeof path === 'string' ? [path] : path }], values: [values] }
}

export async function rowsOf(
  connection: Connection,
  collection: string,
  columns: readonly string[],
  ...anyOf: KeyGroup[]
): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of connection.read({ collection, columns, anyOf })) rows.push(...batch)
  return rows
}
