import type { Value } from '../../model/value.js'
import { valueText } from '../value/cast-value.js'
import type { Plan, PlannedCollection } from './plan.js'

const parts: readonly (readonly [keyof PlannedCollection, string])[] = [
  ['columns', 'the columns read'],
  ['entries', 'the ways in'],
  ['identities', 'the identities it is entered by'],
  ['links', 'what it leads to'],
  ['judging', 'what says whose its rows are'],
  ['deliver', 'what is delivered'],
  ['erasure', 'what is erased'],
  ['sharedBy', 'who shares its rows'],
]

/** What is different in a plan, collection by collection, in a few words; empty: nothing that decides what it does. */
export function planDifference(before: Plan, now: Plan): string[] {
  const known = new Map(before.collections.map((collection) => [collection.address, collection]))
  const differences: string[] = []
  for (const collection of now.collections) {
    const old = known.get(collection.address)
    known.delete(collection.address)
    if (!old) differences.push(`'${collection.address}' is searched now`)
    else {
      const changed = parts.flatMap(([part, name]) => (isSame(old[part], collection[part]) ? [] : [name]))
      if (changed.length > 0) differences.push(`of '${collection.address}' ${changed.join(', ')}`)
    }
  }
  for (const address of known.keys()) differences.push(`'${address}' is not searched any more`)
  if (!isSame(before.erasure, now.erasure)) differences.push('the order of erasing')
  return differences
}

/** A storage may give members back in another order. */
function isSame(one: unknown, other: unknown): boolean {
  const plain = (data: unknown) => valueText(JSON.parse(JSON.stringify(data ?? null)) as Value)
  return plain(one) === plain(other)
}
