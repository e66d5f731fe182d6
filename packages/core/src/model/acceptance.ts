import * as z from 'zod'

const named = z
  .union([z.boolean(), z.array(z.string().min(1).max(500)).max(1_000)], {
    error: 'must be true, false or a list of names',
  })
  .exactOptional()

/**
 * What may be left out of a request, each by name. `true` at submission: all; later: what the plan or the pause names that
 * the caller could see.
 */
export const acceptanceShape = {
  /** Collections that are not searched: `dataset:collection`. */
  acceptUnsearched: named,
  /** References and fields by which rows may be the person's or not: `dataset:collection.field`. */
  acceptUndecided: named,
  /** Identity properties that no row confirms. */
  acceptUnconfirmed: named,
}

export const acceptanceSchema = z.strictObject(acceptanceShape)

type Names = boolean | readonly string[] | undefined

/** What a caller accepts: names, or `true` for all. */
export interface AcceptanceInput {
  readonly acceptUnsearched?: Names
  readonly acceptUndecided?: Names
  readonly acceptUnconfirmed?: Names
}

export const acceptanceKinds = ['unsearched', 'undecided', 'unconfirmed'] as const
export type AcceptanceKind = (typeof acceptanceKinds)[number]

/** The option by which a kind is accepted. */
export function acceptanceOption<Kind extends AcceptanceKind>(kind: Kind): `accept${Capitalize<Kind>}` {
  return `accept${kind.charAt(0).toUpperCase()}${kind.slice(1)}` as `accept${Capitalize<Kind>}`
}

/** What somebody has accepted for a request. */
export type Acceptance = { readonly [Kind in AcceptanceKind]?: true | readonly string[] }

/** What a caller says, as a request keeps it. */
export function acceptanceOf({ acceptUnsearched, acceptUndecided, acceptUnconfirmed }: AcceptanceInput): Acceptance {
  const said = { unsearched: acceptUnsearched, undecided: acceptUndecided, unconfirmed: acceptUnconfirmed }
  return Object.fromEntries(
    Object.entries(said).flatMap(([kind, what]) =>
      what === true || (Array.isArray(what) && what.length > 0) ? [[kind, what]] : [],
    ),
  )
}

/** What was accepted before, and what is accepted now. */
export function withAcceptance(before: Acceptance = {}, now: Acceptance): Acceptance {
  const both = acceptanceKinds.flatMap((kind) => {
    const [one, other] = [before[kind], now[kind]]
    if (one === undefined && other === undefined) return []
    const all = one === true || other === true || [...new Set([...(one ?? []), ...(other ?? [])])]
    return [[kind, all]]
  })
  return Object.fromEntries(both)
}

/** Of names, those that nobody has accepted. */
export function notAccepted(
  acceptance: Acceptance | undefined,
  kind: AcceptanceKind,
  names: readonly string[],
): string[] {
  const accepted = acceptance?.[kind]
  return accepted === true ? [] : [...new Set(names)].filter((name) => !accepted?.includes(name))
}

/** What a request keeps, as a caller would say it. */
export function acceptanceInput({ unsearched, undecided, unconfirmed }: Acceptance): AcceptanceInput {
  const list = (said: true | readonly string[]) => (said === true ? true : [...said])
  return {
    ...(unsearched && { acceptUnsearched: list(unsearched) }),
    ...(undecided && { acceptUndecided: list(undecided) }),
    ...(unconfirmed && { acceptUnconfirmed: list(unconfirmed) }),
  }
}
