import { describe, expect, it } from 'vitest'
import { parseDataset } from '../../model/dataset.js'
import { readManualRows } from './read-manual-rows.js'

const field = (name: string, data_type?: string, fields: object[] = []) => ({
  name,
  ...(data_type !== undefined && { service_meta: { data_type } }),
  fields,
})
const { value } = parseDataset({
  service_key: 'paper',
  collections: [
    {
      name: 'letters',
      fields: [
        field('free'),
        field('number', 'integer'),
        field('text', 'string'),
        field('tags', 'string[]'),
        field('anything', 'object'),
        field('people', 'object[]', [field('name', 'string'), field('age', 'integer')]),
      ],
    },
  ],
})
const [collection = { fields: [] }] = value.collections

describe('rows that people give', () => {
  it.each<[string, unknown]>([
    ['none', []],
    ['an empty row', [{}]],
    ['null for anything', [{ free: null, number: null, text: null, people: null }]],
    [
      'a value of its type',
      [
        { number: '5', text: 7 },
        { number: 5, text: '' },
      ],
    ],
    ['a list where one is declared, or a single value', [{ tags: ['a', 'b'], free: ['a', 1, null] }]],
    ['any JSON where no type is declared', [{ free: { a: [{ b: true }] }, anything: { a: 1 } }]],
    ['members below', [{ people: [{ name: 'Ann', age: 7 }, { name: 'Ben' }] }, { people: { name: 'Ann' } }]],
  ])('takes %s', (_, rows) => {
    expect(readManualRows(collection, rows)).toEqual(rows)
  })

  it.each<[string, unknown, (string | number)[]]>([
    ['nothing', undefined, []],
    ['an object', {}, []],
    ['text', 'planted', []],
    ['too many', Array.from({ length: 10_001 }, () => ({})), []],
    ['a row that is a list', [['planted']], [0]],
    ['a member that is not declared', [{}, { planted_name: 1 }], [1, 'planted_name']],
    ['a member of an object that is not declared', [{ constructor: 'planted' }], [0, 'constructor']],
    [
      'a member below that is not declared',
      [{ people: [{ name: 'Ann' }, { nick: 'planted' }] }],
      [0, 'people', 1, 'nick'],
    ],
    ['a text that is not a number', [{ number: 'planted' }], [0, 'number']],
    ['a fraction for an integer', [{ number: 1.5 }], [0, 'number']],
    ['an object for text', [{ text: { $ne: 'planted' } }], [0, 'text']],
    ['a scalar for an object', [{ people: 'planted' }], [0, 'people']],
    ['a wrong type below', [{ people: { age: 'planted' } }], [0, 'people', 'age']],
    ['a null character', [{ free: 'planted\0' }], [0, 'free']],
    ['half a character, deep down', [{ anything: { a: ['\ud800'] } }], [0, 'anything', 'a', 0]],
    ['an infinite number', [{ free: Number.POSITIVE_INFINITY }], [0, 'free']],
    ['a value that is not JSON', [{ anything: { a: new Date() } }], [0, 'anything', 'a']],
  ])('refuses %s', (_, rows, loc) => {
    let thrown: unknown
    try {
      readManualRows(collection, rows)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code: 'invalid_input', details: { issues: [{ loc }] } })
    expect((thrown as Error).message.replace('planted_name', '')).not.toContain('planted')
  })

  it('refuses too deep nesting', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100; level++) deep = { a: deep }
    expect(() => readManualRows(collection, [{ anything: deep }])).toThrow(/deeper than 64/)
  })
})
