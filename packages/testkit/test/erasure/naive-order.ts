import type { MemoryCollection } from '@habeas/testkit'
import type { Arrow, Place } from '../engine/naive-graph.js'
import type { Fates } from './naive-fates.js'

/* §7.12: which collections are written before which others. */

interface Order {
  readonly first: string
  readonly next: string
}

/** `hard`: by `erase_after`, and by foreign keys to rows that go. `all`: also what is reached first, but within a circle. */
export function orders(
  searched: readonly Place[],
  arrows: readonly Arrow[],
  fates: ReadonlyMap<Place, Fates>,
  live: ReadonlyMap<string, MemoryCollection>,
): { readonly hard: readonly Order[]; readonly all: readonly Order[] } {
  const known = new Set(searched.map(({ address }) => address))
  const demanded = searched.flatMap((place): Order[] => {
    const after = place.collection.service_meta.erase_after.map((first) => ({ first, next: place.address }))
    const { how, targeted } = fates.get(place) as Fates
    if (how !== 'delete' || targeted.length === 0) return after
    const dataset = place.dataset.service_key
    const pointing = [...live].filter(
      ([address, { foreignKeys = [] }]) =>
        address.startsWith(`${dataset}:`) &&
        foreignKeys.some(({ references }) => references.collection === place.collection.name),
    )
    return [...after, ...pointing.map(([first]) => ({ first, next: place.address }))]
  })
  const isBetween = ({ first, next }: Order) => first !== next && known.has(first) && known.has(next)
  const hard = demanded.filter(isBetween)
  const reached = arrows.map(({ from, to }) => ({ first: to.address, next: from.address })).filter(isBetween)
  const both = [...hard, ...reached]
  return { hard, all: [...hard, ...reached.filter(({ first, next }) => !leads(both, next, first))] }
}

/** Orders that nothing suits. */
export function orderRefusals(hard: readonly Order[]): string[] {
  return hard.flatMap(({ first, next }) =>
    leads(hard, next, first) ? [`${first} and ${next} wait for each other`] : [],
  )
}

function leads(all: readonly Order[], from: string, to: string): boolean {
  const seen = new Set([from])
  for (let size = 0; size !== seen.size; ) {
    size = seen.size
    for (const { first, next } of all) if (seen.has(first)) seen.add(next)
  }
  return seen.has(to)
}
