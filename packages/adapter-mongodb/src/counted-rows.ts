import type { CountEach, CountRows, KeyGroup } from '@habeas/core'
import type { Document } from 'mongodb'
import { isEmpty } from './field-expression.js'
import { anyOfFilter, both, comparesExactly } from './key-filter.js'
import type { LiveCollection } from './live-collections.js'
import { rowMatcher, tupleReader } from './row-matcher.js'

/** Streams the documents that meet a filter, with these columns alone. */
export type Find = (filter: Document, columns: readonly string[]) => AsyncIterable<Document>

/** Asks for a number of documents. */
export type Count = (filter: Document) => Promise<number>

/** How many documents meet the question. The server counts, except where only their values tell. */
export async function countedRows(
  asked: CountRows,
  live: LiveCollection,
  ask: { find: Find; count: Count },
): Promise<number> {
  const { anyOf, noneOf = [], empty = [] } = asked
  const { kindOf } = live
  const found = anyOfFilter(anyOf, kindOf)
  if (!found) return 0
  const also = empty.length > 0 ? [{ $expr: { $and: empty.map(isEmpty) } }] : []
  if ([...anyOf, ...noneOf].every(comparesExactly)) {
    const left = anyOfFilter(noneOf, kindOf)
    return ask.count(both([found, ...(left ? [{ $nor: [left] }] : []), ...also]))
  }
  const [meets, isLeftOut] = [rowMatcher(anyOf, kindOf), rowMatcher(noneOf, kindOf)]
  let rows = 0
  for await (const document of ask.find(both([found, ...also]), columnsOfGroups([...anyOf, ...noneOf]))) {
    if (meets(document) && !isLeftOut(document)) rows++
  }
  return rows
}

/** For each tuple, how many documents hold it. Only the columns of the key are read. */
export async function countedEach({ group }: CountEach, { kindOf }: LiveCollection, find: Find): Promise<number[]> {
  const { texts, heldBy } = tupleReader(group, kindOf)
  const counts = new Map<string, number>()
  const found = anyOfFilter([group], kindOf)
  if (found) {
    for await (const document of find(found, columnsOfGroups([group]))) {
      for (const tuple of new Set(heldBy(document))) counts.set(tuple, (counts.get(tuple) ?? 0) + 1)
    }
  }
  return texts.map((text) => (text === undefined ? 0 : (counts.get(text) ?? 0)))
}

/** The top-level columns that tell whether a document meets the groups. */
export function columnsOfGroups(groups: readonly KeyGroup[]): string[] {
  const fields = groups.flatMap(({ fields, when = [] }) => [...fields, ...when])
  return [...new Set(fields.map(({ path }) => path[0] as string))]
}
