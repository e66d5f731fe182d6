import { describe, expect, it } from 'vitest'
import type { Value } from '../model/value.js'
import type { Erase, KeyGroup } from '../ports/connector.js'
import { filteredReads } from './filtered-reads.js'

const people = [
  { id: 1, email: 'ann@example.com', boss: null, fee: '5.00' },
  { id: 2, email: 'bob@example.com', boss: 1, fee: '7' },
  { id: 3, email: 'ann@example.com', boss: 1, fee: '' },
]
let asked = 0

const { methods, checked, checkOthers } = filteredReads({
  columns: (collection) =>
    collection === 'people'
      ? [{ name: 'id', kind: 'integer' }, { name: 'email' }, { name: 'boss' }, { name: 'fee', kind: 'decimal' }]
      : undefined,
  async *candidates() {
    for (const person of people) {
      asked++
      yield [person]
    }
  },
})

const by = (column: string, ...values: readonly Value[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [values],
})
const ids = async (...anyOf: KeyGroup[]) => {
  const found: unknown[] = []
  for await (const rows of methods.read({ collection: 'people', columns: ['id'], anyOf })) found.push(...rows.flat())
  return found
}

describe('filteredReads', () => {
  it('gives the candidates that meet a group, compared in the kinds of their columns', async () => {
    expect(await ids(by('email', 'ann@example.com'), by('id', 1))).toEqual([1, 3])
    expect(await ids(by('fee', '5', '7.0'))).toEqual([1, 2])
  })

  it('counts rows, and rows by tuple', async () => {
    const anyOf = [by('email', 'ann@example.com', 'bob@example.com')]
    const counts = await methods.count([
      { collection: 'people', anyOf },
      { collection: 'people', anyOf, noneOf: [by('id', 2)] },
      { collection: 'people', anyOf, empty: [{ path: ['fee'] }] },
    ])
    expect(counts).toEqual([3, 2, 1])
    expect(await methods.countEach({ collection: 'people', group: by('boss', 2, 1, 1) })).toEqual([0, 2, 2])
  })

  it('asks the source nothing where no row can meet a group', async () => {
    asked = 0
    expect(await methods.count([{ collection: 'people', anyOf: [] }])).toEqual([0])
    expect(asked).toBe(0)
  })

  it('names the collection or the column that is missing, and no value', async () => {
    await expect(checked('cats', [], [])).rejects.toMatchObject({ details: { reason: 'missing_collection' } })
    const group = { ...by('id', 1), when: [{ path: ['planet'], equals: 'planted' }] }
    for (const asking of [checked('people', ['planet'], []), checked('people', [], [group])]) {
      const error = await asking.catch((thrown) => thrown)
      expect(error.details).toEqual({ reason: 'missing_column' })
      expect(error.message).toContain('planet')
      expect(JSON.stringify(error)).not.toContain('planted')
    }
  })

  it('rejects once the caller has ended', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(methods.count([{ collection: 'people', anyOf: [] }], { signal })).rejects.toThrow('enough')
  })

  it('tells when rows have changed, or more refer to a batch than may', async () => {
    const erase = { collection: 'teams', key: ['id'], keys: [[9]], anyOf: [], set: 'delete' } as const satisfies Erase
    const held = (rows: number, collection = 'people') => ({
      collection,
      group: { ...by('id', 1, 2), exact: true as const },
      rows,
    })
    await checkOthers({ ...erase, unchanged: [held(2)] }, 'before')
    const changed = { ...erase, unchanged: [held(2), held(3)] }
    await expect(checkOthers(changed, 'after')).rejects.toMatchObject({ details: { reason: 'changed_since' } })
    await checkOthers({ ...changed, collection: 'people' }, 'after')
    await expect(checkOthers({ ...changed, collection: 'people' }, 'before')).rejects.toMatchObject({
      details: { reason: 'changed_since' },
    })
    const pointers = [2, 1].map((most) => ({
      count: { collection: 'people', group: by('boss', 1, 7) },
      most: [most, 5],
    }))
    await expect(checkOthers({ ...erase, pointers }, 'before')).rejects.toMatchObject({
      details: { reason: 'shared_since', position: 1, rows: 1 },
    })
  })
})

it.each<[string, () => unknown]>([
  [
    'rows',
    async function* () {
      yield { id: 1 }
    },
  ],
  [
    'lists of values',
    async function* () {
      yield [[1]]
    },
  ],
  [
    'nothing',
    async function* () {
      yield undefined
    },
  ],
  ['a promise', async () => [[{ id: 1 }]]],
])('refuses candidates that yield %s in place of batches', async (_, candidates) => {
  const columns = () => [{ name: 'id' }]
  const { methods } = filteredReads({ columns, candidates: candidates as never })
  const anyOf = [{ fields: [{ path: ['id'] }], values: [[1]] }]
  const counting = methods.count([{ collection: 'people', anyOf }])
  await expect(counting).rejects.toMatchObject({ code: 'connection_failed', details: { reason: 'malformed' } })
})

it.each<[string, unknown, string]>([
  ['whose names have capitals', { ID: 1, Email: 'ann@example.com' }, "'id', which its columns call not nullable"],
  ['of which one name has capitals', { id: 1, Email: 'ann@example.com' }, "'Email' in place of 'email'"],
  ['that lacks a key', { email: 'ann@example.com' }, "'id', which its columns call not nullable"],
  ['that somebody forgot to wait for', Promise.resolve({ id: 1 }), "'id', which its columns call not nullable"],
  ['that somebody forgot to wait for, without a key', Promise.resolve({ by: 1 }), 'such as a promise'],
  ['of inherited members', Object.create({ by: 1 }), 'such as a promise'],
])('a row %s is refused, since it would be taken for empty', async (_, row, why) => {
  const hasKey = !why.includes('promise')
  const columns = hasKey ? [{ name: 'id', nullable: false }, { name: 'email' }] : [{ name: 'by' }]
  const source = filteredReads({
    columns: () => columns,
    async *candidates() {
      yield [row as never]
    },
  })
  const reading = async () => {
    for await (const _rows of source.methods.read({ collection: 'people', columns: [], anyOf: [] })) void _rows
  }
  await expect(reading()).rejects.toMatchObject({
    details: { reason: 'malformed' },
    message: expect.stringContaining(why),
  })
})

it('a row may lack what may be null, and have more than its columns', async () => {
  const { methods: some } = filteredReads({
    columns: () => [{ name: 'id', nullable: false }, { name: 'email' }],
    async *candidates() {
      yield [{ id: 1, ID: 'other', more: true }, Object.assign(Object.create(null), { id: 2 })]
    },
  })
  const found: unknown[] = []
  for await (const rows of some.read({ collection: 'people', columns: ['id', 'email'], anyOf: [by('id', 1, 2)] }))
    found.push(...rows)
  expect(found).toEqual([
    [1, null],
    [2, null],
  ])
})

it.each(['read', 'count', 'countEach'] as const)(
  '%s ends when its caller says so, also over batches without an end',
  async (call) => {
    const endless = filteredReads({
      columns: () => [{ name: 'id' }],
      async *candidates() {
        for (;;) yield []
      },
    }).methods
    const signal = AbortSignal.timeout(30)
    const group = by('id', 1)
    const calls = {
      read: async () => {
        for await (const _ of endless.read({ collection: 'people', columns: ['id'], anyOf: [group] }, { signal }));
      },
      count: () => endless.count([{ collection: 'people', anyOf: [group] }], { signal }),
      countEach: () => endless.countEach({ collection: 'people', group }, { signal }),
    }
    await expect(calls[call]()).rejects.toMatchObject({ name: 'TimeoutError' })
  },
)
