import type { Erase, KeyGroup, Value } from '@habeas/core'
import { type MemoryConnectorOptions, type MemoryDatabase, memoryConnector } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'

const holding = (column: string, ...values: Value[]): KeyGroup => ({ fields: [{ path: [column] }], values: [values] })

const people = (): MemoryDatabase => ({
  people: {
    columns: [
      { name: 'id', kind: 'integer' },
      { name: 'email', kind: 'string', length: 20, nullable: false },
      { name: 'name', kind: 'string' },
      { name: 'age', kind: 'integer' },
      { name: 'born', kind: 'date' },
      { name: 'shout', kind: 'string', generated: true },
      { name: 'tags', kind: 'string', array: true },
      { name: 'profile', kind: 'object' },
    ],
    primaryKey: ['id'],
    uniqueKeys: [['email']],
    checks: [{ name: 'grown_up', holds: ({ age }) => age === null || Number(age) >= 18 }],
    rows: [
      { id: 1, email: 'jane@x.org', name: 'Jane', age: 41, born: '1983-01-01', tags: ['a'], profile: { city: 'Rome' } },
      { id: 2, email: 'john@x.org', name: null, age: 30, born: null, tags: null, profile: null },
    ],
  },
})

const erase = (change: Partial<Erase> = {}): Erase => ({
  collection: 'people',
  key: ['id'],
  keys: [[1, 2]],
  anyOf: [holding('email', 'jane@x.org', 'john@x.org')],
  set: [{ column: 'name', to: null }],
  ...change,
})

const opened = async (options: MemoryConnectorOptions = { database: people() }) => {
  const connector = memoryConnector(options)
  const connection = await connector.connect({})
  const rows = (collection = 'people') => connector.database[collection]!.rows
  return { connector, rows, erase: connection.erase!, countEach: connection.countEach!, connection }
}

describe('erase of the memory connector', () => {
  it.each<[string, Partial<Erase>, { constraint?: string; column?: string }]>([
    ['a missing value', { set: [{ column: 'email', to: null }] }, { column: 'email' }],
    ['a missing key', { set: [{ column: 'id', to: null }] }, { column: 'id' }],
    ['a check', { set: [{ column: 'age', to: 7 }] }, { constraint: 'grown_up' }],
    ['a unique key', { set: [{ column: 'email', to: 'x' }] }, { constraint: 'people_email_key' }],
    ['a primary key', { set: [{ column: 'id', to: 5 }] }, { constraint: 'people_pkey' }],
    ['a length', { set: [{ column: 'email', toEach: ['x', 'x'.repeat(21)] }] }, { column: 'email' }],
    ['text in a number', { set: [{ column: 'age', to: 'old' }] }, { column: 'age' }],
    ['text in a date', { set: [{ column: 'born', to: 'then' }] }, { column: 'born' }],
    ['a text for a list', { set: [{ column: 'tags', to: 'a' }] }, { column: 'tags' }],
    ['what the server computes', { keys: [[7]], set: [{ column: 'shout', to: null }] }, { column: 'shout' }],
  ])('refuses %s and writes nothing', async (_, change, rule) => {
    const { erase: run, rows } = await opened()
    await expect(run(erase(change))).rejects.toMatchObject({
      code: 'connection_failed',
      details: { reason: 'refused', ...rule },
    })
    expect(rows()).toEqual(people()['people']!.rows)
  })

  it('takes everything whose kind fits, and leaves null as it is', async () => {
    const { erase: run, rows } = await opened()
    await run(
      erase({
        set: [
          { column: 'name', to: 'x' },
          { column: 'age', to: 18 },
          { column: 'born', to: '1900-01-01' },
          { column: 'tags', to: [] },
          { column: 'profile', to: {} },
        ],
      }),
    )
    expect(rows()).toMatchObject([
      { name: 'x', age: 18, born: '1900-01-01', tags: [], profile: {} },
      { name: null, age: 18, born: null, tags: null, profile: null },
    ])
  })

  const family = (onDelete: 'cascade' | 'set null' | 'restrict' | 'no action', nullable = true): MemoryDatabase => ({
    people: { primaryKey: ['id'], rows: [{ id: 1 }, { id: 2 }, { id: 3, boss: 1 }] },
    pets: {
      columns: [{ name: 'id' }, { name: 'owner', nullable }],
      primaryKey: ['id'],
      rows: [
        { id: 7, owner: 1 },
        { id: 8, owner: 2 },
      ],
      foreignKeys: [
        { name: 'pet_owner', columns: ['owner'], references: { collection: 'people', columns: ['id'] }, onDelete },
      ],
    },
    toys: {
      rows: [{ pet: 7 }, { pet: 8 }, { pet: 99 }],
      foreignKeys: [
        {
          name: 'toy_pet',
          columns: ['pet'],
          references: { collection: 'pets', columns: ['id'] },
          onDelete: 'cascade',
        },
      ],
    },
  })
  const gone = erase({ keys: [[1]], anyOf: [holding('id', 1)], set: 'delete' })

  it('carries deletions on along foreign keys, as far as they lead', async () => {
    const { erase: run, rows } = await opened({ database: family('cascade') })
    await run(gone)
    expect([rows(), rows('pets'), rows('toys')]).toEqual([
      [{ id: 2 }, { id: 3, boss: 1 }],
      [{ id: 8, owner: 2 }],
      [{ pet: 8 }, { pet: 99 }],
    ])
  })

  it('follows foreign keys from numbers to decimals', async () => {
    const database: MemoryDatabase = {
      people: {
        columns: [{ name: 'id', kind: 'decimal' }],
        primaryKey: ['id'],
        rows: [{ id: '1.00' }, { id: '2.00' }],
      },
      orders: {
        columns: [
          { name: 'id', kind: 'integer' },
          { name: 'person_id', kind: 'integer' },
        ],
        primaryKey: ['id'],
        foreignKeys: [
          {
            ...{ name: 'person', columns: ['person_id'], onDelete: 'cascade' },
            references: { collection: 'people', columns: ['id'] },
          },
        ],
        rows: [
          { id: 1, person_id: 1 },
          { id: 2, person_id: 2 },
        ],
      },
    }
    const { erase: run, rows } = await opened({ database })
    await run({ ...gone, keys: [['1.00']], anyOf: [holding('id', '1.00')] })
    expect(rows('orders')).toEqual([{ id: 2, person_id: 2 }])
  })

  it('sets null where a foreign key says so, and refuses where null is not taken', async () => {
    const { erase: run, rows } = await opened({ database: family('set null') })
    await run(gone)
    expect(rows('pets')).toEqual([
      { id: 7, owner: null },
      { id: 8, owner: 2 },
    ])
    const strict = await opened({ database: family('set null', false) })
    await expect(strict.erase(gone)).rejects.toMatchObject({ details: { reason: 'refused', column: 'owner' } })
    expect(strict.rows()).toHaveLength(3)
  })

  it.each(['restrict', 'no action'] as const)(
    'refuses to delete rows that others refer to where the rule is %s',
    async (rule) => {
      const { erase: run, rows } = await opened({ database: family(rule) })
      const refusal = { details: { reason: 'refused', constraint: 'pet_owner' } }
      await expect(run(gone)).rejects.toMatchObject(refusal)
      await expect(run({ ...gone, set: [{ column: 'id', to: 9 }] })).rejects.toMatchObject(refusal)
      const repointing = { ...gone, collection: 'pets', keys: [[7]], anyOf: [holding('owner', 1)] }
      await expect(run({ ...repointing, set: [{ column: 'owner', to: 9 }] })).rejects.toMatchObject(refusal)
      expect(rows('pets')).toEqual(family(rule)['pets']!.rows)
      await run({ ...gone, keys: [[3]], anyOf: [holding('id', 3)] })
      expect(rows()).toEqual([{ id: 1 }, { id: 2 }])
    },
  )

  it('records calls, and says which are trials', async () => {
    const { connector, connection, rows } = await opened()
    await connection.erase!(erase(), { rollBack: true })
    expect(rows()[0]!['name']).toBe('Jane')
    await connection.erase!(erase())
    expect(await connection.countEach!({ collection: 'people', group: holding('age', 30, 41, 5, 30) })).toEqual([
      1, 1, 0, 1,
    ])
    expect(connector.calls.slice(1)).toEqual([
      { operation: 'erase', erase: erase(), rollBack: true },
      { operation: 'erase', erase: erase() },
      { operation: 'countEach', countEach: { collection: 'people', group: holding('age', 30, 41, 5, 30) } },
    ])
  })

  it('fails before or after it has written, as planned', async () => {
    const { connector, erase: run, rows } = await opened()
    connector.failNext({ operation: 'erase', rollBack: false, afterWriting: true })
    await run(erase(), { rollBack: true })
    await expect(run(erase())).rejects.toMatchObject({ details: { reason: 'connection_lost' } })
    expect(rows()[0]!['name']).toBeNull()
    connector.failNext({ collection: 'people' })
    await expect(run(erase({ set: [{ column: 'age', to: 20 }] }))).rejects.toThrow()
    expect(rows()[0]!['age']).toBe(41)
  })

  it('waits at a gate before it writes, or after', async () => {
    const { connector, erase: run, rows } = await opened()
    const before = connector.hold({ operation: 'erase' })
    const after = connector.hold({ operation: 'erase', afterWriting: true })
    const done = run(erase())
    await before.reached
    expect(rows()[0]!['name']).toBe('Jane')
    before.open()
    await after.reached
    expect(rows()[0]!['name']).toBeNull()
    after.open()
    await done
  })

  it.each<[string, Partial<Erase>, string]>([
    ['no key', { key: [], keys: [] }, 'at least one key column'],
    ['no row', { keys: [[]] }, 'at least one row'],
    ['a row twice', { keys: [[1, 1]] }, 'no two keys'],
    ['too many rows', { keys: [Array.from({ length: 1_001 }, (_, id) => id)] }, 'at most 1000 rows'],
    ['a missing column of keys', { key: ['id', 'email'] }, 'one column of values'],
    ['nothing to set', { set: [] }, 'at least one column'],
    ['too few values', { set: [{ column: 'name', toEach: ['x'] }] }, 'one value for each key'],
    ['no group', { anyOf: [] }, 'at least one key group'],
  ])('fails the test on a batch with %s', async (_what, change, message) => {
    const { erase: run } = await opened()
    await expect(run(erase(change))).rejects.toThrow(message)
  })

  it('does not exist where a connector only reads', async () => {
    const { connector, connection } = await opened({ database: people(), erases: false })
    expect([connection.erase, connection.countEach, connector.capabilities.maxErased]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})
