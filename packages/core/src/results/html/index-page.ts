import type { PackageText } from '../../rules/package/package-text.js'
import { html, type Markup } from '../../rules/value/html.js'
import { incompleteText, nothingFoundText, type PackageContent } from '../package-content.js'
import type { Place } from './described-dataset.js'
import { missingMarkup } from './missing-markup.js'
import { fileHref, pageText } from './page.js'
import { sayMarkup } from './say-markup.js'
import { timeText } from './time-text.js'
import { usesMarkup } from './uses-markup.js'

/** A collection in the index, and the file of its first page. */
export interface IndexEntry {
  readonly place: Place
  readonly rowCount: number
  readonly path: string
}

export interface UploadEntry {
  readonly name: string
  readonly fieldCount: number
  readonly path: string
}

export interface Index {
  readonly texts: PackageText
  readonly requestId: string
  readonly preparedAt: Date
  readonly organization?: string
  readonly entries: readonly IndexEntry[]
  readonly uploads: readonly UploadEntry[]
  /** The missing parts, and why they are missing. */
  readonly content: PackageContent
  readonly place: (address: string) => Place
}

/** The page a person opens first: the data by dataset and collection, and what was not searched. */
export function indexPage(index: Index): string {
  const { texts, requestId, preparedAt, organization, entries, uploads, content, place } = index
  const prepared = preparedAt.toISOString()
  const incomplete = incompleteText(texts, content)
  const title = organization === undefined ? texts.say('your_data') : texts.say('your_data_at', { organization })
  return pageText({
    texts,
    title,
    trail: [],
    head: html`<h1>${title}</h1>
<p class="lead">${summary(index)}</p>
${incomplete !== undefined && html`<p><strong>${incomplete}</strong></p>`}
<dl class="facts">
<div><dt>${texts.say('prepared_on')}</dt><dd><time datetime="${prepared}">${timeText(texts, prepared.slice(0, 10))}</time></dd></div>
<div><dt>${texts.say('request')}</dt><dd>${requestId}</dd></div>
</dl>`,
    main: [
      byDataset(entries).map((each) => datasetMarkup(texts, each)),
      uploads.length > 0 && uploadsMarkup(texts, uploads),
      missingMarkup(texts, content, place),
      entries.length + uploads.length > 0 && howToRead(texts),
    ],
  })
}

function summary({ texts, entries, uploads, content }: Index): string {
  const { notSearched } = content
  const rows = entries.reduce((sum, { rowCount }) => sum + rowCount, 0)
  const records = texts.count('records', rows)
  const collections = texts.count('collections', entries.length)
  const parts = uploads.length > 0 ? texts.count('parts_by_hand', uploads.length) : undefined
  const found =
    nothingFoundText(texts, content) ??
    (entries.length > 0 ? texts.say('found', { records, collections, parts }) : texts.say('found_by_hand', { parts }))
  return notSearched.length > 0 ? `${found} ${texts.count('places_not_searched', notSearched.length)}` : found
}

function byDataset(entries: readonly IndexEntry[]): IndexEntry[][] {
  const groups = new Map<string, IndexEntry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.place.dataset)
    if (group) group.push(entry)
    else groups.set(entry.place.dataset, [entry])
  }
  return [...groups.values()]
}

function datasetMarkup(texts: PackageText, entries: readonly IndexEntry[]): Markup {
  const { datasetName, datasetDescription } = (entries[0] as IndexEntry).place
  return html`<section>
<h2>${datasetName}</h2>
${datasetDescription !== undefined && html`<p dir="auto">${datasetDescription}</p>`}
<ul class="ledger">${entries.map((entry) => entryMarkup(texts, entry))}</ul>
</section>
`
}

function entryMarkup(
  texts: PackageText,
  { place: { collectionName, collection }, rowCount, path }: IndexEntry,
): Markup {
  return html`
<li><div class="entry"><h3><a href="${fileHref(path)}">${collectionName}</a></h3><span class="count">${texts.count('records', rowCount)}</span></div>
${collection?.description && html`<p dir="auto">${collection.description}</p>`}
${collection && usesMarkup(texts, collection.uses)}</li>`
}

function uploadsMarkup(texts: PackageText, uploads: readonly UploadEntry[]): Markup {
  const entries = uploads.map(({ name, fieldCount, path }) => {
    const count = fieldCount === 0 ? texts.say('nothing_found') : texts.count('fields', fieldCount)
    return html`
<li><div class="entry"><h3><a href="${fileHref(path)}">${name}</a></h3><span class="count">${count}</span></div></li>`
  })
  return html`<section>
<h2>${texts.say('by_hand')}</h2>
<p>${texts.say('by_hand_meaning')}</p>
<ul class="ledger">${entries}</ul>
</section>
`
}

function howToRead(texts: PackageText): Markup {
  return html`<section>
<h2>${texts.say('how_to_read')}</h2>
<p>${texts.say('how_to_read_names')}</p>
<p>${sayMarkup(texts, 'how_to_unpack', { file: html`<b>index.html</b>` })}</p>
</section>`
}
