import type { Erase, Value } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { type LiveColumn, typeOf } from '../src/live-column.js'
import { writeScript } from '../src/write-script.js'

const columns = [
  ['id', 'INTEGER'],
  ['data', 'JSON'],
].map(([name, type]): LiveColumn => ({ name: name!, type: typeOf({ name: name!, type: type! }) }))
const own = { path: ['shop', 'event'], columns: new Map(columns.map((column) => [column.name, column])) }

function script(documents: readonly (readonly [was: Value, to: Value])[]) {
  const ids = documents.map((_, id) => id)
  const erase: Erase = {
    ...{ collection: 'event', key: ['id'], keys: [ids], anyOf: [{ fields: [{ path: ['id'] }], values: [ids] }] },
    set: [{ column: 'data', was: documents.map(([was]) => was), toEach: documents.map(([, to]) => to) }],
  }
  return writeScript(erase, { own, unchanged: new Map(), pointers: new Map() }, false)
}

const length = (was: Value, to: Value) => JSON.stringify(script([[was, to]])).length
const numbered = (count: number) => Array.from({ length: count }, (_, at) => at)
const members = (count: number, value: Value) => Object.fromEntries(numbered(count).map((at) => [`m${at}`, value]))
// a number that was read as text keeps a list from being written whole
const objects = (count: number, gift: Value) => numbered(count).map(() => ({ sku: '12345678901234567890', gift }))

describe('the length of a job grows no faster than what changes', () => {
  it.each([
    ['members', (count: number) => [members(count, 'a'), members(count, 'x')]],
    ['members of members', (count: number) => [{ a: { b: members(count, 'a') } }, { a: { b: members(count, 'x') } }]],
    ['members that go', (count: number) => [members(count, 'a'), {}]],
    ['objects in a list', (count: number) => [objects(count, 'a'), objects(count, null)]],
  ] as const)('in %s', (_, changed) => {
    const of = (count: number) => length(...(changed(count) as unknown as [Value, Value]))
    expect(of(80)).toBeLessThan(2.5 * of(40))
    expect(of(80)).toBeLessThan(250_000)
  })
})

describe('a job that is too long for the service', () => {
  const [was, to] = [members(5_000, 'a'), members(5_000, 'x')]

  it('ends in an error that names the collection, where it is for one row', () => {
    expect(() => script([[was, to]])).toThrow(
      expect.objectContaining({
        code: 'connection_failed',
        message: expect.stringMatching(/1 MB, while writing to "event", and it cannot be divided.*erase fewer fields/),
      }),
    )
  })

  it('is to be written in halves, where it is for more', () => {
    const more = [was, to] as const
    expect(() => script([more, more])).toThrow(
      expect.objectContaining({ code: 'unsupported', details: { reason: 'batch_too_large' } }),
    )
  })
})
