import { describe, expect, it } from 'vitest'
import { objectId, type Value } from '../model/value.js'
import type { KeyGroup } from '../ports/connector.js'
import { emptyMatcher, rowMatcher, tupleMatcher } from './row-matcher.js'

const by = (path: string, ...values: readonly Value[]): KeyGroup => ({
  fields: [{ path: path.split('.') }],
  values: [values],
})

describe('rowMatcher', () => {
  const meets = (row: Record<string, Value>, ...groups: KeyGroup[]) => rowMatcher(groups)(row)

  it('compares values of one type, and numbers by what they are worth where the kind says so', () => {
    expect(meets({ id: 5 }, by('id', 5n))).toBe(true)
    expect(meets({ id: 5 }, by('id', '5'))).toBe(false)
    expect(meets({ id: null }, by('id', null))).toBe(false)
    const score = (kind: 'decimal' | 'string', ...values: Value[]) => ({
      fields: [{ path: ['score'], kind }],
      values: [values],
    })
    expect(meets({ score: '5.00' }, score('decimal', '5'))).toBe(true)
    expect(meets({ score: '5.00' }, score('string', '5'))).toBe(false)
    const id = objectId('65a1b2c3d4e5f60718293a4b') as Value
    expect(meets({ id }, by('id', id))).toBe(true)
    expect(meets({ id: '65a1b2c3d4e5f60718293a4b' }, by('id', id))).toBe(false)
  })

  it('folds case and outer blanks only where the field says so', () => {
    const email = (more: object): KeyGroup => ({
      fields: [{ path: ['email'], ...more }],
      values: [['Ann@Example.com']],
    })
    expect(meets({ email: 'ann@example.com' }, email({}))).toBe(false)
    expect(meets({ email: 'ANN@example.com' }, email({ caseInsensitive: true }))).toBe(true)
    expect(meets({ email: ' ANN@example.com\n' }, email({ caseInsensitive: true }))).toBe(false)
    expect(meets({ email: ' ANN@example.com\n' }, email({ caseInsensitive: true, trimmed: true }))).toBe(true)
    for (const [email, other] of Object.entries({
      'mark@x': 'mar\u212a@x',
      'ångel@x': '\u212bngel@x',
      'éva@x': 'ÉVA@x',
    })) {
      const fields = [{ path: ['email'], caseInsensitive: true, trimmed: true }]
      expect(meets({ email }, { fields, values: [[other]] })).toBe(false)
    }
  })

  it('looks into objects and lists, and takes no member of another column or of a prototype', () => {
    const row = { owner: { phones: ['1', { work: '2' }] } }
    expect(meets(row, by('owner.phones', '1'))).toBe(true)
    expect(meets(row, by('owner.phones.work', '2'))).toBe(true)
    expect(meets(row, by('owner.phones', '2'))).toBe(false)
    expect(meets(row, by('owner.constructor.name', 'Object'), by('__proto__', null))).toBe(false)
  })

  it('needs all parts of a tuple and all conditions together', () => {
    const group: KeyGroup = {
      fields: [{ path: ['a'] }, { path: ['b'] }],
      values: [
        [1, 2],
        [10, 20],
      ],
    }
    expect(meets({ a: 1, b: 20 }, group)).toBe(false)
    expect(meets({ a: 2, b: 20 }, group)).toBe(true)
    const when = [{ path: ['kind'], equals: 'x' }]
    expect(meets({ a: 2, b: 20, kind: 'y' }, { ...group, when })).toBe(false)
    expect(meets({ a: 2, b: 20, kind: 'x' }, { ...group, when })).toBe(true)
    expect(meets({ a: 1 })).toBe(false)
  })

  it('takes whole values for exact groups, null among them', () => {
    const group: KeyGroup = { fields: [{ path: ['a'] }], values: [[null, { x: 1, y: [2] }]], exact: true }
    expect(meets({ a: null }, group)).toBe(true)
    expect(meets({}, group)).toBe(true)
    expect(meets({ a: { y: [2], x: 1 } }, group)).toBe(true)
    expect(meets({ a: { x: 1, y: [2, 3] } }, group)).toBe(false)
  })
})

describe('tupleMatcher', () => {
  it('gives the positions of every tuple that a row holds', () => {
    const positions = tupleMatcher(by('tags', 'a', 'b', 'a', 'c'))
    expect(positions({ tags: ['a', 'c', 'a'] })).toEqual([0, 2, 3])
    expect(positions({ tags: [] })).toEqual([])
    expect(tupleMatcher({ fields: [{ path: ['id'] }], values: [Int32Array.of(7, 8)] })({ id: 8 })).toEqual([1])
  })
})

describe('emptyMatcher', () => {
  it('takes null, blanks and placeholders for nothing, and a list whose elements are all empty', () => {
    const isEmpty = emptyMatcher({ path: ['a', 'b'], placeholders: ['N/A', 0] })
    for (const b of [null, '', ' \u3000', 'N/A', 0, '0.0', [], [null, 'N/A']])
      expect.soft(isEmpty({ a: { b } }), `${b}`).toBe(true)
    for (const b of ['n/a', '1', false, {}, ['', 'x']]) expect.soft(isEmpty({ a: { b } }), `${b}`).toBe(false)
    expect(isEmpty({})).toBe(true)
  })
})
