import type { IncomingReference, PlannedCollection, PlannedErasure } from '../../rules/plan/plan.js'
import type { ErasureContext } from './erasure-context.js'

/** A collection of whose rows some may be others' as well. */
export interface SharingCollection {
  readonly collection: PlannedCollection
  readonly pointedToBy: readonly IncomingReference[]
  readonly onShared: PlannedErasure['onShared']
}

/** By collection, by place among its kept rows: why a row is somebody else's as well. */
export type SharedRows = ReadonlyMap<string, ReadonlyMap<number, string>>

/** Those that are erased, and those from which something was found that is. */
export function sharingCollections({ plan }: Pick<ErasureContext, 'plan'>): SharingCollection[] {
  return plan.collections.flatMap((collection): SharingCollection[] => {
    const { erasure, sharedBy } = collection
    if (erasure) return [{ collection, pointedToBy: erasure.pointedToBy, onShared: erasure.onShared }]
    return sharedBy ? [{ collection, pointedToBy: sharedBy, onShared: 'retain' }] : []
  })
}
