/** What a draft proposes for a person to decide: judged by names and structure alone, never by what rows hold. */
export type Proposal =
  | CategoryProposal
  | IdentityProposal
  | DirectionProposal
  | OwnerProposal
  | PlaceholdersProposal
  | ReferenceProposal
  | SkipProposal

interface Proposed {
  /** `collection.field:kind`, or `collection:kind`; a direction is its own kind: `orders.customer_id:from`. */
  readonly id: string
  readonly collection: string
  /** From 0 to 1: how often such a proposal was right where it could be checked. */
  readonly confidence: number
  readonly reason: string
}

/** What a column may hold. */
export interface CategoryProposal extends Proposed {
  readonly kind: 'category'
  readonly field: string
  readonly category: string
}

/** A column whose values name a person: `identity` is the property of a request that stands in it. */
export interface IdentityProposal extends Proposed {
  readonly kind: 'identity'
  readonly field: string
  readonly identity: string
}

/**
 * What a reference says about whose rows are. One with a group means all references of the group, `field` being the first
 * of them; a reference that the dataset lacks is added.
 */
export interface DirectionProposal extends Proposed {
  readonly kind: 'direction'
  readonly field: string
  readonly references: ProposedReference
  readonly direction: 'from' | 'to' | 'both' | 'none'
}

/** Fields that say whose the rows of a collection are; none: they are nobody's. */
export interface OwnerProposal extends Proposed {
  readonly kind: 'owner'
  readonly owner: readonly string[]
}

/** Texts that stand for "none" in a column of contact data or keys. */
export interface PlaceholdersProposal extends Proposed {
  readonly kind: 'placeholders'
  readonly field: string
  readonly placeholders: readonly string[]
}

/** Where a column points that is named like a key and has no foreign key. */
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
