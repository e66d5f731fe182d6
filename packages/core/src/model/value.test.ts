import { expect, it } from 'vitest'
import { isTypedText, objectId } from './value.js'

const hex = '507F1f77bcf86cd799439011'

it('makes an ObjectId from 24 hexadecimal digits, lower-cased, shown as its text', () => {
  const id = objectId(hex)
  expect(id).toMatchObject({ type: 'object_id', text: hex.toLowerCase() })
  expect(JSON.stringify({ id })).toBe(`{"id":"${hex.toLowerCase()}"}`)
  expect(isTypedText(id)).toBe(true)
})

it.each(['', 'x'.repeat(24), hex.slice(1), `${hex}0`, ` ${hex}`])('makes none from %j', (text) => {
  expect(objectId(text)).toBeUndefined()
})

it.each([null, undefined, hex, { type: 'object_id', text: hex }, [], 5])('rejects a look-alike: %j', (value) => {
  expect(isTypedText(value)).toBe(false)
})
