import { expect, it } from 'vitest'
import type { Value } from '../../model/value.js'
import { isErasedWithin } from './is-erased-within.js'

const becomes: Value = { name: null, seen: 1, list: [{ name: 'x' }, { name: 'y' }] }

it.each<[what: string, now: Value, path: string[], erased: boolean]>([
  ['the target value', becomes, ['name'], true],
  ['with another member written', { ...becomes, seen: 2 }, ['name'], true],
  ['a missing member', { seen: 1 }, ['name'], true],
  ['a missing value', null, ['name'], true],
  ['with the member written', { ...becomes, name: 'Ann' }, ['name'], false],
  ['another value of another kind', 'Ann', ['name'], false],
  ['a new member', { ...becomes, nick: 'Ann' }, ['nick'], false],
  ['a list with the target values', becomes, ['list', 'name'], true],
  ['a list with other members', { list: [{ name: 'x', at: 1 }, { name: 'y' }] }, ['list', 'name'], true],
  ['a list with an element written', { list: [{ name: 'x' }, { name: 'Ann' }] }, ['list', 'name'], false],
  ['a longer list', { list: [{ name: 'x' }, { name: 'y' }, { name: 'Ann' }] }, ['list', 'name'], false],
  ['a shorter list', { list: [{ name: 'x' }] }, ['list', 'name'], false],
  ['the whole value', becomes, [], true],
  ['the whole value, written', { ...becomes, seen: 2 }, [], false],
])('%s', (_, now, path, erased) => {
  expect(isErasedWithin(now, becomes, path)).toBe(erased)
})
