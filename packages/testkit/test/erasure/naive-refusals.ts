import type { MemoryCheck, MemoryCollection } from '@habeas/testkit'
import type { Document, Place } from '../engine/naive-graph.js'
import type { ErasureWorld, ExpectedRow } from './naive-erasure.js'
import { declaredOf } from './naive-fates.js'

/* §7.11, §7.15: what the database would refuse of the end, or carry along. */

type Rows = ReadonlyMap<string, readonly ExpectedRow[]>

const isUnforeseen = (value: unknown) => typeof value === 'string' && value.startsWith('unforeseen')
const textOf = (row: Document, columns: readonly string[]) => {
  const values = columns.map((column) => row[column] ?? null)
  return values.includes(null) ? undefined : JSON.stringify(values)
}

export function refusals(
  rows: Rows,
  { live, maxErased }: Pick<ErasureWorld, 'live' | 'maxErased'>,
  places: readonly Place[],
) {
  const forbidden: string[] = []
  const impossible: string[] = []
  const refusable: string[] = []
  for (const [address, table] of live) {
    const all = rows.get(address) ?? []
    const place = places.find((each) => each.address === address)
    const checked = checkRefusals(address, table, all)
    impossible.push(...tableRefusals(address, table, all), ...checked.some)
    forbidden.push(...checked.every)
    const together = circleOf(address, table, all)
    if (together > maxErased) refusable.push(`${together} rows of ${address} would have to go at once`)
    // A statement may not name it, whatever the row holds there.
    const isComputed = (table.columns ?? []).some(({ generated }) => generated)
    if (isComputed && all.some(({ row, to }) => to && to !== row)) refusable.push(`${address} computes a column`)
    if (place) impossible.push(...ambiguous(place, table, all))
    for (const { columns, references } of table.foreignKeys ?? []) {
      const target = rows.get(`${address.slice(0, address.indexOf(':'))}:${references.collection}`) ?? []
      const key = (row: Document | undefined) => row && textOf(row, references.columns)
      const lost = new Set(target.flatMap(({ row, to }) => (key(to) === key(row) ? [] : [key(row)])))
      lost.delete(undefined)
      const kept = new Set(target.map(({ to }) => key(to)))
      const after = all.flatMap(({ to }) => (to ? [to] : []))
      const points = (row: Document, to: ReadonlySet<string | undefined>) => to.has(textOf(row, columns) ?? 'nowhere')
      const gone = new Set(target.flatMap(({ row, to }) => (to ? [] : [key(row)])))
      gone.delete(undefined)
      if (after.some((row) => points(row, gone))) forbidden.push(`${address} would be carried along`)
      if (after.some((row) => points(row, lost))) impossible.push(`${address} would point nowhere`)
      // New values are tried before anything is written (§7.15): rows that go later still point to the old key.
      const renamed = new Set(target.flatMap(({ row, to }) => (to && key(to) !== key(row) ? [key(row)] : [])))
      renamed.delete(undefined)
      if (all.some(({ row }) => points(row, renamed))) refusable.push(`${address} points to what changes`)
      const turned = all.filter(({ row, to }) => to && textOf(to, columns) !== textOf(row, columns))
      const isLost = turned.some(({ to }) => textOf(to as Document, columns) && !points(to as Document, kept))
      if (isLost) impossible.push(`${address} would point nowhere`)
      else if (turned.some(({ to }) => textOf(to as Document, columns))) refusable.push(`${address} points elsewhere`)
    }
  }
  return { forbidden, impossible, refusable }
}

function tableRefusals(address: string, table: MemoryCollection, all: readonly ExpectedRow[]): string[] {
  const found: string[] = []
  const after = all.flatMap(({ to }) => (to ? [to] : []))
  const changed = all.filter(({ row, to }) => to && JSON.stringify(to) !== JSON.stringify(row))
  for (const columns of [table.primaryKey ?? [], ...(table.uniqueKeys ?? [])]) {
    if (columns.length === 0) continue
    // What nobody can foretell is never twice the same; hashes of equal texts, where texts were unique, are not either.
    const texts = after.flatMap((row) => {
      const isKnown = !columns.some((column) => isUnforeseen(row[column]))
      return isKnown ? (textOf(row, columns) ?? []) : []
    })
    if (new Set(texts).size < texts.length) found.push(`${address} is not unique`)
  }
  for (const { name, nullable, kind, array, generated } of table.columns ?? []) {
    if (generated && changed.some(({ row, to }) => to?.[name] !== row[name]))
      found.push(`${address}.${name} is computed`)
    const isEmptied = changed.some(({ row, to }) => row[name] !== null && to?.[name] === null)
    if (nullable === false && isEmptied) found.push(`${address}.${name} is not null`)
    const isTexted = changed.some(({ row, to }) => typeof to?.[name] === 'string' && to[name] !== row[name])
    if (kind !== 'string' && !array && isTexted) found.push(`${address}.${name} is no text`)
  }
  return found
}

/** One row of each kind is tried before anything is written: what all rows would break is seen then. */
function checkRefusals(address: string, table: MemoryCollection, all: readonly ExpectedRow[]) {
  const changed = all.filter(({ row, to }) => to && JSON.stringify(to) !== JSON.stringify(row))
  const some: string[] = []
  const every: string[] = []
  for (const { name, holds } of (table.checks ?? []) as readonly MemoryCheck[]) {
    const breaking = changed.filter(({ to }) => !holds(to as never))
    if (breaking.length === 0) continue
    some.push(`${address} breaks ${name}`)
    const isTried = (table.primaryKey ?? []).length > 0
    if (isTried && breaking.length === changed.length) every.push(`${address} breaks ${name} with every row`)
  }
  return { some, every }
}

/** §7.11: a key that was only declared may name several rows. */
function ambiguous(place: Place, table: MemoryCollection, all: readonly ExpectedRow[]): string[] {
  const required = new Set((table.columns ?? []).filter(({ nullable }) => nullable === false).map(({ name }) => name))
  const live = [table.primaryKey ?? [], ...(table.uniqueKeys ?? [])].filter((key) => key.length > 0)
  const declared = declaredOf(place)
  if (declared.length === 0 || live.some((key) => key.every((name) => required.has(name)))) return []
  const isTwice = all.some(({ row, to }) => {
    const isWritten = !to || JSON.stringify(to) !== JSON.stringify(row)
    const key = textOf(row, declared)
    return isWritten && key && all.filter((other) => textOf(other.row, declared) === key).length > 1
  })
  return isTwice ? [`${place.address} declares a key that names several rows`] : []
}

/** §7.16: rows that go and point to one another, with those they point to: a batch has to hold them all. */
function circleOf(address: string, table: MemoryCollection, all: readonly ExpectedRow[]): number {
  const going = all.flatMap(({ row, to }) => (to ? [] : [row]))
  const inside = (table.foreignKeys ?? []).filter(({ references }) => address.endsWith(`:${references.collection}`))
  const next = (row: Document) =>
    inside.flatMap(({ columns, references }) =>
      going.filter((other) => other !== row && textOf(other, references.columns) === textOf(row, columns)),
    )
  const reached = (from: Document) => {
    const seen = new Set(next(from))
    for (const row of seen) for (const other of next(row)) seen.add(other)
    return seen
  }
  const circles = going.filter((row) => reached(row).has(row))
  return new Set(circles.flatMap((row) => [row, ...reached(row)])).size
}
