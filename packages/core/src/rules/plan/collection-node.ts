import type { CatalogueCollection, Column } from '../../model/catalogue.js'
import type { Collection, Dataset, Field } from '../../model/dataset.js'
import type { ValueKind } from '../../model/value.js'

/** Why a described collection cannot be searched at all, whatever the request. */
export type Unavailable = 'no connection' | 'disabled' | 'skip_processing'

export interface FieldNode {
  /** Dotted path. */
  readonly name: string
  readonly path: readonly string[]
  readonly field: Field
  /** The live column that holds it, or what it lies in. */
  readonly column: Column | undefined
  readonly kind: ValueKind | undefined
  /** True when a list may stand anywhere on the path. */
  readonly array: boolean
  /** Arrays up to this segment of the path are filtered; `return_all_elements` leaves alone those from where it stands. */
  readonly filteredDepth: number
  readonly categories: readonly string[]
  readonly qualifiers: readonly string[]
}

export interface CollectionNode {
  readonly address: string
  readonly dataset: Dataset
  readonly collection: Collection
  readonly connectionKey: string | undefined
  readonly unavailable: Unavailable | undefined
  readonly live: CatalogueCollection | undefined
  /** Columns of `live` that no field describes. */
  readonly undescribed: readonly Column[]
  /** The live catalogue is known and holds no such collection. */
  readonly missing: boolean
  readonly fields: ReadonlyMap<string, FieldNode>
  /** Every set of fields that names one row at most. */
  readonly keys: readonly (readonly string[])[]
}
