import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { isPrivacyError } from '../errors.js'
import { parseInput } from './parse-input.js'

const schema = z.object({
  name: z.string(),
  count: z.int().min(1).max(9).exactOptional(),
  size: z.number().default(3),
  note: z.string().nullable().exactOptional(),
  free: z.record(z.string(), z.unknown()).exactOptional(),
  strict: z.strictObject({ on: z.boolean().default(false) }).prefault({}),
  items: z.array(z.object({ kind: z.enum(['a', 'b']) })).default([]),
  shape: z
    .discriminatedUnion('is', [
      z.object({ is: z.literal('circle'), radius: z.number() }),
      z.strictObject({ is: z.literal('point') }),
    ])
    .exactOptional(),
})

const read = (input: unknown) => parseInput('thing', schema, input)

function issuesOf(input: unknown) {
  try {
    read(input)
  } catch (error) {
    if (isPrivacyError(error, 'invalid_input')) return error.details.issues
    throw error
  }
  throw new Error('was read')
}

const complete = { name: 'x', size: 3, strict: { on: false }, items: [] }

describe('parseInput', () => {
  it.each<[string, unknown, unknown]>([
    ['fills in defaults', { name: 'x' }, complete],
    ['reads null as absent', { name: 'x', count: null, size: null, strict: null, items: null }, complete],
    ['keeps null where it has a meaning', { name: 'x', note: null }, { ...complete, note: null }],
    ['reads undefined as absent', { name: 'x', count: undefined }, complete],
    ['ignores read-only members of the root', { name: 'x', id: 1, created_at: 2, findings: [] }, complete],
    ['keeps free objects whole', { name: 'x', free: { a: { b: null } } }, { ...complete, free: { a: { b: null } } }],
  ])('%s', (_, input, value) => {
    expect(read(input)).toStrictEqual({ value, warnings: [] })
  })

  it('names unknown members of open objects as warnings, at every level', () => {
    const { value, warnings } = read({
      name: 'x',
      extra: 1,
      items: [{ kind: 'a', more: 2 }],
      shape: { is: 'circle', radius: 1, colour: 'red' },
    })
    expect(value).toStrictEqual({ ...complete, items: [{ kind: 'a' }], shape: { is: 'circle', radius: 1 } })
    expect(warnings.map(({ loc }) => loc)).toEqual([['extra'], ['items', 0, 'more'], ['shape', 'colour']])
  })

  it.each([{ toString: 1 }, [[{ toString: 1 }]]])('refuses a length that cannot be compared: %j', (length) => {
    const limited = z.object({ name: z.string().max(3) })
    expect(() => parseInput('thing', limited, { name: { length } })).toThrow('name.length')
    expect(() => parseInput('thing', limited, { name: { length: { name: 1 } } })).toThrow('name must be text')
  })

  it('names every bad place at once', () => {
    const input = {
      count: 10,
      size: 'hunter2',
      strict: { on: 1, id: 7, typo: 1 },
      items: [{ kind: 'c' }, 5],
      shape: { is: 'point', radius: 1 },
    }
    expect(issuesOf(input)).toEqual([
      { loc: ['name'], msg: 'is required', type: 'missing' },
      { loc: ['count'], msg: 'must be at most 9', type: 'too_big' },
      { loc: ['size'], msg: 'must be a number', type: 'invalid_type' },
      { loc: ['strict', 'on'], msg: 'must be true or false', type: 'invalid_type' },
      { loc: ['strict', 'id'], msg: 'is not known here (known: on)', type: 'unknown_member' },
      { loc: ['strict', 'typo'], msg: 'is not known here (known: on)', type: 'unknown_member' },
      { loc: ['items', 0, 'kind'], msg: 'must be one of a, b', type: 'invalid_value' },
      { loc: ['items', 1], msg: 'must be an object', type: 'invalid_type' },
      { loc: ['shape', 'radius'], msg: 'is not known here (known: is)', type: 'unknown_member' },
    ])
  })

  it('names the member that was probably meant, and all where nothing is spelled similarly', () => {
    const named = (input: unknown) => issuesOf(input).map(({ loc, msg }) => `${loc.join('.')} ${msg}`)
    expect(named({ name: 'a', strict: { onn: true, other: 1 } })).toEqual([
      "strict.onn is not known here: the nearest known name is 'on'",
      'strict.other is not known here (known: on)',
    ])
    expect(read({ name: 'a', sizee: 1 }).warnings).toEqual([
      { loc: ['sizee'], msg: "is not known here and was ignored: the nearest known name is 'size'" },
    ])
  })

  it.each([
    [z.url(), 'must be a URL, such as https://example.com'],
    [z.email(), 'must be an e-mail address'],
    [z.uuid(), 'must be a UUID'],
    [z.iso.datetime(), 'must be a time, such as 2024-01-31T12:00:00Z'],
    [z.iso.date(), 'must be a date, such as 2024-01-31'],
    [z.string().regex(/^a/), 'is not valid'],
  ])('says what form a text must have', (form, said) => {
    expect(() => parseInput('thing', z.object({ at: form }), { at: 'hunter2' })).toThrow(`at ${said}.`)
  })

  it('says in one sentence what is wrong first, and repeats no value', () => {
    expect(() => read({ items: [{ kind: 'hunter2' }], size: 'hunter2' })).toThrow(
      'This thing is not valid: name is required, and 2 more.',
    )
    expect(JSON.stringify(issuesOf({ items: [{ kind: 'hunter2' }], size: 'hunter2' }))).not.toContain('hunter2')
  })

  it.each([[null], [undefined], ['text'], [5], [[]]])('refuses %o in place of an object', (input: unknown) => {
    expect(issuesOf(input)[0]?.loc).toEqual([])
  })

  it('refuses __proto__ everywhere, and pollutes nothing', () => {
    const input = JSON.parse('{"name":"x","__proto__":{"a":1},"free":{"b":{"__proto__":{"polluted":true}}}}')
    expect(issuesOf(input).map(({ loc }) => loc)).toEqual([['__proto__'], ['free', 'b', '__proto__']])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect(read(JSON.parse('{"name":"x","constructor":{"prototype":{}},"toString":1}')).warnings).toHaveLength(2)
  })

  it('refuses endless nesting', () => {
    const circle: Record<string, unknown> = { name: 'x' }
    circle.free = circle
    expect(issuesOf(circle)[0]).toMatchObject({ loc: ['free'], type: 'too_deep' })
    const deep = JSON.parse(`{"name":"x","free":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`)
    expect(issuesOf(deep)[0]).toMatchObject({ type: 'too_deep' })
  })

  it('copies: the input stays unchanged and shares nothing with the result', () => {
    const input = Object.freeze({ name: 'x', free: Object.freeze({ a: Object.freeze([1]) }) })
    const { value } = read(input)
    expect(value.free).toEqual({ a: [1] })
    expect(value.free).not.toBe(input.free)
  })
})
