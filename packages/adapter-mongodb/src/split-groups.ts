import type { KeyColumn, KeyGroup, Value } from '@habeas/core'
import { BSON, type Document } from 'mongodb'
import { documentMatcher } from './document-matcher.js'
import { anyOfFilter, columnsOfGroups, type KindOf } from './key-filter.js'
import { tooLargeFailure } from './mongo-failures.js'
import type { Find } from './row-stream.js'

/** Bytes that one part of a command may have: a command has at most 16 MB, its other parts included. */
export const mostBytes = 15 * 1024 * 1024

/** Some of the groups, or of their tuples, and the filter for documents that may meet them. */
export interface GroupsPart {
  readonly groups: readonly KeyGroup[]
  readonly filter: Document
}

/**
 * The groups as one filter or several, of which none is too large to be sent. Empty where no document can meet one. Throws
 * where a single tuple is too large.
 */
export function groupsParts(groups: readonly KeyGroup[], kindOf: KindOf): GroupsPart[] {
  const filter = anyOfFilter(groups, kindOf)
  if (!filter) return []
  if (isSmall(groups) || BSON.calculateObjectSize(filter) <= mostBytes) return [{ groups, filter }]
  return halves(groups).flatMap((half) => groupsParts(half, kindOf))
}

/** The documents that meet one of the groups, each once, although several commands may ask for them. */
export async function* foundByGroups(
  find: Find,
  groups: readonly KeyGroup[],
  {
    kindOf,
    columns,
    also = [],
    exactly,
  }: { kindOf: KindOf; columns: readonly string[]; also?: readonly Document[]; exactly?: boolean },
): AsyncGenerator<Document> {
  const parts = groupsParts(groups, kindOf)
  const needed = parts.length > 1 ? [...new Set([...columns, ...columnsOfGroups(groups)])] : columns
  const isFirst = firstMet(parts, kindOf)
  for (const [at, { filter }] of parts.entries()) {
    for await (const document of find(also.length > 0 ? { $and: [filter, ...also] } : filter, needed, exactly)) {
      if (isFirst(document, at)) yield document
    }
  }
}

/** Whether a document that was found with a part is not found with an earlier one as well. */
export function firstMet(parts: readonly GroupsPart[], kindOf: KindOf): (document: Document, at: number) => boolean {
  if (parts.length === 1) return () => true
  const meets = parts.map(({ groups }) => documentMatcher(groups, kindOf))
  return (document, at) => meets.findIndex((met) => met(document)) === at
}

/** Whether it is plain that all keys together are far from the limit, without looking at their bytes. */
function isSmall(groups: readonly KeyGroup[]): boolean {
  let bytes = 0
  for (const { values, fields } of groups) {
    for (const column of values) {
      for (let at = 0; at < column.length; at++) bytes += roughBytes(column[at] as Value)
    }
    bytes += (values[0]?.length ?? 0) * fields.length * 100
  }
  return bytes < mostBytes / 2
}

/** More than a key has in all of its spellings. Lists and documents are looked for by their type alone. */
function roughBytes(value: Value): number {
  return typeof value === 'string' ? 100 + value.length * 8 : 100
}

function halves(groups: readonly KeyGroup[]): KeyGroup[][] {
  const [group] = groups as readonly [KeyGroup]
  const tuples = groups.length > 1 ? groups.length : (group.values[0]?.length ?? 0)
  if (tuples < 2) throw tooLargeFailure()
  const middle = Math.ceil(tuples / 2)
  if (groups.length > 1) return [groups.slice(0, middle), groups.slice(middle)]
  const { uuids: _, ...others } = group
  const from = (start: number, end: number) => ({
    ...others,
    values: group.values.map((column) => cut(column, start, end)),
  })
  return [[from(0, middle)], [from(middle, tuples)]]
}

const cut = (column: KeyColumn, start: number, end: number): Value[] =>
  Array.from({ length: end - start }, (_, at) => column[start + at] as Value)
