import type { Waiver } from '../../model/service-meta.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'
import type { DescriptionGap } from './description-gap.js'

export interface ReviewedQuestions {
  /** How rows lead to a person. Absent for a table of things. */
  readonly path: string | undefined
  /** Fields of foreign keys that lead to a person, and of which somebody has only said that they are reviewed. */
  readonly keys: readonly string[]
  /** Fields of described references that lead to a person, and that have no direction. */
  readonly references: readonly string[]
  /** Fields whose values name what another field refers to, such as `owner_type`. A person who reviewed one knows its values. */
  readonly types: readonly string[]
  /** Whether a decision on a field is asked for. */
  readonly isAsked: (field: string) => boolean
}

/** Fields that are left out without a reason. */
export function reviewedGaps(
  { address, dataset, collection, fields }: CollectionNode,
  { path, keys, references, types, isAsked }: ReviewedQuestions,
): DescriptionGap[] {
  const gap = (field: string, why: string): DescriptionGap => {
    const place = { dataset: dataset.service_key, collection: collection.name, field }
    const message = `'${field}' of '${address}' is reviewed, and nobody has said ${why} (service_meta: {waived: {reason: …}}).`
    return { kind: 'reason', ...place, ...(path !== undefined && { path }), message }
  }
  return [...fields.values()].flatMap((field) => {
    const { name } = field
    const { reviewed, waived } = field.field.service_meta
    if (!reviewed || waived) return []
    if (references.includes(name))
      return [gap(name, 'what its reference means: give it a direction, or say why it needs none')]
    if (keys.includes(name))
      return [gap(name, 'what its foreign key means: describe the reference, or say why it has none')]
    return isReviewedOnly(field) && isAsked(name) && !types.includes(name)
      ? [gap(name, 'why it holds no personal data: say it')]
      : []
  })
}

function isReviewedOnly({ categories, field: { service_meta: meta } }: FieldNode): boolean {
  const isDescribed = meta.identity !== undefined || meta.primary_key || meta.references.length > 0
  return !isDescribed && categories.length === 0
}

/**
 * A collection that is never searched, without a reason. The rows of a view are found in the tables that it shows. One
 * that a known database does not have, such as a view that was dropped, is missing.
 */
export function skippedGaps(
  { address, dataset, collection, live }: CollectionNode,
  { path, isRead }: { readonly path: string | undefined; readonly isRead: boolean },
): DescriptionGap[] {
  const { skip_processing: isSkipped, waived } = collection.service_meta
  if (!isSkipped || waived || live?.view?.shows) return []
  const place = { dataset: dataset.service_key, collection: collection.name }
  if (isRead && !live) {
    const message = `'${address}' is described, and never searched, but its database has no such table or view: remove it, correct its name, or say why it is described (service_meta: {waived: {reason: …}}).`
    return [{ kind: 'missing', ...place, message }]
  }
  const message = `'${address}' is never searched, and nobody has said why: say it (service_meta: {waived: {reason: …}}), or take 'skip_processing' away.`
  return [{ kind: 'reason', ...place, ...(path !== undefined && { path }), message }]
}

/** Reasons that counted until a day that has passed. */
export function expiredGaps({ address, dataset, collection, fields }: CollectionNode, today: string): DescriptionGap[] {
  const isOver = (waived: Waiver | undefined) => waived?.until !== undefined && waived.until < today
  const place = { kind: 'expired' as const, dataset: dataset.service_key, collection: collection.name }
  const message = (what: string, until: string | undefined) =>
    `${what} was waived until ${until}: describe it, or give a reason that counts longer.`
  const { waived } = collection.service_meta
  return [
    ...(isOver(waived) ? [{ ...place, message: message(`'${address}'`, waived?.until) }] : []),
    ...[...fields.values()].flatMap(({ name, field }) => {
      const { waived } = field.service_meta
      return isOver(waived)
        ? [{ ...place, field: name, message: message(`'${name}' of '${address}'`, waived?.until) }]
        : []
    }),
  ]
}
