import type { Acceptance, AcceptanceKind } from '../../model/acceptance.js'
import type { Plan } from './plan.js'

/** By kind, the names that a caller may accept. */
export type OpenDecisions = Readonly<Record<AcceptanceKind, readonly string[]>>

/** Everything that a plan leaves undecided, for a caller who accepts all of it. */
export function openDecisions(plan: Plan): OpenDecisions {
  const { open, identities, collections } = plan
  const doubts = collections.flatMap((each) => each.doubts ?? [])
  return {
    unsearched: [...missedCollections(plan).map(({ address }) => address), ...hiddenCollections(plan)],
    undecided: [...new Set([...open, ...doubts].map(({ name }) => name))],
    unconfirmed: [...new Set(identities.flatMap(({ unconfirmable }) => unconfirmable))],
  }
}

/** Collections that the policy asks for and that are not searched. */
export function missedCollections({ unsearched }: Pick<Plan, 'unsearched'>): Plan['unsearched'] {
  return unsearched.filter(({ targeted, reason }) => targeted && reason !== 'no target needs it')
}

/** Searched collections of which the server may hide rows, or mask values. */
export function hiddenCollections({ coverage }: Pick<Plan, 'coverage'>): readonly string[] {
  return coverage.hidden ?? []
}

/**
 * An acceptance with names in place of `true`, so that it does not cover later decisions. A kind without names is left
 * out.
 */
export function acceptedByName(said: Acceptance, named: Partial<OpenDecisions>): Acceptance {
  return Object.fromEntries(
    Object.entries(said).flatMap(([kind, names]) => {
      const accepted = names === true ? (named[kind as AcceptanceKind] ?? []) : names
      return accepted.length > 0 ? [[kind, accepted]] : []
    }),
  )
}
