import { PrivacyError } from '@habeas/core'
import pg from 'pg'

/** A client of a pool: the few methods of a `pg.PoolClient` we need. */
export interface PostgresPoolClient {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: unknown[]; readonly rowCount: number | null; readonly command: string }>
  /** With a failure, the client is not used again. */
  release(failure?: Error): void
  on(event: 'error', listener: (failure: Error) => void): unknown
  removeListener(event: 'error', listener: (failure: Error) => void): unknown
}

/** What we need of a `pg.Pool`, so that any that can do it will do. */
export interface PostgresPool {
  connect(): Promise<PostgresPoolClient>
}

/** Where the state lies: a pool of yours, or an address to open one for. */
export interface PostgresStateOptions {
  /** Used and left open. */
  readonly pool?: PostgresPool
  /** As `pg` reads it. A pool is opened for it, and ended by `close`. */
  readonly connectionString?: string
  /** Schema for the tables, made when missing; nothing else should lie in it. Default: `habeas`. */
  readonly schema?: string
  /** Most connections of the pool that is opened for `connectionString`. Default: 10. */
  readonly poolSize?: number
}

/** A pool, and how to let go of it. */
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

/** Checks the options of `owner`; throws `misconfigured`, naming the one to mend. Connects to nothing. */
export function holdPool(owner: string, options: PostgresStateOptions): HeldPool {
  const { pool, connectionString, schema = 'habeas', poolSize = 10 } = options
  const refuse = (option: string, message: string): never => {
    throw new PrivacyError('misconfigured', `${owner} ${message}.`, { option })
  }
  for (const option of Object.keys(options)) {
    if (!known.includes(option)) refuse(option, `has no option ${option}: it has ${known.join(', ')}`)
  }
  // The names of tables and indexes stand beside it, and PostgreSQL cuts longer names off.
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
  return { ...openPool(connectionString, poolSize), schema }
}

function openPool(connectionString: string, poolSize: number): Pick<HeldPool, 'pool' | 'close'> {
  const opened = new pg.Pool({
    connectionString,
    max: poolSize,
    application_name: 'habeas',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // A script that ends without closing is not kept from ending.
    allowExitOnIdle: true,
  })
  // Without a listener, an idle connection that breaks off would end this process.
  opened.on('error', () => {})
  let ending: Promise<void> | undefined
  return {
    pool: opened,
    close() {
      ending ??= opened.end()
      return ending
    },
  }
}
