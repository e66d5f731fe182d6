import { formatAddress } from '../../model/address.js'
import type { FieldResult, Outcome, WriteLimit } from '../../model/collection-result.js'
import type { CoverageGaps } from '../../model/coverage-gaps.js'
import type { ErasureReceipt, ReceiptCollection } from '../../model/erasure-receipt.js'
import type { KeptCopy } from '../../model/kept-copy.js'
import { countedRows } from '../../rules/value/counted-rows.js'

const texts: Readonly<Record<Outcome, string>> = {
  delivered: 'handed over',
  masked: 'masked',
  erased: 'erased',
  retained: 'retained',
  unchanged: 'already as wanted',
  gone: 'gone before they were reached',
  changed: 'changed meanwhile, and left',
  nothing_found: 'nothing found',
  skipped: 'skipped',
  unsupported: 'could not be erased',
  failed: 'failed',
}

const copyNames: Readonly<Record<KeptCopy['kind'], string>> = {
  snapshot: 'a snapshot',
  clone: 'a clone',
  stream: 'a stream',
  history: 'the history',
  aggregate: 'a continuous aggregate',
  compressed: 'compressed chunks',
  materialized_view: 'a materialized view',
  trigger: 'a trigger',
  large_object: 'a column of large objects',
}

/** One line of a receipt: one outcome of rows of a collection, and the reason. */
export interface ReceiptLine {
  readonly place: string
  readonly outcome: string
  readonly rowCount: number
  readonly reason: string
}

/** One line for each collection and outcome. */
export function receiptLines({ collections }: ErasureReceipt): readonly ReceiptLine[] {
  return collections.flatMap(({ dataset, collection, outcomes }) =>
    outcomes.map(({ outcome, rowCount, reason = '' }) => ({
      place: `${dataset}:${collection}`,
      outcome: texts[outcome],
      rowCount,
      reason,
    })),
  )
}

/** `email: hash`, or why a field was left. */
export function fieldText({ field, strategy, outcome, reason }: FieldResult): string {
  const what = outcome === 'masked' && strategy !== undefined ? strategy : texts[outcome]
  return `${field}: ${what}${reason === undefined ? '' : ` (${reason})`}`
}

/** How many rows held something to erase, and how many of them still do. */
export function countText({ before, after }: ReceiptCollection): string | undefined {
  if (before === undefined) return undefined
  // where rows were kept, "none left" would sound as if they were gone
  if (before === 0 && !after) return 'no row had something that this erasure erases'
  const left = after === undefined ? '' : after === 0 ? ', none left' : `, ${after} left`
  return `${countedRows(before)} with something to erase${left}`
}

/** The doubts of an erasure, a line for each kind. */
export function doubtLines({
  collections,
  incomplete,
  foundNothing,
  lookedFor = [],
  identityRemains,
  unconfirmed,
  coverage = {},
}: ErasureReceipt): readonly string[] {
  const list = (names: readonly string[] | undefined, texts: string) =>
    names && names.length > 0 ? [`${texts}: ${names.join(', ')}.`] : []
  return [
    ...(incomplete
      ? [`This may not be all: ${incompleteReasons(collections, unconfirmed, coverage).join('; ')}.`]
      : []),
    ...(foundNothing ? ['Nothing was found for the given identities.'] : []),
    ...lookedFor.map(
      ({ property, spellings, fields }) =>
        `Looked for by ${property} (${spellings.join(', and ')}) in ${fields.join(', ')}.`,
    ),
    ...list(identityRemains, 'An identity is left in'),
    ...list(collections.flatMap(elementsLeftIn), 'Elements of lists that belong to others were left in'),
    ...list(
      placesWith(collections, 'transactions'),
      'The database has no transactions, so that a batch is not written whole or not at all, in',
    ),
    ...list(
      placesWith(collections, 'row_locks'),
      'The database locks no rows, so that changes of others were looked for before and after each write, in',
    ),
    ...list(
      placesWith(collections, 'fencing'),
      'The database cannot end the writes of a process that was overtaken, in',
    ),
    ...list(
      collections.flatMap(({ dataset, collection, keptUntil }) =>
        keptUntil === undefined ? [] : [`${formatAddress(dataset, collection)} until ${keptUntil}`],
      ),
      'The database itself keeps what was erased, in its history or in backups of its own, in',
    ),
    ...list(
      collections.flatMap(({ dataset, collection, keptCopies = [] }) =>
        keptCopies.map(({ name, kind }) => `${name} (${copyNames[kind]} of ${formatAddress(dataset, collection)})`),
      ),
      'Old values may be left in what no erasure reaches',
    ),
    ...list(unconfirmed, 'Not searched by these alone, since nothing confirmed that they belong to the person'),
    ...list(coverage.hidden, 'The server may have hidden rows of'),
    ...list(coverage.filtered, 'Rows outside of a partition filter were not searched in'),
    ...list(coverage.columns, 'Columns without a decision'),
    ...list(coverage.tables, "Tables without a description that refer to a person's rows, or inherit from their table"),
    ...list(
      coverage.references,
      "Columns that are not followed, though they are named like references to a person's rows",
    ),
    ...list(coverage.histories, 'Tables without a description that are named like the history of a searched table'),
    ...list(coverage.unmasked, 'Fields with a masking strategy that no rule asks for'),
    ...list(coverage.collections, 'Collections without a category for any field'),
  ]
}

function placesWith(collections: ErasureReceipt['collections'], limit: WriteLimit): readonly string[] {
  const limited = collections.filter(({ writeLimits = [] }) => writeLimits.includes(limit))
  return limited.map(({ dataset, collection }) => formatAddress(dataset, collection))
}

function elementsLeftIn({
  dataset,
  collection,
  elementsLeft,
}: ErasureReceipt['collections'][number]): readonly string[] {
  return elementsLeft === undefined ? [] : [`${formatAddress(dataset, collection)} (${elementsLeft})`]
}

function incompleteReasons(
  collections: ErasureReceipt['collections'],
  unconfirmed: readonly string[] = [],
  { hidden = [], filtered = [] }: CoverageGaps = {},
): readonly string[] {
  const isLeft = collections.some(({ undecided = [] }) => undecided.length > 0)
  return [
    ...(isLeft ? ['undecided rows were left'] : []),
    ...(hidden.length > 0 ? ['a database may have hidden rows'] : []),
    ...(filtered.length > 0 ? ['a partition filter kept rows out of the search'] : []),
    ...(unconfirmed.length > 0 ? ['an identity was not confirmed, and found nothing by itself'] : []),
  ]
}

/** The result of the residual search, a line for each column; undefined where none was made. */
export function residualLines({ residualHits }: ErasureReceipt): readonly string[] | undefined {
  if (residualHits?.length === 0) return ['Every text column was searched for the identities: nothing was found.']
  return residualHits?.map(({ collection, column, rowCount, retained }) => {
    const rows = countedRows(rowCount)
    return `${collection}, ${column}: an identity is found in ${rows}${retained > 0 ? `, ${retained} of them kept for a reason` : ''}`
  })
}

/** The whole receipt in one sentence. */
export function receiptSummary({ status, totals, failure }: ErasureReceipt): string {
  const parts = Object.entries(totals).map(([outcome, count]) => `${count} ${texts[outcome as Outcome]}`)
  const counted = parts.length > 0 ? `Rows: ${parts.join(', ')}.` : 'No rows were found.'
  return status === 'complete' ? counted : `The erasure did not complete: ${failure} ${counted}`
}
