import { PrivacyError } from '@habeas/core'
import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import { migrations } from './migrations.js'
import { rowRelations } from './row-tables.js'
import type { ServerLine } from './server-line.js'
import { compiler } from './statement-compiler.js'

const oldestServer = 120_000

/** Schemas that this process has found usable, by name and birth. It goes on with them when a later version changes them. */
const opened = new Set<string>()

interface Found {
  readonly hasSchema: boolean
  /** Names of tables and indexes. */
  readonly relations: ReadonlySet<string>
  /** Number of the last migration that was applied. */
  readonly applied: number
}

/**
 * Creates the tables, or brings them up to date. Where nothing is missing it only looks, so that an account without the
 * right to create tables is enough from then on. When several processes start at once, one does it and the others wait.
 * Rejects with `misconfigured` when a newer version has brought the tables further before this process came.
 */
export async function migrate(line: ServerLine, schema: string): Promise<void> {
  if (isComplete(schema, await look(line, schema))) return
  await line.send(CompiledQuery.raw('begin isolation level read committed'))
  try {
    await line.send(compiled(sql`select pg_advisory_xact_lock(hashtextextended(${`habeas ${schema}`}, 0))`))
    await bringForward(line, schema, await look(line, schema))
    await line.send(CompiledQuery.raw('commit'))
    await look(line, schema)
  } catch (error) {
    await line.send(CompiledQuery.raw('rollback')).catch(() => {})
    throw error
  }
}

const compiled = (statement: RawBuilder<unknown>): CompiledQuery => statement.compile(compiler)

async function look(line: ServerLine, schema: string): Promise<Found> {
  const asked = await line.send(
    compiled(sql`
      select current_setting('server_version_num') as server, (namespace.oid is not null)::text as present,
        array_to_json(array(select relname from pg_class where relnamespace = namespace.oid))::text as relations
      from (select 1) as one left join pg_namespace as namespace on nspname = ${schema}`),
  )
  const { server, present, relations } = asked.rows[0] as { server: string; present: unknown; relations: string }
  if (Number(server) < oldestServer) {
    const message = 'The storage in PostgreSQL needs PostgreSQL 12 or later: this server is older.'
    throw new PrivacyError('misconfigured', message, { option: 'connectionString' })
  }
  const names = new Set<string>(JSON.parse(relations))
  const hasSchema = present === 'true'
  if (!names.has('migration')) return { hasSchema, relations: names, applied: 0 }
  const last = await line.send(
    compiled(sql`
      select max(number)::text as number, (min(applied_at) at time zone 'UTC')::text as born
      from ${sql.id(schema, 'migration')}`),
  )
  const applied = Number(last.rows[0]?.['number'] ?? 0)
  const name = `${schema} ${last.rows[0]?.['born']}`
  const known = migrations.length
  if (applied <= known) opened.add(name)
  if (opened.has(name)) return { hasSchema, relations: names, applied }
  const message = `The schema '${schema}' was brought to number ${applied} by a newer version of @habeas/adapter-postgres, and this one knows ${known}: upgrade it, or name another schema.`
  throw new PrivacyError('misconfigured', message, { option: 'schema' })
}

function isComplete(schema: string, { relations, applied }: Found): boolean {
  return applied >= migrations.length && rowRelations(schema).every(({ name }) => relations.has(name))
}

async function bringForward(line: ServerLine, schema: string, { hasSchema, relations, applied }: Found): Promise<void> {
  // `create schema if not exists` needs the right to create schemas even where it has nothing to do.
  if (!hasSchema) await line.send(compiled(sql`create schema ${sql.id(schema)}`))
  await line.send(compiled(sql`set local search_path to ${sql.id(schema)}`))
  const table = sql.id(schema, 'migration')
  if (!relations.has('migration')) {
    const columns = sql`number integer primary key, name text not null, applied_at timestamptz not null default now()`
    await line.send(compiled(sql`create table ${table} (${columns})`))
  }
  for (const { number, name, sql: text } of migrations.slice(applied)) {
    await line.send(CompiledQuery.raw(text))
    await line.send(compiled(sql`insert into ${table} (number, name) values (${number}, ${name})`))
  }
  for (const { name, create } of rowRelations(schema)) {
    if (!relations.has(name)) await line.send(compiled(create))
  }
}
