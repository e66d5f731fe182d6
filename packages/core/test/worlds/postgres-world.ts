import type { Value } from '@habeas/core'
import pg from 'pg'
import { postgresConnector } from '../../../adapter-postgres/src/index.js'
import { viewName } from './describe-world.js'
import { tableOf, type World, type WorldColumn, type WorldRow, type WorldTable } from './world.js'
import type { Change, Dump, WorldStore } from './world-store.js'

/** What several worlds share on a server. */
export const noCaseCollation = `create collation no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`

const name = pg.escapeIdentifier
const literal = (value: Value | undefined): string =>
  value === null || value === undefined ? 'null' : pg.escapeLiteral(String(value))
const list = (names: readonly string[]) => names.map(name).join(', ')

const typeOf = ({ type }: WorldColumn) => (type === 'no_case' ? 'text collate public.no_case' : type)

const columnsOf = ({ key, columns, references }: WorldTable) => [
  ...key,
  ...columns,
  ...references.flatMap((reference) => reference.columns),
]

const place = (prefix: string, table: WorldTable) => `${prefix}_${table.dataset}.${name(table.name)}`

const shouted = 'shouted text generated always as (upper(note)) stored'

/** Tables where the server does more with a row than it was told. */
function specialOf(prefix: string, table: WorldTable): string {
  const { special, dataset } = table
  const at = place(prefix, table)
  const before = (what: string) => {
    const routine = `${prefix}_${dataset}.${name(`${table.name}_${special}`)}`
    return `create function ${routine}() returns trigger language plpgsql as $$ begin ${what}; return new; end $$;
      create trigger ${name(`${special}`)} before update on ${at} for each row execute function ${routine}();`
  }
  switch (special) {
    case 'partitioned':
      return [0, 1]
        .map(
          (part) =>
            `create table ${prefix}_${dataset}.${name(`${table.name}_p${part}`)} partition of ${at} for values with (modulus 2, remainder ${part});`,
        )
        .join('')
    case 'touched':
      return before('new.touched := old.touched + 1')
    case 'restored':
      return before('new.note := old.note')
    default:
      return ''
  }
}

function definition(prefix: string, table: WorldTable): string {
  const { key, keyed, columns, special } = table
  const keys = key.map((column) => column.name)
  const parts = [
    ...columnsOf(table).map((column) => `${name(column.name)} ${typeOf(column)}${column.nullable ? '' : ' not null'}`),
    ...(special === 'generated' || special === 'read generated' ? [shouted] : []),
    ...(special === 'touched' ? ['touched integer not null default 0'] : []),
    ...(keyed ? [`primary key (${list(keys)})`] : []),
    ...columns
      .filter(({ unique }) => unique && special !== 'partitioned')
      .map((column) => `unique (${name(column.name)})`),
  ]
  const by = special === 'partitioned' ? ` partition by hash (${list(keys)})` : ''
  return `create table ${place(prefix, table)} (${parts.join(', ')})${by};${specialOf(prefix, table)}`
}

function insertion(prefix: string, table: WorldTable, rows: readonly WorldRow[]): string {
  const columns = columnsOf(table).map((column) => column.name)
  const tuples = rows.map(({ values }) => `(${columns.map((column) => literal(values[column])).join(', ')})`)
  return tuples.length === 0
    ? ''
    : `insert into ${place(prefix, table)} (${list(columns)}) values ${tuples.join(', ')};`
}

function foreignKeys(prefix: string, world: World, table: WorldTable): string {
  return table.references
    .flatMap(({ name: reference, columns, to, toColumns, onDelete }) =>
      onDelete
        ? [
            `alter table ${place(prefix, table)} add constraint ${name(`${table.name}_${reference}_fkey`)} foreign key (${list(columns.map((column) => column.name))}) references ${place(prefix, tableOf(world, to))} (${list(toColumns)}) on delete ${onDelete};`,
          ]
        : [],
    )
    .join('')
}

const views = (prefix: string, table: WorldTable): string =>
  table.special === 'view' || table.special === 'skipped view'
    ? `create view ${prefix}_${table.dataset}.${name(viewName(table.name))} as select * from ${place(prefix, table)};`
    : ''

/** Everything that makes a world on a server, as one text. */
function worldSql(prefix: string, world: World): string {
  const { tables, rows } = world
  const inTable = (table: WorldTable) => [...rows.values()].filter((row) => row.table === table.name)
  return [
    `create schema ${prefix}_a; create schema ${prefix}_b;`,
    ...tables.map((table) => definition(prefix, table)),
    ...tables.map((table) => insertion(prefix, table, inTable(table))),
    ...tables.map((table) => foreignKeys(prefix, world, table)),
    ...tables.map((table) => views(prefix, table)),
  ].join('\n')
}

function changing(prefix: string, world: World, { set, inserted }: Change): string {
  const updates = set.map(({ row, values }) => {
    const changes = Object.entries(values).map(([column, value]) => `${name(column)} = ${literal(value)}`)
    return `update ${place(prefix, tableOf(world, row.table))} set ${changes.join(', ')} where row_tag = ${literal(row.id)};`
  })
  return [...updates, ...inserted.map((row) => insertion(prefix, tableOf(world, row.table), [row]))].join('\n')
}

/** A world on a real server, in two schemas of its own. `prefix` must be a plain name. */
export async function postgresWorld(world: World, url: string, client: pg.Client, prefix: string): Promise<WorldStore> {
  await client.query(worldSql(prefix, world))
  const { tables } = world
  const all = tables.map((table) => `select to_jsonb(whole)::text as row from ${place(prefix, table)} whole`)
  async function dump(): Promise<Dump> {
    const { rows } = await client.query<{ row: string }>(all.join(' union all '))
    return new Map(rows.map(({ row }) => JSON.parse(row)).map((row) => [String(row.row_tag), row]))
  }
  return {
    connector: postgresConnector({ poolSize: 2 }),
    secrets: (dataset) => ({ url, db_schema: `${prefix}_${dataset}` }),
    dump,
    async write(decide) {
      try {
        await client.query(
          `begin; set local lock_timeout = '2s'; lock table ${tables.map((table) => place(prefix, table)).join(', ')} in exclusive mode`,
        )
        const before = await dump()
        const change = decide(before)
        if (!change) return undefined
        await client.query(changing(prefix, world, change))
        return { before, after: await dump() }
      } catch (error) {
        // what the database refuses others, or keeps locked, has not happened
        if (!(error instanceof pg.DatabaseError)) throw error
        await client.query('rollback')
        return undefined
      } finally {
        await client.query('commit')
      }
    },
    async close() {
      await client.query(`rollback; drop schema ${prefix}_a cascade; drop schema ${prefix}_b cascade`)
    },
  }
}
