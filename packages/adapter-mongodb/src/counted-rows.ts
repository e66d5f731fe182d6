import type { CountEach, CountRows } from '@habeas/core'
import type { Document } from 'mongodb'
import { documentMatcher, heldTuples } from './document-matcher.js'
import { isEmpty } from './field-expression.js'
import { anyOfFilter, both, columnsOfGroups, comparesExactly } from './key-filter.js'
import type { LiveCollection } from './live-collections.js'

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
  const [meets, isLeftOut] = [documentMatcher(anyOf, kindOf), documentMatcher(noneOf, kindOf)]
  let rows = 0
  for await (const document of ask.find(both([found, ...also]), columnsOfGroups([...anyOf, ...noneOf]))) {
    if (meets(document) && !isLeftOut(document)) rows++
  }
  return rows
}

/** For each tuple, how many documents hold it. Only the columns of the key are read. */
export async function countedEach({ group }: CountEach, { kindOf }: LiveCollection, find: Find): Promise<number[]> {
  const heldBy = heldTuples(group, kindOf)
  const counts = Array<number>(group.values[0]?.length ?? 0).fill(0)
  const found = anyOfFilter([group], kindOf)
  if (found) {
    for await (const document of find(found, columnsOfGroups([group]))) {
      for (const at of new Set(heldBy(document))) counts[at] = (counts[at] as number) + 1
    }
  }
  return counts
}
