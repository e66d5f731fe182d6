import type { CountEach, CountRows, KeyGroup } from '@habeas/core'
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
  const { kindOf, collation } = live
  const parts = groupsParts(anyOf, kindOf)
  const [found] = parts
  if (!found) return 0
  const also = empty.length > 0 ? [{ $expr: { $and: empty.map(isEmpty) } }] : []
  if (
    !(collation && namesTexts([...anyOf, ...noneOf])) &&
    parts.length === 1 &&
    [...anyOf, ...noneOf].every((group) => comparesExactly(group, kindOf))
  ) {
    const left = groupsParts(noneOf, kindOf)
    const filter = both([found.filter, ...left.map((part) => ({ $nor: [part.filter] })), ...also])
    if (left.length === 0 || BSON.calculateObjectSize(filter) <= mostBytes) return ask.count(filter)
  }
  const [meets, isLeftOut] = [documentMatcher(anyOf, kindOf), documentMatcher(noneOf, kindOf)]
  let rows = 0
  // a view takes no other collation than its own
  const exactly = collation !== undefined && also.length > 0 && !live.catalogue.view
  const columns = columnsOfGroups([...anyOf, ...noneOf])
  for await (const document of foundByGroups(ask.find, anyOf, { kindOf, columns, also, exactly })) {
    if (meets(document) && !isLeftOut(document)) rows++
  }
  return rows
}

/** Whether documents are looked for by texts. No index of a collection that folds texts finds these byte for byte. */
function namesTexts(groups: readonly KeyGroup[]): boolean {
  const isText = (value: unknown) => typeof value === 'string'
  return groups.some(({ values, when = [] }) => {
    return values.some((column) => Array.from(column).some(isText)) || when.some(({ equals }) => isText(equals))
  })
}

/**
 * For each tuple, how many documents hold it, as loosely as the collection compares texts: an application that joins by
 * them takes one for a pointer to the other. Only the columns of the key are read.
 */
export async function countedEach(
  { group }: CountEach,
  { kindOf, collation }: LiveCollection,
  find: Find,
): Promise<number[]> {
  const heldBy = heldTuples(group, kindOf, collation)
  const counts = Array<number>(group.values[0]?.length ?? 0).fill(0)
  for await (const document of foundByGroups(find, [group], { kindOf, columns: columnsOfGroups([group]) })) {
    for (const at of new Set(heldBy(document))) counts[at] = (counts[at] as number) + 1
  }
  return counts
}
