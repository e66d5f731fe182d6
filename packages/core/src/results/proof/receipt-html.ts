import type { ErasureReceipt, ReceiptCollection } from '../../model/erasure-receipt.js'
import { packageText } from '../../rules/package/package-text.js'
import { html, type Markup } from '../../rules/value/html.js'
import { pageText } from '../html/page.js'
import { timeText } from '../html/time-text.js'
import { countText, doubtLines, fieldText, receiptLines, receiptSummary, residualLines } from './receipt-lines.js'

/** A receipt is in English, for the records of those who erased. */
const texts = packageText()()

/** A receipt as one page, to print or to keep. */
export function receiptHtml(receipt: ErasureReceipt): string {
  const { requestId, externalId, requestedAt, startedAt, finishedAt, policy, planHash, collections } = receipt
  const detailed = collections.filter((each) => each.fields.length > 0 || each.before !== undefined)
  const residual = residualLines(receipt)
  const doubts = doubtLines(receipt)
  return pageText({
    texts,
    title: `Erasure receipt ${requestId}`,
    trail: [],
    head: html`<h1>Erasure receipt</h1>
<p class="lead">${receiptSummary(receipt)}</p>
<dl class="facts">
<div><dt>Request</dt><dd>${requestId}</dd></div>
${externalId !== undefined && html`<div><dt>Reference</dt><dd>${externalId}</dd></div>`}
<div><dt>Requested</dt><dd>${timeMarkup(requestedAt)}</dd></div>
${startedAt !== undefined && html`<div><dt>Started</dt><dd>${timeMarkup(startedAt)}</dd></div>`}
<div><dt>Finished</dt><dd>${timeMarkup(finishedAt)}</dd></div>
<div><dt>Policy</dt><dd>${policy.name}</dd></div>
<div><dt>Hash of the policy</dt><dd>${policy.hash}</dd></div>
<div><dt>Hash of the plan</dt><dd>${planHash}</dd></div>
</dl>`,
    main: [
      linesMarkup(receipt),
      detailed.length > 0 && html`<section><h2>Fields</h2>${detailed.map(fieldsMarkup)}</section>`,
      residual &&
        html`<section><h2>What is left</h2><ul>${residual.map((line) => html`<li>${line}</li>`)}</ul></section>`,
      doubts.length > 0 &&
        html`<section><h2>What was left out</h2><ul>${doubts.map((line) => html`<li>${line}</li>`)}</ul></section>`,
    ],
    footer: 'This receipt names places and counts rows. It holds no personal data.',
  })
}

function timeMarkup(time: string): Markup {
  return html`<time datetime="${time}">${timeText(texts, time) ?? time}</time>`
}

function linesMarkup(receipt: ErasureReceipt): Markup {
  const rows = receiptLines(receipt).map(
    ({ place, outcome, rowCount, reason }) => html`
<tr><th scope="row" data-field="Collection">${place}</th><td data-field="Outcome">${outcome}</td>
<td data-field="Rows">${texts.number(rowCount)}</td><td data-field="Why">${reason}</td></tr>`,
  )
  return html`<section>
<h2>Collections</h2>
<div class="wide"><table><caption class="hidden">Outcomes of the rows of each collection</caption>
<thead><tr><th scope="col">Collection</th><th scope="col">Outcome</th><th scope="col">Rows</th><th scope="col">Why</th></tr></thead>
<tbody>${rows}
</tbody></table></div>
</section>
`
}

function fieldsMarkup(collection: ReceiptCollection): Markup {
  const counts = countText(collection)
  return html`
<div class="record"><h3>${collection.dataset}:${collection.collection}</h3>
${counts !== undefined && html`<p>${counts}</p>`}
${collection.fields.length > 0 && html`<ul>${collection.fields.map((field) => html`<li>${fieldText(field)}</li>`)}</ul>`}</div>`
}
