import { expect, it } from 'vitest'
import { parseDataset, parseDataType, walkFields } from './dataset.js'

it('walkFields yields parents first, with path and ancestors', () => {
  const { value } = parseDataset({
    service_key: 'd',
    collections: [
      { name: 'c', fields: [{ name: 'a', fields: [{ name: 'b', fields: [{ name: 'x' }] }] }, { name: 'z' }] },
    ],
  })
  const walked = [...walkFields(value.collections[0] ?? { fields: [] })]
  expect(walked.map(({ path }) => path.join('.'))).toEqual(['a', 'a.b', 'a.b.x', 'z'])
  expect(walked[2]?.ancestors.map(({ name }) => name)).toEqual(['a', 'b'])
})

it.each([
  ['string[]', { type: 'string', array: true }],
  ['object_id', { type: 'object_id', array: false }],
  ['string[][]', { type: 'string', array: true }],
  ['uuid', { array: false }],
  ['', { array: false }],
  [null, { array: false }],
  [undefined, { array: false }],
])('parseDataType %j', (text, parsed) => {
  expect(parseDataType(text)).toStrictEqual(parsed)
})

it.each([
  ['a column', [{ name: 'v', fields: [{ name: 'a' }] }, { name: 'v.a' }], [1, 'name']],
  ['a member', [{ name: 'v.a' }, { name: 'v', fields: [{ name: 'a' }] }], [1, 'fields', 0, 'name']],
  [
    'a member of a member',
    [{ name: 'v', fields: [{ name: 'a.b' }, { name: 'a', fields: [{ name: 'b' }] }] }],
    [0, 'fields', 1, 'fields', 0, 'name'],
  ],
])('refuses %s with the dotted name of another field', (_, fields, loc) => {
  const issue = {
    loc: ['collections', 0, 'fields', ...loc],
    msg: expect.stringMatching(/^makes 'v\.a(\.b)?' the dotted name of two fields: describe only one of them/),
    type: 'duplicate',
  }
  expect(() => parseDataset({ service_key: 'd', collections: [{ name: 'c', fields }] })).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ issues: [issue] }) }),
  )
})

it('takes dots in names that stand alone', () => {
  const fields = [{ name: 'v.a' }, { name: 'v', fields: [{ name: 'b.c' }, { name: 'b' }] }, { name: 'v.b.d' }]
  expect(parseDataset({ service_key: 'd', collections: [{ name: 'c', fields }] }).warnings).toEqual([])
})
