/**
 * A suggestion of a draft on which a person decides. It comes from names and structure alone, never from the content of
 * rows.
 */
export type Proposal =
  | CategoryProposal
  | IdentityProposal
  | DirectionProposal
  | OwnerProposal
  | PlaceholdersProposal
  | ReferenceProposal
  | SkipProposal

interface Proposed {
  /**
   * `collection.field:kind`, or `collection:kind`. For a direction, the direction stands in place of the kind:
   * `orders.customer_id:from`.
   */
  readonly id: string
  readonly collection: string
  /** From 0 to 1: how often such a proposal was right in schemas where it could be checked. */
  readonly confidence: number
  readonly reason: string
}

/** The data category that a column may hold. */
export interface CategoryProposal extends Proposed {
  readonly kind: 'category'
  readonly field: string
  readonly category: string
}

/** A column whose values name a person. `identity` is the property of a request that it holds. */
export interface IdentityProposal extends Proposed {
  readonly kind: 'identity'
  readonly field: string
  readonly identity: string
}

/**
 * What a reference says about owners. With a group it means all references of the group, and `field` is the first of
 * them. A reference that the dataset lacks is added.
 */
export interface DirectionProposal extends Proposed {
  readonly kind: 'direction'
  readonly field: string
  readonly references: ProposedReference
  readonly direction: 'from' | 'to' | 'both' | 'none'
}

/** Fields that say who owns the rows of a collection. An empty list: the rows belong to nobody. */
export interface OwnerProposal extends Proposed {
  readonly kind: 'owner'
  readonly owner: readonly string[]
}

/** Texts that mean "none" in a column of contact data or keys. */
export interface PlaceholdersProposal extends Proposed {
  readonly kind: 'placeholders'
  readonly field: string
  readonly placeholders: readonly string[]
}

/** The target of a column that is named like a key and has no foreign key. */
export interface ReferenceProposal extends Proposed {
  readonly kind: 'reference'
  readonly field: string
  readonly references: ProposedReference
}

/** A collection that need not be searched. */
export interface SkipProposal extends Proposed {
  readonly kind: 'skip'
}

export interface ProposedReference {
  readonly dataset: string
  /** `collection.field` */
  readonly field: string
  readonly group?: string
  readonly when?: Readonly<Record<string, string>>
}
