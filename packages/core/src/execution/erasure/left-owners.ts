import type { Row } from '../../ports/connector.js'
import type { PlannedCollection } from '../../rules/plan.js'
import type { JudgedOwner } from '../../rules/planned-judging.js'
import { columnOf } from '../../rules/spelled-columns.js'
import { conditionReader, keyReader } from '../row-reader.js'
import { type ErasureContext, erasedCollections, keptRowsOf, namingColumns } from './erased-collection.js'
import { nameOf } from './pointer-names.js'
import type { SharedRows } from './sharing-collection.js'

/*
 * Rows that belong to two people, such as a message, and that an earlier erasure has left for the second of them: the second
 * erasure takes them along. They are known by keyed hashes, like rows that point to what others had a share in.
 */

/** By which references a row leads to the person, and by which to somebody else. */
type Owners = (row: Row) => readonly { readonly owner: JudgedOwner; readonly leads: boolean }[]

/** Undefined where nothing of this is kept: rows that hold an identity, or that no key names, say more than references do. */
function ownersReader(context: ErasureContext, collection: PlannedCollection): Owners | undefined {
  const { judging, slots, erasure, arrays, address } = collection
  if (judging.owners.length < 2 || judging.identities.length > 0 || arrays || !erasure || erasure.key.length === 0)
    return undefined
  const asked = context.asked(address)
  const owners = judging.owners.map((owner) => {
    const slot = owner.slot === undefined ? undefined : slots[owner.slot]
    const { fields, when } = slot ?? owner
    return {
      ...{ owner, read: keyReader(collection, fields), meets: conditionReader(collection, when) },
      keys: slot ? (asked.find((each) => each.slot === owner.slot)?.keys ?? []) : [],
    }
  })
  return (row) =>
    owners.flatMap(({ owner, read, meets, keys }) => {
      let holds = false
      let leads = false
      const look = (key: Parameters<(typeof keys)[number]['find']>[0]) => {
        holds = true
        if (keys.some((some) => some.find(key) !== -1)) leads = true
      }
      if (meets(row)) read(row, undefined, look)
      return holds ? [{ owner, leads }] : []
    })
}

/** By its key, and by what it names its owner with: it may have become somebody else's since. */
function nameOfOwner({ pointers }: ErasureContext, collection: PlannedCollection, owner: JudgedOwner, row: Row) {
  const { address, columns } = collection
  const names = owner.fields.map(columnOf)
  return pointers.hash(['owner', address, ...names, nameOf([...namingColumns(collection), ...names], row, columns)])
}

/** Names, by collection, that the rows which stay for others were the person's as well. */
export async function leftOwners(context: ErasureContext, shared: SharedRows): Promise<ReadonlyMap<string, string>> {
  const left = new Map<string, string>()
  for (const collection of erasedCollections(context)) {
    const staying = shared.get(collection.address)
    const ownersOf = staying && staying.size > 0 ? ownersReader(context, collection) : undefined
    if (!ownersOf) continue
    for await (const rows of keptRowsOf(context, collection.address)) {
      for (const { reason, place, row } of rows) {
        if (reason === undefined || !staying?.has(place)) continue
        for (const { owner, leads } of ownersOf(row))
          if (leads) left.set(await nameOfOwner(context, collection, owner, row), collection.address)
      }
    }
  }
  return left
}

/** Rows that belong to others as well by what they say themselves, but for those whose others were erased before. */
export async function foundShared(context: ErasureContext, address: string): Promise<ReadonlyMap<number, string>> {
  const reasons = new Map<number, string>()
  const collection = context.byAddress.get(address) as PlannedCollection
  const ownersOf = (await context.pointers.any(collection)) ? ownersReader(context, collection) : undefined
  for await (const rows of keptRowsOf(context, address)) {
    const names = new Map<number, readonly string[]>()
    for (const { place, row, reason } of rows) {
      if (reason === undefined) continue
      reasons.set(place, reason)
      const others = ownersOf?.(row).filter(({ leads }) => !leads) ?? []
      if (others.length === 0) continue
      names.set(place, await Promise.all(others.map(({ owner }) => nameOfOwner(context, collection, owner, row))))
    }
    const known = await context.pointers.known([...names.values()].flat())
    for (const [place, of] of names) if (of.every((name) => known.has(name))) reasons.delete(place)
  }
  return reasons
}
