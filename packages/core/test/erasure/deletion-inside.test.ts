import type { ForeignKey, Value } from '@habeas/core'
import { describe, expect, test } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { type ErasedShop, eraseShop, foreignKey, key, tableWith } from './described-erasure.js'

const email = field('email', { identity: 'email' }, [])
const gone = { erase: 'delete' } as const

const replies = (
  rows: readonly (readonly Value[])[],
  onDelete: ForeignKey['onDelete'],
  maxErased: number,
): ErasedShop => ({
  database: {
    message: tableWith({ id: 'integer', email: 'string', answers: 'integer', body: 'string' }, rows, {
      foreignKeys: [foreignKey('answers', 'message', onDelete)],
    }),
  },
  collections: [
    collection(
      'message',
      [key, email, refer('answers', 'message.id', { direction: 'to', meta: {} }), field('body')],
      gone,
    ),
  ],
  capabilities: { maxErased },
})
const ann = 'ann@example.com'

describe('inside one table', () => {
  test('leaves are deleted first, over many batches', async () => {
    const chain = Array.from({ length: 9 }, (_, at): Value[] => [at, ann, at === 0 ? null : at - 1, 'text'])
    const tree = [
      ...chain,
      [20, ann, 4, 'text'],
      [21, ann, 20, 'text'],
      [22, ann, 0, 'text'],
      [23, 'bob@example.com', null, 'his'],
    ]
    for (const onDelete of ['no action', 'restrict', 'cascade'] as const) {
      for (const most of [1, 2, 5, 1000]) {
        const { request, erased, rows } = await eraseShop(replies(tree, onDelete, most))
        expect([onDelete, most, request.failure, erased]).toEqual([
          onDelete,
          most,
          undefined,
          { 'shop:message': 'erased 12' },
        ])
        expect(rows['message']?.map(({ id }) => id)).toEqual([23])
      }
    }
  })

  test('rows that refer to one another are deleted together', async () => {
    const circle: Value[][] = [
      [0, ann, 2, 'a'],
      [1, ann, 0, 'b'],
      [2, ann, 1, 'c'],
      [3, ann, null, 'd'],
      [4, ann, 3, 'e'],
      [5, ann, 5, 'f'],
      [6, ann, 0, 'g'],
    ]
    for (const onDelete of ['no action', 'cascade', 'set null'] as const) {
      for (const most of [3, 4, 1000]) {
        const { request, erased, rows } = await eraseShop(replies(circle, onDelete, most))
        expect([onDelete, most, request.failure, erased]).toEqual([
          onDelete,
          most,
          undefined,
          { 'shop:message': 'erased 7' },
        ])
        expect(rows['message']).toEqual([])
      }
    }
  })

  test("an answer of somebody else's keeps what it answers", async () => {
    const { status, request, rows, before } = await eraseShop(
      replies(
        [
          [0, ann, null, 'question'],
          [1, 'bob@example.com', 0, 'answer'],
        ],
        'cascade',
        2,
      ),
    )
    expect(status).toBe('error')
    expect(request.failure).toContain(
      "1 row of 'shop:message' that this request does not delete would be deleted with them",
    )
    expect(rows).toEqual(before)
  })
})
