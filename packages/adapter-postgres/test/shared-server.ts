import { type PostgresServer, startPostgres } from '@habeas/testkit'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'

/** Lives as long as the process of this worker, which takes it along. */
let started: Promise<PostgresServer> | undefined
let databases = 0

/**
 * The PostgreSQL server of this worker, with an empty database for the file that calls this: `url` names it once the tests
 * run, and it is gone after them. Roles and sessions are the server's, and another file may have left some there.
 */
export function sharedServer(settings: Readonly<Record<string, string>> = {}): Pick<PostgresServer, 'url' | 'port'> {
  let server: PostgresServer
  let url = ''
  const name = `tests_${++databases}`
  const ask = async (...statements: readonly string[]) => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  beforeAll(async () => {
    started ??= startPostgres()
    server = await started
    const set = Object.entries(settings).map(([key, value]) => `alter database ${name} set ${key} to '${value}'`)
    await ask(`create database ${name}`, ...set)
    url = server.url.replace(/\/postgres$/, `/${name}`)
  })
  afterAll(() => ask(`drop database ${name} with (force)`))
  return {
    get url() {
      return url
    },
    get port() {
      return server.port
    },
  }
}
