import type { Issue } from '../../errors.js'
import { type Acceptance, type AcceptanceKind, acceptanceKinds, acceptanceOption } from '../../model/acceptance.js'
import type { Identity } from '../../model/identity.js'
import type { Warning } from '../../model/parse-input.js'
import { type OpenDecisions, openDecisions } from '../plan/open-decisions.js'
import type { Plan } from '../plan/plan.js'

/** An accepted name that does not occur in the plan. */
interface UnknownAcceptance {
  readonly kind: AcceptanceKind
  /** Its position in the list. */
  readonly at: number
  readonly name: string
}

const whatItNames: Readonly<Record<AcceptanceKind, string>> = {
  unsearched: 'no described collection',
  undecided: 'no described field or reference',
  unconfirmed: 'no property of the identities',
}

/** Accepted names that neither the plan nor a run knows (`named`). They are probably misspelled. */
function unknownAcceptances(accepted: Acceptance, plan: Plan, named: Partial<OpenDecisions> = {}): UnknownAcceptance[] {
  return acceptanceKinds.flatMap((kind) => {
    const names = accepted[kind]
    if (names === undefined || names === true) return []
    const isKnown = knower(kind, plan, named[kind] ?? [])
    return names.flatMap((name, at) => (isKnown(name) ? [] : [{ kind, at, name }]))
  })
}

/** The same as issues for the caller, with the names that can be accepted. */
export function acceptanceIssues(accepted: Acceptance, plan: Plan, named: Partial<OpenDecisions> = {}): Issue[] {
  const open = openDecisions(plan)
  return unknownAcceptances(accepted, plan, named).map(({ kind, at, name }) => {
    const known = [...new Set([...(named[kind] ?? []), ...open[kind]])].sort().map((each) => `'${each}'`)
    const more = known.length > 10 ? ` and ${known.length - 10} more` : ''
    const what = known.length === 0 ? 'nothing' : `${known.slice(0, 10).join(', ')}${more}`
    return {
      loc: [acceptanceOption(kind), at],
      msg: `'${name}' names ${whatItNames[kind]}: the names that can be accepted there are ${what}`,
      type: 'not_found',
    }
  })
}

/**
 * Log messages about names that were accepted at submission and that the plan does not contain, each with its
 * collection.
 */
export function unknownInLog(accepted: Acceptance, plan: Plan) {
  return unknownAcceptances(accepted, plan).flatMap(({ kind, name }) => {
    const [, dataset, collection] = /^([^:]+):([^.]+)/.exec(name) ?? []
    if (dataset === undefined || collection === undefined) return []
    return [{ place: { dataset, collection }, message: `'${name}' was accepted, but it names ${whatItNames[kind]}` }]
  })
}

/** Warnings about names that are impossible, whatever the plan will be. */
export function acceptanceWarnings(accepted: Acceptance, identities: readonly Identity[]): Warning[] {
  const isProperty = (name: string) => identities.some((identity) => Object.hasOwn(identity, name))
  return acceptanceKinds.flatMap((kind) => {
    const names = accepted[kind]
    if (names === undefined || names === true) return []
    const isPossible = kind === 'unconfirmed' ? isProperty : (name: string) => name.includes(':')
    return names.flatMap((name, at) =>
      isPossible(name) ? [] : [{ loc: [acceptanceOption(kind), at], msg: `'${name}' names ${whatItNames[kind]}` }],
    )
  })
}

function knower(
  kind: AcceptanceKind,
  { collections, unsearched, open, identities }: Plan,
  named: readonly string[],
): (name: string) => boolean {
  const known = new Set(named)
  if (kind === 'unconfirmed') {
    for (const { properties, unconfirmable } of identities)
      for (const property of [...properties, ...unconfirmable]) known.add(property)
    return (name) => known.has(name)
  }
  if (kind === 'unsearched') {
    for (const { address } of [...collections, ...unsearched]) known.add(address)
    return (name) => known.has(name)
  }
  for (const { name } of [...open, ...collections.flatMap(({ doubts = [] }) => doubts)]) known.add(name)
  const fields = new Map<string, ReadonlySet<string> | undefined>(unsearched.map(({ address }) => [address, undefined]))
  for (const { address, read, notRead } of collections)
    fields.set(address, new Set([...read.map(({ field }) => field), ...notRead]))
  return (name) => known.has(name) || isFieldOf(fields, name)
}

/**
 * Whether a name is that of a field, or of several fields of one reference. A plan knows no fields of collections that
 * are not searched.
 */
function isFieldOf(byAddress: ReadonlyMap<string, ReadonlySet<string> | undefined>, name: string): boolean {
  // Both the name of a collection and that of a field may hold dots.
  for (let end = name.indexOf('.'); end !== -1; end = name.indexOf('.', end + 1)) {
    const address = name.slice(0, end)
    if (!byAddress.has(address)) continue
    const fields = byAddress.get(address)
    const parts = name.slice(end + 1).split(', ')
    if (!fields || parts.every((part) => fields.has(part))) return true
  }
  return false
}
