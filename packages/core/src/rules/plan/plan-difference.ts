import type { Value } from '../../model/value.js'
import { valueText } from '../value/cast-value.js'
import type { Plan, PlannedCollection } from './plan.js'

const parts: readonly (readonly [keyof PlannedCollection, string])[] = [
  ['columns', 'the columns to read'],
  ['entries', 'the entries'],
  ['identities', 'the identities that enter it'],
  ['links', 'the references out of it'],
  ['judging', 'the owners of its rows'],
  ['deliver', 'the fields to deliver'],
  ['erasure', 'the fields to erase'],
  ['sharedBy', 'the references that share its rows'],
]

/** The differences between two plans in a few words, collection by collection. Empty where both do the same. */
export function planDifference(before: Plan, now: Plan): string[] {
  const known = new Map(before.collections.map((collection) => [collection.address, collection]))
  const differences: string[] = []
  for (const collection of now.collections) {
    const old = known.get(collection.address)
    known.delete(collection.address)
    if (!old) differences.push(`'${collection.address}' is now searched`)
    else {
      const changed = parts.flatMap(([part, name]) => (isSame(old[part], collection[part]) ? [] : [name]))
      if (changed.length > 0) differences.push(`'${collection.address}' changed in ${changed.join(', ')}`)
    }
  }
  for (const address of known.keys()) differences.push(`'${address}' is no longer searched`)
  if (!isSame(before.erasure, now.erasure)) differences.push('the order of erasing')
  return differences
}

/** A storage may return members in another order. */
function isSame(one: unknown, other: unknown): boolean {
  const plain = (data: unknown) => valueText(JSON.parse(JSON.stringify(data ?? null)) as Value)
  return plain(one) === plain(other)
}
