import type { ErasureReceipt } from '../../model/erasure-receipt.js'
import { countText, doubtLines, fieldText, receiptLines, receiptSummary, residualLines } from './receipt-lines.js'

/** A receipt for a terminal or a mail. */
export function receiptText(receipt: ErasureReceipt): string {
  const { requestId, externalId, status, requestedAt, startedAt, finishedAt, policy, planHash } = receipt
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Request', requestId],
    ['Reference', externalId],
    ['Status', status],
    ['Requested', requestedAt],
    ['Started', startedAt],
    ['Finished', finishedAt],
    ['Policy', `${policy.key} (${policy.hash})`],
    ['Plan', planHash],
  ]
  const lines = receiptLines(receipt)
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length))
  const placeWidth = widest(lines.map(({ place }) => place))
  const countWidth = widest(lines.map(({ rowCount }) => String(rowCount)))
  const outcomes = lines.map(({ place, outcome, rowCount, reason }) => {
    const why = reason === '' ? '' : `: ${reason}`
    return `${place.padEnd(placeWidth)}  ${String(rowCount).padStart(countWidth)}  ${outcome}${why}`
  })
  const details = receipt.collections.flatMap((collection) => {
    const texts = [countText(collection), ...collection.fields.map(fieldText)].filter((text) => text !== undefined)
    return texts.length > 0
      ? [`${collection.dataset}:${collection.collection}`, ...texts.map((text) => `  ${text}`)]
      : []
  })
  const sections = [
    ['Erasure receipt', '', ...facts.flatMap(([name, fact]) => (fact ? [`${name.padEnd(10)} ${oneLine(fact)}`] : []))],
    [receiptSummary(receipt)],
    outcomes,
    details,
    residualLines(receipt) ?? [],
    doubtLines(receipt),
  ]
  return sections
    .filter((section) => section.length > 0)
    .map((section) => section.map(oneLine).join('\n'))
    .join('\n\n')
    .concat('\n')
}

/** Names come from elsewhere: none may begin a new line, or move the cursor of a terminal. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ')
}
