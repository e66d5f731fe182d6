import type { ErasurePlan } from '../erase/erasure-plan.js'
import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import type { IdentityEntries } from './identity-entries.js'
import type { Ownership } from './ownership.js'
import type { Entry, IdentitySeed, Link, PlannedOpen } from './plan.js'
import type { PlannedDoubt } from './planned-doubt.js'
import type { ReferenceEdge } from './reference-edges.js'
import type { Targeted } from './targeted.js'
import type { DirectedEdge } from './traversal.js'
import type { UnreferencedKey } from './unreferenced-keys.js'

export interface CollectionsInput {
  readonly graph: DatasetGraph
  /** Searched and needed collections in their order. */
  readonly order: readonly string[]
  readonly directedEdges: readonly DirectedEdge[]
  readonly identities: IdentityEntries
  readonly ownership: Ownership
  readonly targeted: Targeted
  readonly open: readonly PlannedOpenEdge[]
  readonly erasing?: ErasurePlan | undefined
  readonly unreferenced: readonly UnreferencedKey[]
  /** By collection, the parts of rows of which nobody has said whose they are. */
  readonly doubts?: ReadonlyMap<string, readonly PlannedDoubt[]>
}

export interface Draft {
  readonly node: CollectionNode
  readonly entries: Entry[]
  /** The purpose of each entry. */
  readonly roles: string[]
  readonly identities: IdentitySeed[]
  readonly links: Link[]
  /**
   * For each owner reference, the entry of its collection with the keys of found owners. All collections share this
   * map.
   */
  readonly entryOfEdge: Map<ReferenceEdge, number>
  readonly parts: number[]
  /** Entries of references whose columns compare loosely at both ends, without a foreign key. */
  readonly loose: number[]
  /** Entries by which rows name the person. */
  readonly named: number[]
  /** Entries by which identities find rows that need not belong to the person. */
  readonly doubted: number[]
}

/** An open reference with its edge. */
export interface PlannedOpenEdge {
  readonly planned: PlannedOpen
  readonly edge: ReferenceEdge
}
