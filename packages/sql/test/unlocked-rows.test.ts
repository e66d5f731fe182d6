import type { Erase } from '@habeas/core'
import {
  createSqlConnection,
  listKeys,
  type SqlColumn,
  type SqlErasingDialect,
  type SqlTable,
  type Statement,
  streamingSession,
} from '@habeas/sql'
import { SqliteQueryCompiler, sql } from 'kysely'
import { describe, expect, it } from 'vitest'

const tableOf = (name: string): SqlTable => ({
  path: [name],
  columns: new Map(['id', 'owner'].map((column): [string, SqlColumn] => [column, { name: column, kind: 'integer' }])),
})
const bind = () => (value: unknown) => value
const nameOf = ({ path }: SqlTable) => sql.raw(path[0]!)

/** Writes what it is given instead of a statement of any server. */
const dialect = (locks: boolean): SqlErasingDialect => ({
  mostParameters: 4,
  createCompiler: () => new SqliteQueryCompiler(),
  binder: bind as never,
  ...listKeys({ rowValues: true }),
  holdsNothing: () => sql<boolean>`true`,
  erasing: {
    keyBinder: bind as never,
    valueBinder: bind as never,
    rewritable: () => true,
    holding: () => sql<boolean>`true`,
    tuples: () => sql<boolean>`true`,
    update: ({ table }) => sql`write ${nameOf(table)}`,
    remove: ({ table }) => sql`delete ${nameOf(table)}`,
    holders: ({ table }) => sql`holders ${nameOf(table)}`,
    unchanged: (table) => sql`unchanged ${nameOf(table)}`,
    ...(locks && { lock: ({ table }) => sql`lock ${nameOf(table)}` }),
    countEach: (table) => sql`count ${nameOf(table)}`,
    countReferencing: () => undefined,
  },
})

/** A connection to a server that keeps what it was sent. `answer` gives the rows, or the number of rows touched. */
function connected(locks: boolean, answer: (sql: string, sent: number) => readonly unknown[] | number) {
  const sent: string[] = []
  const parameters: number[] = []
  let opened = 0
  const run = async (statement: Statement) => {
    sent.push(statement.sql)
    parameters.push(statement.parameters.length)
    return answer(statement.sql, sent.filter((each) => each === statement.sql).length)
  }
  const nothing = new Set<string>()
  const connection = createSqlConnection({
    driver: {
      async open() {
        opened++
        async function* rows(statement: Statement) {
          for (const row of (await run(statement)) as readonly (readonly unknown[])[]) yield [row]
        }
        return {
          ...streamingSession({ rows, run, survives: () => true, independent: locks === false }),
          onGone: () => {},
          cancel: async () => {},
          end: async () => {},
          destroy: () => {},
        }
      },
    },
    dialect: dialect(locks),
    catalogue: {
      table: async (name) => tableOf(name),
      describe: async () => ({ catalogue: { collections: [] }, tables: new Map() }),
    },
    errors: {
      ...{ codes: 'code', codeOf: () => undefined, isServers: () => false, known: {}, refusals: /^$/ },
      ...{ missing: nothing, conflicts: nothing, lockTimeouts: nothing, stopped: nothing, forbidden: nothing },
      refusingRule: async () => ({}),
    },
    transactions: { begin: ['begin'], beginReadCommitted: ['begin'], checkRules: [] },
    schema: 'shop',
    poolSize: 1,
  })
  return { connection, sent, parameters, opened: () => opened }
}

const group = (values: readonly number[]) => ({ fields: [{ path: ['owner'] }], values: [values] })
const batch: Erase = {
  collection: 'address',
  key: ['id'],
  keys: [[7, 8]],
  anyOf: [group([1])],
  set: 'delete',
  pointers: [{ count: { collection: 'orders', group: group([7, 8]) }, most: [0, 0] }],
  unchanged: [
    { collection: 'customer', group: group([1]), rows: 1 },
    { collection: 'address', group: group([1]), rows: 2 },
  ],
}
/** As many rows as the batch expects. */
const asExpected = (text: string) => {
  if (text.startsWith('delete')) return 2
  if (text.startsWith('count')) return []
  return [[text === 'unchanged customer' ? '1' : '2']]
}

describe('a batch', () => {
  it('is locked and counted once, where rows can be locked', async () => {
    const { connection, sent } = connected(true, asExpected)
    await connection.erase!(batch)
    expect(sent).toEqual([
      ...['begin', 'unchanged customer', 'unchanged address', 'lock address', 'count orders'],
      ...['holders address', 'delete address', 'commit'],
    ])
  })

  it('is counted before and after, where none can be: its own rows are no longer there', async () => {
    const { connection, sent } = connected(false, asExpected)
    await connection.erase!(batch)
    expect(sent).toEqual([
      ...['begin', 'unchanged customer', 'unchanged address', 'count orders', 'holders address', 'delete address'],
      ...['unchanged customer', 'count orders', 'commit'],
    ])
  })

  it.each([
    ['count orders', [['1', '1']], 'shared_since'],
    ['unchanged customer', [['0']], 'changed_since'],
  ] as const)('takes everything back where only the second "%s" finds a difference', async (asked, rows, reason) => {
    const { connection, sent } = connected(false, (text, nth) =>
      text === asked && nth === 2 ? rows : asExpected(text),
    )
    await expect(connection.erase!(batch)).rejects.toMatchObject({ code: 'connection_failed', details: { reason } })
    expect(sent.slice(-1)).toEqual(['rollback'])
    expect(sent).toContain('delete address')
  })
})

it('splits counts by the parameters that a statement may have, and keeps their order', async () => {
  // the server gives the number of keys of each count
  const keysOf = (text: string) =>
    text
      .split('select count')
      .slice(1)
      .map((each) => String(each.split('?').length - 1))
  const { connection, parameters } = connected(false, (text) => [keysOf(text)])
  const counts = [[1], [2, 3], [4], [5, 6, 7, 8, 9]].map((values) => ({
    collection: 'orders',
    anyOf: [group(values)],
  }))
  expect(await connection.count(counts)).toEqual([1, 2, 1, 5])
  // a single count may need more
  expect([...parameters].sort()).toEqual([1, 3, 5])
})

it.each([
  [true, 2],
  [false, 1],
])(
  'gives up a session whose rows were not read to the end, unless it is independent of them',
  async (locks, sessions) => {
    const many = Array.from({ length: 5 }, () => ['x'.repeat(300_000)])
    const { connection, opened } = connected(locks, () => many)
    const read = { collection: 'orders', columns: ['owner'], anyOf: [group([1])] }
    for (const _ of [1, 2]) for await (const _batch of connection.read(read)) break
    expect(opened()).toBe(sessions)
  },
)
