import type { Connection, KeyGroup, PrivacyError, Row } from '@habeas/core'
import { afterEach, expect } from 'vitest'
import { type SnowflakeConnectorOptions, snowflakeConnector } from '../src/index.js'
import { peopleAccount } from './people-account.js'
import { type DoubleAccount, openDouble, type ServiceDouble } from './service-double.js'

const opened: { close(): Promise<void> }[] = []

/** Closes what a test has opened. Each file that opens something calls it. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close()
  })
}

const secrets = { user: 'reader', password: 'right', database: 'shop', warehouse_name: 'small' }

export async function service(change: Partial<DoubleAccount> = {}) {
  const account = peopleAccount(change)
  const double = await openDouble(account)
  opened.push(double)
  return { account, double, people: account.people }
}

export async function connected(
  double: ServiceDouble,
  given: Readonly<Record<string, unknown>> = {},
  options: SnowflakeConnectorOptions = {},
): Promise<Connection> {
  const connector = snowflakeConnector(options)
  const { port } = new URL(double.url)
  const url = `http://127.0.0.1:${port}`
  const connection = await connector.connect(connector.parseSecrets({ ...secrets, url, ...given }))
  opened.push(connection)
  return connection
}

export async function failing(promise: Promise<unknown>): Promise<PrivacyError<'connection_failed'>> {
  return promise.then(
    () => expect.fail('nothing was refused'),
    (error) => error,
  )
}

export const holding = (column: string, ...values: (string | number)[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [values],
})

export async function rowsOf(
  connection: Connection,
  columns: string[],
  group: KeyGroup,
  collection = 'PEOPLE',
): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of connection.read({ collection, columns, anyOf: [group] })) rows.push(...batch)
  return rows
}
