import type { CollectionNode, FieldNode } from './collection-node.js'
import type { PlannedCollection, Spellings } from './plan.js'

/**
 * In which spellings an access looks for an e-mail address: only in those that an index serves, where the table is large.
 * Undefined: in all, since an index serves these, or no index would spare the search anything.
 */
export function servedSpellings({ live }: CollectionNode, { path, column }: FieldNode): Spellings | undefined {
  if (!live?.large || !column || column.array || path.length > 1) return undefined
  if (column.foldedIndex === 'case and blanks') return undefined
  if (column.foldedIndex === 'case') return 'any case'
  return live.indexes.some(([first]) => first === column.name) ? 'given' : undefined
}

/** The texts to ask for where only given spellings are looked for. */
export function givenSpellings(text: string): readonly string[] {
  return [...new Set([text, text.toLowerCase()])]
}

/** Whether a search for `text` finds a row that holds `held`. The two differ in case and outer blanks at most. */
export function isServed(spellings: Spellings, text: string, held: unknown): boolean {
  if (typeof held !== 'string') return false
  return spellings === 'given' ? givenSpellings(text).includes(held) : !/^[ \t\r\n]|[ \t\r\n]$/.test(held)
}

/** The identities of which some spellings are not looked for in a collection; undefined: there are none. */
export function unservedSpellings({
  entries,
  identities,
}: Pick<PlannedCollection, 'entries' | 'identities'>): string | undefined {
  const names = new Set(identities.filter(({ entry }) => entries[entry]?.spellings).map(({ property }) => property))
  return names.size === 0 ? undefined : `other spellings: ${[...names].join(', ')}`
}
