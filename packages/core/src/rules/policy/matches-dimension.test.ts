import { describe, expect, it } from 'vitest'
import { ancestors } from '../../model/is-covered.js'
import { isCovered, matchesDimension } from './matches-dimension.js'

const parents = new Map([
  ['health', 'user.health_and_medical'],
  ['a', 'b'],
  ['b', 'a'],
])

describe('isCovered', () => {
  it.each([
    ['user.name', 'user.name', true],
    ['user.name.first', 'user.name', true],
    ['user.name.first', 'user', true],
    ['user.name_x', 'user.name', false],
    ['user', 'user.name', false],
    ['health.weight', 'user', true],
    ['health.weight', 'user.health_and_medical', true],
    ['user', 'health', false],
    ['a.c', 'b', true],
    ['a', 'c', false],
  ])('%s by %s: %s', (key, target, covered) => {
    expect(isCovered(key, target, parents)).toBe(covered)
  })

  it('without links compares segments only', () => {
    expect(isCovered('health.weight', 'user')).toBe(false)
  })

  it('lists ancestors nearest first', () => {
    expect(ancestors('health.weight', parents)).toEqual(['health', 'user.health_and_medical', 'user'])
    expect(ancestors('a', parents)).toEqual(['b'])
  })
})

describe('matchesDimension', () => {
  const user = ['user.name', 'user.contact.email']
  it.each([
    ['ANY', ['user'], user, true],
    ['ANY', ['user.name'], user, true],
    ['ANY', ['user.device'], user, false],
    ['ANY', [], user, false],
    ['ANY', ['user.name.first'], ['user.name'], false],
    ['ALL', ['user.name', 'user.contact'], user, true],
    ['ALL', ['user'], user, true],
    ['ALL', ['user.name', 'user.device'], user, false],
    ['NONE', ['user.device'], user, true],
    ['NONE', ['user.name'], user, false],
    ['OTHER', ['user.name'], user, true],
    ['OTHER', ['user'], user, false],
    ['OTHER', ['system'], user, true],
  ] as const)('%s of %j over %j: %s', (matches, values, declared, expected) => {
    expect(matchesDimension({ matches, values: [...values] }, declared)).toBe(expected)
  })

  it.each(['ANY', 'ALL', 'NONE', 'OTHER'] as const)('%s never matches where nothing is declared', (matches) => {
    expect(matchesDimension({ matches, values: ['user'] }, [])).toBe(false)
    expect(matchesDimension({ matches, values: [] }, [])).toBe(false)
  })
})
