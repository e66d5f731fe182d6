import type { Connection, CountEach, CountRows, Erase, KeyGroup, Read, ValueKind } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { withinLimits } from '../src/within-limits.js'

const reads: Read[] = []
const counted: KeyGroup[] = []
const erased: Erase[] = []
const column = (name: string, kind: ValueKind) => ({ name, kind })
const counts: CountRows[][] = []
let described = 0
const connection = withinLimits({
  describe: async () => ({
    ...{ at: described++ },
    collections: [{ name: 'PEOPLE', columns: [column('CODE', 'string'), column('TAGS', 'object')] }],
  }),
  async *read(read: Read) {
    reads.push(read)
    yield [[reads.length]]
  },
  async count(asked: readonly CountRows[]) {
    counts.push([...asked])
    return asked.map(({ anyOf: [group] }) => new Set(Array.from(group!.values[0]!)).size)
  },
  async countEach({ group }: CountEach) {
    counted.push(group)
    return Array.from(group.values[0]!, (key) => Number.parseInt(String(key), 10))
  },
  erase: async (erase: Erase) => void erased.push(erase),
} as unknown as Connection)

async function divided(group: KeyGroup, ...more: KeyGroup[]): Promise<KeyGroup[]> {
  reads.length = 0
  for await (const _ of connection.read({ collection: 'PEOPLE', columns: ['ID'], anyOf: [group, ...more] })) void _
  return reads.map(({ anyOf: [part] }) => part!)
}

const long = (at: number) => `${at}`.padEnd(1_000, 'k')
const texts = Array.from({ length: 2_000 }, (_, at) => long(at))
const by = (name: string, values: KeyGroup['values'][number], more: object = {}): KeyGroup => ({
  fields: [{ path: [name], ...more }],
  values: [values],
})

describe('a read that is more than the service takes', () => {
  it('is divided into statements that find each row once', async () => {
    const parts = await divided(by('CODE', [...texts, ...texts.slice(0, 5)]))
    expect(parts.length).toBe(3)
    expect(new Set(parts.flatMap(({ values: [part] }) => [...new Set(Array.from(part!))])).size).toBe(2_000)
    const counted = parts.reduce((sum, { values: [part] }) => sum + new Set(Array.from(part!)).size, 0)
    expect(counted).toBe(2_000)
  })

  it('is divided by whole rows', async () => {
    const columns = Array.from({ length: 30 }, (_, at) => `C${at}`)
    const values = columns.map((name) =>
      texts.slice(0, 1_000).map((_, at) => (at % 2 && name !== 'C0' ? null : `${name}${at}`)),
    )
    const parts = await divided({ fields: columns.map((name) => ({ path: [name] })), values, exact: true })
    expect(parts.length).toBe(2)
    expect(columns.map((_, part) => parts.flatMap((each) => Array.from(each.values[part]!)))).toEqual(values)
    expect(parts.every(({ exact }) => exact)).toBe(true)
  })

  it.each([
    ['it is small', [by('CODE', texts.slice(0, 9))]],
    ['a row may meet several of its groups', [by('CODE', texts), by('ID', [1])]],
    ['a row may hold several of its keys', [{ ...by('DATA', texts), fields: [{ path: ['DATA', 'codes'] }] }]],
    ['a document may hold several of its keys', [by('TAGS', texts)]],
    ['the server may take two of its keys for one', [by('CODE', texts, { caseInsensitive: true })]],
  ])('is one where %s', async (_, [group, ...more]) => {
    expect(await divided(group!, ...more)).toEqual([group])
  })
})

it('describes its tables once, however often it has to know their columns', async () => {
  await connection.describe()
  const before = described
  await divided(by('CODE', texts))
  await divided(by('TAGS', texts))
  expect(described).toBe(before)
  await divided(by('ADDED', texts))
  expect(described).toBe(before + 1)
})

describe('counts that are more than the service takes', () => {
  const count = async (...asked: KeyGroup[]) => {
    counts.length = 0
    return connection.count(asked.map((group) => ({ collection: 'PEOPLE', anyOf: [group] })))
  }

  it('are divided, and added up', async () => {
    expect(await count(by('CODE', texts), by('CODE', texts.slice(0, 7)))).toEqual([2_000, 7])
    expect(counts.map((each) => each.length)).toEqual([1, 1, 2])
  })

  it('are as many together as one statement takes', async () => {
    const half = by('TAGS', texts.slice(0, 400))
    expect(await count(half, half, half)).toEqual([400, 400, 400])
    expect(counts.map((each) => each.length)).toEqual([2, 1])
  })

  it('stay whole where a row may hold several of the keys, and are none where nothing is asked', async () => {
    expect(await count(by('TAGS', texts))).toEqual([2_000])
    expect(counts).toHaveLength(1)
    expect(await count()).toEqual([])
  })
})

describe('tuples that are more than the service takes', () => {
  it('are counted in parts, in their order', async () => {
    const counts = await connection.countEach!({ collection: 'PEOPLE', group: by('CODE', texts) })
    expect(counts).toEqual(texts.map((_, at) => at))
    expect(counted.length).toBeGreaterThan(3)
    expect(counted.every(({ fields }) => fields[0]!.path[0] === 'CODE')).toBe(true)
    expect(await connection.countEach!({ collection: 'PEOPLE', group: by('CODE', []) })).toEqual([])
  })
})

describe('a batch that is more than the service takes', () => {
  const batch = (rows: number, size: number): Erase => {
    const keys = Array.from({ length: rows }, (_, at) => at)
    const was = keys.map((at) => ({ at, text: 'w'.repeat(size) }))
    return {
      ...{ collection: 'EVENTS', key: ['ID'], keys: [keys], anyOf: [by('ID', keys)] },
      set: [{ column: 'DATA', toEach: was.map(({ at }) => ({ at, text: null })), was }],
    }
  }

  it('is refused before anything is sent, to be written in halves', async () => {
    await expect(connection.erase!(batch(100, 40_000))).rejects.toMatchObject({
      ...{ code: 'unsupported', details: { reason: 'batch_too_large' } },
      message: expect.stringMatching(/"EVENTS".*1 MB/),
    })
    expect(erased).toEqual([])
  })

  it('is as large as the rows that it makes sure of', async () => {
    const group = { ...by('CODE', texts), exact: true as const }
    const pointers = [{ count: { collection: 'PEOPLE', group }, most: texts.map(() => 0) }]
    const unchanged = [{ collection: 'PEOPLE', group, rows: 1 }]
    for (const more of [{ pointers }, { unchanged }]) {
      const sent = connection.erase!({ ...batch(20, 10), ...more })
      await expect(sent).rejects.toMatchObject({ details: { reason: 'batch_too_large' } })
    }
  })

  it('is sent where it fits, and where it is one row', async () => {
    const [fitting, one] = [batch(20, 40_000), batch(1, 2_000_000)]
    await connection.erase!(fitting)
    await connection.erase!(one)
    expect(erased).toEqual([fitting, one])
  })
})
