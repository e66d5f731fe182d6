import { PrivacyError } from '@habeas/core'
import type pg from 'pg'
import { loadDriver } from '../load-driver.js'

/** A client of a pool, with the few methods of a `pg.PoolClient` that are used here. */
export interface PostgresPoolClient {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null; readonly command: string }>
  /** Gives the client back to its pool. With a failure, it is not used again. */
  release(failure?: Error): void
  on(event: 'error', listener: (failure: Error) => void): unknown
  removeListener(event: 'error', listener: (failure: Error) => void): unknown
}

/** The part of a `pg.Pool` that is used here. Any pool that has it will do. */
export interface PostgresPool {
  connect(): Promise<PostgresPoolClient>
}

/** Where the state lies. Give a pool of yours, or an address for which one is opened. */
export interface PostgresStateOptions {
  /** A pool of yours. It is left open. */
  readonly pool?: PostgresPool
  /** An address that `pg` can read. A pool is opened for it, and `close` ends that pool. */
  readonly connectionString?: string
  /** Schema for the tables. It is created when missing, and nothing else should lie in it. Default: `habeas`. */
  readonly schema?: string
  /** Most connections of the pool that is opened for `connectionString`. Default: 10. */
  readonly poolSize?: number
}

/** A pool, and a `close` that ends it where it was opened here. */
export interface HeldPool {
  readonly pool: PostgresPool
  readonly schema: string
  close(): Promise<void>
}

const known: readonly string[] = [
  'pool',
  'connectionString',
  'schema',
  'poolSize',
] satisfies (keyof PostgresStateOptions)[]

/** Checks the options of `owner` without connecting. Throws `misconfigured` and names the option to correct. */
export function holdPool(owner: string, options: PostgresStateOptions, load = loadDriver): HeldPool {
  const { pool, connectionString, schema = 'habeas', poolSize = 10 } = options
  const refuse = (option: string, message: string): never => {
    throw new PrivacyError('misconfigured', `${owner} ${message}.`, { option })
  }
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) refuse(option, `has no option ${option}: it has ${known.join(', ')}`)
  }
  // PostgreSQL cuts off names that are longer. Names of tables and indexes are counted on their own.
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_')) {
    refuse('schema', 'needs a schema of small letters, digits and "_", at most 63 of them and not beginning with pg_')
  }
  if (!Number.isInteger(poolSize) || poolSize < 1 || poolSize > 1_000) {
    refuse('poolSize', 'needs a poolSize that is a whole number from 1 to 1000')
  }
  if (pool !== undefined && connectionString !== undefined) {
    refuse('connectionString', 'takes a pool or a connectionString, not both')
  }
  if (pool !== undefined) {
    if (typeof pool?.connect !== 'function') refuse('pool', 'needs a pool with connect, such as a pg.Pool')
    return { pool, schema, async close() {} }
  }
  if (typeof connectionString !== 'string' || connectionString === '') {
    return refuse(
      'connectionString',
      'needs a pool, or a connectionString such as postgresql://user@host:5432/database',
    )
  }
  const [, scheme = 'postgresql'] = /^([a-z][a-z0-9+.-]*):/i.exec(connectionString) ?? []
  if (!['postgresql', 'postgres', 'socket'].includes(scheme.toLowerCase()))
    refuse(
      'connectionString',
      `needs the address of a PostgreSQL server, which begins with postgresql://, not ${scheme}:`,
    )
  return { ...openPool(connectionString, poolSize, load), schema }
}

function openPool(
  connectionString: string,
  poolSize: number,
  load: typeof loadDriver,
): Pick<HeldPool, 'pool' | 'close'> {
  const opened = onceDone(async (): Promise<pg.Pool> => {
    const driver = await load()
    const pool = new driver.Pool({
      connectionString,
      max: poolSize,
      application_name: 'habeas',
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      // A script that never closes the pool can end nevertheless.
      allowExitOnIdle: true,
    })
    // Without a listener, an idle connection that breaks off would end this process.
    pool.on('error', () => {})
    return pool
  })
  return {
    pool: { connect: async () => (await opened()).connect() },
    // An ended pool refuses callers that come late, so one is made here even if no caller has needed it.
    close: onceDone(async () => (await opened()).end()),
  }
}

/** Returns a function that does the work once. Where it fails, the next call tries again. */
function onceDone<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let done: Promise<Result> | undefined
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined
      throw error
    })
    return done
  }
}
