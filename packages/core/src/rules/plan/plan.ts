import type { ForeignKey } from '../../model/catalogue.js'
import type { WriteLimit } from '../../model/collection-result.js'
import type { CoverageGaps } from '../../model/coverage-gaps.js'
import type { KeptElsewhere } from '../../model/kept-copy.js'
import type { MaskingStrategy } from '../../model/masking-strategy.js'
import type { Retain } from '../../model/service-meta.js'
import type { ValueKind } from '../../model/value.js'
import type { Finding } from '../findings/finding.js'
import type { MixedMembers } from './mixed-members.js'
import type { PlannedDoubt } from './planned-doubt.js'
import type { PlannedCondition, PlannedField, Spellings } from './planned-field.js'
import type { PlannedFilter } from './planned-filter.js'
import type { PlannedJudging } from './planned-judging.js'

/** Everything a run will do, decided before any row is read. Plain data without personal values: stored, shown and hashed. */
export interface Plan {
  /** In the order in which collections are searched. */
  readonly collections: readonly PlannedCollection[]
  /** In an order that respects `needs` and `after`. */
  readonly components: readonly PlannedComponent[]
  readonly identities: readonly PlannedIdentity[]
  readonly unsearched: readonly UnsearchedCollection[]
  /** Open references from own rows to undecided rows. These rows are counted and never read. */
  readonly open: readonly PlannedOpen[]
  /** The order in which collections are written, where the policy erases. */
  readonly erasure?: readonly ErasureUnit[]
  /** By collection, after everything was found: the number of rows, and how many of them are to be written. */
  readonly found?: Readonly<Record<string, { readonly rows: number; readonly due: number }>>
  /** Limits of tables that are divided into partitions. Every statement on such a table carries its filter. */
  readonly filters?: readonly PlannedFilter[]
  /** Gaps in the description, which are neither delivered nor erased. */
  readonly coverage: CoverageGaps
  /** A finding of severity `error` stops the run before its first query. */
  readonly findings: readonly Finding[]
}

/** Collections that run together: a single one, or all on a circle of references. */
export interface PlannedComponent {
  readonly members: readonly string[]
  /** The component asks for the keys of its own rows again until nothing new is found. */
  readonly cyclic: boolean
  /** Positions in `components` whose keys or confirmation this one needs. It does not run when one of them failed. */
  readonly needs: readonly number[]
  /** Positions that must have ended before, whether or not they failed (`after`). */
  readonly after: readonly number[]
}

export interface PlannedIdentity {
  readonly properties: readonly string[]
  /** Properties that need no confirmation. */
  readonly alone: readonly string[]
  /** Collections that hold two or more of the properties. A row there proves that they belong together. */
  readonly confirmedBy: readonly string[]
  /** Properties that enter no collection, because no dataset declares them or no collection can confirm them. */
  readonly unconfirmable: readonly string[]
}

export type UnsearchedReason =
  | 'no connection'
  | 'disabled'
  | 'skip_processing'
  | 'members not searchable'
  | 'columns not searchable'
  | 'identity not provided'
  | 'identity not proven'
  | 'identity not confirmed'
  | 'behind'
  | 'unreachable'
  | 'no target needs it'

export interface UnsearchedCollection {
  readonly address: string
  readonly reason: UnsearchedReason
  /** The collection that blocks the way, the identities that would reach it, or the members that would be searched. */
  readonly detail?: string
  /** True where the policy asks for fields of it. */
  readonly targeted: boolean
}

/** One way into a collection: fields whose values, together, must be among the found keys. */
export interface Entry {
  readonly fields: readonly PlannedField[]
  readonly when: readonly PlannedCondition[]
  /** False where the live catalogue has no index that begins with these columns. */
  readonly indexed: boolean
  /** No search uses these keys. They only judge rows that were found by other entries. */
  readonly compared?: true
  /** The only spellings to search for. Absent: all that count as equal. */
  readonly spellings?: Spellings
  /** Its keys say whose elements are, and not whose the row around them is. */
  readonly inside?: true
  /** References lead here by it. Its values name rows, and no people. */
  readonly part?: true
  /** The server holds other spellings of its keys equal at both ends of a reference. Rows with them are counted and not read. */
  readonly comparesLoosely?: true
}

/** A property of an identity object that is searched for in the only field of an entry. */
export interface IdentitySeed {
  readonly entry: number
  readonly object: number
  readonly property: string
  /** The object has other properties: first a row must confirm that they belong together. */
  readonly needsConfirmation: boolean
}

/**
 * A reference in the direction in which a run follows it. The values of `fields`, in order, are keys for the entry
 * `entry` of the collection `to`.
 */
export interface Link {
  readonly to: string
  readonly entry: number
  readonly fields: readonly PlannedField[]
  readonly when: readonly PlannedCondition[]
  /**
   * `owned`: to rows of the owner of the row. `part`: to rows that belong to the person because own rows refer to them.
   * `named`: to the person that the row names. `compared`: only for comparison with rows found there.
   */
  readonly kind: 'owned' | 'part' | 'named' | 'compared'
  /** Several rows may hold the same values here, so these values do not show who owns a row that refers to them. */
  readonly ambiguous?: true
}

/** Fields whose values in own rows are collected, to count other rows that hold them. */
export interface OpenLink {
  /** Position in the plan's `open`. */
  readonly open: number
  readonly fields: readonly PlannedField[]
  readonly when: readonly PlannedCondition[]
}

/** An open reference (`name`: `dataset:collection.field`) and the rows that are counted because of it. */
export interface PlannedOpen {
  readonly name: string
  /** `reference`: its rows may belong to the person. `look-up`: the rows it leads to may belong to the person. */
  readonly kind: 'reference' | 'look-up'
  /** The collection of the rows to count. */
  readonly address: string
  readonly collection: string
  readonly connectionKey: string
  /** The collection whose own rows lead there. */
  readonly by: string
  readonly fields: readonly PlannedField[]
  readonly when: readonly PlannedCondition[]
  /** Fields that say who owns a row. A row that holds a value in one of them is decided. */
  readonly undecidedWhileEmpty: readonly PlannedField[]
  readonly indexed: boolean
  /** The connector does not search by these fields. The rows are not counted. */
  readonly uncounted?: true
  /** Why it is open, and the possible answers. */
  readonly why: string
  readonly answers: string
}

export interface PlannedCollection {
  readonly address: string
  readonly dataset: string
  readonly collection: string
  readonly connectionKey: string
  /** The top-level columns that are read, then those with the exact text of keys that foreign keys refer to. */
  readonly columns: readonly string[]
  /** Declared fields that are read, with the reasons: `target`, `entry`, `owner`, `reference` and others. */
  readonly read: readonly { readonly field: string; readonly reasons: readonly string[] }[]
  /** Declared fields and live columns that are deliberately not read. */
  readonly notRead: readonly string[]
  readonly entries: readonly Entry[]
  readonly identities: readonly IdentitySeed[]
  readonly links: readonly Link[]
  readonly judging: PlannedJudging
  readonly open: readonly OpenLink[]
  /** The paths to deliver by access rule. */
  readonly deliver: readonly { readonly rule: string; readonly paths: readonly (readonly string[])[] }[]
  readonly targeted: readonly { readonly field: string; readonly dataCategories: readonly string[] }[]
  /** `others: true`: rows of other people are also delivered. */
  readonly others: boolean
  /** Members that leave open whose an element is. What the policy asks for there is left alone. */
  readonly doubts?: readonly PlannedDoubt[]
  /** Objects of which not all data is asked for. A plain value that stands in their place is left alone. */
  readonly mixed?: readonly MixedMembers[]
  /** An entry may lie in an array, so that rows are delivered in part. */
  readonly arrays: boolean
  /** Lists whose elements have owners of their own, and lists around these whose elements belong to what is around them. */
  readonly ownedLists?: readonly (readonly string[])[]
  readonly unownedLists?: readonly string[]
  /** What an erasure does to its rows. Absent where the policy erases nothing here. */
  readonly erasure?: PlannedErasure
  /** Its found rows are stored for the erasure: it is erased, or it refers to rows that are. */
  readonly kept?: true
  /** Other identities of the person in such rows. Legal holds are compared with them, and overlapping erasures wait for them. */
  readonly knownBy?: readonly { readonly property: string; readonly field: PlannedField }[]
  /** Nothing here is erased. But rows that were found through a row to which these references also point stay. */
  readonly sharedBy?: readonly IncomingReference[]
}

/** Collections that are written one after the other, as one. If one fails, those that lead to them are not written. */
export interface ErasureUnit {
  readonly members: readonly string[]
  /** Positions of units that must be written and verified before. */
  readonly needs: readonly number[]
}

/** A field that is retained, for good if `retain` is absent. */
export interface FieldRetention {
  readonly path: readonly string[]
  readonly retain?: Retain
}

export interface PlannedErasure extends KeptElsewhere {
  readonly how: 'mask' | 'delete'
  /** Columns that name one row. Empty: rows are identified by all their values that are read. */
  readonly key: readonly KeyColumnName[]
  readonly keySource: 'primary key' | 'unique key' | 'declared' | 'none'
  readonly masks: readonly PlannedMask[]
  /** Fields that the policy asks for and that stay, with the reason. */
  readonly retained: readonly RetainedField[]
  /** The retention of whole rows. */
  readonly retain?: Retain
  /** Retained fields. While the retention applies, rows that hold a value there are masked instead of deleted. */
  readonly keeps: readonly FieldRetention[]
  /** A row is erased when it holds a value in one of these. */
  readonly targeted: readonly (readonly string[])[]
  /** Every row is erased: the description deletes rows, and no field has a category. */
  readonly all?: true
  readonly onShared: 'retain' | 'erase'
  /** The connection is read-only. */
  readonly readOnly?: true
  /** It shows rows that lie elsewhere, and may not show them any more once they are written. */
  readonly view?: true
  /** Columns that cannot be written. The server may compute them. */
  readonly generated?: readonly string[]
  /** Columns that the server writes anew when a row is written. */
  readonly rewritten?: readonly string[]
  /** What the database lacks to protect the writes. */
  readonly writeLimits?: readonly WriteLimit[]
  /** There is no database: a person erases the rows and reports their number. */
  readonly byHand?: true
  /** References by which other rows refer to these rows. */
  readonly pointedToBy: readonly IncomingReference[]
  /** Where rows are deleted: the foreign keys by which a deletion cascades, in the words of the catalogue. */
  readonly referencedBy?: string
  /** Live foreign keys by which a masked key would cascade to the rows that hold it. */
  readonly cascadedBy?: readonly IncomingReference[]
  /** Where rows are deleted: masks that would be impossible for a row that is masked instead. */
  readonly instead?: readonly Finding[]
}

export interface RetainedField {
  readonly field: string
  readonly path: readonly string[]
  readonly reason: string
}

export interface KeyColumnName {
  readonly column: string
  readonly kind?: ValueKind
}

/** How one field is masked. */
export interface PlannedMask {
  readonly field: string
  readonly path: readonly string[]
  readonly strategy: MaskingStrategy
  /** The rule that asks for it. */
  readonly rule: string
  readonly dataCategories: readonly string[]
  /** The field has no category. Its name shows that it holds credentials. */
  readonly inferred?: true
  /** Longest text in characters. */
  readonly maxLength?: number
  /** No sampled document has the field. */
  readonly unsampled?: true
  /** Its live column is a list and takes nothing else. */
  readonly list?: true
  /** The retention that may still apply in some rows. */
  readonly retain?: Retain
}

/** A reference from another table to a key of these rows. */
export interface IncomingReference {
  /** `dataset:collection`, present where the collection is searched, so that the rows of the request are known. */
  readonly address?: string
  readonly connectionKey: string
  readonly collection: string
  /** Present outside the described schema. Such rows cannot be counted. */
  readonly schema?: string
  readonly fields: readonly PlannedField[]
  /** The fields here that they refer to, in the same order. Both lists are empty where these are unknown, as behind a view. */
  readonly to: readonly PlannedField[]
  readonly when: readonly PlannedCondition[]
  /** What a live foreign key does when the row it refers to is deleted. */
  readonly onDelete?: ForeignKey['onDelete']
  /** What it does when that row changes. Absent: nothing. */
  readonly onUpdate?: ForeignKey['onDelete']
  /** Nobody searches these rows, and each belongs to the owner of the row it refers to. So they share it with nobody. */
  readonly ofOwner?: true
  /** Why these rows cannot be counted: the server may hide some, or the connector does not search members of columns, or not by these columns. */
  readonly uncounted?: 'hidden' | 'members' | 'columns'
}
