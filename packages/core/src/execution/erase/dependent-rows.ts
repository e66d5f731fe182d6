import type { Link, PlannedCollection } from '../../rules/plan/plan.js'
import { isOutsideLists, namesOthers } from '../../rules/plan/shared-in-part.js'
import type { FoundRow } from '../find/found-rows.js'
import { conditionReader, elementsOf, keyReader } from '../find/key-reader.js'
import { type KeySet, keySet } from '../find/key-set.js'
import { type FoundContext, foundRowsOf } from './erasure-context.js'
import { type SharedRows, sharingCollections } from './sharing-collection.js'

/** A link from another collection, with the keys that its rows which stay lead to. */
interface LinkOfStaying {
  readonly address: string
  readonly link: Link
  readonly keys: KeySet
}

/**
 * The reasons, by place, to keep rows that were found through a shared row. Other people own them as much as that shared
 * row (docs/decisions/018). Own rows are left out, because another way makes them the subject's. Rows that a shared row
 * refers to are left out too, because the rows that refer to them are counted anyway.
 */
export async function dependentRows(
  context: FoundContext,
  collection: PlannedCollection,
  shared: SharedRows,
): Promise<ReadonlyMap<number, string>> {
  const links: LinkOfStaying[] = []
  for (const { collection: from, onShared } of sharingCollections(context)) {
    const places = shared.get(from.address)
    const mayBeInPart = from.arrays && onShared === 'retain'
    if (!mayBeInPart && (!places || places.size === 0)) continue
    for (const link of from.links) {
      if (link.to !== collection.address || link.kind === 'part' || link.kind === 'compared') continue
      const isBeside = isOutsideLists(from, link.fields)
      const inPart = ({ row, leftOut, sharesElements }: FoundRow) =>
        mayBeInPart && (isBeside ? namesOthers(from, row, leftOut) : sharesElements === true)
      links.push(await stayingKeys(context, from, link, collection, { places, inPart }))
    }
  }
  const reasons = new Map<number, string>()
  if (links.every(({ keys }) => keys.size === 0)) return reasons
  const readers = links.map(({ link }) => {
    const { fields, when } = collection.entries[link.entry] as PlannedCollection['entries'][number]
    return { keys: keyReader(collection, fields), meets: conditionReader(collection, when) }
  })
  for await (const rows of foundRowsOf(context, collection.address)) {
    for (const { place, own, row } of rows) {
      if (own) continue
      const document = elementsOf(collection, row)
      for (const [at, { address, keys }] of links.entries()) {
        const reader = readers[at] as (typeof readers)[number]
        if (!reader.meets(row, document)) continue
        reader.keys(row, document, (key) => {
          if (keys.find(key) !== -1) reasons.set(place, `found through a row of ${address} that is shared`)
        })
      }
    }
  }
  return reasons
}

async function stayingKeys(
  context: FoundContext,
  from: PlannedCollection,
  link: Link,
  { entries }: PlannedCollection,
  {
    places,
    inPart,
  }: { readonly places: ReadonlyMap<number, string> | undefined; readonly inPart: (foundRow: FoundRow) => boolean },
): Promise<LinkOfStaying> {
  const fields = entries[link.entry]?.fields ?? []
  const keys = keySet(fields)
  const read = keyReader(from, link.fields, fields)
  const meets = conditionReader(from, link.when)
  for await (const rows of foundRowsOf(context, from.address)) {
    for (const foundRow of rows) {
      const { place, row } = foundRow
      if (!places?.has(place) && !inPart(foundRow)) continue
      const document = elementsOf(from, row)
      if (meets(row, document)) read(row, document, (key) => void keys.add(key))
    }
  }
  return { address: from.address, link, keys }
}
