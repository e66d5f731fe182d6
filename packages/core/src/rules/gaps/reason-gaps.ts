import type { Waiver } from '../../model/service-meta.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'
import type { DescriptionGap } from './description-gap.js'

/** Fields that are left out without a reason. */
export function reviewedGaps(
  { address, dataset, collection, fields }: CollectionNode,
  path: string | undefined,
): DescriptionGap[] {
  return [...fields.values()].filter(isReviewedOnly).map(({ name }) => {
    const message = `'${name}' of '${address}' is reviewed, and nobody has said why it holds no personal data: say it (service_meta: {waived: {reason: …}}).`
    const place = { dataset: dataset.service_key, collection: collection.name, field: name }
    return { kind: 'reason', ...place, ...(path !== undefined && { path }), message }
  })
}

function isReviewedOnly({ categories, field: { service_meta: meta } }: FieldNode): boolean {
  const isDescribed = meta.identity !== undefined || meta.primary_key || meta.references.length > 0
  return meta.reviewed && !meta.waived && !isDescribed && categories.length === 0
}

/** A collection that is never searched, without a reason. The rows of a view are found in the tables that it shows. */
export function skippedGaps(
  { address, dataset, collection, live }: CollectionNode,
  path: string | undefined,
): DescriptionGap[] {
  const { skip_processing: isSkipped, waived } = collection.service_meta
  if (!isSkipped || waived || live?.view?.shows) return []
  const message = `'${address}' is never searched, and nobody has said why: say it (service_meta: {waived: {reason: …}}), or take 'skip_processing' away.`
  const place = { dataset: dataset.service_key, collection: collection.name }
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
