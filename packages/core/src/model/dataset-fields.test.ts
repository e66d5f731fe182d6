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
