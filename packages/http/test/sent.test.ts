import { describe, expect, expectTypeOf, it } from 'vitest'
import { type NamesOf, type Sent, sentUnder } from '../src/wire/sent.js'

interface Model {
  readonly dueDate: string
  readonly isOver?: boolean
  readonly note?: string
}

const names = { due_date: 'dueDate', is_over: 'isOver' } as const

describe('an input on the wire', () => {
  it('has the members of the model under the names of the wire', () => {
    expectTypeOf<Sent<Model, NamesOf<typeof names>>>().toEqualTypeOf<{
      readonly due_date: string
      readonly is_over?: boolean
      readonly note?: string
    }>()
    const properties = { dueDate: { type: 'string' }, note: {} }
    expect(sentUnder(names, { type: 'object', properties, required: ['dueDate', 'note'] })).toEqual({
      type: 'object',
      properties: { due_date: { type: 'string' }, note: {} },
      required: ['due_date', 'note'],
    })
  })

  it('is a type error where a member keeps the form of the model', () => {
    // @ts-expect-error `isOver` has no name of the wire
    expectTypeOf<Sent<Model, NamesOf<{ due_date: 'dueDate' }>>>().toBeObject()
  })
})
