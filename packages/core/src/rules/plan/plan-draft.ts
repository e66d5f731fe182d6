import type { ErasurePlan } from '../erase/erasure-plan.js'
import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import type { IdentityEntries } from './identity-entries.js'
import type { Ownership } from './ownership.js'
import type { Entry, IdentitySeed, Link, PlannedOpen } from './plan.js'
import type { ReferenceEdge } from './reference-edges.js'
import type { Targeted } from './targeted.js'
import type { DirectedEdge } from './traversal.js'
import type { UnreferencedKey } from './unreferenced-keys.js'

export interface CollectionsInput {
  readonly graph: DatasetGraph
  /** Collections that are searched and needed, in their order. */
  readonly order: readonly string[]
  readonly directedEdges: readonly DirectedEdge[]
  readonly identities: IdentityEntries
  readonly ownership: Ownership
  readonly targeted: Targeted
  readonly open: readonly PlannedOpenEdge[]
  readonly erasing?: ErasurePlan | undefined
  readonly unreferenced: readonly UnreferencedKey[]
}

export interface Draft {
  readonly node: CollectionNode
  readonly entries: Entry[]
  /** What each slot is for. */
  readonly roles: string[]
  readonly identities: IdentitySeed[]
  readonly links: Link[]
  /** The slot that holds what a reference leads to, in the collection that refers. All collections share this map. */
  readonly entryOfEdge: Map<ReferenceEdge, number>
  readonly parts: number[]
  /** Those by which rows name the person. */
  readonly named: number[]
  /** Those by which identities find rows that need not be the person's. */
  readonly doubted: number[]
}

/** An open reference with the edge it rests on. */
export interface PlannedOpenEdge {
  readonly planned: PlannedOpen
  readonly edge: ReferenceEdge
}
