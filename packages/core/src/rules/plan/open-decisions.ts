import type { Acceptance, AcceptanceKind } from '../../model/acceptance.js'
import type { Plan } from './plan.js'

/** By kind, names of what somebody may accept to be left out. */
export type OpenDecisions = Readonly<Record<AcceptanceKind, readonly string[]>>

/** What a plan names that nobody has decided on, for whoever accepts all of it. */
export function openDecisions({ unsearched, open, identities }: Plan): OpenDecisions {
  return {
    unsearched: missedCollections({ unsearched }).map(({ address }) => address),
    undecided: [...new Set(open.map(({ name }) => name))],
    unconfirmed: [...new Set(identities.flatMap(({ unconfirmable }) => unconfirmable))],
  }
}

/** Collections that the policy asks for and that are not searched. */
export function missedCollections({ unsearched }: Pick<Plan, 'unsearched'>): Plan['unsearched'] {
  return unsearched.filter(({ targeted, reason }) => targeted && reason !== 'no target needs it')
}

/**
 * What was accepted, with names in the place of `true`: nobody accepts what comes up later. A kind of which nothing is
 * named is left out.
 */
export function acceptedByName(said: Acceptance, named: Partial<OpenDecisions>): Acceptance {
  return Object.fromEntries(
    Object.entries(said).flatMap(([kind, names]) => {
      const accepted = names === true ? (named[kind as AcceptanceKind] ?? []) : names
      return accepted.length > 0 ? [[kind, accepted]] : []
    }),
  )
}
