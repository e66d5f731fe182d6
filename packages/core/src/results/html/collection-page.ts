import type { DescribedCollection, DescribedField, Place } from './data-map.js'
import { type Content, html, type Markup } from './markup.js'
import { counted, fileHref, grouped, pageText } from './page.js'
import type { Members, Survey } from './row-pages.js'
import { usesMarkup } from './uses.js'
import { memberMarkup, valueMarkup } from './value.js'

/** Pages shown on each side of the open one. */
const neighbours = 2

export interface CollectionPage {
  readonly place: Place
  readonly rowCount: number
  readonly survey: Survey
  /** From 1 on. */
  readonly page: number
  /** File names of pages, in the folder of this one. */
  readonly file: (page: number) => string
  readonly rows: readonly Members[]
  /** Rows on the pages before. */
  readonly before: number
}

/** One page of a collection; the first tells what is held, what for and what its fields mean. */
export function collectionPage(options: CollectionPage): string {
  const { place, rowCount, survey, page, before, rows } = options
  const { datasetName, collectionName, collection } = place
  const part = survey.pages > 1 ? `, page ${grouped(page)} of ${grouped(survey.pages)}` : ''
  const range = `${grouped(before + 1)} to ${grouped(before + rows.length)} of ${grouped(rowCount)}`
  const shown = rows.length === rowCount ? 'Records' : `Records ${range}`
  return pageText({
    title: `${collectionName} in ${datasetName}${part} – Your data`,
    trail: [
      { name: 'Your data', href: '../index.html' },
      ...(page > 1 ? [{ name: collectionName, href: fileHref(options.file(1)) }] : []),
    ],
    head: html`<h1>${collectionName}</h1>
<p class="lead">${counted(rowCount, 'record')} from ${datasetName}${part}.</p>
${page === 1 && collection && aboutMarkup(collection)}`,
    main: html`${page === 1 && collection && fieldsMarkup(collection.fields)}
<section><h2>${shown}</h2>
${pagesMarkup(options, 'Pages')}
${survey.isTable ? tableMarkup(options, shown) : rows.map((row, at) => recordMarkup(row, before + at + 1))}
${pagesMarkup(options, 'Pages, again')}
</section>`,
  })
}

function aboutMarkup({ description, uses }: DescribedCollection): Content {
  return [description ? html`<p>${description}</p>` : undefined, usesMarkup(uses)]
}

function fieldsMarkup(fields: readonly DescribedField[]): Markup | undefined {
  if (fields.length === 0) return undefined
  const rows = fields.map(
    ({ path, description, categories }) => html`
<tr><th scope="row">${path.join('.')}</th><td>${description || none}</td><td class="soft">${categories.join(', ') || none}</td></tr>`,
  )
  return html`<section><h2>What the fields mean</h2>
<div class="wide"><table class="words"><caption class="hidden">Fields, what they mean and the kind of data in them</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Meaning</th><th scope="col">Kind of data</th></tr></thead>
<tbody>${rows}
</tbody></table></div></section>
`
}

const none = html`<span class="none">not described</span>`

function tableMarkup({ rows, survey: { columns } }: CollectionPage, caption: string): Markup {
  const heads = columns.map((name) => html`<th scope="col" role="columnheader" dir="auto">${name}</th>`)
  return html`<div class="wide"><table role="table"><caption class="hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => tableRow(row, columns))}
</tbody></table></div>`
}

function tableRow(row: Members, columns: readonly string[]): Markup {
  const cells = columns.map((name) => {
    const value = Object.hasOwn(row, name) ? valueMarkup(row[name]) : undefined
    return html`<td role="cell" data-field="${name}"><div dir="auto">${value}</div></td>`
  })
  return html`
<tr role="row">${cells}</tr>`
}

function recordMarkup(row: Members, number: number): Markup {
  return html`
<article class="record" aria-labelledby="r${number}"><h3 id="r${number}">Record ${grouped(number)}</h3>
<dl>${Object.entries(row).map(([name, value]) => memberMarkup(name, value))}</dl></article>`
}

/** Links to the first, the last and the pages around the open one. */
function pagesMarkup({ survey: { pages }, page, file }: CollectionPage, label: string): Markup | undefined {
  if (pages === 1) return undefined
  const link = (to: number, text: string, rel?: string) =>
    html`<a href="${fileHref(file(to))}"${rel !== undefined && html` rel="${rel}"`}>${text}</a>`
  const numbers = [...new Set([1, ...around(page, pages), pages])]
  const links = numbers.map((number, at) => {
    const gap = at > 0 && number > (numbers[at - 1] as number) + 1 && html`<span>…</span>`
    const text = grouped(number)
    return [gap, number === page ? html`<b aria-current="page">${text}</b>` : link(number, text)]
  })
  return html`<nav class="pages" aria-label="${label}">
${page > 1 && link(page - 1, 'Previous', 'prev')}${links}${page < pages && link(page + 1, 'Next', 'next')}</nav>`
}

function around(page: number, pages: number): number[] {
  const from = Math.max(1, page - neighbours)
  return Array.from({ length: Math.min(pages, page + neighbours) - from + 1 }, (_, at) => from + at)
}
