import { formatAddress } from '../../model/address.js'
import type { CollectionResult } from '../../model/collection-result.js'
import type { Identity } from '../../model/identity.js'
import type { LookedFor, Spelling } from '../../model/looked-for.js'
import type { PrivacyRequest } from '../../model/privacy-request.js'
import type { PackageDoubts } from '../../results/package-content.js'
import type { Plan, PlannedCollection } from '../../rules/plan/plan.js'
import { counted } from '../../rules/value/counted-rows.js'
import { unconfirmedProperties } from '../run/paused-for-decision.js'
import type { Confirmation } from './confirm-identities.js'
import { identityKeysOf } from './identity-matcher.js'
import { isOfList } from './other-values.js'
import type { CollectionOutcome } from './run-component.js'

/** The rows and properties that a package leaves out because they are undecided or were not searched for, with the reasons. */
export function packageDoubts(
  results: readonly CollectionResult[],
  plan: Plan,
  confirmation: Confirmation,
  outcomes: ReadonlyMap<string, CollectionOutcome>,
): PackageDoubts {
  const members = new Set(plan.collections.flatMap(namesOfMembers))
  const undecided = results.flatMap(({ dataset, collection: name, undecided = [], otherValues = [] }) => {
    const collection = formatAddress(dataset, name)
    return [
      ...undecided.map((each) => ({ collection, ...each, ...(members.has(each.reference) && inPart) })),
      // Only a list was delivered in part.
      ...otherValues.filter(isOfList).map((each) => ({ collection, ...each, ...inPart })),
    ]
  })
  for (const { counts } of outcomes.values()) {
    for (const { reference, to, values } of counts.notFollowed) {
      const reason = `${counted(values, 'value')} of it cannot be searched for there`
      undecided.push({ collection: to, reference, rowCount: null, reason })
    }
  }
  return { undecided, coverage: plan.coverage, unconfirmed: unconfirmedProperties(plan, confirmation) }
}

const inPart = { inPart: true as const }

/** The members of a collection that leave open whose a part of a row is, not the row. */
function namesOfMembers({ address, doubts = [], judging }: PlannedCollection): string[] {
  const inside = [
    ...judging.owners.flatMap((owner) => (owner.inside ? owner.fields : [])),
    ...judging.identities.flatMap((each) => (each.inside ? [each.field] : [])),
  ]
  return [...doubts.map(({ name }) => name), ...inside.map(({ name }) => `${address}.${name}`)]
}

/** The same for the stored request. */
export function recordDoubts({
  undecided,
  coverage,
  unconfirmed,
}: PackageDoubts): Pick<PrivacyRequest, 'incomplete' | 'unconfirmed' | 'coverage'> {
  const { hidden = [], filtered = [] } = coverage
  const isIncomplete = [undecided, unconfirmed, hidden, filtered].some((each) => each.length > 0)
  return {
    ...(isIncomplete && { incomplete: true as const }),
    ...(unconfirmed.length > 0 && { unconfirmed }),
    ...(Object.keys(coverage).length > 0 && { coverage }),
  }
}

/** Whether an erasure has found no row, on this attempt or an earlier one. */
export function foundNothing(results: readonly CollectionResult[]): boolean {
  return results.every(({ outcomes }) =>
    outcomes.every(({ outcome, rowCount }) => rowCount === 0 || outcome === 'skipped'),
  )
}

/** The properties that were searched, with their fields and spellings. */
export function lookedFor(
  plan: Plan,
  identities: readonly Identity[],
  { confirmed }: Pick<Confirmation, 'confirmed'>,
): LookedFor[] {
  const found = new Map<string, { property: string; spellings: readonly Spelling[]; fields: Set<string> }>()
  for (const collection of plan.collections) {
    for (const seed of collection.identities) {
      const { entry, object, property, needsConfirmation } = seed
      const field = collection.entries[entry]?.fields[0]
      if (!field || (needsConfirmation && !confirmed(object, property))) continue
      // A value that the field cannot hold is not searched.
      if (identityKeysOf(collection, seed, identities).length === 0) continue
      const name = `${property}\n${field.caseInsensitive}`
      const spellings: Spelling[] = field.caseInsensitive ? ['as given', 'without regard to case'] : ['as given']
      const known = found.get(name) ?? { property, spellings, fields: new Set<string>() }
      known.fields.add(`${collection.address}.${field.name}`)
      found.set(name, known)
    }
  }
  return [...found.values()].map(({ fields, ...each }) => ({ ...each, fields: [...fields] }))
}
