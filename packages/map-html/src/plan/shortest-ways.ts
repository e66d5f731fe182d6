import type { PlanPlaces } from './plan-places.js'

/** How a request comes to a place: the ways in their order, of which there are as few as possible. */
export interface Reached {
  readonly distance: number
  readonly way: readonly number[]
}

/** For each place that a property leads to. Open references are no ways, but their ends stand one step behind. */
export function shortestWays({ places, ways }: PlanPlaces): readonly (Reached | undefined)[] {
  const reached: (Reached | undefined)[] = places.map(({ kind }) =>
    kind === 'property' ? { distance: 0, way: [] } : undefined,
  )
  const leaving = new Map<number, number[]>()
  for (const [at, { from }] of ways.entries()) leaving.set(from, [...(leaving.get(from) ?? []), at])
  const queue = reached.flatMap((each, at) => (each ? [at] : []))
  for (const at of queue) {
    const { distance, way } = reached[at] as Reached
    for (const next of leaving.get(at) ?? []) {
      const { to, kind } = ways[next] as (typeof ways)[number]
      if (kind === 'open' || reached[to]) continue
      reached[to] = { distance: distance + 1, way: [...way, next] }
      queue.push(to)
    }
  }
  return reached
}
