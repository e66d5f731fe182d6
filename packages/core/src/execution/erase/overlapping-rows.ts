import type { Identity } from '../../model/identity.js'
import { isTypedText } from '../../model/value.js'
import { tuplesAt, withoutElements } from '../../rules/erase/filter-elements.js'
import { isBlank } from '../../rules/value/cast-value.js'
import type { FoundRow } from '../find/found-rows.js'
import { documentOf } from '../find/key-reader.js'
import type { FewOthers } from './all-shared-rows.js'
import { collectionsToErase, type FoundContext, foundRowsOf, namingColumns } from './erasure-context.js'
import { keyText } from './key-text.js'

/** How many own rows of a collection are hashed. Two requests that erase the same rows choose the same ones. */
const maxOwn = 2
/** How many shared rows of a collection are hashed. There are more, because one person may share rows with many others. */
const maxShared = 50

type Hash = (name: string) => Promise<string>

/**
 * Keyed hashes of some of the subject's own rows: those whose names hash lowest. Requests that know one person by different
 * identities have these hashes in common, so their locks meet.
 */
export function overlappingRows(context: FoundContext, hash: Hash): Promise<string[]> {
  return hashesOf(context, maxOwn, 'own', hash, () => isOwn)
}

/** Keyed hashes of rows that few other people share. Erasures of these people have them in common. */
export function sharedWithFew(context: FoundContext, few: FewOthers, hash: Hash): Promise<string[]> {
  return hashesOf(context, maxShared, 'shared', hash, (address) => {
    const places = few.get(address)
    return places && places.size > 0 ? ({ place }) => places.has(place) : undefined
  })
}

const isOwn = ({ own }: FoundRow): boolean => own

async function hashesOf(
  context: FoundContext,
  limit: number,
  kind: string,
  hash: Hash,
  /** Which rows of a collection are included. Undefined: none of them. */
  filterOf: (address: string) => ((foundRow: FoundRow) => boolean) | undefined,
): Promise<string[]> {
  const names: string[] = []
  for (const collection of collectionsToErase(context)) {
    const { address } = collection
    const isIncluded = filterOf(address)
    if (!isIncluded) continue
    const at = namingColumns(collection).map((name) => collection.columns.indexOf(name))
    const lowest: { readonly name: string; readonly rank: number }[] = []
    for await (const rows of foundRowsOf(context, address)) {
      for (const foundRow of rows) {
        if (!isIncluded(foundRow)) continue
        const name = keyText(at.map((index) => foundRow.row[index] ?? null))
        const rank = rankOf(name)
        if (lowest.length === limit && rank >= (lowest.at(-1)?.rank ?? 0)) continue
        if (lowest.some((each) => each.name === name)) continue
        lowest.push({ name, rank })
        lowest.sort((one, other) => one.rank - other.rank)
        lowest.length = Math.min(lowest.length, limit)
      }
    }
    for (const { name } of lowest) names.push(await hash(JSON.stringify([kind, address, name])))
  }
  return names
}

/** FNV-1a, which is cheap enough for every row and the same in every process. */
function rankOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** The identities that the subject's own rows hold, each by itself. */
export async function ownIdentities(context: FoundContext): Promise<Identity[]> {
  const known = new Map<string, Identity>()
  for (const collection of context.plan.collections) {
    const { address, knownBy = [] } = collection
    if (knownBy.length === 0) continue
    for await (const rows of foundRowsOf(context, address)) {
      for (const { own, row, leftOut } of rows) {
        if (!own) continue
        const document = withoutElements(documentOf(collection, row), leftOut)
        for (const { property, field } of knownBy) {
          for (const { values } of tuplesAt(document, [field.path])) {
            const [value] = values
            if (isBlank(value, field.placeholders)) continue
            const text = String(isTypedText(value) ? value.text : value)
            known.set(JSON.stringify([property, text]), { [property]: text })
          }
        }
      }
    }
  }
  return [...known.values()]
}
