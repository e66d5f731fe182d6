import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { asItIs, notShown, wireRecord } from '../src/wire/wire-record.js'

interface Part {
  readonly rowCount: number
  readonly reason?: string
}

interface Model {
  readonly id: string
  readonly dueDate?: string
  readonly isOver?: true
  readonly allParts?: readonly Part[]
  readonly onePart?: Part
  readonly status: 'open' | 'done'
}

const part = wireRecord<Part>()({ row_count: z.int(), reason: z.string().nullable() })
const shape = {
  status: z.string(),
  due_date: z.string().nullable(),
  is_over: z.boolean(),
  all_parts: z.array(part.schema),
  one_part: part.schema.nullable(),
}

describe('a record on the wire', () => {
  it('has the members of its schema in their order, and something for what is absent', () => {
    const { schema, toWire } = wireRecord<Model>()({ ...shape, id: z.string() })
    const bare = toWire({ id: 'a', status: 'open' })
    expect(JSON.stringify(bare)).toBe(
      '{"status":"open","due_date":null,"is_over":false,"all_parts":[],"one_part":null,"id":"a"}',
    )
    const full = toWire({
      ...{ id: 'a', status: 'done', dueDate: 'b', isOver: true },
      ...{ allParts: [{ rowCount: 1 }, { rowCount: 0, reason: 'c' }], onePart: { rowCount: 2 } },
    })
    expect(full).toEqual({
      ...{ id: 'a', status: 'done', due_date: 'b', is_over: true },
      all_parts: [
        { row_count: 1, reason: null },
        { row_count: 0, reason: 'c' },
      ],
      one_part: { row_count: 2, reason: null },
    })
    for (const record of [bare, full]) expect(schema.strict().parse(record)).toEqual(record)
  })

  it('has nothing that its schema does not have', () => {
    const { toWire } = wireRecord<Model>()(shape, { elsewhere: { id: 'the path' } })
    const more = { id: 'a', status: 'open', secret: 'b', onePart: { rowCount: 1, secret: 'c' } } as const
    expect(JSON.stringify(toWire(more))).not.toContain('secret')
  })

  it('may be made of something else', () => {
    const { toWire } = wireRecord<Part, { readonly by?: string }>()(
      { row_count: z.int(), made_by: z.string().nullable(), places: z.array(asItIs(z.object({ a_b: z.string() }))) },
      {
        made: { made_by: (_, { by }) => by, places: ({ reason = 'none' }) => [{ a_b: reason }] },
        elsewhere: notShown('reason'),
      },
    )
    expect(toWire({ rowCount: 1 })).toEqual({ row_count: 1, made_by: null, places: [{ a_b: 'none' }] })
    expect(toWire({ rowCount: 1, reason: 'c' }, { by: 'd' })).toEqual({
      ...{ row_count: 1, made_by: 'd', places: [{ a_b: 'c' }] },
    })
  })

  it('is a type error where it says too little or something else', () => {
    const id = z.string()
    // @ts-expect-error `id` is not on the wire, and nothing says why
    wireRecord<Model>()(shape)
    // @ts-expect-error the model has no such member
    wireRecord<Model>()({ ...shape, id, other: z.string() })
    // @ts-expect-error it may be absent, and a text stands for nothing else
    wireRecord<Model>()({ ...shape, id, due_date: z.string() })
    // @ts-expect-error it has other values
    wireRecord<Model>()({ ...shape, id, status: z.enum(['open']) })
    // @ts-expect-error an object in a record must be a record as well
    wireRecord<Model>()({ ...shape, id, one_part: z.object({ row_count: z.int() }).nullable() })
    // @ts-expect-error what is made must fit
    wireRecord<Model>()({ ...shape, id, other: z.string() }, { made: { other: () => 1 } })
    expect.assertions(0)
  })
})
