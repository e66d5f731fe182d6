import type { KeyGroup } from '@habeas/core'
import { type Condition, conditionOf, joined, type SqlTable, targetsOf } from '@habeas/sql'
import { sql } from 'kysely'
import { bigqueryDialect } from './dialect.js'
import { isScalar, type LiveColumn } from './live-column.js'
import { excessOf, type Sized, tooLargeFailure } from './request-limits.js'

type Table = SqlTable<LiveColumn>

interface Part {
  readonly anyOf: readonly KeyGroup[]
  readonly table: Table
}

/**
 * The requests over rows that meet one of the groups, as few as the limits of the service allow. No two of them meet the
 * same row. `compiled` gives undefined where no row can meet a group.
 */
export function* dividedRequests<Request extends Sized>(
  part: Part,
  doing: string,
  compiled: (part: Part) => Request | undefined,
): Generator<Request> {
  const request = compiled(part)
  if (!request) return
  const excess = excessOf(request)
  if (excess === undefined) return yield request
  const halves = halvesOf(part)
  if (!halves) throw tooLargeFailure(excess, doing)
  for (const half of halves) yield* dividedRequests(half, doing, compiled)
}

/** The tuples of a list in requests. Their counts do not depend on each other. */
export function* dividedTuples<Request extends Sized>(
  group: KeyGroup,
  doing: string,
  compiled: (group: KeyGroup) => Request | undefined,
  from = 0,
): Generator<{ readonly request: Request; readonly from: number }> {
  const request = compiled(group)
  if (!request) return
  const excess = excessOf(request)
  if (excess === undefined) return yield { request, from }
  const length = group.values[0]?.length ?? 0
  if (length < 2) throw tooLargeFailure(excess, doing)
  const middle = Math.ceil(length / 2)
  const of = (start: number, end: number) =>
    withTuples(
      group,
      Array.from({ length: end - start }, (_, at) => start + at),
    )
  yield* dividedTuples(of(0, middle), doing, compiled, from)
  yield* dividedTuples(of(middle, length), doing, compiled, from + middle)
}

/**
 * The groups with half of the keys of one, and the other half for rows that meet none of the other groups. A row holds one
 * tuple of a group over plain columns, so that it meets one half only. Undefined where no group can be divided.
 */
function halvesOf({ anyOf, table }: Part): readonly [Part, Part] | undefined {
  const divisible = anyOf.flatMap((group) => {
    const tuples = apart(group, table)
    return tuples && tuples.length > 1 ? [{ group, tuples }] : []
  })
  const [largest] = divisible.sort((one, other) => sizeOf(other.group) - sizeOf(one.group))
  if (!largest) return undefined
  const { group, tuples } = largest
  const others = anyOf.filter((each) => each !== group)
  const middle = Math.ceil(tuples.length / 2)
  const [one, other] = [tuples.slice(0, middle), tuples.slice(middle)].map((each) => withTuples(group, each.flat()))
  const { within } = table
  const apartFrom = [...(within ? [within] : []), ...noneOf(others, table)]
  const rest = apartFrom.length === 0 ? table : { ...table, within: joined(apartFrom, 'and') }
  return [
    { anyOf: [one!, ...others], table },
    { anyOf: [other!], table: rest },
  ]
}

function noneOf(groups: readonly KeyGroup[], table: Table): Condition[] {
  const met = conditionOf(groups, table, bigqueryDialect())
  return met ? [sql<boolean>`case when ${met} then 0 else 1 end = 1`] : []
}

/** Positions of tuples, those together that one row may hold. Undefined where a row may hold several of the others. */
function apart(group: KeyGroup, table: Table): number[][] | undefined {
  if (group.spelledAs) return undefined
  const targets = targetsOf(group, table)
  if (!targets.every(({ column, path }) => path.length === 0 && isScalar(column))) return undefined
  const dialect = bigqueryDialect()
  const binders = targets.map((target) => dialect.binder(target))
  const known = new Map<string, number[]>()
  for (let at = 0; at < (group.values[0]?.length ?? 0); at++) {
    const bound = binders.map((bind, part) => {
      const value = group.values[part]?.[at] ?? null
      const text = value === null ? null : bind(value)
      return targets[part]?.caseInsensitive ? String(text).toLowerCase() : (text ?? null)
    })
    const name = JSON.stringify(bound)
    known.set(name, [...(known.get(name) ?? []), at])
  }
  return [...known.values()]
}

function withTuples({ uuids: _, values, ...group }: KeyGroup, positions: readonly number[]): KeyGroup {
  return { ...group, values: values.map((column) => positions.map((at) => column[at]!)) }
}

function sizeOf({ values }: KeyGroup): number {
  return values.reduce((size, column) => size + Array.from(column, (value) => String(value).length).reduce(sum, 0), 0)
}

const sum = (one: number, other: number) => one + other
