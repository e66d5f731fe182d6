import type { CatalogueCollection, Column } from '../../model/catalogue.js'
import type { Collection, Dataset, Field } from '../../model/dataset.js'
import type { ValueKind } from '../../model/value.js'

/** Why a described collection cannot be searched. */
export type Unavailable =
  | 'no connection'
  | 'disabled'
  | 'skip_processing'
  | 'members not searchable'
  | 'columns not searchable'

export interface FieldNode {
  /** Dotted path. */
  readonly name: string
  readonly path: readonly string[]
  readonly field: Field
  /** The live column that holds the field or the object around it. */
  readonly column: Column | undefined
  readonly kind: ValueKind | undefined
  /** True when a list may occur anywhere on the path. */
  readonly array: boolean
  /**
   * Arrays down to this segment of the path are filtered. `return_all_elements` turns filtering off from its own
   * segment on.
   */
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
  /** The fields by which its rows would be searched, where they cannot be. */
  readonly members?: readonly string[]
  /** Its connector searches columns only as a whole, and not by what lies inside of them. */
  readonly wholeColumns: boolean
  readonly live: CatalogueCollection | undefined
  /** Columns of `live` that no field describes. */
  readonly undescribed: readonly Column[]
  /** True where the live catalogue is known and has no such collection. */
  readonly missing: boolean
  /** The most similar name of a live collection where it is missing. */
  readonly nearest?: string
  readonly fields: ReadonlyMap<string, FieldNode>
  /** Every set of fields that names at most one row. */
  readonly keys: readonly (readonly string[])[]
}
