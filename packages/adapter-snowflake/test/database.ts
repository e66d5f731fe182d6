import { randomBytes } from 'node:crypto'
import type { Connection } from '@habeas/core'
import type { Fixture } from '@habeas/testkit'
import snowflake from 'snowflake-sdk'
import { snowflakeConnector } from '../src/index.js'
import { silence } from '../src/load-sdk.js'
import { functionDefinitions } from './emulated-functions.js'
import type { Emulator } from './emulator.js'
import { loadFixture, quoted, type RunSql } from './load-fixture.js'

/** A schema of its own on the emulator. */
export interface TestDatabase {
  readonly secrets: Readonly<Record<string, unknown>>
  /** Runs any statement. */
  readonly run: RunSql
  connect(): Promise<Connection>
  /** Every row of a table, numbers as text. */
  rows(table: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Fills the tables anew that were written. */
  restore(): Promise<void>
  close(): Promise<void>
}

let database: string | undefined

export async function openDatabase(emulator: Emulator, fixture: Fixture): Promise<TestDatabase> {
  silence(snowflake)
  const client = snowflake.createConnection({
    account: 'test',
    username: 'test',
    password: 'test',
    accessUrl: emulator.url,
    arrayBindingThreshold: 100_000,
  })
  await new Promise<void>((resolve, reject) => client.connect((error) => (error ? reject(error) : resolve())))
  const run: RunSql = (sqlText, binds = []) =>
    new Promise((resolve, reject) => {
      client.execute({ sqlText, binds: [...binds], complete: (error) => (error ? reject(error) : resolve()) })
    })
  const name = database ?? `HABEAS_${randomBytes(4).toString('hex').toUpperCase()}`
  if (database === undefined) await run(`create database ${name}`)
  database = name
  const [schema, kept] = ['S', 'KEPT'].map((use) => `${use}_${randomBytes(4).toString('hex').toUpperCase()}`) as [
    string,
    string,
  ]
  await run(`create schema ${name}.${kept}`)
  await run(`create schema ${name}.${schema}`)
  await run(`use schema ${name}.${schema}`)
  for (const definition of functionDefinitions) await run(definition).catch(() => {})
  emulator.keys.set(`${name}.${schema}`, await loadFixture(run, [name, schema], fixture))
  const pathOf = (place: string, table: string) => [name, place, table].map(quoted).join('.')
  let isKept = false
  const secrets = { url: emulator.url, user: 'test', password: 'test', database: name, db_schema: schema }
  return {
    secrets,
    run,
    connect: async () => {
      const connector = snowflakeConnector()
      return connector.connect(connector.parseSecrets(secrets))
    },
    rows: (table) =>
      new Promise((resolve, reject) => {
        const sqlText = `select * from ${pathOf(schema, table)}`
        client.execute({
          sqlText,
          fetchAsString: ['Number'],
          complete: (error, _, rows) => (error ? reject(error) : resolve(rows ?? [])),
        })
      }),
    async restore() {
      const copies = fixture.map((table) => [pathOf(schema, table.name), pathOf(kept, table.name)] as const)
      if (!isKept) {
        for (const [own, copy] of copies) await run(`create table ${copy} as select * from ${own}`)
        isKept = true
      }
      for (const [own, copy] of copies) {
        if (!emulator.written.delete(own)) continue
        await run(`truncate table ${own}`)
        await run(`insert into ${own} select * from ${copy}`)
      }
    },
    close: () => new Promise<void>((resolve) => client.destroy(() => resolve())),
  }
}
