import { canonicalHash } from '../../crypto/canonical-hash.js'
import type { CollectionResult, Outcome, ResidualHit } from '../../model/collection-result.js'
import type { ErasureReceipt, ReceiptCollection } from '../../model/erasure-receipt.js'
import type { Policy } from '../../model/policy.js'
import type { PrivacyRequest } from '../../model/privacy-request.js'

export interface ReceiptSource {
  readonly request: Pick<PrivacyRequest, 'id' | 'externalId' | 'requestedAt' | 'startedProcessingAt'>
  /** As the run has read it. */
  readonly policy: Policy
  readonly planHash: string
  /** Results of the action `access` are left out. */
  readonly results: readonly CollectionResult[]
  /** Absent where no residual search was made. */
  readonly residualHits?: readonly ResidualHit[] | undefined
  readonly finishedAt: string
  /** The doubts that the record names. */
  readonly doubts?:
    | Pick<PrivacyRequest, 'incomplete' | 'found' | 'lookedFor' | 'identityRemains' | 'unconfirmed' | 'coverage'>
    | undefined
  /** Why the run failed; absent when it completed. */
  readonly failure?: string | undefined
}

/** Makes the receipt of an erasure from the counts of its run. */
export function erasureReceipt({
  request,
  policy,
  planHash,
  results,
  residualHits,
  finishedAt,
  failure,
  doubts: { incomplete, found, lookedFor, identityRemains, unconfirmed, coverage } = {},
}: ReceiptSource): ErasureReceipt {
  const { id: requestId, externalId, requestedAt, startedProcessingAt: startedAt } = request
  const collections = results.filter(({ actionType }) => actionType === 'erasure').map(collectionOf)
  return {
    format: 'habeas-erasure-receipt/1',
    requestId,
    ...(externalId !== undefined && { externalId }),
    status: failure === undefined ? 'complete' : 'error',
    ...(failure !== undefined && { failure }),
    requestedAt,
    ...(startedAt !== undefined && { startedAt }),
    finishedAt,
    policy: { key: policy.service_key, name: policy.name, hash: canonicalHash(policy) },
    planHash,
    collections,
    ...(residualHits && { residualHits }),
    ...(incomplete && { incomplete }),
    ...(found && { foundNothing: true as const }),
    ...(lookedFor && { lookedFor }),
    ...(identityRemains && { identityRemains }),
    ...(unconfirmed && { unconfirmed }),
    ...(coverage && { coverage }),
    totals: totalsOf(collections),
  }
}

function collectionOf(result: CollectionResult): ReceiptCollection {
  const {
    dataset,
    collection,
    outcomes,
    fields = [],
    before,
    after,
    startedAt,
    finishedAt,
    undecided,
    elementsLeft,
    writeLimits,
    keptUntil,
    keptCopies,
  } = result
  return {
    dataset,
    collection,
    found: outcomes.reduce((sum, { rowCount }) => sum + rowCount, 0),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
    outcomes,
    fields,
    ...(undecided && { undecided }),
    ...(elementsLeft !== undefined && { elementsLeft }),
    ...(writeLimits && { writeLimits }),
    ...(keptUntil && { keptUntil }),
    ...(keptCopies && { keptCopies }),
  }
}

function totalsOf(collections: readonly ReceiptCollection[]): ErasureReceipt['totals'] {
  const totals: Partial<Record<Outcome, number>> = {}
  for (const { outcome, rowCount } of collections.flatMap(({ outcomes }) => outcomes)) {
    if (rowCount > 0) totals[outcome] = (totals[outcome] ?? 0) + rowCount
  }
  return totals
}
