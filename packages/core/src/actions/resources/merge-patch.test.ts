import { expect, test } from 'vitest'
import { mergePatch } from './merge-patch.js'

test.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: { b: 'c', d: 'e' } }, { a: { b: 'x', d: null } }, { a: { b: 'x' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 1 }, { a: undefined }, { a: 1 }],
])('RFC 7396: %j patched with %j is %j', (target, patch, expected) => {
  expect(mergePatch(target, patch)).toEqual(expected)
})

test('__proto__ stays a member and changes no prototype', () => {
  const merged = mergePatch({ a: 1 }, JSON.parse('{"__proto__": {"b": 2}}')) as object
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
  expect(Object.keys(merged)).toEqual(['a', '__proto__'])
})

test('depth is bounded', () => {
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level++) deep = { deep }
  expect(() => mergePatch({}, deep)).not.toThrow()
})
