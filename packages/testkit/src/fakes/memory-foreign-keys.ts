import type { ForeignKey } from '@habeas/core'
import { looseKey } from './key-speller.js'
import type { MemoryRow } from './memory-database.js'
import { type DraftedChange, keyText, kindsOf, type MemoryDraft, refused } from './memory-draft.js'

interface Link extends ForeignKey {
  /** The collection that has the key. */
  readonly from: string
  /** Numbers are compared as numbers where one end holds decimals. */
  readonly kinds: readonly ('decimal' | undefined)[]
}

const linksOf = (draft: MemoryDraft): Link[] =>
  Object.entries(draft.database).flatMap(([from, { foreignKeys = [] }]) =>
    foreignKeys
      .filter(({ references }) => references.schema === undefined)
      .map((key) => ({ ...key, from, kinds: kindsOfLink(draft, from, key) })),
  )

const kindsOfLink = ({ database }: MemoryDraft, from: string, { columns, references }: ForeignKey) => {
  const to = database[references.collection]
  const [own, other] = [kindsOf(database[from]!, columns), to ? kindsOf(to, references.columns) : []]
  return columns.map((_, part) => ([own[part], other[part]].includes('decimal') ? 'decimal' : undefined))
}

/** The key by which a row refers, or is referred to, at some columns. */
const linkText = ({ loose, kinds }: Link, row: MemoryRow, columns: readonly string[]): string | undefined =>
  loose ? looseKey(row, columns) : keyText(row, columns, kinds)

/** The old keys of a drafted row that it will not have any more. */
const lostKey = ({ before, after }: DraftedChange, link: Link): string | undefined => {
  const { columns } = link.references
  const key = linkText(link, before, columns)
  return after !== undefined && linkText(link, after, columns) === key ? undefined : key
}

/**
 * Carries out the foreign keys of rows that refer to drafted rows, as far as the cascades lead, and refuses a draft
 * that leaves a row referring to nothing. Rows that referred to nothing before stay as they are.
 */
export const followForeignKeys = (draft: MemoryDraft): void => {
  const links = linksOf(draft)
  let seen = new Set<MemoryRow>()
  for (;;) {
    const removed = draft.changes().filter(({ before, after }) => after === undefined && !seen.has(before))
    if (removed.length === 0) break
    seen = new Set([...seen, ...removed.map(({ before }) => before)])
    for (const link of links) carryOut(draft, link, removed)
  }
  for (const link of links) checkLink(draft, link)
}

const carryOut = (draft: MemoryDraft, link: Link, removed: readonly DraftedChange[]): void => {
  const { from, columns, onDelete, references } = link
  if (onDelete === 'no action' || onDelete === 'restrict') return
  const lost = new Set(
    removed.filter(({ collection }) => collection === references.collection).map((change) => lostKey(change, link)),
  )
  for (const row of draft.rows(from)) {
    const key = linkText(link, row, columns)
    if (key === undefined || !lost.has(key)) continue
    if (onDelete === 'cascade') draft.remove(from, row)
    // a column without a default is set to null
    else draft.change(from, row, Object.fromEntries(columns.map((column) => [column, null])))
  }
}

const checkLink = (draft: MemoryDraft, link: Link): void => {
  const { from, columns, name, references } = link
  const changes = draft.changes()
  const lost = new Set(
    changes.flatMap((change) => (change.collection === references.collection ? (lostKey(change, link) ?? []) : [])),
  )
  const repointed = changes.flatMap(({ collection, before, after }) => {
    if (collection !== from || after === undefined) return []
    const key = linkText(link, after, columns)
    return key === undefined || key === linkText(link, before, columns) ? [] : [key]
  })
  const dangling = new Set([...lost, ...repointed])
  if (dangling.size === 0) return
  for (const row of draft.rows(references.collection)) dangling.delete(linkText(link, row, references.columns) ?? '')
  if (dangling.size === 0) return
  const broken = draft.rows(from).some((row) => dangling.has(linkText(link, row, columns) ?? ''))
  if (broken)
    throw refused(repointed.some((key) => dangling.has(key)) ? from : references.collection, { constraint: name })
}
