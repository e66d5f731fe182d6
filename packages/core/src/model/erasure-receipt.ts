import type { CollectionResult, FieldResult, ResidualHit } from './collection-result.js'
import type { CoverageGaps } from './coverage-gaps.js'
import type { LookedFor } from './looked-for.js'
import type { RequestStatus } from './privacy-request.js'

/** What an erasure did, as proof: names, counts, times and hashes, never a value (docs/erasure.md). */
export interface ErasureReceipt {
  readonly format: 'habeas-erasure-receipt/1'
  readonly requestId: string
  readonly externalId?: string
  /** How the run ended. `error` means that something was left that should have been erased. */
  readonly status: Extract<RequestStatus, 'complete' | 'error'>
  /** Why it did not complete. */
  readonly failure?: string
  readonly requestedAt: string
  readonly startedAt?: string
  readonly finishedAt: string
  /** `hash` is of the policy's document that the run applied. */
  readonly policy: { readonly key: string; readonly name: string; readonly hash: string }
  /** Hash of the plan that was run. An approval may carry the same one. */
  readonly planHash: string
  /** In the order of the results. */
  readonly collections: readonly ReceiptCollection[]
  /** Where a search of every text column still found an identity. Absent where no search was made. */
  readonly residualHits?: readonly ResidualHit[]
  /** Rows of the person may be left. `undecided` of the collections, `unconfirmed`, and `hidden` and `filtered` of `coverage` say which. */
  readonly incomplete?: true
  /** No row was found. */
  readonly foundNothing?: true
  /** What was searched for when no row was found. */
  readonly lookedFor?: readonly LookedFor[]
  /** Fields in which rows of the person still hold an identity of the request. */
  readonly identityRemains?: readonly string[]
  /** Identity properties that no row confirmed and that therefore found nothing by themselves. */
  readonly unconfirmed?: readonly string[]
  /** Live columns and tables without a decision, and collections in which the server may hide rows. */
  readonly coverage?: CoverageGaps
  /** Rows by outcome over all collections. Outcomes without rows are absent. */
  readonly totals: Readonly<Partial<Record<CollectionResult['outcomes'][number]['outcome'], number>>>
}

/** One collection of a receipt. `outcomes` has one line each, and their counts add up to `found`. */
export interface ReceiptCollection extends Pick<CollectionResult, 'dataset' | 'collection' | 'outcomes'> {
  readonly found: number
  readonly before?: number
  readonly after?: number
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly fields: readonly FieldResult[]
  readonly undecided?: CollectionResult['undecided']
  readonly elementsLeft?: CollectionResult['elementsLeft']
  readonly writeLimits?: CollectionResult['writeLimits']
  readonly keptUntil?: CollectionResult['keptUntil']
  readonly keptCopies?: CollectionResult['keptCopies']
}
