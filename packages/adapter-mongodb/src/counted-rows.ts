import type { CountEach, CountRows } from '@habeas/core'
import { BSON, type Document } from 'mongodb'
import { comparesExactly, documentMatcher, heldTuples } from './document-matcher.js'
import { isEmpty } from './field-expression.js'
import { both, columnsOfGroups } from './key-filter.js'
import type { LiveCollection } from './live-collections.js'
import type { Find } from './row-stream.js'
import { foundByGroups, groupsParts, mostBytes } from './split-groups.js'

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
  const parts = groupsParts(anyOf, kindOf)
  const [found] = parts
  if (!found) return 0
  const also = empty.length > 0 ? [{ $expr: { $and: empty.map(isEmpty) } }] : []
  if (parts.length === 1 && [...anyOf, ...noneOf].every((group) => comparesExactly(group, kindOf))) {
    const left = groupsParts(noneOf, kindOf)
    const filter = both([found.filter, ...left.map((part) => ({ $nor: [part.filter] })), ...also])
    if (left.length === 0 || BSON.calculateObjectSize(filter) <= mostBytes) return ask.count(filter)
  }
  const [meets, isLeftOut] = [documentMatcher(anyOf, kindOf), documentMatcher(noneOf, kindOf)]
  let rows = 0
  const columns = columnsOfGroups([...anyOf, ...noneOf])
  for await (const document of foundByGroups(ask.find, anyOf, { kindOf, columns, also })) {
    if (meets(document) && !isLeftOut(document)) rows++
  }
  return rows
}

/** For each tuple, how many documents hold it. Only the columns of the key are read. */
export async function countedEach({ group }: CountEach, { kindOf }: LiveCollection, find: Find): Promise<number[]> {
  const heldBy = heldTuples(group, kindOf)
  const counts = Array<number>(group.values[0]?.length ?? 0).fill(0)
  for await (const document of foundByGroups(find, [group], { kindOf, columns: columnsOfGroups([group]) })) {
    for (const at of new Set(heldBy(document))) counts[at] = (counts[at] as number) + 1
  }
  return counts
}
