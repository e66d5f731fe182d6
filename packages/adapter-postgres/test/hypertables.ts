import type { FixtureTable } from '@habeas/testkit'
import type pg from 'pg'
import { timescaleConnector } from '../src/index.js'
import { openDatabase, quoted } from './database.js'
import { loadFixture } from './load-fixture.js'
import type { ServiceServer } from './service-suite.js'

/** A superuser's URL of a database with TimescaleDB. The suites make schemas of their own and drop them. */
export function timescaleUrl(): string {
  const { TIMESCALE_URL } = process.env
  if (!TIMESCALE_URL) throw new Error('TIMESCALE_URL names no server')
  return TIMESCALE_URL
}

/** Divides a table into chunks by one of its columns. */
export const divide = (client: pg.Client, table: string, column: string, size: string) =>
  client.query(`select public.create_hypertable('${quoted(table)}', public.by_range('${column}', ${size}))`)

/** The server, on which `orders` and `visits` are hypertables of several chunks. */
export const timescaleServer: ServiceServer = {
  connector: timescaleConnector(),
  url: timescaleUrl,
  async open(fixture) {
    const database = await openDatabase(timescaleUrl(), '', timescaleConnector)
    await loadFixture(database.client, fixture, async (client, { name }: FixtureTable) => {
      if (name === 'orders') await divide(client, name, 'id', '7')
      if (name === 'visits') await divide(client, name, 'at', `interval '7 days'`)
    })
    return database
  },
}
