import pg from 'pg'
import { fillings } from './fill.js'
import { indexes, schema } from './schema.js'
import { subjectRows } from './subject.js'

export interface ShopOptions {
  /** Everything else follows from it; 8,000 customers are some 450,000 rows. */
  readonly customers?: number
  /** Another seed gives other rows; the same one gives the same on every machine. */
  readonly seed?: number
  /** Called before each table is filled. */
  readonly filling?: (table: string) => void
}

export interface Shop {
  readonly tables: number
  readonly rows: number
}

/** Makes the shop in an empty database. The rows are computed by the server, so that none crosses the wire. */
export async function makeShop(url: string, { customers = 8000, seed = 7, filling }: ShopOptions = {}): Promise<Shop> {
  const client = new pg.Client(url)
  // a connection that breaks fails the query that waits for it, or the next one
  client.on('error', () => {})
  await client.connect()
  try {
    // the rows refer to one another rightly as they are made: checking each of them would take as long again
    await client.query('set session_replication_role = replica; set timezone = utc')
    await client.query(schema)
    await client.query(`create function pg_temp.pick(bigint, integer, integer) returns integer language sql immutable
      return (hashint8extended($1 * 4096 + $2, ${seed}) & 9223372036854775807) % $3`)
    let rows = 0
    const all = fillings(customers)
    for (const { table, sql } of all) {
      filling?.(table)
      rows += (await client.query(`insert into ${table} ${sql}`)).rowCount ?? 0
    }
    filling?.('indexes')
    await client.query(indexes)
    await client.query(subjectRows)
    await client.query('analyze')
    return { tables: all.length, rows }
  } finally {
    await client.end()
  }
}
