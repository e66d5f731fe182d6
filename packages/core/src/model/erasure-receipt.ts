import type { CollectionResult, FieldResult, ResidualHit } from './collection-result.js'
import type { CoverageGaps } from './coverage-gaps.js'
import type { LookedFor } from './looked-for.js'
import type { RequestStatus } from './privacy-request.js'

/**
 * What an erasure did, for whoever has to show it: names, counts, times and hashes, never a value (docs/erasure.md).
 */
export interface ErasureReceipt {
  readonly format: 'habeas-erasure-receipt/1'
  readonly requestId: string
  readonly externalId?: string
  /** How the run ended: `error` where something was left that should have gone. */
  readonly status: Extract<RequestStatus, 'complete' | 'error'>
  /** Why it did not complete. */
  readonly failure?: string
  readonly requestedAt: string
  readonly startedAt?: string
  readonly finishedAt: string
  /** `hash` is of the policy's document as the run applied it. */
  readonly policy: { readonly key: string; readonly name: string; readonly hash: string }
  /** Of the plan that was run, as an approval may carry it. */
  readonly planHash: string
  /** In the order of the results. */
  readonly collections: readonly ReceiptCollection[]
  /** Where a search of every text column has still found an identity; absent where none was made. */
  readonly residualHits?: readonly ResidualHit[]
  /** Rows may be left that are the person's: `undecided` of the collections, `unconfirmed` and `coverage.hidden` say which. */
  readonly incomplete?: true
  /** No row was found. */
  readonly foundNothing?: true
  /** By what, where none was found. */
  readonly lookedFor?: readonly LookedFor[]
  /** Fields in which an identity of the request is left in rows of the person. */
  readonly identityRemains?: readonly string[]
  /** Identity properties that found nothing by themselves, since no row confirmed them. */
  readonly unconfirmed?: readonly string[]
  /** Live columns and tables that nobody has decided on, and collections of which rows may be hidden. */
  readonly coverage?: CoverageGaps
  /** Rows by outcome over all collections, those without rows left out. */
  readonly totals: Readonly<Partial<Record<CollectionResult['outcomes'][number]['outcome'], number>>>
}

/** One collection of a receipt; `outcomes` has one line each, and their counts add up to `found`. */
export interface ReceiptCollection extends Pick<CollectionResult, 'dataset' | 'collection' | 'outcomes'> {
  readonly found: number
  readonly before?: number
  readonly after?: number
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly fields: readonly FieldResult[]
  readonly undecided?: CollectionResult['undecided']
  readonly elementsLeft?: CollectionResult['elementsLeft']
}
