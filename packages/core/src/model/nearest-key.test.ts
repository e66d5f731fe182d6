import { describe, expect, test } from 'vitest'
import { editDistance, nearestHint, nearestKey, nearestValueHint } from './nearest-key.js'

describe('the nearest key', () => {
  test.each([
    ['user.contact.emial', ['user.contact.email', 'user.contact.phone_number', 'user'], 'user.contact.email'],
    ['customers', ['customer', 'consumer', 'consultant'], 'customer'],
    ['bat', ['cat', 'rat'], 'cat'],
    ['bat', ['rat', 'cat'], 'cat'],
    ['x', ['constructor'], 'constructor'],
    ['x', [], undefined],
  ])('to %s among %j is %s', (key, candidates, nearest) => {
    expect(nearestKey(key, candidates)).toBe(nearest)
  })

  test.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['same', 'same', 0],
    ['emial', 'email', 1],
    ['ab', 'ba', 1],
  ])('%s and %s are %d edits apart', (left, right, edits) => {
    expect(editDistance(left, right)).toBe(edits)
    expect(editDistance(right, left)).toBe(edits)
  })

  test('a key of any length takes bounded time', () => {
    expect(nearestKey('x'.repeat(1_000_000), ['x'.repeat(99), 'y'])).toBe('x'.repeat(99))
  })

  test('is a hint where two neighbours are swapped', () => {
    expect(nearestHint('emial', ['email', 'name'])).toBe(": the nearest known name is 'email'")
    expect(nearestHint('born', ['email', 'name'])).toBe('')
    expect(nearestHint('surname', ['email', 'name'])).toBe('')
  })

  test('is a hint where only separators differ, however short it is', () => {
    expect(nearestHint('id', ['email', '_id'])).toBe(": the nearest known name is '_id'")
    expect(nearestHint('id', ['email', 'ip'])).toBe('')
  })

  test('is a hint where only a prefix is too much', () => {
    expect(nearestHint('service_key', ['name', 'key'])).toBe(": the nearest known name is 'key'")
  })

  test.each([
    ['mongo', ": the nearest known name is 'mongodb'"],
    ['postgresql', ": the nearest known name is 'postgres'"],
    ['m', ''],
    ['man', ''],
    ['oracle', ''],
  ])('of a value %s among few is told by its beginning as well', (value, hint) => {
    expect(nearestValueHint(value, ['mongodb', 'postgres', 'manual', 'manual_webhook'])).toBe(hint)
  })
})
