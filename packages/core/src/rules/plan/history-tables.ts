import { nameWords } from '../draft/name-words.js'
import type { CollectionNode } from './collection-node.js'
import type { Database } from './uncovered-table.js'

const historyWords = new Set(
  `history historie hist audit aud log version revision archive archiv archived old backup bak deleted trash journal shadow`.split(
    ' ',
  ),
)

/** Names, as joined words, of what a table such as `customer_history` or `audit_customers` is named like the history of. */
export function namedHistoryOf(table: string): readonly string[] {
  const words = nameWords(table)
  const rests = [
    historyWords.has(words.at(-1) ?? '') ? words.slice(0, -1) : [],
    historyWords.has(words[0] ?? '') ? words.slice(1) : [],
  ]
  return rests.filter((rest) => rest.length > 0).map((rest) => rest.join('_'))
}

/** Undescribed tables such as `customer_history` and `audit_customers`. */
export function historyTables({ tables, described }: Database, isSearched: (address: string) => boolean) {
  if (tables.length === 0) return []
  const searched = new Map<string, CollectionNode>()
  for (const [name, node] of described) if (isSearched(node.address)) searched.set(nameWords(name).join('_'), node)
  return tables.flatMap(({ name, view }) => {
    if (view) return []
    const node = namedHistoryOf(name)
      .map((of) => searched.get(of))
      .find((each) => each !== undefined)
    return node ? [{ dataset: node.dataset.service_key, table: name, of: node.address }] : []
  })
}
