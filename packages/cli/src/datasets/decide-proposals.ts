import { applyProposals, type Dataset, type Proposal } from '@habeas/core'
import { wrongUsage } from '../command-end.js'
import { changedField } from './changed-field.js'

/** The dataset with these proposals applied, and no other. */
export function accepting(dataset: Dataset, proposals: readonly Proposal[], ids: readonly string[]): Dataset {
  const named = proposals.filter(({ id }) => ids.includes(id))
  const isOwner = (collection: string, field: string) =>
    named.some((each) => each.kind === 'owner' && each.collection === collection && each.owner.includes(field))
  // an owner that is a field of the row itself is an identity
  const chosen = proposals.filter(
    (each) => named.includes(each) || (each.kind === 'identity' && isOwner(each.collection, each.field)),
  )
  return applyProposals(dataset, chosen, { accept: [...ids] })
}

/** The dataset with these proposals refused: marks columns as reviewed, or writes down why they hold no personal data. */
export function refusing(dataset: Dataset, proposals: readonly Proposal[], reason: string | undefined): Dataset {
  const group = proposals.find((each) => each.kind === 'owner' && each.owner.length === 0)
  if (group)
    throw wrongUsage(
      `'${group.id}' says that rows of '${group.collection}' belong to nobody: to refuse it, say whose they are, by a direction of a reference or by an identity.`,
    )
  const refused = (list: readonly Proposal[]) => applyProposals(dataset, list, { refuse: () => true, atLeast: 1 })
  if (!reason) return refused(proposals)
  const categories = proposals.filter(({ kind }) => kind === 'category')
  return categories.reduce(
    (waived, each) => ('field' in each ? withReason(waived, `${each.collection}.${each.field}`, reason) : waived),
    refused(proposals.filter(({ kind }) => kind !== 'category')),
  )
}

/** Whether a collection contradicts a proposed owner: it calls a field of that owner no identity, or it says whose rows are that the proposal calls nobody's. */
export function isOwnerSaid({ fields }: Dataset['collections'][number], owner: readonly string[]): boolean {
  return fields.some(({ name, service_meta: { identity, reviewed, references } }) =>
    owner.length > 0
      ? owner.includes(name) && reviewed && identity === undefined
      : identity !== undefined || references.some(({ direction }) => direction === 'from' || direction === 'both'),
  )
}

/** The dataset with the reason why a field is left out. */
export function withReason(dataset: Dataset, place: string, reason: string): Dataset {
  return changedField(dataset, place, (meta) => ({ ...meta, waived: { reason } }))
}
