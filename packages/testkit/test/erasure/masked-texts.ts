import { expect } from 'vitest'
import type { ExpectedRow } from './naive-erasure.js'

/* §7.13: equal values stay equal under a hash, and nothing else becomes the same. */

interface Pair {
  readonly was: string
  readonly is: string
}

/** Looks at what became of texts nobody can foretell, over all tables of one request. */
export function expectEqualToStayEqual(
  expected: ReadonlyMap<string, readonly ExpectedRow[]>,
  after: Readonly<Record<string, readonly object[]>>,
  keysOf: (address: string) => readonly string[],
): void {
  const pairs = [...expected].flatMap(([address, rows]) => pairsOf(rows, after[address] ?? [], keysOf(address)))
  const hashed = pairs.filter(({ is }) => /^[0-9a-f]{64}/.test(is))
  const others = (all: readonly Pair[], one: keyof Pair, other: keyof Pair) => {
    const found = new Map<string, Set<string>>()
    for (const pair of all) found.set(pair[one], (found.get(pair[one]) ?? new Set()).add(pair[other]))
    return Math.max(0, ...[...found.values()].map(({ size }) => size))
  }
  // By hash and by hmac, each with and without a suffix that somebody named.
  expect(others(hashed, 'was', 'is'), 'hashes of one text').toBeLessThanOrEqual(3)
  expect(others(hashed, 'is', 'was'), 'texts of one hash').toBeLessThanOrEqual(1)
  const random = pairs.filter(({ is }) => /^[a-z0-9]{30}$/.test(is)).map(({ is }) => is)
  expect(new Set(random).size, 'random texts').toBe(random.length)
}

/** Rows whose key stayed, column by column. */
function pairsOf(rows: readonly ExpectedRow[], after: readonly object[], key: readonly string[]): Pair[] {
  const text = (row: object) => JSON.stringify(key.map((name) => (row as Record<string, unknown>)[name] ?? null))
  const now = new Map(after.map((row) => [text(row), row as Record<string, unknown>]))
  if (key.length === 0) return []
  return rows.flatMap(({ row, to }) => {
    const found = to && text(to) === text(row) ? now.get(text(row)) : undefined
    if (!to || !found) return []
    return Object.entries(to).flatMap(([name, value]): Pair[] => {
      const [was, is] = [row[name], found[name]]
      const isMasked = typeof value === 'string' && value.startsWith('unforeseen')
      return isMasked && typeof was === 'string' && typeof is === 'string' ? [{ was, is }] : []
    })
  })
}
