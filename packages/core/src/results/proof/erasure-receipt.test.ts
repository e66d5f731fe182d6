import { describe, expect, it } from 'vitest'
import { canonicalHash } from '../../crypto/canonical-hash.js'
import type { CollectionResult } from '../../model/collection-result.js'
import { parsePolicy } from '../../model/policy.js'
import { erasureReceipt, type ReceiptSource } from './erasure-receipt.js'
import { receiptHtml } from './receipt-html.js'
import { receiptText } from './receipt-text.js'

const erasure = { actionType: 'erasure' } as const
const results: readonly CollectionResult[] = [
  { dataset: 'shop', collection: 'customer', actionType: 'access', outcomes: [{ outcome: 'delivered', rowCount: 1 }] },
  {
    dataset: 'shop',
    collection: 'customer',
    ...erasure,
    outcomes: [
      { outcome: 'masked', rowCount: 1_200 },
      { outcome: 'retained', rowCount: 3, reason: 'shared with 2 rows of shop:orders' },
    ],
    fields: [
      { field: 'email', strategy: 'hash', outcome: 'masked' },
      { field: 'vat', outcome: 'retained', reason: 'tax law until 2030-01-01' },
    ],
    before: 1_203,
    after: 3,
    startedAt: '2026-01-02T00:00:00.000Z',
    finishedAt: '2026-01-02T00:00:01.000Z',
  },
  { dataset: 'shop', collection: 'cart', ...erasure, outcomes: [{ outcome: 'erased', rowCount: 4 }] },
  {
    dataset: 'crm',
    collection: '<b>notes</b>\u001b[2J',
    ...erasure,
    outcomes: [{ outcome: 'skipped', rowCount: 0, reason: 'no connection' }],
  },
]
const source: ReceiptSource = {
  request: {
    id: 'pri_1',
    externalId: 'T-7',
    requestedAt: '2026-01-01T00:00:00.000Z',
    startedProcessingAt: '2026-01-02T00:00:00.000Z',
  },
  policy: parsePolicy({ service_key: 'forget', rules: [] }).value,
  planHash: 'plan-hash',
  results,
  finishedAt: '2026-01-02T00:00:02.000Z',
}

describe('a receipt', () => {
  const receipt = erasureReceipt(source)

  it('has a collection for each result of the erasure, and totals of their rows', () => {
    expect(receipt).toMatchObject({
      format: 'habeas-erasure-receipt/1',
      requestId: 'pri_1',
      externalId: 'T-7',
      status: 'complete',
      planHash: 'plan-hash',
      policy: { key: 'forget', name: 'forget', hash: canonicalHash(source.policy) },
      totals: { masked: 1_200, retained: 3, erased: 4 },
    })
    expect(receipt.collections.map(({ collection, found }) => [collection, found])).toEqual([
      ['customer', 1_203],
      ['cart', 4],
      ['<b>notes</b>\u001b[2J', 0],
    ])
    expect(receipt.collections[0]).toMatchObject({ before: 1_203, after: 3, fields: [{ strategy: 'hash' }, {}] })
    expect(receipt).not.toHaveProperty('failure')
  })

  it('never counts a skip, or what failed, as erased', () => {
    const outcomes = [
      { outcome: 'skipped' as const, rowCount: 5, reason: 'disabled' },
      { outcome: 'failed' as const, rowCount: 2, reason: 'the database broke off' },
    ]
    const failure = 'shop:cart could not be erased.'
    const made = erasureReceipt({ ...source, failure, results: [{ ...(results[2] as CollectionResult), outcomes }] })
    expect(made.totals).toEqual({ skipped: 5, failed: 2 })
    expect(made.status).toBe('error')
    expect(receiptText(made)).toContain(`The erasure did not complete: ${failure} Rows: 5 skipped, 2 failed.`)
    expect(receiptHtml(made)).toContain('did not complete')
  })

  it('is a text, line by line', () => {
    expect(receiptText(receipt)).toBe(`Erasure receipt

Request    pri_1
Reference  T-7
Status     complete
Requested  2026-01-01T00:00:00.000Z
Started    2026-01-02T00:00:00.000Z
Finished   2026-01-02T00:00:02.000Z
Policy     forget (${receipt.policy.hash})
Plan       plan-hash

Rows: 1200 masked, 3 retained, 4 erased.

shop:customer         1200  masked
shop:customer            3  retained: shared with 2 rows of shop:orders
shop:cart                4  erased
crm:<b>notes</b> [2J     0  skipped: no connection

shop:customer
  1203 rows with something to erase, 3 left
  email: hash
  vat: retained (tax law until 2030-01-01)
`)
  })

  it('is a page that says the same, in which no name is markup', () => {
    const page = receiptHtml(receipt)
    for (const text of ['pri_1', 'T-7', '1,200', 'shared with 2 rows of shop:orders', 'email: hash', 'plan-hash']) {
      expect(page).toContain(text)
    }
    expect(page).toContain('crm:&lt;b&gt;notes&lt;/b&gt;')
    expect(page).not.toMatch(/<b>notes|holds personal data and was made/)
    expect(page).toContain('2 January 2026, 00:00:02 UTC')
  })

  it('reports the result of a residual search, and that one was made', () => {
    const hit = { collection: 'shop:<i>notes</i>', column: 'body', rowCount: 3, retained: 1 }
    const found = erasureReceipt({ ...source, residualHits: [hit] })
    expect(found.residualHits).toEqual([hit])
    expect(receiptText(found)).toContain(
      'shop:<i>notes</i>, body: an identity is found in 3 rows, 1 of them kept for a reason\n',
    )
    expect(receiptHtml(found)).toContain('shop:&lt;i&gt;notes&lt;/i&gt;, body: an identity is found in 3 rows')
    const nothing = erasureReceipt({ ...source, residualHits: [] })
    expect(receiptText(nothing)).toContain('Every text column was searched for the identities: nothing was found.')
    expect(receipt).not.toHaveProperty('residualHits')
    expect(receiptText(receipt)).not.toContain('searched')
  })

  it('counts one row as one', () => {
    const one = { ...(results[1] as CollectionResult), before: 1, after: 0 }
    expect(receiptText(erasureReceipt({ ...source, results: [one] }))).toContain(
      '  1 row with something to erase, none left\n',
    )
    const kept = { ...(results[1] as CollectionResult), before: 0, after: 0 }
    expect(receiptText(erasureReceipt({ ...source, results: [kept] }))).toContain(
      '  no row had something that this erasure erases\n',
    )
  })

  it('says that it is incomplete and why, without a value', () => {
    const undecided = [{ reference: 'shop:cart.seller_id', rowCount: 2, reason: 'open' }]
    const left = { ...(results[2] as CollectionResult), undecided, elementsLeft: 3 }
    const coverage = { hidden: ['shop:customer'], columns: ['shop:customer.notes'] }
    const doubts = {
      incomplete: true as const,
      unconfirmed: ['phone_number'],
      coverage,
      identityRemains: ['shop:a.email'],
    }
    const made = erasureReceipt({ ...source, results: [left], doubts })
    expect(made).toMatchObject({
      incomplete: true,
      collections: [{ undecided, elementsLeft: 3 }],
      coverage,
      unconfirmed: ['phone_number'],
    })
    const lines = [
      'This may not be all: undecided rows were left; a database may have hidden rows; an identity was not confirmed, and found nothing by itself.',
      'An identity is left in: shop:a.email.',
      `Elements of lists that belong to others were left in: ${left.dataset}:${left.collection} (3).`,
      'The server may have hidden rows of: shop:customer.',
      'Columns without a decision: shop:customer.notes.',
    ]
    for (const line of lines) expect(receiptText(made)).toContain(`${line}\n`)
    for (const line of lines) expect(receiptHtml(made)).toContain(`<li>${line}</li>`)
    expect(receiptText(receipt)).not.toContain('This may not be all')
  })

  it('names the copies that still hold what was erased', () => {
    const keptCopies = [
      { name: 'carts_by_day', kind: 'materialized_view' as const },
      { name: 'cart', kind: 'history' as const },
    ]
    const cart = { ...(results[2] as CollectionResult), keptCopies }
    const made = erasureReceipt({ ...source, results: [cart] })
    expect(made.collections).toMatchObject([{ keptCopies }])
    const line =
      'Old values may be left in what no erasure reaches: carts_by_day (a materialized view of shop:cart), cart (the history of shop:cart).'
    expect(receiptText(made)).toContain(`${line}\n`)
    expect(receiptText(receipt)).not.toContain('what no erasure reaches')
  })

  it('names the day until which a database keeps what was erased', () => {
    const cart = { ...(results[2] as CollectionResult), keptUntil: '2026-01-16' }
    const made = erasureReceipt({ ...source, results: [results[1] as CollectionResult, cart] })
    expect(made.collections.map(({ keptUntil }) => keptUntil)).toEqual([undefined, '2026-01-16'])
    expect(made.collections[0]).not.toHaveProperty('keptUntil')
    const line =
      'The database itself keeps what was erased, in its history or in backups of its own, in: shop:cart until 2026-01-16.'
    expect(receiptText(made)).toContain(`${line}\n`)
    expect(receiptHtml(made)).toContain(`<li>${line}</li>`)
    expect(receiptText(receipt)).not.toContain('keeps what was erased')
  })

  it('names the searched properties and their spellings where nothing was found', () => {
    const lookedFor = [
      {
        property: 'email',
        spellings: ['as given', 'without regard to case'] as const,
        fields: ['shop:customer.email'],
      },
      { property: 'phone_number', spellings: ['as given'] as const, fields: ['shop:customer.phone', 'crm:call.from'] },
    ]
    const made = erasureReceipt({ ...source, results: [], doubts: { found: 'nothing', lookedFor } })
    expect(made).toMatchObject({ foundNothing: true, lookedFor })
    for (const told of [receiptText(made), receiptHtml(made)]) {
      expect(told).toContain('Looked for by email (as given, and without regard to case) in shop:customer.email.')
      expect(told).toContain('Looked for by phone_number (as given) in shop:customer.phone, crm:call.from.')
    }
  })

  it('of nothing says that nothing was found', () => {
    const empty = erasureReceipt({ ...source, results: [] })
    expect(receiptText(empty)).toContain('No rows were found.')
    expect(receiptHtml(empty)).toContain('No rows were found.')
  })

  it('hashes alike whatever order its members come in, and differently when a count changes', () => {
    const shuffled = Object.fromEntries(Object.entries(receipt).reverse())
    expect(canonicalHash(shuffled)).toBe(canonicalHash(receipt))
    expect(canonicalHash({ ...receipt, failure: undefined })).toBe(canonicalHash(receipt))
    expect(canonicalHash({ ...receipt, totals: { ...receipt.totals, masked: 1_201 } })).not.toBe(canonicalHash(receipt))
  })
})
