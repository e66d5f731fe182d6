import * as z from 'zod'

const named = z
  .union([z.boolean(), z.array(z.string().min(1).max(500)).max(1_000)], {
    error: 'must be true, false or a list of names',
  })
  .exactOptional()

/**
 * What a caller accepts that the service leaves out of a request, each by name. At submission `true` accepts all. Later
 * `true` accepts what the plan or the pause names and the caller could see.
 */
export const acceptanceShape = {
  /** Collections that are not searched: `dataset:collection`. */
  acceptUnsearched: named,
  /** References and fields that leave open whether rows belong to the person: `dataset:collection.field`. */
  acceptUndecided: named,
  /** Identity properties that no row confirms. */
  acceptUnconfirmed: named,
}

export const acceptanceSchema = z.strictObject(acceptanceShape)

type Names = boolean | readonly string[] | undefined

/** The names that a caller accepts, or `true` for all. */
export interface AcceptanceInput {
  readonly acceptUnsearched?: Names
  readonly acceptUndecided?: Names
  readonly acceptUnconfirmed?: Names
}

export const acceptanceKinds = ['unsearched', 'undecided', 'unconfirmed'] as const
export type AcceptanceKind = (typeof acceptanceKinds)[number]

/** The name of the option that accepts a kind. */
export function acceptanceOption<Kind extends AcceptanceKind>(kind: Kind): `accept${Capitalize<Kind>}` {
  return `accept${kind.charAt(0).toUpperCase()}${kind.slice(1)}` as `accept${Capitalize<Kind>}`
}

/** What somebody has accepted for a request. */
export type Acceptance = { readonly [Kind in AcceptanceKind]?: true | readonly string[] }

/** The input of a caller in the form in which a request stores it. */
export function acceptanceOf({ acceptUnsearched, acceptUndecided, acceptUnconfirmed }: AcceptanceInput): Acceptance {
  const said = { unsearched: acceptUnsearched, undecided: acceptUndecided, unconfirmed: acceptUnconfirmed }
  return Object.fromEntries(
    Object.entries(said).flatMap(([kind, what]) =>
      what === true || (Array.isArray(what) && what.length > 0) ? [[kind, what]] : [],
    ),
  )
}

/** Merges an earlier acceptance with a new one. */
export function withAcceptance(before: Acceptance = {}, now: Acceptance): Acceptance {
  const both = acceptanceKinds.flatMap((kind) => {
    const [one, other] = [before[kind], now[kind]]
    if (one === undefined && other === undefined) return []
    const all = one === true || other === true || [...new Set([...(one ?? []), ...(other ?? [])])]
    return [[kind, all]]
  })
  return Object.fromEntries(both)
}

/** The names that are not accepted yet. */
export function notAccepted(
  acceptance: Acceptance | undefined,
  kind: AcceptanceKind,
  names: readonly string[],
): string[] {
  const accepted = acceptance?.[kind]
  return accepted === true ? [] : [...new Set(names)].filter((name) => !accepted?.includes(name))
}

/** A stored acceptance in the form in which a caller would write it. */
export function acceptanceInput({ unsearched, undecided, unconfirmed }: Acceptance): AcceptanceInput {
  const list = (said: true | readonly string[]) => (said === true ? true : [...said])
  return {
    ...(unsearched && { acceptUnsearched: list(unsearched) }),
    ...(undecided && { acceptUndecided: list(undecided) }),
    ...(unconfirmed && { acceptUnconfirmed: list(unconfirmed) }),
  }
}
