import { randomBytes } from 'node:crypto'
import type { Connection, Connector } from '@habeas/core'
import mysql from 'mysql2/promise'
import { type MysqlConnectorOptions, mariadbConnector, mysqlConnector } from '../src/index.js'

export type Kind = 'mysql' | 'mariadb'

export const connectorOf = (kind: Kind, options?: MysqlConnectorOptions): Connector =>
  kind === 'mysql' ? mysqlConnector(options) : mariadbConnector(options)

/** The address of the real server, from the environment. */
export function serverUrl(kind: Kind): string {
  const name = `${kind.toUpperCase()}_URL`
  const url = process.env[name]
  if (!url) throw new Error(`${name} names no server`)
  return url
}

/** An empty database of its own, with a client that is no part of what is tested. */
export interface TestDatabase {
  readonly name: string
  readonly url: string
  readonly client: mysql.Connection
  /** Runs statements, one after the other. */
  run(...statements: string[]): Promise<void>
  rows(statement: string): Promise<unknown[][]>
  connect(options?: MysqlConnectorOptions, secrets?: Record<string, unknown>): Promise<Connection>
  close(): Promise<void>
}

/** Opens it on the server of the environment, or on another one. */
export async function openDatabase(kind: Kind, server = serverUrl(kind)): Promise<TestDatabase> {
  const name = `habeas_${randomBytes(4).toString('hex')}`
  const client = await mysql.createConnection({
    uri: server,
    charset: 'utf8mb4',
    dateStrings: true,
    rowsAsArray: true,
    supportBigNumbers: true,
  })
  await client.query(`create database ${name} character set utf8mb4`)
  await client.query(`use ${name}`)
  await client.query(`set time_zone = '+00:00', sql_mode = ''`)
  const url = `${server}/${name}`
  const open: Connection[] = []
  return {
    name,
    url,
    client,
    async run(...statements) {
      for (const statement of statements) await client.query(statement)
    },
    async rows(statement) {
      const [rows] = await client.query(statement)
      return rows as unknown[][]
    },
    async connect(options, secrets = {}) {
      const connector = connectorOf(kind, options)
      const connection = await connector.connect(connector.parseSecrets({ url, ...secrets }))
      open.push(connection)
      return connection
    },
    async close() {
      await Promise.all(open.map((connection) => connection.close()))
      await client.query(`drop database if exists ${name}`)
      await client.end()
    },
  }
}
