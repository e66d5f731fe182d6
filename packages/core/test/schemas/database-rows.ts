import pg from 'pg'

/** Rows of one table by primary key, each as an object of JSON values. */
export type Rows = ReadonlyMap<string, Readonly<Record<string, unknown>>>

export interface TableKey {
  readonly table: string
  readonly columns: readonly string[]
}

export async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The primary key of every table, and the views, which have none. */
export async function keysOf(client: pg.Client): Promise<readonly TableKey[]> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(`
    select c.relname as table, coalesce(array_agg(a.attname::text order by part.place) filter (where a.attname is not null), '{}') as columns
    from pg_class c
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
    left join unnest(i.indkey) with ordinality as part (attnum, place) on true
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = part.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v')
    group by c.relname order by c.relname`)
  return rows
}

/** How a key is named in messages, whatever the spelling of its parts. */
export function keyText(columns: readonly string[], row: Readonly<Record<string, unknown>>): string {
  return columns
    .map((column) => `${column} ${row[column] === undefined ? 'missing' : String(row[column]).trim()}`)
    .join(', ')
}

/** Everything in every table. */
export async function dumpOf(client: pg.Client, keys: readonly TableKey[]): Promise<ReadonlyMap<string, Rows>> {
  const dump = new Map<string, Rows>()
  for (const { table, columns } of keys.filter(({ columns }) => columns.length > 0)) {
    const { rows } = await client.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(whole) as row from "${table}" whole`,
    )
    dump.set(table, new Map(rows.map(({ row }) => [keyText(columns, row), row])))
  }
  return dump
}

export interface Change {
  readonly table: string
  readonly key: string
  /** What is no longer what it was; absent where the row is gone or has come. */
  readonly columns?: readonly string[]
  readonly kind: 'changed' | 'deleted' | 'inserted'
}

/** What differs between two dumps of one database. */
export function changesBetween(before: ReadonlyMap<string, Rows>, after: ReadonlyMap<string, Rows>): Change[] {
  const changes: Change[] = []
  for (const [table, rows] of before) {
    const now = after.get(table) ?? new Map<string, never>()
    for (const [key, row] of rows) {
      const left = now.get(key)
      if (!left) changes.push({ table, key, kind: 'deleted' })
      else {
        const columns = Object.keys(row).filter((name) => JSON.stringify(row[name]) !== JSON.stringify(left[name]))
        if (columns.length > 0) changes.push({ table, key, kind: 'changed', columns })
      }
    }
    for (const key of now.keys()) if (!rows.has(key)) changes.push({ table, key, kind: 'inserted' })
  }
  return changes
}
