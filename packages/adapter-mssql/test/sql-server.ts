import { randomBytes } from 'node:crypto'
import type { Connection, Value } from '@habeas/core'
import type { Fixture, FixtureColumn, FixtureKind, FixtureTable } from '@habeas/testkit'
import { Connection as Line, Request, TYPES } from 'tedious'
import { clientSettings } from '../src/client-settings.js'
import { type MssqlConnectorOptions, mssqlConnector } from '../src/index.js'

/** A database of its own on a real server, with a client that is no part of what is tested. */
export interface ServerDatabase {
  readonly name: string
  readonly url: string
  /** Runs batches, one after the other. */
  run(...batches: string[]): Promise<void>
  rows(batch: string): Promise<unknown[][]>
  load(fixture: Fixture): Promise<void>
  connect(options?: MssqlConnectorOptions, secrets?: Readonly<Record<string, unknown>>): Promise<Connection>
  close(): Promise<void>
}

/** The address of the real server, from the environment. */
function serverUrl(): string {
  const url = process.env['MSSQL_URL']
  if (!url) throw new Error('MSSQL_URL names no server')
  return url
}

export async function openServerDatabase(): Promise<ServerDatabase> {
  const name = `habeas_${randomBytes(4).toString('hex')}`
  const master = await opened('master')
  await asked(master, `create database [${name}]`)
  const line = await opened(name)
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  const connections: Connection[] = []
  return {
    name,
    url: url.href,
    async run(...batches) {
      for (const batch of batches) await asked(line, batch)
    },
    rows: (batch) => asked(line, batch),
    async load(fixture) {
      for (const table of fixture) await loadTable(line, table)
    },
    async connect(options, secrets = {}) {
      const connector = mssqlConnector(options)
      const connection = await connector.connect(connector.parseSecrets({ url: url.href, ...secrets }))
      connections.push(connection)
      return connection
    },
    async close() {
      for (const connection of connections) await connection.close()
      line.close()
      await asked(master, `alter database [${name}] set single_user with rollback immediate; drop database [${name}]`)
      master.close()
    },
  }
}

function opened(database: string): Promise<Line> {
  const { host, port, user, password } = clientSettings({ url: serverUrl() })
  const line = new Line({
    server: host,
    authentication: { type: 'default', options: { userName: user, password } },
    options: { port, database, encrypt: true, trustServerCertificate: true, requestTimeout: 0, lowerCaseGuids: true },
  })
  return new Promise((resolve, reject) => {
    line.connect((error) => (error ? reject(error) : resolve(line)))
  })
}

interface Parameter {
  readonly type: (typeof TYPES)[keyof typeof TYPES]
  readonly value: unknown
}

function asked(line: Line, sql: string, parameters: readonly Parameter[] = []): Promise<unknown[][]> {
  return new Promise((resolve, reject) => {
    const rows: unknown[][] = []
    const request = new Request(sql, (error) => (error ? reject(error) : resolve(rows)))
    request.on('row', (columns: readonly { readonly value: unknown }[]) => rows.push(columns.map(({ value }) => value)))
    for (const [at, { type, value }] of parameters.entries()) request.addParameter(`p${at}`, type, value)
    if (parameters.length === 0) line.execSqlBatch(request)
    else line.execSql(request)
  })
}

const types: Readonly<Record<FixtureKind, string>> = {
  ...{ integer: 'int', big_integer: 'bigint', decimal: 'decimal(38, 15)', float: 'float', boolean: 'bit' },
  ...{ string: 'nvarchar(max)', uuid: 'uniqueidentifier', date: 'date', timestamp: 'datetimeoffset(6)' },
  ...{ bytes: 'varbinary(max)', object: 'nvarchar(max)' },
}

async function loadTable(line: Line, table: FixtureTable): Promise<void> {
  await asked(line, definition(table))
  // a statement takes 2,100 parameters, and 1,000 rows
  const rowsAtOnce = Math.min(900, Math.floor(2_000 / table.columns.length))
  for (let start = 0; start < table.rows.length; start += rowsAtOnce) {
    const parameters: Parameter[] = []
    const places = table.rows.slice(start, start + rowsAtOnce).map((row) => {
      const place = table.columns.map(
        ({ name, kind }) => `@p${parameters.push(parameterOf(kind, row[name] ?? null)) - 1}`,
      )
      return `(${place.join(', ')})`
    })
    await asked(line, `insert into dbo.${quoted(table.name)} values ${places.join(', ')}`, parameters)
  }
}

function parameterOf(kind: FixtureKind, value: Value): Parameter {
  if (kind === 'bytes')
    return { type: TYPES.VarBinary, value: value === null ? null : Buffer.from(String(value), 'base64') }
  if (value === null) return { type: TYPES.NVarChar, value }
  if (kind === 'boolean') return { type: TYPES.NVarChar, value: value ? '1' : '0' }
  return { type: TYPES.NVarChar, value: kind === 'object' ? JSON.stringify(value) : String(value) }
}

function definition({ name, columns, primaryKey, uniqueKeys, foreignKeys, checks = [] }: FixtureTable): string {
  const list = (names: readonly string[]) => `(${names.map(quoted).join(', ')})`
  const parts = [
    ...columns.map(columnDefinition),
    ...(primaryKey.length > 0 ? [`primary key ${list(primaryKey)}`] : []),
    ...uniqueKeys.map((key) => `unique ${list(key)}`),
    ...checks.map(({ name, column, least }) => `constraint ${quoted(name)} check (${quoted(column)} >= ${least})`),
    ...foreignKeys.map(
      ({ name, columns, references, onDelete }) =>
        `constraint ${quoted(name)} foreign key ${list(columns)} references dbo.${quoted(references.collection)} ${list(references.columns)} on delete ${onDelete}`,
    ),
  ]
  return `create table dbo.${quoted(name)} (${parts.join(', ')})`
}

function columnDefinition({ name, kind, length, nullable }: FixtureColumn): string {
  const type = length === undefined ? types[kind] : `nvarchar(${length})`
  const rule = kind === 'object' ? ` check (isjson(${quoted(name)}) = 1)` : ''
  return `${quoted(name)} ${type}${nullable ? ' null' : ' not null'}${rule}`
}

function quoted(identifier: string): string {
  return `[${identifier.replaceAll(']', ']]')}]`
}
