import type { Erase, KeyGroup, ValueKind } from '@habeas/core'
import { type Document, Int32, Long } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { checkAfter, type EraseContext, Meanwhile, preparedErase } from './erase-batch.js'

const kinds: Readonly<Record<string, ValueKind>> = { number: 'integer', email: 'string', name: 'string' }

/** Collections whose documents are all found, whatever the filter. `met` of them are still what was read. */
function contextOf(collections: Readonly<Record<string, readonly Document[]>>, met?: number) {
  const sent: Document[] = []
  const context = {
    db: {
      collection: () => ({
        async bulkWrite(operations: readonly Document[]) {
          sent.push(...operations)
          const ids = operations.flatMap(
            ({ updateMany, deleteMany }) => (updateMany ?? deleteMany).filter.$and[0]._id.$in,
          )
          return { matchedCount: met ?? ids.length, deletedCount: 0 }
        },
      }),
    },
    signal: new AbortController().signal,
    live: () => ({ kindOf: (column: string) => kinds[column] }),
    find: (name: string) =>
      async function* () {
        yield* collections[name] ?? []
      },
  } as unknown as EraseContext
  const ids = () =>
    sent.flatMap(({ updateMany, deleteMany }) => (updateMany ?? deleteMany).filter.$and[0]._id.$in as number[]).sort()
  return { context, sent, ids }
}

const held = (column: string, ...values: readonly (string | number | null)[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [values],
})

const people: readonly Document[] = [
  { _id: 1, number: new Int32(7), email: 'ann', name: 'Ann' },
  { _id: 2, number: Long.fromString('9007199254740993'), email: 'ann', name: 'Ann' },
  { _id: 3, number: new Int32(9), email: 'bob', name: 'Bob' },
  { _id: 4, number: null, email: 'ann', name: 'Ann' },
]

const erasing = (change: Partial<Erase> = {}): Erase => ({
  collection: 'people',
  key: ['number'],
  keys: [[7, 9, '9007199254740993']],
  anyOf: [held('email', 'ann')],
  set: [{ column: 'name', to: 'x' }],
  ...change,
})

describe('documents of a batch', () => {
  it('are refused where two hold one of the keys, also where another key has none', async () => {
    const twice = [...people.slice(0, 1), { _id: 5, number: new Int32(7), email: 'ann', name: 'Ann' }]
    const { context, sent } = contextOf({ people: twice })
    await expect(preparedErase(context, erasing(), undefined)).rejects.toMatchObject({
      details: { reason: 'ambiguous_rows' },
    })
    expect(sent).toEqual([])
  })

  it('hold one of the keys and meet a group', async () => {
    const { context, ids } = contextOf({ people })
    await (await preparedErase(context, erasing(), undefined)).write()
    expect(ids()).toEqual([1, 2])
  })

  it('take the value of their own key', async () => {
    const { context, sent } = contextOf({ people })
    const set = [{ column: 'name', toEach: ['seven', 'nine', 'great'] }]
    await (await preparedErase(context, erasing({ set }), undefined)).write()
    const written = sent.map(({ updateMany }) => [updateMany.filter.$and[0]._id.$in, updateMany.update.$set.name])
    expect(written).toEqual([
      [[1], 'seven'],
      [[2], 'great'],
    ])
  })

  it('may hold null as a key, where as many do as were found', async () => {
    const keys = [[null]]
    const { context, ids } = contextOf({ people })
    await (await preparedErase(context, erasing({ keys, rows: 1 }), undefined)).write()
    expect(ids()).toEqual([4])
    await expect(preparedErase(context, erasing({ keys, rows: 2 }), undefined)).rejects.toMatchObject({
      code: 'unsupported',
      details: { reason: 'ambiguous_rows' },
    })
  })

  it('are not told apart where more hold a key than there are keys, whatever groups they meet', async () => {
    const twice = [...people, { _id: 5, number: new Int32(9), email: 'eve', name: 'Eve' }]
    const { context, sent } = contextOf({ people: twice })
    const prepared = preparedErase(context, erasing({ keys: [[7, 9]] }), undefined)
    await expect(prepared).rejects.toMatchObject({ details: { reason: 'ambiguous_rows' } })
    expect(sent).toEqual([])
  })

  it('are not told apart by two keys that read alike', async () => {
    const { context } = contextOf({ people })
    const keys = [[9_007_199_254_740_993n, '9007199254740993']]
    const prepared = preparedErase(context, erasing({ keys }), undefined)
    await expect(prepared).rejects.toMatchObject({ details: { reason: 'ambiguous_rows' } })
  })

  it('that others have changed meanwhile are worked out again', async () => {
    const { context } = contextOf({ people }, 1)
    const prepared = await preparedErase(context, erasing(), undefined)
    await expect(prepared.write()).rejects.toBeInstanceOf(Meanwhile)
  })
})

describe('what a batch depends on', () => {
  const unchanged = [{ collection: 'owners', group: { ...held('name', 'Ann'), exact: true as const }, rows: 2 }]
  const group = held('person', 7, 9)
  const pointers = [{ count: { collection: 'orders', group }, most: [1, 0] }]
  const owners = [{ name: 'Ann' }, { name: 'Ann' }, { name: 'Bob' }]

  it('is there', async () => {
    const { context, ids } = contextOf({ people, owners, orders: [{ person: 7 }, { person: 8 }] })
    const erase = erasing({ unchanged, pointers })
    await (await preparedErase(context, erase, undefined)).write()
    await checkAfter(context, erase, false)
    expect(ids()).toEqual([1, 2])
  })

  it('has changed: nothing is written', async () => {
    const { context, sent } = contextOf({ people, owners: owners.slice(1) })
    const prepared = preparedErase(context, erasing({ unchanged }), undefined)
    await expect(prepared).rejects.toMatchObject({ code: 'connection_failed', details: { reason: 'changed_since' } })
    expect(sent).toEqual([])
  })

  it('has become somebody else’s as well: the first such entry and the rows beyond are told', async () => {
    const orders = [{ person: 7 }, { person: [7, 9] }, { person: 9 }]
    const { context, sent } = contextOf({ people, orders })
    const none = { count: { collection: 'nothing', group }, most: [0, 0] }
    const prepared = preparedErase(context, erasing({ pointers: [none, ...pointers] }), undefined)
    await expect(prepared).rejects.toMatchObject({
      code: 'connection_failed',
      details: { reason: 'shared_since', position: 1, rows: 3 },
    })
    expect(sent).toEqual([])
  })
})
