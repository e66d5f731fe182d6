import { describe, expect, it } from 'vitest'
import { cellsOf, columnCollector } from './csv-column.js'

function table(...rows: Record<string, unknown>[]): unknown[][] {
  const found = columnCollector()
  for (const row of rows) found.add(row)
  const columns = found.columns()
  return [columns.map(({ heading }) => heading), ...rows.map((row) => cellsOf(row, columns))]
}

describe('columns of rows', () => {
  it('are all fields of all rows, in the order found', () => {
    expect(table({ a: 1 }, { b: 2 }, { a: 3, b: 4 })).toEqual([
      ['a', 'b'],
      [1, undefined],
      [undefined, 2],
      [3, 4],
    ])
  })

  it('are members of objects, side by side, also where only a later row has one', () => {
    expect(table({ a: { x: 1 }, z: 0 }, { a: { y: { k: 2 } }, z: 1 })).toEqual([
      ['a.x', 'a.y.k', 'z'],
      [1, undefined, 0],
      [undefined, 2, 1],
    ])
  })

  it('a list stays one cell of JSON', () => {
    expect(table({ a: [1, { b: '=x' }], c: [] })).toEqual([
      ['a', 'c'],
      ['[1,{"b":"=x"}]', '[]'],
    ])
  })

  it('a null where other rows have an object takes no column, a value does', () => {
    expect(table({ a: null }, { a: { x: 1 } })[0]).toEqual(['a.x'])
    expect(table({ a: null }, { a: null })[0]).toEqual(['a'])
    expect(table({ a: 'text' }, { a: { x: 1 } })).toEqual([
      ['a', 'a.x'],
      ['text', undefined],
      [undefined, 1],
    ])
  })

  it('an empty object is a value', () => {
    expect(table({ a: {} })).toEqual([['a'], ['{}']])
  })

  it('names that objects inherit are found in rows alone', () => {
    const proto = JSON.parse('{"__proto__": 1, "constructor": {"name": 2}}')
    expect(table(proto, { a: 3 })).toEqual([
      ['__proto__', 'constructor.name', 'a'],
      [1, 2, undefined],
      [undefined, undefined, 3],
    ])
  })

  it('a name with a dot and a nested one keep a column each', () => {
    expect(table({ 'a.b': 1, a: { b: 2 } })).toEqual([
      ['a.b', 'a.b'],
      [1, 2],
    ])
  })

  it('a map with more keys than a table has columns stays one cell', () => {
    const rows = Array.from({ length: 300 }, (_, at) => ({ id: at, seen: { [`day ${at}`]: at } }))
    const [headings, ...cells] = table(...rows)
    expect(headings).toEqual(['id', 'seen'])
    expect(cells[0]).toEqual([0, '{"day 0":0}'])
    expect(cells[299]).toEqual([299, '{"day 299":299}'])
  })

  it('objects nested too deep for people stay one cell', () => {
    const deep = (depth: number): unknown => (depth === 0 ? 1 : { a: deep(depth - 1) })
    const [headings, cells] = table({ a: deep(40) })
    expect(headings).toHaveLength(1)
    expect(cells?.[0]).toMatch(/^\{"a":/)
  })
})
