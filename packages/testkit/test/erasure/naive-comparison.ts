import type { Value } from '@habeas/core'
import { expect } from 'vitest'
import type { accessOnce } from '../engine/engine-run.js'
import { type Expected, hashed, randomly } from './naive-erasure.js'

export const policy = {
  service_key: 'everything',
  rules: [{ service_key: 'all', action_type: 'erasure', data_categories: { matches: 'ANY', values: ['user'] } }],
}

type Rows = Readonly<Record<string, readonly Readonly<Record<string, Value>>[]>>

/** What the engine has done, beside what the model expects of it. */
export interface Compared extends Pick<Awaited<ReturnType<typeof accessOnce>>, 'request' | 'plan'> {
  readonly expected: Expected
  readonly after: Rows
}

/** The same text for all that a hash or chance may give. */
function told(before: Value, now: Value): Value {
  if (typeof now !== 'string' || now === before) return now
  return /^[0-9a-f]{64}$/.test(now) ? hashed : /^[a-z0-9]{30}$/.test(now) ? randomly : now
}

const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort()

/** A table as it is, in the words of the model. */
function inWords(before: readonly { readonly row: object }[], after: Rows[string]): string[] {
  const old = new Set(before.flatMap(({ row }) => Object.values(row)))
  return sorted(
    after.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, told(old.has(value) ? value : null, value)]),
      ),
    ),
  )
}

function counts({ rows }: Expected) {
  return Object.fromEntries(
    [...rows].map(([address, each]) => [
      address,
      {
        found: each.filter(({ found }) => found).length,
        masked: each.filter(({ row, to }) => to !== undefined && JSON.stringify(to) !== JSON.stringify(row)).length,
        erased: each.filter(({ to }) => to === undefined).length,
      },
    ]),
  )
}

/**
 * A complete erasure has changed exactly what the model says and counts it so. One that ends in `error` has a reason that
 * the model knows, and has changed nothing unless it had begun.
 */
export function expectAsTheModelSays(
  run: Compared,
  seen: { complete: number; impossible: number; partly: number },
): void {
  const { request, expected, after, plan } = run
  if (request.status !== 'complete') {
    const isStatic = plan?.findings.some(({ severity }) => severity === 'error')
    if (isStatic || request.failure?.startsWith('Nothing was erased')) {
      seen.impossible++
      for (const [address, rows] of expected.rows) {
        expect(sorted(after[address] ?? [])).toEqual(sorted(rows.map(({ row }) => row)))
      }
    } else seen.partly++
    const isOrder = plan?.findings.some(({ type }) => type !== 'erasure_impossible') && isStatic
    if (!isOrder) expect(expected.impossible, request.failure ?? '').not.toEqual([])
    return
  }
  seen.complete++
  for (const [address, rows] of expected.rows) {
    expect([address, inWords(rows, after[address] ?? [])]).toEqual([
      address,
      sorted(rows.flatMap(({ to }) => (to ? [to] : []))),
    ])
  }
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
