import type { NotSearched } from '../package-content.js'
import type { Place } from './data-map.js'
import { html, type Markup } from './markup.js'
import { counted, fileHref, pageText } from './page.js'
import { reasonWords } from './reason-words.js'
import { timeWords } from './time-words.js'
import { usesMarkup } from './uses.js'

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
  readonly requestId: string
  readonly preparedAt: Date
  readonly organization?: string
  readonly entries: readonly IndexEntry[]
  readonly uploads: readonly UploadEntry[]
  readonly notSearched: readonly NotSearched[]
  readonly place: (address: string) => Place
}

/** The page a person opens first: what there is, by dataset and collection, and what was not searched. */
export function indexPage(index: Index): string {
  const { requestId, preparedAt, organization, entries, uploads, notSearched, place } = index
  const prepared = preparedAt.toISOString()
  const title = organization === undefined ? 'Your data' : `Your data at ${organization}`
  return pageText({
    title,
    trail: [],
    head: html`<h1>${title}</h1>
<p class="lead">${summary(index)}</p>
<dl class="facts">
<div><dt>Prepared on</dt><dd><time datetime="${prepared}">${timeWords(prepared.slice(0, 10))}</time></dd></div>
<div><dt>Request</dt><dd>${requestId}</dd></div>
</dl>`,
    main: [
      byDataset(entries).map(datasetMarkup),
      uploads.length > 0 && uploadsMarkup(uploads),
      notSearched.length > 0 && notSearchedMarkup(notSearched, place),
      entries.length + uploads.length > 0 && howToRead,
    ],
  })
}

function summary({ entries, uploads, notSearched }: Index): string {
  const rows = entries.reduce((sum, { rowCount }) => sum + rowCount, 0)
  const found = [
    entries.length > 0 && `${counted(rows, 'record')} in ${counted(entries.length, 'collection')}`,
    uploads.length > 0 && `${counted(uploads.length, 'part')} that people put together by hand`,
  ].filter((part) => part !== false)
  const missing =
    notSearched.length > 0
      ? ` ${counted(notSearched.length, 'place was', 'places were')} not searched, listed below.`
      : ''
  if (found.length > 0) return `This is what was found about you: ${found.join(', and ')}.${missing}`
  return `No data about you was found${missing === '' ? '' : ' in what was searched'}.${missing}`
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

function datasetMarkup(entries: readonly IndexEntry[]): Markup {
  const { datasetName, datasetDescription } = (entries[0] as IndexEntry).place
  return html`<section>
<h2>${datasetName}</h2>
${datasetDescription !== undefined && html`<p>${datasetDescription}</p>`}
<ul class="ledger">${entries.map(entryMarkup)}</ul>
</section>
`
}

function entryMarkup({ place: { collectionName, collection }, rowCount, path }: IndexEntry): Markup {
  return html`
<li><div class="entry"><h3><a href="${fileHref(path)}">${collectionName}</a></h3><span class="count">${counted(rowCount, 'record')}</span></div>
${collection?.description && html`<p>${collection.description}</p>`}
${collection && usesMarkup(collection.uses)}</li>`
}

function uploadsMarkup(uploads: readonly UploadEntry[]): Markup {
  const entries = uploads.map(({ name, fieldCount, path }) => {
    const count = fieldCount === 0 ? 'nothing found' : counted(fieldCount, 'field')
    return html`
<li><div class="entry"><h3><a href="${fileHref(path)}">${name}</a></h3><span class="count">${count}</span></div></li>`
  })
  return html`<section>
<h2>Put together by hand</h2>
<p>These places were searched by people, who wrote down what they found.</p>
<ul class="ledger">${entries}</ul>
</section>
`
}

function notSearchedMarkup(notSearched: readonly NotSearched[], place: Index['place']): Markup {
  const rows = notSearched.map(({ collection, reason }) => {
    const { datasetName, collectionName } = place(collection)
    const name = collectionName === '' ? datasetName : `${datasetName}: ${collectionName}`
    return html`
<tr><th scope="row">${name}</th><td>${reasonWords(reason)}</td></tr>`
  })
  return html`<section>
<h2>Not searched</h2>
<p>There may be data about you here that this file does not show.</p>
<div class="wide"><table class="words"><caption class="hidden">Places that were not searched, and why</caption>
<thead><tr><th scope="col">Place</th><th scope="col">Why</th></tr></thead>
<tbody>${rows}
</tbody></table></div>
</section>
`
}

const howToRead = html`<section>
<h2>How to read this</h2>
<p>Each name above leads to the records of one collection, with what its fields mean where that is known. A record is
shown as it is stored; only dates, times, yes and no are written out.</p>
<p>If a name leads nowhere, the archive has not been unpacked yet: unpack all of it and open <b>index.html</b> in the
folder you get. Nothing here needs a connection to the internet.</p>
</section>`
