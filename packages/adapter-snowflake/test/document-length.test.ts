import type { Erase, Value } from '@habeas/core'
import { compileErase } from '@habeas/sql'
import { describe, expect, it } from 'vitest'
import { snowflakeDialect } from '../src/dialect.js'
import { liveColumn, type SnowflakeColumn } from '../src/live-column.js'

const listed = { collection: 'EVENTS', position: 1, nullable: true, collation: null, scale: 0 }
const columns = [
  ['ID', 'NUMBER'],
  ['DATA', 'VARIANT'],
].map(([name, type]): SnowflakeColumn => ({ name: name!, ...liveColumn({ ...listed, name: name!, type: type! }) }))
const table = { path: ['EVENTS'], columns: new Map(columns.map((column) => [column.name, column])) }

function compiled(documents: readonly (readonly [was: Value, to: Value])[]) {
  const ids = documents.map((_, id) => id)
  const erase: Erase = {
    ...{ collection: 'EVENTS', key: ['ID'], keys: [ids], anyOf: [{ fields: [{ path: ['ID'] }], values: [ids] }] },
    set: [{ column: 'DATA', was: documents.map(([was]) => was), toEach: documents.map(([, to]) => to) }],
  }
  return compileErase(erase, table, snowflakeDialect).statements
}

const length = (...documents: (readonly [was: Value, to: Value])[]) =>
  compiled(documents).reduce((sum, { sql, parameters }) => sum + sql.length + JSON.stringify(parameters).length, 0)

const numbered = (count: number) => Array.from({ length: count }, (_, at) => at)
const members = (count: number, value: Value) => Object.fromEntries(numbered(count).map((at) => [`m${at}`, value]))
const objects = (count: number, gift: Value) => numbered(count).map((sku) => ({ sku, gift }))

describe('the length of a statement grows no faster than what changes', () => {
  it.each([
    ['members', (count: number) => [members(count, 'a'), members(count, 'x')]],
    ['members of members', (count: number) => [{ a: { b: members(count, 'a') } }, { a: { b: members(count, 'x') } }]],
    ['members that go', (count: number) => [members(count, 'a'), {}]],
    ['texts in a list', (count: number) => [numbered(count).map(() => 'a'), numbered(count).map(() => 'x')]],
    ['objects in a list', (count: number) => [objects(count, 'a'), objects(count, null)]],
    ['members of objects', (count: number) => [[members(count, 'a')], [members(count, 'x')]]],
    ['lists in a list', (count: number) => [[[objects(count, 'a')]], [[objects(count, null)]]]],
  ] as const)('in %s', (_, changed) => {
    const of = (count: number) => length(changed(count) as unknown as [Value, Value])
    expect(of(80)).toBeLessThan(2.5 * of(40))
    expect(of(80)).toBeLessThan(150_000)
  })

  it('in rows of a batch', () => {
    const rows = (count: number) => numbered(count).map((at) => [members(at + 1, 'a'), members(at + 1, 'x')] as const)
    expect(length(...rows(40))).toBeLessThan(4.5 * length(...rows(20)))
  })
})

describe('a statement that is too long for the service', () => {
  const [was, to] = [members(5_000, 'a'), members(5_000, 'x')]

  it('ends in an error that names the collection, where it is for one row', () => {
    expect(() => compiled([[was, to]])).toThrow(
      expect.objectContaining({
        code: 'connection_failed',
        message: expect.stringMatching(
          /"EVENTS", and Snowflake takes 1 MB\. Too many members of one row change: delete the rows/,
        ),
      }),
    )
  })

  it('is to be written in halves, where it is for more', () => {
    const more = [was, to] as const
    expect(() => compiled([more, more])).toThrow(
      expect.objectContaining({ code: 'unsupported', details: { reason: 'batch_too_large' } }),
    )
  })
})
