import { sharing } from '../../rules/plan/incoming-references.js'
import type { IncomingReference, PlannedCollection, PlannedErasure } from '../../rules/plan/plan.js'
import type { ErasureContext } from './erasure-context.js'

/** A collection whose rows may belong to other people as well. */
export interface SharingCollection {
  readonly collection: PlannedCollection
  readonly pointedToBy: readonly IncomingReference[]
  readonly onShared: PlannedErasure['onShared']
}

/** Why rows are shared, by collection and by place among its found rows. */
export type SharedRows = ReadonlyMap<string, ReadonlyMap<number, string>>

/** Collections to erase, and collections whose rows led to rows to erase. */
export function sharingCollections({ plan }: Pick<ErasureContext, 'plan'>): SharingCollection[] {
  return plan.collections.flatMap((collection): SharingCollection[] => {
    const { erasure, sharedBy } = collection
    const pointedToBy = erasure?.pointedToBy ?? sharedBy
    if (!pointedToBy) return []
    return [{ collection, pointedToBy: sharing(pointedToBy), onShared: erasure?.onShared ?? 'retain' }]
  })
}
