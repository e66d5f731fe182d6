import { describe, expect, it } from 'vitest'
import { objectId, type Value } from '../../model/value.js'
import { type MemberChange, memberChanges, sameValue } from './member-changes.js'

const id = objectId('0123456789abcdef01234567')!
const other = objectId('0123456789abcdef01234568')!

describe('memberChanges', () => {
  it.each<[string, Value, Value, Omit<MemberChange, 'writes'>[]]>([
    ['nothing where nothing differs', { a: 1, b: [{ c: 'x' }] }, { b: [{ c: 'x' }], a: 1 }, []],
    ['a scalar whole', 'x', 'y', [{ path: [], was: 'x', to: 'y' }]],
    ['a member', { a: { b: 1, c: 2 } }, { a: { b: 9, c: 2 } }, [{ path: ['a', 'b'], was: 1, to: 9 }]],
    [
      'several members each by itself',
      { a: 'x', b: { c: 'y' }, d: 0 },
      { a: null, b: { c: 'z' }, d: 0 },
      [
        { path: ['a'], was: 'x', to: null },
        { path: ['b', 'c'], was: 'y', to: 'z' },
      ],
    ],
    [
      'the outermost list around what changes',
      { a: [{ b: ['x', 'y'] }, 1] },
      { a: [{ b: ['x', 'z'] }, 1] },
      [{ path: ['a'], was: [{ b: ['x', 'y'] }, 1], to: [{ b: ['x', 'z'] }, 1] }],
    ],
    ['a list that is the value', ['x', 'y'], ['x'], [{ path: [], was: ['x', 'y'], to: ['x'] }]],
    ['a removed member', { a: 1, b: 2 }, { b: 2 }, [{ path: ['a'], was: 1, to: undefined }]],
    ['an object that becomes a text', { a: { b: 1 } }, { a: 'x' }, [{ path: ['a'], was: { b: 1 }, to: 'x' }]],
    ['nothing where null was', { a: null, b: { c: null } }, { a: 'x', b: { c: 'y' } }, []],
    ['nothing where nothing was', { a: 1 }, { a: 1, b: 'x' }, []],
    ['a name that all objects have', { constructor: 1 }, {}, [{ path: ['constructor'], was: 1, to: undefined }]],
    ['a typed text', { a: id }, { a: 'x' }, [{ path: ['a'], was: id, to: 'x' }]],
  ])('gives %s', (_, was, to, expected) => {
    expect(memberChanges(was, to).map(({ writes: _, ...change }) => change)).toEqual(expected)
  })

  it.each<[string, Value, Value, MemberChange['writes']]>([
    [
      'by position where the list keeps its length',
      [{ a: 1, b: 2 }, 'x'],
      [{ a: 9, b: 2 }, 'y'],
      [
        { path: [0, 'a'], to: 9 },
        { path: [1], to: 'y' },
      ],
    ],
    ['whole where it does not', ['x', 'y'], ['y'], [{ path: [], to: ['y'] }]],
    ['whole where an element has new members', [{ a: 1 }], [{ a: 1, b: 2 }], [{ path: [0], to: { a: 1, b: 2 } }]],
    ['without removed members', [{ a: 1, b: 2 }], [{ a: 1 }], [{ path: [0, 'b'], to: undefined }]],
  ])('reduces a list to the differences: %s', (_, was, to, writes) => {
    expect(memberChanges(was, to).map((change) => change.writes)).toEqual([writes])
  })
})

describe('sameValue', () => {
  it.each<[Value | undefined, Value | undefined, boolean]>([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1 }, { a: 1, b: undefined as never }, false],
    [[1, 2], [2, 1], false],
    [{}, [], false],
    [1, '1', false],
    [id, objectId(id.text)!, true],
    [id, other, false],
    [id, id.text, false],
    [null, undefined, false],
    [{ toString: 1 }, { valueOf: 1 }, false],
  ])('case %#', (one, two, same) => expect(sameValue(one, two)).toBe(same))
})
