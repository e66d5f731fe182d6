import type { KeyGroup, Value } from '@habeas/core'
import { BSON, type Document } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { foundByGroups, groupsParts } from './split-groups.js'

const none = () => undefined
const limit = 16 * 1024 * 1024
const large = (at: number) => `${at} `.repeat(1_000_000)
const group = (values: readonly Value[], field = 'code'): KeyGroup => ({
  fields: [{ path: [field] }],
  values: [values],
})
const sizes = (groups: readonly KeyGroup[]) =>
  groupsParts(groups, none).map(({ filter }) => BSON.calculateObjectSize(filter))
const tuples = (groups: readonly KeyGroup[]) =>
  groupsParts(groups, none).flatMap(({ groups: some }) => some.flatMap(({ values }) => Array.from(values[0] ?? [])))

describe('filters', () => {
  it('of few bytes are one, however many keys there are', () => {
    const parts = groupsParts([group(Array.from({ length: 20_000 }, (_, at) => `key ${at}`))], none)
    expect(parts.length).toBe(1)
  })

  it('of many bytes are several, none of them too large, with every key', () => {
    const keys = Array.from({ length: 24 }, (_, at) => large(at))
    expect(sizes([group(keys)]).length).toBeGreaterThan(1)
    expect(Math.max(...sizes([group(keys)]))).toBeLessThan(limit)
    expect(tuples([group(keys)])).toEqual(keys)
  })

  it('of several groups are divided between the groups first', () => {
    const keys = [1, 2, 3, 4].map((at) => Array.from({ length: 5 }, (_, each) => large(10 * at + each)))
    const groups = keys.map((some, at) => group(some, `field ${at}`))
    expect(Math.max(...sizes(groups))).toBeLessThan(limit)
    expect(tuples(groups)).toEqual(keys.flat())
  })

  it('of tuples keep the parts of each together', () => {
    const fields = [{ path: ['a'] }, { path: ['b'] }]
    const values = [Array.from({ length: 12 }, (_, at) => large(at)), Array.from({ length: 12 }, (_, at) => at)]
    const parts = groupsParts([{ fields, values }], none)
    expect(parts.length).toBeGreaterThan(1)
    const pairs = parts.flatMap(({ groups }) =>
      groups.flatMap(({ values: [a, b] }) => Array.from(a!, (each, at) => [each, b![at]])),
    )
    expect(pairs).toEqual(values[0]!.map((each, at) => [each, at]))
  })

  it('of one key that is too large are refused without repeating it', () => {
    const asking = () => groupsParts([group(['secret'.repeat(3_000_000)])], none)
    expect(asking).toThrow(/too large/)
    expect(asking).not.toThrow(/secret/)
  })
})

it('a document that meets several parts is found once', async () => {
  const keys = Array.from({ length: 24 }, (_, at) => large(at))
  const documents: Document[] = [
    { _id: 1, code: keys[0] },
    { _id: 2, code: [keys[1], keys[22], keys[23]] },
    { _id: 3, code: keys[23] },
  ]
  let asked = 0
  // a server that gives all it has each time
  async function* find(_: Document, columns: readonly string[]) {
    asked++
    expect(columns).toEqual(['_id', 'code'])
    yield* documents
  }
  const found: unknown[] = []
  for await (const { _id } of foundByGroups(find, [group(keys)], { kindOf: none, columns: ['_id'] })) found.push(_id)
  expect(asked).toBeGreaterThan(1)
  expect(found.toSorted()).toEqual([1, 2, 3])
})
