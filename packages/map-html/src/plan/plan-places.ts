import type { Plan, PlannedCollection, PlanWay, UnsearchedCollection } from '@habeas/core'
import { planWays } from '@habeas/core'

/** Where a way begins or ends, and what stands there. */
export type PlanPlace =
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'searched'; readonly name: string; readonly collection: PlannedCollection }
  | { readonly kind: 'unsearched'; readonly name: string; readonly unsearched: UnsearchedCollection }
  /** Its rows are counted, because an open reference leads there or comes from there. */
  | { readonly kind: 'counted'; readonly name: string }
  /** Collections that are not searched for one reason, as one, since they tell little and may be many. */
  | { readonly kind: 'many'; readonly name: string; readonly why: string; readonly names: readonly string[] }

export interface PlacedWay {
  readonly from: number
  readonly to: number
  readonly label: string
  readonly kind: PlanWay['kind'] | 'open'
}

/** What a plan is drawn of. Ways name places by their positions; open references stand last. */
export interface PlanPlaces {
  readonly places: readonly PlanPlace[]
  readonly ways: readonly PlacedWay[]
}

const nobodyDecided = {
  name: 'Nobody has decided',
  why: 'Not searched: no field of theirs has a category, so nobody has decided on them',
}
const notNeeded = { name: 'Not needed', why: 'Not searched: no target needs them' }

export function planPlaces(plan: Plan): PlanPlaces {
  const { collections, open, unsearched } = plan
  const ways = planWays(plan)
  const counted = new Set(open.flatMap(({ by, address }) => [by, address]))
  const isNeedless = ({ reason, address }: UnsearchedCollection) =>
    reason === 'no target needs it' && !counted.has(address)
  const needless = unsearched.filter(isNeedless).map(({ address }) => address)
  const described: PlanPlace[] = [
    ...collections.map((collection) => ({ kind: 'searched' as const, name: collection.address, collection })),
    ...unsearched
      .filter((each) => !isNeedless(each))
      .map((each) => ({ kind: 'unsearched' as const, name: each.address, unsearched: each })),
  ]
  for (const { name } of described) counted.delete(name)
  const properties = new Set(ways.flatMap(({ property }) => property ?? []))
  const places: PlanPlace[] = [
    ...[...properties].map((name) => ({ kind: 'property' as const, name })),
    ...described,
    ...[...counted].map((name) => ({ kind: 'counted' as const, name })),
  ]
  const withoutCategory = new Set(plan.coverage.collections)
  const undecided = needless.filter((name) => withoutCategory.has(name))
  const others = needless.filter((name) => !withoutCategory.has(name))
  if (undecided.length > 0) places.push({ kind: 'many', ...nobodyDecided, names: undecided })
  if (others.length > 0) places.push({ kind: 'many', ...notNeeded, names: others })
  const at = new Map(places.map(({ kind, name }, position) => [`${kind === 'property'} ${name}`, position]))
  const position = (name: string, isProperty = false) => at.get(`${isProperty} ${name}`) as number
  return {
    places,
    ways: [
      ...ways.map((way) => ({
        from: way.property === undefined ? position(way.from) : position(way.property, true),
        ...{ to: position(way.to), label: way.label, kind: way.kind },
      })),
      ...open.map(({ by, address, name, kind }) => {
        const field = name.slice((kind === 'reference' ? address : by).length + 1)
        return { from: position(by), to: position(address), label: `${field}: open ${kind}`, kind: 'open' as const }
      }),
    ],
  }
}
