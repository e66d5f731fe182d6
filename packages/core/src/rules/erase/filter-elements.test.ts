import { describe, expect, it } from 'vitest'
import { objectId, type Value } from '../../model/value.js'
import { pathTree, project } from '../policy/path-tree.js'
import {
  type ElementEntry,
  type ElementPath,
  elementsLeftOut,
  filterElements,
  tuplesAt,
  withoutElements,
} from './filter-elements.js'

const entry = (paths: string[], accepted: Value[][], returnAllElements = false): ElementEntry => ({
  fields: paths.map((path) => ({
    path: path.split('.'),
    filteredDepth: returnAllElements ? 0 : path.split('.').length,
  })),
  says: (values) => (accepted.some((each) => JSON.stringify(each) === JSON.stringify(values)) ? 'subject' : 'other'),
})
const values = (document: Record<string, Value>, ...paths: string[]) =>
  tuplesAt(
    document,
    paths.map((path) => path.split('.')),
  ).map((tuple) => tuple.values)

describe('tuplesAt', () => {
  it.each<[Record<string, Value>, string[], Value[][]]>([
    [{ a: 1 }, ['a'], [[1]]],
    [{ a: null }, ['a'], []],
    [{}, ['a'], []],
    [{ a: { b: 2 } }, ['a.b'], [[2]]],
    [{ a: { b: 2 } }, ['a'], [[{ b: 2 }]]],
    [{ a: 1 }, ['a.b'], []],
    [{ a: [1, [2, 3]] }, ['a'], [[1], [2], [3]]],
    [{ a: [{ b: 1 }, { c: 2 }, { b: 3 }] }, ['a.b'], [[1], [3]]],
    [
      {
        a: [
          { b: 1, c: 'x' },
          { b: 2, c: 'y' },
        ],
      },
      ['a.b', 'a.c'],
      [
        [1, 'x'],
        [2, 'y'],
      ],
    ],
    [
      { a: [1, 2], b: ['x'] },
      ['a', 'b'],
      [
        [1, 'x'],
        [2, 'x'],
      ],
    ],
    [{ a: 0, b: false }, ['a', 'b'], [[0, false]]],
  ])('%j at %j', (document, paths, expected) => expect(values(document, ...paths)).toEqual(expected))

  it('takes an ObjectId as one value', () => {
    const id = objectId('0000000000000000a000000f') as Value
    expect(values({ id }, 'id')).toEqual([[id]])
  })
  it('does not reach into prototypes', () => expect(values({}, 'constructor.name')).toEqual([]))
})

describe('an element that matches only through elements inside of it', () => {
  const by = (who: string, replies: readonly Record<string, Value>[] = []) => ({
    by: who,
    text: `${who} wrote`,
    replies,
  })
  const reply = (who: string) => ({ by: who, text: `${who} replied` })
  const ann = (paths: string[]) => paths.map((path) => entry([path], [['ann']]))
  const entries = ann(['reviews.by', 'reviews.replies.by'])

  it('keeps only these where it is somebody else', () => {
    const reviews = [by('bob', [reply('ann'), reply('eve')]), by('ann', [reply('bob')]), by('eve', [reply('bob')])]
    const { document, leftOut } = filterElements({ reviews }, entries)
    expect(document).toEqual({ reviews: [{ replies: [reply('ann')] }, by('ann')] })
    expect(leftOut).toEqual([
      ['reviews', 0, 'by'],
      ['reviews', 0, 'text'],
      ['reviews', 0, 'replies', 1],
      ['reviews', 1, 'replies', 0],
      ['reviews', 2],
    ])
    expect(elementsLeftOut(leftOut)).toBe(4)
    expect(withoutElements({ reviews }, leftOut)).toEqual(document)
  })

  it('keeps only these where it names nobody itself', () => {
    const pages = [{ title: 'a', notes: [reply('ann'), reply('bob')] }]
    expect(filterElements({ pages }, ann(['pages.notes.by'])).document).toEqual({ pages: [{ notes: [reply('ann')] }] })
  })
})

describe('an element of a list that no field speaks of, around a list with owners', () => {
  const reply = (by: string) => ({ by })
  const threads = (by: string) => [{ by, posts: [{ text: 'a', notes: [reply('ann'), reply('bob')] }, { text: 'b' }] }]
  const entries = [entry(['threads.by'], [['ann']]), entry(['threads.posts.notes.by'], [['ann']])]
  const unowned = ['threads.posts']

  it('is the subject’s in an element of the subject', () => {
    const { document, leftOut } = filterElements({ threads: threads('ann') }, entries, { unowned })
    expect(document).toEqual({ threads: [{ by: 'ann', posts: [{ text: 'a', notes: [reply('ann')] }, { text: 'b' }] }] })
    expect(leftOut).toEqual([['threads', 0, 'posts', 0, 'notes', 1]])
  })

  it('is left out in an element of somebody else, and keeps what leads to the subject', () => {
    const { document } = filterElements({ threads: threads('bob') }, entries, { unowned })
    expect(document).toEqual({ threads: [{ posts: [{ notes: [reply('ann')] }] }] })
    const none = filterElements({ threads: threads('bob') }, [entry(['threads.by'], [['ann']])], { unowned })
    expect(none.document).toEqual({ threads: [] })
  })
})

it('an element of a list that no field speaks of is that of the row around it, where the row is the subject’s', () => {
  const sections = [{ text: 'a', notes: [{ by: 'bob' }] }, { text: 'b', notes: [] }, { text: 'c' }]
  const entries = [entry(['sections.notes.by'], [['ann']])]
  const { document } = filterElements({ sections }, entries, { unowned: ['sections'] })
  expect(document).toEqual({ sections: [{ text: 'a', notes: [] }, { text: 'b', notes: [] }, { text: 'c' }] })
  const others = filterElements({ sections }, entries, { unowned: ['sections'], isInside: true })
  expect(others.document).toEqual({})
})

describe('an element that names two people', () => {
  const entries = [entry(['inv.by'], [['ann']]), entry(['inv.to'], [['ann']])]
  const anns = { by: 'ann', to: 'ann' }

  it('is not the subject’s alone, so it is left out', () => {
    const inv = [{ by: 'ann', to: 'bob' }, { by: 'bob', to: 'ann' }, anns, { by: 'ann' }, { to: 'bob' }]
    const { document, leftOut } = filterElements({ inv }, entries)
    expect(document).toEqual({ inv: [anns, { by: 'ann' }] })
    expect(leftOut).toEqual([
      ['inv', 0],
      ['inv', 1],
      ['inv', 4],
    ])
  })

  it('keeps what is the subject’s inside of it', () => {
    const inv = [{ by: 'ann', to: 'bob', notes: [{ by: 'ann' }, { by: 'bob' }] }]
    const { document } = filterElements({ inv }, [...entries, entry(['inv.notes.by'], [['ann']])])
    expect(document).toEqual({ inv: [{ notes: [{ by: 'ann' }] }] })
  })

  it('is the subject’s where the same field is read for several identities', () => {
    const mails = [{ e: 'ann' }, { e: 'anna' }, { e: 'bob' }]
    const { document } = filterElements({ mails }, [entry(['mails.e'], [['ann']]), entry(['mails.e'], [['anna']])])
    expect(document).toEqual({ mails: [{ e: 'ann' }, { e: 'anna' }] })
  })
})

describe('filterElements', () => {
  const thread = {
    thread: [
      { by: 1, text: 'mine' },
      { by: 2, text: 'theirs' },
    ],
    id: 7,
  }
  it('keeps only elements that meet an entry: array element of another person', () => {
    expect(filterElements(thread, [entry(['thread.by'], [[1]])])).toEqual({
      document: { thread: [{ by: 1, text: 'mine' }], id: 7 },
      leftOut: [['thread', 1]],
      holdsElement: true,
    })
  })
  it('keeps only what leads to elements of the subject in a row of somebody else', () => {
    const row = { ...thread, box: { title: 'theirs', notes: [{ by: 1 }, { by: 2 }] } }
    const filtered = filterElements(row, [entry(['thread.by'], []), entry(['box.notes.by'], [[1]])], { isInside: true })
    expect(filtered).toEqual({
      document: { box: { notes: [{ by: 1 }] } },
      leftOut: [[], ['thread'], ['id'], ['box', 'title'], ['box', 'notes', 1]],
      holdsElement: true,
    })
    expect(elementsLeftOut(filtered.leftOut)).toBe(1)
    const none = { document: {}, leftOut: [[], ['thread'], ['id']], holdsElement: false }
    expect(filterElements(thread, [entry(['thread.by'], [])], { isInside: true })).toEqual(none)
  })
  it('keeps none of the array elements of a row found by another entry', () => {
    expect(filterElements(thread, [entry(['thread.by'], []), entry(['id'], [[7]])]).document).toEqual({
      thread: [],
      id: 7,
    })
  })
  it('keeps the union of elements that match several entries, and none that other entries contradict', () => {
    const row = {
      j: [{ k: 1 }, { k: 1, l: 9 }, { k: 2, l: 8 }, { l: 7 }, { k: 1, l: 7 }],
    }
    expect(filterElements(row, [entry(['j.k'], [[1]]), entry(['j.l'], [[7]])]).document).toEqual({
      j: [{ k: 1 }, { l: 7 }, { k: 1, l: 7 }],
    })
  })
  it('requires one element to match all fields of an entry', () => {
    const row = {
      people: [
        { mail: 'a', phone: '2' },
        { mail: 'a', phone: '1' },
        { mail: 'b', phone: '1' },
      ],
    }
    expect(filterElements(row, [entry(['people.mail', 'people.phone'], [['a', '1']])]).document).toEqual({
      people: [{ mail: 'a', phone: '1' }],
    })
  })
  it('leaves arrays alone that return all elements or that no entry leads through', () => {
    expect(filterElements(thread, [entry(['thread.by'], [[1]], true)]).document).toBe(thread)
    expect(filterElements(thread, [entry(['id'], [[7]])]).document).toBe(thread)
  })
  it('keeps an outer element with a match inside it', () => {
    const row = { a: [{ b: [{ c: 1 }, { c: 2 }] }, { b: [{ c: 3 }] }] }
    expect(filterElements(row, [entry(['a.b.c'], [[2]])])).toEqual({
      document: { a: [{ b: [{ c: 2 }] }] },
      leftOut: [
        ['a', 0, 'b', 0],
        ['a', 1],
      ] satisfies ElementPath[],
      holdsElement: true,
    })
  })
})

describe('a list of plain keys', () => {
  const kept = (row: Record<string, Value>, ...entries: ElementEntry[]) => filterElements(row, entries).document

  it('has elements of its own in a row, also where it is a list of lists', () => {
    expect(kept({ to: [1, 2], deep: [[1, 2], [2]] }, entry(['to'], [[1]]), entry(['deep'], [[1]]))).toEqual({
      to: [1],
      deep: [[1]],
    })
  })
  it('speaks of the element that holds it', () => {
    const a = [{ b: [1] }, { b: [1, 2] }, { b: [[1], [2]] }, { b: [[1], 1] }, { b: [] }, { c: { b: [1] } }]
    expect(kept({ a }, entry(['a.b'], [[1]]), entry(['a.c.b'], [[1]]))).toEqual({ a: [a[0], a[3], a[5]] })
  })
  it('is asked key by key where several entries lead through it', () => {
    const a = [{ b: [1, 7] }, { b: [1, 7, 2] }]
    expect(kept({ a }, entry(['a.b'], [[1]]), entry(['a.b'], [[7]]))).toEqual({ a: [a[0]] })
  })
  it('is asked together with the fields beside it', () => {
    const a = [
      { t: 'x', b: [1, 2] },
      { t: 'x', b: [1] },
    ]
    expect(kept({ a }, entry(['a.t', 'a.b'], [['x', 1]]))).toEqual({ a: [a[1]] })
    const both = [{ t: ['x'], b: [1, 2] }]
    expect(kept({ a: both }, entry(['a.t', 'a.b'], [['x', 1]]))).toEqual({ a: [] })
  })
  it('speaks of its element also where objects stand beside the keys', () => {
    const a = [{ k: 1, b: [2, { c: 1 }] }]
    const entries = [entry(['a.k'], [[1]]), entry(['a.b'], [[1]]), entry(['a.b.c'], [[1]])]
    expect(kept({ a }, ...entries)).toEqual({ a: [{ b: [{ c: 1 }] }] })
  })
  it('is taken as a whole where it returns all elements', () => {
    const field = { path: ['a', 'b'], filteredDepth: 1 }
    const a = [{ b: [1, 2] }, { b: [2] }]
    expect(kept({ a }, { ...entry(['a.b'], [[1]]), fields: [field] })).toEqual({ a: [a[0]] })
  })
})

describe('project', () => {
  it.each<[Value, string[], Value | undefined]>([
    [{ a: 1, b: 2 }, ['a'], { a: 1 }],
    [{ a: null, b: 0, c: false, d: '' }, ['a', 'b', 'c', 'd'], { a: null, b: 0, c: false, d: '' }],
    [{ a: { b: 1, c: 2 } }, ['a.b'], { a: { b: 1 } }],
    [{ a: { b: 1, c: 2 } }, ['a'], { a: { b: 1, c: 2 } }],
    [{ a: { b: 1, c: 2 } }, ['a', 'a.b'], { a: { b: 1, c: 2 } }],
    [{ a: [{ b: 1 }, { c: 2 }] }, ['a.b'], { a: [{ b: 1 }] }],
    [{ a: {} }, ['a'], undefined],
    [{ b: 1 }, ['a'], undefined],
    [{ a: 5 }, ['a.b'], { a: 5 }],
    [{ a: ['x', { b: 1, c: 2 }] }, ['a.b'], { a: ['x', { b: 1 }] }],
    [{ a: null }, ['a.b'], { a: null }],
  ])('%j at %j is %j', (value, paths, expected) => {
    expect(project(value, pathTree(paths.map((path) => path.split('.'))))).toEqual(expected)
  })
  it('leaves a plain value that stands in the place of an undecided member', () => {
    const tree = pathTree(
      [
        ['a', 'b'],
        ['a', 'c', 'd'],
      ],
      [['a', 'c', 'e']],
    )
    expect(project({ a: 'x' }, tree)).toBeUndefined()
    expect(project({ a: { b: 1, c: 'x' } }, tree)).toEqual({ a: { b: 1 } })
    expect(project({ a: { b: 'x' } }, tree)).toEqual({ a: { b: 'x' } })
  })
  it('keeps a member called __proto__ a member', () => {
    const value = JSON.parse('{"__proto__":{"a":1}}')
    expect(JSON.stringify(project(value, pathTree([['__proto__']])))).toBe('{"__proto__":{"a":1}}')
  })
})
