import type { ForeignKey } from '../../model/catalogue.js'
import type { CoverageGaps } from '../../model/coverage-gaps.js'
import type { Retain } from '../../model/field-meta.js'
import type { MaskingStrategy } from '../../model/masking-strategy.js'
import type { ValueKind } from '../../model/value.js'
import type { Finding } from '../findings/finding.js'
import type { PlannedCondition, PlannedField } from './planned-field.js'
import type { PlannedJudging } from './planned-judging.js'

/**
 * What a run will do, decided before any row is read. Plain data without personal values: it is stored with the
 * request, shown to people, and hashed.
 */
export interface Plan {
  /** In the order the collections are searched in. */
  readonly collections: readonly PlannedCollection[]
  /** In an order that respects `needs` and `after`. */
  readonly components: readonly PlannedComponent[]
  readonly identities: readonly PlannedIdentity[]
  readonly unsearched: readonly UnsearchedCollection[]
  /** References that lead from own rows to rows of which nobody has said whose they are: these are counted, never read. */
  readonly open: readonly PlannedOpen[]
  /** In which order collections are written, where the policy erases. */
  readonly erasure?: readonly ErasureUnit[]
  /** By collection, once everything was found: how many rows there are, and how many of them are to be written. */
  readonly found?: Readonly<Record<string, { readonly rows: number; readonly due: number }>>
  /** What nobody has decided on, so that it is neither delivered nor erased. */
  readonly coverage: CoverageGaps
  /** One of severity `error` stops the run before its first query. */
  readonly findings: readonly Finding[]
}

/** Collections that run together: one, or all that lie on a cycle of references. */
export interface PlannedComponent {
  readonly members: readonly string[]
  /** It asks again for what its own rows lead to, until nothing new comes. */
  readonly cyclic: boolean
  /** Positions in `components` whose keys or confirmation this one needs: it is not run when one of them failed. */
  readonly needs: readonly number[]
  /** Positions that must have ended, well or not (`after`). */
  readonly after: readonly number[]
}

export interface PlannedIdentity {
  readonly properties: readonly string[]
  /** Those that need no row to confirm them. */
  readonly alone: readonly string[]
  /** Collections that hold two or more of them, so that a row there proves that they belong together. */
  readonly confirmedBy: readonly string[]
  /** Properties that enter nothing: no dataset declares them, or no collection could confirm them. */
  readonly unconfirmable: readonly string[]
}

export type UnsearchedReason =
  | 'no connection'
  | 'disabled'
  | 'skip_processing'
  | 'identity not provided'
  | 'identity not proven'
  | 'identity not confirmed'
  | 'behind'
  | 'unreachable'
  | 'no target needs it'

export interface UnsearchedCollection {
  readonly address: string
  readonly reason: UnsearchedReason
  /** The collection it lies behind, or the identities that would reach it. */
  readonly detail?: string
  /** It holds fields the policy asks for. */
  readonly targeted: boolean
}

/** One way into a collection: fields whose values, together, must be among the keys found. */
export interface Entry {
  readonly fields: readonly PlannedField[]
  readonly when: readonly PlannedCondition[]
  /** False when the live catalogue knows no index that begins with these columns. */
  readonly indexed: boolean
  /** Rows are not looked for by these keys: rows found otherwise are compared with them. */
  readonly compared?: true
  /** The only spellings in which rows are looked for; absent: all that count as the same. */
  readonly spellings?: Spellings
}

/** A property of an identity object that is looked for in the only field of a slot. */
export interface IdentitySeed {
  readonly entry: number
  readonly object: number
  readonly property: string
  /** The object has other properties: a row has to confirm first that they belong together. */
  readonly needsConfirmation: boolean
}

/** A reference as a run follows it: values of `fields`, in order, are keys for slot `slot` of collection `to`. */
export interface Link {
  readonly to: string
  readonly entry: number
  readonly fields: readonly PlannedField[]
  readonly when: readonly PlannedCondition[]
  /**
   * `owned`: to rows that belong to whoever owns the row. `part`: to what is the person's because they point to it.
   * `named`: to the person that the row names. `compared`: only to compare what is found there.
   */
  readonly kind: 'owned' | 'part' | 'named' | 'compared'
  /** Several rows may hold the same values here, so that they do not tell whose a row is that refers to them. */
  readonly ambiguous?: true
}

/** Where values of own rows are gathered, to count rows elsewhere that hold them. */
export interface OpenLink {
  /** Position in the plan's `open`. */
  readonly open: number
  readonly fields: readonly PlannedField[]
  readonly when: readonly PlannedCondition[]
}

/** Rows of which nobody has said whose they are. */
export interface PlannedOpen {
  /** The reference: `dataset:collection.field`. */
  readonly name: string
  /** `reference`: its rows may be the person's. `look-up`: what it leads to may be. */
  readonly kind: 'reference' | 'look-up'
  /** Where the rows lie that are counted. */
  readonly address: string
  readonly collection: string
  readonly connectionKey: string
  /** The collection whose own rows lead there. */
  readonly by: string
  readonly fields: readonly PlannedField[]
  readonly when: readonly PlannedCondition[]
  /** Fields that say whose a row is: one that holds something there is decided. */
  readonly undecidedWhileEmpty: readonly PlannedField[]
  readonly indexed: boolean
  /** Why it is open, and what a person may answer. */
  readonly why: string
  readonly answers: string
}

export interface PlannedCollection {
  readonly address: string
  readonly dataset: string
  readonly collection: string
  readonly connectionKey: string
  /** Top-level columns that are read, and no others; behind them what foreign keys point to, as the server spells it. */
  readonly columns: readonly string[]
  /** Declared fields that are read and what for: `target`, `entry`, `identity`, `owner`, `reference`, `condition`. */
  readonly read: readonly { readonly field: string; readonly reasons: readonly string[] }[]
  /** Declared fields and live columns that are deliberately not read. */
  readonly notRead: readonly string[]
  readonly entries: readonly Entry[]
  readonly identities: readonly IdentitySeed[]
  readonly links: readonly Link[]
  readonly judging: PlannedJudging
  readonly open: readonly OpenLink[]
  /** Per access rule, the paths that are delivered. */
  readonly deliver: readonly { readonly rule: string; readonly paths: readonly (readonly string[])[] }[]
  readonly targeted: readonly { readonly field: string; readonly dataCategories: readonly string[] }[]
  /** `others: true`: rows of other people are delivered as well. */
  readonly others: boolean
  /** A slot may lie in an array, so that rows are delivered in part. */
  readonly arrays: boolean
  /** What an erasure does to its rows; absent where the policy erases nothing of it. */
  readonly erasure?: PlannedErasure
  /** Its rows are kept for the erasure: it is erased, or points to rows that are. */
  readonly kept?: true
  /** What else the person is known by in such rows: holds are compared with it, and other erasures wait for it. */
  readonly knownBy?: readonly { readonly property: string; readonly field: PlannedField }[]
  /** Nothing is erased of it, but what was found through a row that these point to as well stays for them. */
  readonly sharedBy?: readonly IncomingReference[]
}

/** Collections that are written one after the other, as one: what leads to them is not written when one of them failed. */
export interface ErasureUnit {
  readonly members: readonly string[]
  /** Positions of units that were written and verified before. */
  readonly needs: readonly number[]
}

/** A field that has to stay; without `retain` for good. */
export interface FieldRetention {
  readonly path: readonly string[]
  readonly retain?: Retain
}

export interface PlannedErasure {
  readonly how: 'mask' | 'delete'
  /** Columns that name one row; empty: rows are told apart by all that is read of them. */
  readonly key: readonly KeyColumnName[]
  readonly keySource: 'primary key' | 'unique key' | 'declared' | 'none'
  readonly masks: readonly PlannedMask[]
  /** Fields the policy asks for that stay, and why. */
  readonly retained: readonly RetainedField[]
  /** What keeps whole rows. */
  readonly retain?: Retain
  /** Fields with a reason to stay: while it holds, rows that hold one are masked where others go. */
  readonly keeps: readonly FieldRetention[]
  /** A row is erased when it holds something here. */
  readonly targeted: readonly (readonly string[])[]
  /** Every row is: the collection says that its rows go, and nothing of it has a category. */
  readonly all?: true
  readonly onShared: 'retain' | 'erase'
  /** The connection may only be read. */
  readonly readOnly?: true
  /** There is no database: a person erases the rows and says how many. */
  readonly byHand?: true
  /** References by which rows elsewhere point to rows here. */
  readonly pointedToBy: readonly IncomingReference[]
  /** What the catalogue said of the foreign keys that carry a deletion on, where rows go. */
  readonly referencedBy?: string
  /** Live foreign keys that would carry a masked key on to the rows that hold it. */
  readonly cascadedBy?: readonly IncomingReference[]
  /** Where rows go: what could not be done to one that is masked instead. */
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

/** What becomes of one field. */
export interface PlannedMask {
  readonly field: string
  readonly path: readonly string[]
  readonly strategy: MaskingStrategy
  /** The rule that asks for it. */
  readonly rule: string
  readonly dataCategories: readonly string[]
  /** Nobody has given it a category: its name tells that it holds credentials. */
  readonly inferred?: true
  /** Longest text in characters. */
  readonly maxLength?: number
  /** Its live column holds lists, and takes nothing else. */
  readonly list?: true
  /** Why it stays in rows for which the time is not over. */
  readonly retain?: Retain
}

/** Rows of another table that hold the key of a row here. */
export interface IncomingReference {
  /** Its `dataset:collection` where it is searched, so that the rows of the request are known. */
  readonly address?: string
  readonly connectionKey: string
  readonly collection: string
  /** Outside the described schema: its rows cannot be counted. */
  readonly schema?: string
  readonly fields: readonly PlannedField[]
  /** What they point to here, in the same order; both are empty where nobody can tell, as behind a view. */
  readonly to: readonly PlannedField[]
  readonly when: readonly PlannedCondition[]
  /** What a live foreign key does when the row it points to goes. */
  readonly onDelete?: ForeignKey['onDelete']
  /** What it does when that changes; absent: nothing. */
  readonly onUpdate?: ForeignKey['onDelete']
}

/** As which texts an identity is looked for: as it was given and in small letters, or in any case. */
export type Spellings = 'given' | 'any case'
