import type { PackageText } from '../../rules/package/package-text.js'
import { type Content, html, type Markup } from '../../rules/value/html.js'
import type { DescribedCollection, DescribedField, Place } from './described-dataset.js'
import { fileHref, pageText } from './page.js'
import type { Members, Survey } from './row-pages.js'
import { usesMarkup } from './uses-markup.js'
import { memberMarkup, valueMarkup } from './value-markup.js'

/** Pages shown on each side of the open one. */
const neighbours = 2

export interface CollectionPage {
  readonly texts: PackageText
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

/** One page of a collection. The first page also says what data is held, for what purpose, and what its fields mean. */
export function collectionPage(options: CollectionPage): string {
  const { texts, place, rowCount, survey, page, before, rows } = options
  const { datasetName, collectionName, collection } = place
  const { number } = texts
  const pages = { page: survey.pages > 1 ? number(page) : undefined, pages: number(survey.pages) }
  const range = { from: number(before + 1), to: number(before + rows.length), count: number(rowCount) }
  const shown = rows.length === rowCount ? texts.say('records_title') : texts.say('records_range', range)
  const records = texts.count('records', rowCount)
  return pageText({
    texts,
    title: texts.say('collection_title', { collection: collectionName, dataset: datasetName, ...pages }),
    trail: [
      { name: texts.say('your_data'), href: '../index.html' },
      ...(page > 1 ? [{ name: collectionName, href: fileHref(options.file(1)) }] : []),
    ],
    head: html`<h1>${collectionName}</h1>
<p class="lead">${texts.say('collection_lead', { records, dataset: datasetName, ...pages })}</p>
${page === 1 && collection && aboutMarkup(texts, collection)}`,
    main: html`${page === 1 && collection && fieldsMarkup(texts, collection.fields)}
<section><h2>${shown}</h2>
${pagesMarkup(options, texts.say('pages'))}
${survey.isTable ? tableMarkup(options, shown) : rows.map((row, at) => recordMarkup(texts, row, before + at + 1))}
${pagesMarkup(options, texts.say('pages_again'))}
</section>`,
  })
}

function aboutMarkup(texts: PackageText, { description, uses }: DescribedCollection): Content {
  return [description ? html`<p dir="auto">${description}</p>` : undefined, usesMarkup(texts, uses)]
}

function fieldsMarkup(texts: PackageText, fields: readonly DescribedField[]): Markup | undefined {
  if (fields.length === 0) return undefined
  const none = html`<span class="none">${texts.say('not_described')}</span>`
  const rows = fields.map(
    ({ path, description, categories }) => html`
<tr><th scope="row">${path.join('.')}</th><td dir="auto">${description || none}</td><td class="soft">${categories.join(', ') || none}</td></tr>`,
  )
  const heads = (['field', 'meaning', 'kind_of_data'] as const).map(
    (key) => html`<th scope="col">${texts.say(key)}</th>`,
  )
  return html`<section><h2>${texts.say('fields_title')}</h2>
<div class="wide"><table class="words"><caption class="hidden">${texts.say('fields_table')}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>${rows}
</tbody></table></div></section>
`
}

function tableMarkup({ texts, rows, survey: { columns } }: CollectionPage, caption: string): Markup {
  const heads = columns.map((name) => html`<th scope="col" role="columnheader" dir="auto">${name}</th>`)
  return html`<div class="wide"><table role="table"><caption class="hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => tableRow(texts, row, columns))}
</tbody></table></div>`
}

function tableRow(texts: PackageText, row: Members, columns: readonly string[]): Markup {
  const cells = columns.map((name) => {
    const value = Object.hasOwn(row, name) ? valueMarkup(texts, row[name]) : undefined
    return html`<td role="cell" data-field="${name}"><div dir="auto">${value}</div></td>`
  })
  return html`
<tr role="row">${cells}</tr>`
}

function recordMarkup(texts: PackageText, row: Members, number: number): Markup {
  return html`
<article class="record" aria-labelledby="r${number}"><h3 id="r${number}">${texts.say('record', { number: texts.number(number) })}</h3>
<dl>${Object.entries(row).map(([name, value]) => memberMarkup(texts, name, value))}</dl></article>`
}

/** Links to the first, the last and the pages around the open one. */
function pagesMarkup({ texts, survey: { pages }, page, file }: CollectionPage, label: string): Markup | undefined {
  if (pages === 1) return undefined
  const link = (to: number, text: string, rel?: string) =>
    html`<a href="${fileHref(file(to))}"${rel !== undefined && html` rel="${rel}"`}>${text}</a>`
  const numbers = [...new Set([1, ...around(page, pages), pages])]
  const links = numbers.map((number, at) => {
    const gap = at > 0 && number > (numbers[at - 1] as number) + 1 && html`<span>…</span>`
    const text = texts.number(number)
    return [gap, number === page ? html`<b aria-current="page">${text}</b>` : link(number, text)]
  })
  return html`<nav class="pages" aria-label="${label}">
${page > 1 && link(page - 1, texts.say('previous'), 'prev')}${links}${page < pages && link(page + 1, texts.say('next'), 'next')}</nav>`
}

function around(page: number, pages: number): number[] {
  const from = Math.max(1, page - neighbours)
  return Array.from({ length: Math.min(pages, page + neighbours) - from + 1 }, (_, at) => from + at)
}
