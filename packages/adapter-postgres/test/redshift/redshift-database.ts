import type { Fixture } from '@habeas/testkit'
import { afterAll, beforeAll } from 'vitest'
import { redshiftConnector } from '../../src/index.js'
import { openDatabase, quoted, type TestDatabase } from '../database.js'
import { sharedServer } from '../shared-server.js'
import { loadRedshiftFixture, prepareRedshift } from './redshift-fixture.js'
import { type RedshiftProxy, startRedshiftProxy } from './redshift-proxy.js'

/** A server that speaks for Redshift, for the file that calls this. */
export function redshiftServer() {
  const server = sharedServer()
  let proxy: RedshiftProxy
  beforeAll(async () => {
    await prepareRedshift(server.url)
    proxy = await startRedshiftProxy(server.port)
  })
  afterAll(() => proxy?.close())
  /** Schemas that hold a fixture, from which others are copied: that is much less work than to load it again. */
  const models = new Map<Fixture, Promise<string>>()
  const model = async (fixture: Fixture) => {
    const { client, schema } = await openDatabase(server.url)
    await loadRedshiftFixture(client, fixture)
    await client.end()
    return schema
  }
  const through = () => server.url.replace(/:\d+\//, `:${proxy.port}/`)
  return {
    get statements() {
      return proxy.statements
    },
    get url() {
      return through()
    },
    /** A schema of its own with the tables of a fixture. Only the connections under test go through the proxy. */
    async open(fixture: Fixture = [], setUp = ''): Promise<TestDatabase> {
      const database = await openDatabase(server.url, setUp, redshiftConnector, through())
      if (fixture.length === 0) return database
      if (!models.has(fixture)) models.set(fixture, model(fixture))
      await database.client.query(copyOf(fixture, (await models.get(fixture))!, database.schema))
      return database
    },
  }
}

function copyOf(fixture: Fixture, from: string, to: string): string {
  const tables = fixture.map(({ name }) => {
    const [old, copy] = [`${quoted(from)}.${quoted(name)}`, `${quoted(to)}.${quoted(name)}`]
    return `create table ${copy} (like ${old} including all); insert into ${copy} select * from ${old};`
  })
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
  const counterpart = (table: string) =>
    `(select n.oid from pg_class o join pg_class n on n.relname = o.relname
      where o.oid = ${table} and n.relnamespace = (select oid from pg_namespace where nspname = ${literal(to)}))`
  return `begin isolation level read committed; ${tables.join('\n')}
    insert into redshift.pg_constraint
    select conname, contype, ${counterpart('conrelid')}, coalesce(${counterpart('confrelid')}, 0), conkey, confkey
    from redshift.pg_constraint k join pg_class c on c.oid = k.conrelid
    where c.relnamespace = (select oid from pg_namespace where nspname = ${literal(from)}); commit`
}
