import type { ErasureReceipt } from '@habeas/core'

/** A receipt as a run stores it that has masked one row and left another. */
export function receiptOf(requestId: string): ErasureReceipt {
  return {
    format: 'habeas-erasure-receipt/1',
    requestId,
    status: 'complete',
    requestedAt: '2024-12-24T00:00:00.000Z',
    finishedAt: '2025-01-01T00:00:00.000Z',
    policy: { key: 'forget', name: 'Forget', hash: 'hash-of-the-policy' },
    planHash: 'hash-of-the-plan',
    collections: [
      {
        ...{ dataset: 'shop', collection: '<customer>', found: 2, before: 2, after: 1 },
        outcomes: [
          { outcome: 'masked', rowCount: 1 },
          { outcome: 'retained', rowCount: 1, reason: 'tax law' },
        ],
        fields: [{ field: 'email', strategy: 'hash', outcome: 'masked' }],
        keptUntil: '2025-01-15',
        keptCopies: [{ name: 'report', kind: 'materialized_view' }],
      },
    ],
    totals: { masked: 1, retained: 1 },
  }
}
