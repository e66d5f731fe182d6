import type { Erase, MostPointers, Value } from '@habeas/core'
import { compilePointers, listKeys, type SqlColumn, type SqlErasingDialect, type SqlTable } from '@habeas/sql'
import { SqliteQueryCompiler, sql } from 'kysely'
import { describe, expect, it } from 'vitest'

const bind =
  ({ kind }: SqlColumn) =>
  (value: Value): Value | undefined =>
    kind === 'integer' && typeof value !== 'number' ? undefined : value
const never = () => {
  throw new Error('writes nothing')
}

/** Writes what it is given instead of a statement of any server. */
const dialect: SqlErasingDialect = {
  createCompiler: () => new SqliteQueryCompiler(),
  binder: ({ column }) => bind(column),
  ...listKeys({ rowValues: true }),
  holdsNothing: () => sql<boolean>`true`,
  erasing: {
    keyBinder: bind,
    valueBinder: never,
    rewritable: never,
    holding: never,
    tuples: () => sql<boolean>`exactly`,
    update: never,
    remove: never,
    holders: never,
    unchanged: never,
    lock: ({ table, keys }) => sql`lock ${sql.raw(table.path[0]!)} ${sql.val(keys.values)} ${sql.val(keys.nullSafe)}`,
    countEach: ({ path }, _targets, keys) => sql`count ${sql.raw(path[0]!)} ${sql.val(keys)}`,
    countReferencing: ({ path }, [column], [to], keys) =>
      column?.kind === to?.kind ? sql`point ${sql.raw(path[0]!)} ${sql.val(keys)}` : undefined,
  },
}

const tableOf = (name: string, ...columns: SqlColumn[]): SqlTable => ({
  path: [name],
  columns: new Map(columns.map((column) => [column.name, column])),
})
const address = tableOf('address', { name: 'id', kind: 'integer' }, { name: 'street', kind: 'string' })
const customer = tableOf(
  'customer',
  { name: 'address_id', kind: 'integer' },
  { name: 'ship_to', kind: 'integer' },
  { name: 'code', kind: 'string' },
)

const referencing = (column: string, values: readonly Value[], ...most: number[]): MostPointers => ({
  count: { collection: 'customer', group: { fields: [{ path: [column] }], values: [values] } },
  most,
})
const compiled = (pointers: readonly MostPointers[], change: Partial<Erase> = {}) =>
  compilePointers(
    {
      ...{ collection: 'address', key: ['id'], keys: [[7, 8]], anyOf: [], set: 'delete' },
      pointers,
      ...change,
    },
    address,
    ({ references }) => ({ table: customer, ...(references && { to: [address.columns.get('id')!] }) }),
    dialect,
  )

describe('compilePointers', () => {
  it('locks the rows that hold the keys, and then counts each entry', () => {
    const batch = compiled([referencing('address_id', [7, 8], 1, 1), referencing('ship_to', [7], 0)])
    expect(batch?.lock).toEqual({ sql: 'lock address ? ?', parameters: [[[7, 8]], false] })
    expect(batch?.counts).toEqual([
      { sql: 'count customer ?', parameters: [[[7, 8]]] },
      { sql: 'count customer ?', parameters: [[[7]]] },
    ])
    expect(compiled([referencing('address_id', [7], 1)], { rows: 2 })?.lock?.parameters[1]).toBe(true)
  })

  it('counts over a foreign key as the server compares', () => {
    const { count, most } = referencing('address_id', [7], 1)
    const references = { collection: 'address', columns: ['id'] }
    const batch = compiled([{ count: { ...count, references }, most }])
    expect(batch?.counts.map((statement) => statement.sql)).toEqual(['point customer ?'])
    const coded = referencing('code', ['7'], 1)
    expect(() => compiled([{ count: { ...coded.count, references }, most }])).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    )
  })

  it('names the entry with a tuple that too many rows hold, and how many too many', () => {
    const batch = compiled([
      referencing('address_id', ['none'], 0),
      referencing('address_id', [7, 'none', 8], 2, 0, 1),
      referencing('ship_to', [8, 7], 0, 5),
    ])
    const told = (...counted: [string, string][][]) => batch?.failureOf(counted)?.details
    expect(told([], [])).toBeUndefined()
    expect(
      told(
        [
          ['0', '2'],
          ['1', '1'],
        ],
        [['1', '5']],
      ),
    ).toBeUndefined()
    expect(
      told(
        [
          ['0', '4'],
          ['1', '2'],
        ],
        [['0', '9']],
      ),
    ).toEqual({ reason: 'shared_since', position: 1, rows: 3 })
    // What fewer rows point to does not make up for what more point to.
    expect(told([['1', '2']], [])).toEqual({ reason: 'shared_since', position: 1, rows: 1 })
    expect(told([], [['0', '1']])).toEqual({ reason: 'shared_since', position: 2, rows: 1 })
  })

  it('asks nothing where nothing has to be counted, or no row can refer there', () => {
    expect(compiled([])).toBeUndefined()
    expect(compiled([], { pointers: undefined as never })).toBeUndefined()
    expect(compiled([referencing('address_id', ['none'], 0)])).toBeUndefined()
  })

  it('refuses keys that cannot be sent back as they were read', () => {
    expect(() => compiled([referencing('address_id', [7], 1)], { keys: [['none']] })).toThrow(
      expect.objectContaining({ details: { reason: 'unbound_key' } }),
    )
  })
})
