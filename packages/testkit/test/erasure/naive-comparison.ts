import type { Connector, Value } from '@habeas/core'
import { expect } from 'vitest'
import type { accessOnce } from '../engine/engine-run.js'
import { suffix } from './field-words.js'
import { expectEqualToStayEqual } from './masked-texts.js'
import type { Expected, ExpectedRow } from './naive-erasure.js'
import { unforeseen } from './naive-fates.js'

type Rows = Readonly<Record<string, readonly object[]>>

/** What the engine has done, beside what the model expects of it. */
export interface Compared extends Pick<Awaited<ReturnType<typeof accessOnce>>, 'request' | 'plan' | 'rows'> {
  readonly expected: Expected
  readonly after: Rows
  /** Addresses in the order in which something was written to them. */
  readonly written: readonly string[]
}

/** A connector that notes whenever it has written. */
export function noting(connector: Connector, dataset: string, written: string[]): Connector {
  return {
    ...connector,
    async connect(secrets) {
      const connection = await connector.connect(secrets)
      return {
        ...connection,
        async erase(erase, options) {
          await connection.erase?.(erase, options)
          if (!options?.rollBack) written.push(`${dataset}:${erase.collection}`)
        },
      }
    },
  }
}

/** As text that does not depend on the order of members; each string as `told` gives it. */
function text(value: unknown, told: (value: string) => string = (each) => each): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner === 'string') return told(inner)
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(stringsIn)
}

/** A table as it is, in the words of the model: the same for all that a hash or chance may give. */
function inWords(before: readonly ExpectedRow[], after: readonly object[]): string[] {
  const old = new Set(before.flatMap(({ row }) => stringsIn(row)))
  const told = (now: string) => {
    const [whole, ending] = now.endsWith(suffix) ? [now.slice(0, -suffix.length), suffix] : [now, '']
    return !old.has(now) && /^([0-9a-f]{4,64}|[a-z0-9]{4,30})$/.test(whole) ? unforeseen(whole.length, ending) : now
  }
  return after.map((row) => text(row, told)).sort()
}

const sorted = (rows: readonly unknown[]) => rows.map((row) => text(row)).sort()

function counts({ rows }: Expected) {
  return Object.fromEntries(
    [...rows].map(([address, each]) => [
      address,
      {
        found: each.filter(({ found }) => found).length,
        masked: each.filter(({ row, to }) => to !== undefined && text(to) !== text(row)).length,
        erased: each.filter(({ to }) => to === undefined).length,
      },
    ]),
  )
}

/** What the model says nothing of: descriptions that contradict themselves, which the access refuses as well. */
const notModelled = ['torn_composite_reference', 'contrary_condition', 'ordering', 'unreachable']

export interface Seen {
  complete: number
  changed: number
  impossible: number
  partly: number
  notModelled: number
}

export const nothingSeen = (): Seen => ({ complete: 0, changed: 0, impossible: 0, partly: 0, notModelled: 0 })

/**
 * A complete erasure has changed exactly what the model says and counts it so. One that ends in `error` has a reason that
 * the model knows, and has changed nothing unless it had begun; then nothing but what it was to change.
 */
export function expectAsTheModelSays(run: Compared, seen: Seen): void {
  const { request, expected, after, plan, written } = run
  if (expected.forbidden.length > 0)
    expect({ written, why: expected.forbidden }).toEqual({ written: [], why: expected.forbidden })
  if (request.status !== 'complete') {
    const errors = plan?.findings.filter(({ severity }) => severity === 'error') ?? []
    if (errors.length > 0 || request.failure?.startsWith('Nothing was erased')) {
      seen.impossible++
      expect(written).toEqual([])
      for (const [address, rows] of expected.rows) {
        expect([address, sorted(after[address] ?? [])]).toEqual([address, sorted(rows.map(({ row }) => row))])
      }
    } else {
      seen.partly++
      for (const [address, rows] of expected.rows) expectPartly(address, rows, after[address] ?? [])
    }
    if (errors.some(({ type }) => notModelled.includes(type))) seen.notModelled++
    else
      expect([...expected.forbidden, ...expected.impossible, ...expected.refusable], request.failure ?? '').not.toEqual(
        [],
      )
    return
  }
  seen.complete++
  if (written.length > 0) seen.changed++
  expect([...expected.forbidden, ...expected.impossible]).toEqual([])
  for (const [address, rows] of expected.rows) {
    expect([address, inWords(rows, after[address] ?? [])]).toEqual([
      address,
      sorted(rows.flatMap(({ to }) => (to ? [to] : []))),
    ])
  }
  expectCounted(run)
  expectEqualToStayEqual(expected.rows, after, (address) => expected.keys.get(address) ?? [])
  for (const { first, next } of expected.orders) {
    if (!written.includes(first) || !written.includes(next)) continue
    expect(written.lastIndexOf(first), `${next} is written after ${first}`).toBeLessThan(written.indexOf(next))
  }
  const { not_searched: _, ...delivered } = run.rows
  const wanted = [...expected.delivered].filter(([, rows]) => rows.length > 0)
  expect(Object.fromEntries(Object.entries(delivered).map(([address, rows]) => [address, sorted(rows)]))).toEqual(
    Object.fromEntries(wanted.map(([address, rows]): [string, Value] => [address, sorted(rows)])),
  )
}

/** Each row is what it was or what it was to be. */
function expectPartly(address: string, before: readonly ExpectedRow[], after: readonly object[]): void {
  const left = inWords(before, after)
  const told = (row: object) => inWords(before, [row])[0] as string
  for (const { row, to } of before) {
    const at = [told(row), to ? text(to) : undefined].map((each) => (each === undefined ? -1 : left.indexOf(each)))
    const found = at.find((each) => each !== -1)
    if (found !== undefined) left.splice(found, 1)
    else expect([address, to], `a row of ${address} is gone: ${text(row)}`).toEqual([address, undefined])
  }
  expect([address, left]).toEqual([address, []])
}

function expectCounted({ request, expected }: Compared): void {
  const numbers = counts(expected)
  for (const { dataset, collection, actionType, outcomes } of request.results ?? []) {
    if (actionType !== 'erasure' || outcomes.some(({ outcome }) => outcome === 'skipped')) continue
    const sum = (...names: string[]) =>
      outcomes.reduce((all, { outcome, rowCount }) => (names.includes(outcome) ? all + rowCount : all), 0)
    expect({
      address: `${dataset}:${collection}`,
      found: outcomes.reduce((all, { rowCount }) => all + rowCount, 0),
      masked: sum('masked'),
      erased: sum('erased'),
    }).toEqual({ address: `${dataset}:${collection}`, ...numbers[`${dataset}:${collection}`] })
  }
}
