import type { Connector } from '@habeas/core'
import pg from 'pg'
import { cuttingProxy } from '../../packages/adapter-postgres/test/cutting-proxy.js'
import { cursor } from '../access/cursors.js'
import { place, type RowsServer, type RowsSubject } from './rows-server.js'

const delivered = `select note, at, amount from ${place}.entry
  where person_id = (select id from ${place}.person where email = $1)`
const update = `update ${place}.entry set note = 'erased' where id in (select entry.id from ${place}.entry
  join ${place}.person on person.id = person_id where email = $1)`

/** The rows in a hypertable of several chunks, in a schema of its own. */
export function timescaleRows(connector: () => Connector): RowsServer {
  return {
    connector,
    secrets: (url) => ({ url, db_schema: place }),
    fill,
    drop: (url) =>
      withClient(url, async (client) => void (await client.query(`drop schema if exists ${place} cascade`))),
    stream: (url, email, file) => withClient(url, (client) => cursor(client, delivered, email, file)),
    timedUpdate: (url, email) =>
      withClient(url, async (client) => {
        const from = performance.now()
        const { rowCount } = await client.query(update, [email])
        return { rows: rowCount ?? 0, milliseconds: performance.now() - from }
      }),
    async counting(url) {
      const proxy = await cuttingProxy(url)
      const statements = () =>
        proxy
          .commands()
          .flatMap((command) => command.split('; '))
          .filter((statement) => statement !== 'fetch').length
      return { url: proxy.url, statements, close: proxy.close }
    },
  }
}

const fill = (url: string, { email, rows }: RowsSubject): Promise<void> =>
  withClient(url, async (client) => {
    await client.query(`
      set client_min_messages = warning;
      drop schema if exists ${place} cascade; create schema ${place}; set search_path = ${place}, public;
      create table person (id bigint primary key, email text not null); create index on person (email);
      create table entry (id bigint, person_id bigint not null, note varchar(200), at timestamptz, amount numeric(12, 2),
        primary key (id, at));
      create index on entry (person_id); select create_hypertable('entry', by_range('at', interval '7 days'))`)
    await client.query('insert into person values (1, $1), (2, $2)', [email, `not.${email}`])
    await client.query(
      `insert into entry select n, 1 + n % 2, 'entry ' || n || repeat(' words', 8), timestamptz '2024-01-01Z' + n * interval '1 second', n / 4.0
        from generate_series(0, $1::int - 1) as n`,
      [rows * 2],
    )
    await client.query('analyze person, entry')
  })

async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
