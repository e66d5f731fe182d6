import type { Erase, KeyGroup, Value } from '@habeas/core'
import {
  compileCountEach,
  compileErase,
  compileRead,
  compileUnchanged,
  listKeys,
  type SqlColumn,
  type SqlErasingDialect,
  type SqlKeys,
  type SqlTouch,
} from '@habeas/sql'
import { SqliteQueryCompiler, sql } from 'kysely'
import { describe, expect, it } from 'vitest'

const bind =
  ({ kind }: SqlColumn) =>
  (value: Value): Value | undefined =>
    kind === 'integer' && typeof value !== 'number' ? undefined : value

/** Writes what it is given instead of a statement of any server. */
const shown = (
  what: string,
  { keys, where }: Omit<Partial<SqlTouch>, 'keys'> & { keys: SqlKeys },
  more: unknown = [],
) => {
  const named = {
    nullSafe: keys.nullSafe,
    ...Object.fromEntries(keys.columns.map(({ name }, at) => [name, keys.values[at]])),
  }
  return sql`${sql.raw(what)} ${sql.val(named)} ${sql.val(more)}${where ? sql` ${where}` : sql``}`
}

const dialect: SqlErasingDialect = {
  createCompiler: () => new SqliteQueryCompiler(),
  binder: ({ column }) => bind(column),
  ...listKeys({ rowValues: true }),
  holdsNothing: () => sql<boolean>`true`,
  erasing: {
    keyBinder: bind,
    valueBinder: (column) => (value) => (value === 'unfit' ? undefined : bind(column)(value)),
    rewritable: (_column, list) => !JSON.stringify(list).includes('hidden'),
    tuples: () => sql<boolean>`exactly`,
    update: (touch, set) =>
      shown(
        'update',
        touch,
        set.map(({ column, ...rest }) => ({ column: column.name, ...rest })),
      ),
    remove: (touch) => shown('remove', touch),
    holders: (touch) => shown('holders', touch),
    lock: (touch) => shown('lock', touch),
    unchanged: ({ path }, where, rows) => sql`unchanged ${sql.raw(path[0]!)} ${where} ${sql.val(rows)}`,
    holding: ({ columns, values, nullSafe }) =>
      sql<boolean>`holding ${sql.val([columns.map(({ name }) => name), values, nullSafe])}`,
    countEach: (_table, _targets, keys, where) => sql`count ${sql.val(keys)} ${where ?? sql`always`}`,
    countReferencing: (_table, [column], [to], keys) =>
      column?.kind === to?.kind ? sql`point ${sql.val(keys)}` : undefined,
  },
}

const columns: SqlColumn[] = [
  { name: 'id', kind: 'integer' },
  { name: 'code', kind: 'string' },
  { name: 'name', kind: 'string' },
  { name: 'twice', kind: 'integer', generated: true },
  { name: 'data', kind: 'object' },
]
const table = { path: ['people'], columns: new Map(columns.map((column) => [column.name, column])), rowKeys: [['id']] }
const holding = (column: string, ...values: Value[]): KeyGroup => ({ fields: [{ path: [column] }], values: [values] })
const compiled = (change: Partial<Erase> = {}) =>
  compileErase(
    {
      collection: 'people',
      key: ['id'],
      keys: [[1, 2]],
      anyOf: [holding('code', 'a')],
      set: [{ column: 'name', to: 'x' }],
      ...change,
    },
    table,
    dialect,
  )
const texts = ({ statements }: ReturnType<typeof compiled>) =>
  statements.map(({ sql, parameters }) => [sql.split(' ')[0], ...parameters])

describe('compileErase', () => {
  it('makes one statement of a batch, and counts nothing first where the key is unique', () => {
    const batch = compiled()
    expect(batch.holders).toBeUndefined()
    expect(batch.statements.map((statement) => statement.sql)).toEqual(['update ? ? "code" in (?)'])
    expect(texts(batch)).toEqual([['update', { nullSafe: false, id: [1, 2] }, [{ column: 'name', to: 'x' }], 'a']])
    expect(batch.failureOf(undefined, 2)).toBeUndefined()
    expect(batch.failureOf(undefined, 3)?.details).toEqual({ reason: 'ambiguous_rows' })
  })

  it('writes nothing by an exact group that has no tuple left, and counts all the same', () => {
    const none = { ...holding('data'), exact: true as const }
    const batch = compiled({ anyOf: [none], rows: 2 })
    expect(batch.statements).toEqual([])
    expect(batch.holders).toBeDefined()
    const [statement] = compiled({ anyOf: [none, holding('code', 'a')] }).statements
    expect(statement?.sql).toBe('update ? ? "code" in (?)')
  })

  it.each<[string, Partial<Erase>, SqlKeys['nullSafe']]>([
    ['a key that is not unique', { key: ['code'], keys: [['a', 'b']] }, false],
    [
      'a part that is null',
      {
        key: ['id', 'code'],
        keys: [
          [1, 2],
          ['a', null],
        ],
      },
      true,
    ],
    ['a number of rows', { rows: 3 }, true],
  ])('counts the rows that hold the keys first: %s', (_, change, nullSafe) => {
    expect(compiled(change).holders?.parameters[0]).toMatchObject({ nullSafe })
  })

  it.each<[Partial<Erase>, number, number, boolean]>([
    [{}, 2, 2, false],
    [{}, 1, 0, false],
    [{}, 3, 2, true],
    [{}, 2, 3, true],
    [{ rows: 3 }, 3, 3, false],
    [{ rows: 3 }, 3, 1, false],
    [{ rows: 3 }, 2, 2, true],
    [{ rows: 3 }, 4, 3, true],
    [{ rows: 3 }, 3, 4, true],
  ])('says when a key names other rows than it should, case %#', (change, holders, touched, ambiguous) => {
    const failure = compiled({ key: ['code'], keys: [['a', 'b']], ...change }).failureOf(holders, touched)
    expect(failure?.details).toEqual(ambiguous ? { reason: 'ambiguous_rows' } : undefined)
  })

  it('names a document also by the numbers that texts in it may stand for, and counts both as one row', () => {
    const many = '12345678901234567890'
    const asNumbers = (value: Value) => (value === null ? null : `numbers of ${JSON.stringify(value)}`)
    const numbersBinder = ({ kind }: SqlColumn) => (kind === 'object' ? asNumbers : undefined)
    const erase: Erase = {
      ...{ collection: 'people', key: ['id', 'data'], rows: 4, anyOf: [holding('code', 'a')] },
      keys: [
        [1, 2, 3, 4],
        [{ n: 1 }, { n: many }, many, null],
      ],
      set: [{ column: 'name', toEach: ['a', 'b', 'c', 'd'] }],
    }
    const both = { ...dialect, erasing: { ...dialect.erasing, numbersBinder } }
    const { holders, statements } = compileErase(erase, table, both)
    const named = [`numbers of {"n":"${many}"}`, `numbers of "${many}"`]
    expect(holders?.parameters[0]).toMatchObject({
      id: [1, 2, 3, 4, 2, 3],
      data: [{ n: 1 }, { n: many }, many, null, ...named],
    })
    expect(statements.map(({ parameters }) => parameters.slice(0, 2))).toEqual([
      [
        { nullSafe: true, id: [1, 2, 3, 4], data: [{ n: 1 }, { n: many }, many, null] },
        [{ column: 'name', toEach: ['a', 'b', 'c', 'd'] }],
      ],
      [{ nullSafe: true, id: [2, 3], data: named }, [{ column: 'name', toEach: ['b', 'c'] }]],
    ])
    const [remove, ...more] = compileErase({ ...erase, set: 'delete' }, table, both).statements
    expect([remove?.parameters[0], more]).toEqual([holders?.parameters[0], []])
  })

  it('refuses keys that cannot be sent back as they were read, since their rows must not count as gone', () => {
    const unbound = expect.objectContaining({ code: 'unsupported', details: { reason: 'unbound_key' } })
    expect(() => compiled({ keys: [[1, 'none', 3]] })).toThrow(unbound)
    expect(() => compiled({ keys: [['none']], rows: 1, set: 'delete' })).toThrow(unbound)
    const named: KeyGroup = { ...holding('id', 1, 'none'), exact: true }
    expect(() => compileRead({ collection: 'people', columns: ['id'], anyOf: [named] }, table, dialect)).toThrow(
      unbound,
    )
  })

  it('reads rows back by their whole keys, null among them', () => {
    const fields = [{ path: ['id'] }, { path: ['code'] }]
    const read = (code: Value) => {
      const anyOf: KeyGroup[] = [{ fields, values: [[1], [code]], exact: true }]
      return compileRead({ collection: 'people', columns: ['id'], anyOf }, table, dialect)
    }
    expect(read('a')?.parameters).toEqual([[['id', 'code'], [[1], ['a']], false]])
    expect(read(null)?.parameters).toEqual([[['id', 'code'], [[1], [null]], true]])
  })

  it('writes nothing where no row can meet a group', () => {
    expect(compiled({ anyOf: [holding('id', 'none')] })).toMatchObject({ statements: [] })
    expect(compiled({ anyOf: [holding('id', 'none')], rows: 1 }).holders).toBeDefined()
  })

  it('refuses by name a value that a column does not take, and a column that the server computes', () => {
    const refusal = (column: string) => expect.objectContaining({ details: { reason: 'refused', column } })
    const attempt = (set: Erase['set']) => {
      try {
        return compiled({ set })
      } catch (error) {
        return error
      }
    }
    expect(attempt([{ column: 'name', to: 'unfit' }])).toEqual(refusal('name'))
    expect(attempt([{ column: 'name', toEach: ['a', 'unfit'] }])).toEqual(refusal('name'))
    expect(attempt([{ column: 'twice', to: null }])).toEqual(refusal('twice'))
    expect(String(attempt([{ column: 'name', to: 'unfit' }]))).not.toContain('unfit')
  })

  it('compares groups exactly', () => {
    const tuples: KeyGroup = {
      fields: [{ path: ['code'] }, { path: ['name'] }],
      values: [
        ['a', 'b'],
        ['c', 'd'],
      ],
    }
    expect(compiled({ anyOf: [tuples], set: 'delete' }).statements[0]?.sql).toBe(
      'remove ? ? ("code" in (?, ?) and "name" in (?, ?) and exactly)',
    )
  })

  it('puts rows in which the same members change into one statement', () => {
    const was = [{ a: 1, b: 'x' }, { a: 2, b: 'y' }, { a: 3, b: 'z' }, null, { a: 5 }]
    const toEach = [{ a: 9, b: 'x' }, { a: 8, b: 'm' }, { a: 7, b: 'z' }, null, { a: 5 }]
    const member = (name: string, was: Value[], to: Value[]) => ({ path: [name], was, writes: [{ path: [name], to }] })
    const batch = compiled({ keys: [[1, 2, 3, 4, 5]], set: [{ column: 'data', toEach, was }] })
    expect(texts(batch)).toEqual([
      ['update', { nullSafe: false, id: [1, 3] }, [{ column: 'data', members: [member('a', [1, 3], [9, 7])] }], 'a'],
      [
        'update',
        { nullSafe: false, id: [2] },
        [{ column: 'data', members: [member('a', [2], [8]), member('b', ['y'], ['m'])] }],
        'a',
      ],
    ])
    const beside = compiled({
      keys: [[1, 2, 3, 4, 5]],
      set: [
        { column: 'name', to: 'x' },
        { column: 'data', toEach, was },
      ],
    })
    expect(texts(beside).at(-1)).toEqual([
      'update',
      { nullSafe: false, id: [4, 5] },
      [{ column: 'name', to: 'x' }],
      'a',
    ])
  })

  it('writes a list whole only where that leaves its other elements as they are', () => {
    const lists = (was: Value[], to: Value[]) => {
      const [[, , set]] = texts(compiled({ keys: [[1]], set: [{ column: 'data', toEach: [to], was: [was] }] })) as [
        [string, unknown, [{ members: unknown }]],
      ]
      return set[0].members
    }
    expect(lists(['x', 'y'], ['m', 'y'])).toEqual([
      { path: [], was: [['x', 'y']], writes: [{ path: [], to: [['m', 'y']] }] },
    ])
    expect(lists(['x', 'hidden', { a: 1, b: 2 }], ['m', 'hidden', { b: 2 }])).toEqual([
      {
        path: [],
        was: [['x', 'hidden', { a: 1, b: 2 }]],
        writes: [
          { path: [0], to: ['m'] },
          { path: [2, 'a'], to: 'remove' },
        ],
      },
    ])
  })
})

describe('compileCountEach', () => {
  it('keeps the positions of the tuples that can be held', () => {
    const found = compileCountEach(
      { ...holding('id', 'none', 7, 'none', 8), when: [{ path: ['code'], equals: 'k' }] },
      table,
      dialect,
    )
    expect(found).toEqual({
      positions: [1, 3],
      statement: { sql: 'count ? "code" in (?)', parameters: [[[7, 8]], 'k'] },
    })
    expect(compileCountEach(holding('id', 7), table, dialect)?.statement.sql).toBe('count ? always')
  })

  it('follows a foreign key in the type of the key it refers to, or says that it cannot', () => {
    const to = [table.columns.get('id')!]
    expect(compileCountEach(holding('twice', 7), table, dialect, to)?.statement.sql).toBe('point ?')
    const unsupported = expect.objectContaining({ code: 'unsupported', message: expect.stringContaining('"people"') })
    expect(() => compileCountEach(holding('code', '7'), table, dialect, to)).toThrow(unsupported)
    expect(() => compileCountEach(holding('twice', 7, 'none'), table, dialect, to)).toThrow(unsupported)
  })

  it('is none where no tuple can be held', () => {
    expect(compileCountEach(holding('id', 'none'), table, dialect)).toBeUndefined()
    expect(
      compileCountEach({ ...holding('id', 1), when: [{ path: ['id'], equals: 'k' }] }, table, dialect),
    ).toBeUndefined()
  })
})

describe('compileUnchanged', () => {
  it('asks for each entry whether so many rows hold all that was read', () => {
    const group = {
      fields: [{ path: ['code'] }, { path: ['id'] }],
      values: [
        ['k', null],
        [7, 8],
      ],
      exact: true,
    } as const
    const statements = compileUnchanged({ unchanged: [{ collection: 'people', group, rows: 3 }] }, () => table, dialect)
    expect(statements).toEqual([
      {
        sql: expect.stringMatching(/^unchanged \S+ holding \? \?$/),
        parameters: [
          [
            ['code', 'id'],
            [
              ['k', null],
              [7, 8],
            ],
            true,
          ],
          3,
        ],
      },
    ])
    expect(compileUnchanged({}, () => table, dialect)).toEqual([])
  })
})
