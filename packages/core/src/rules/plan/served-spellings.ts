import { inSmallLetters } from '../../model/compared-text.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import type { PlannedCollection } from './plan.js'
import type { Spellings } from './planned-field.js'

/**
 * The spellings in which an access searches for an e-mail address. In a large table these are only those that an index
 * serves. Undefined: all spellings, because an index serves them or no index would help.
 */
export function servedSpellings({ live }: CollectionNode, { path, column }: FieldNode): Spellings | undefined {
  if (!live?.large || !column || column.array || path.length > 1) return undefined
  if (column.foldedIndex === 'case and blanks') return undefined
  if (column.foldedIndex === 'case') return 'any case'
  return live.indexes.some(([first]) => first === column.name) ? 'given' : undefined
}

/** The texts to search for where only given spellings count. */
export function givenSpellings(text: string): readonly string[] {
  return [...new Set([text, inSmallLetters(text)])]
}

/** Whether a search for `text` finds a row with the value `held`. The two differ at most in case and outer blanks. */
export function isServed(spellings: Spellings, text: string, held: unknown): boolean {
  if (typeof held !== 'string') return false
  return spellings === 'given' ? givenSpellings(text).includes(held) : !/^[ \t\r\n]|[ \t\r\n]$/.test(held)
}

/** The identities that are not searched for in every spelling in a collection. Undefined where there are none. */
export function unservedSpellings({
  entries,
  identities,
}: Pick<PlannedCollection, 'entries' | 'identities'>): string | undefined {
  const names = new Set(identities.filter(({ entry }) => entries[entry]?.spellings).map(({ property }) => property))
  return names.size === 0 ? undefined : `other spellings: ${[...names].join(', ')}`
}
