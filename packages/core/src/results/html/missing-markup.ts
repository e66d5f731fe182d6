import type { CoverageGaps } from '../../model/coverage-gaps.js'
import type { PackageTextKey } from '../../model/package-texts.js'
import type { PackageText } from '../../rules/package/package-text.js'
import { type Content, html, type Markup } from '../../rules/value/html.js'
import { nothingFoundText, type PackageContent } from '../package-content.js'
import type { Place } from './described-dataset.js'
import { reasonText } from './reason-text.js'

type PlaceOf = (address: string) => Place

/** Where nothing was found, and the data that a package lacks, with the reason: a section for each kind. */
export function missingMarkup(texts: PackageText, content: PackageContent, place: PlaceOf): readonly Markup[] {
  const { notSearched, undecided, coverage } = content
  const nothing = nothingFoundText(texts, content) === undefined ? [] : content.searched
  const searched = nothing.map((address) => [nameOf(place, address)])
  const missed = notSearched.map(({ collection, reason }) => [nameOf(place, collection), reasonText(texts, reason)])
  const left = undecided.map(({ collection, rowCount, reference }) => [
    nameOf(place, collection),
    rowCount === null ? texts.say('not_counted') : texts.number(rowCount),
    reference,
  ])
  const gaps = gapKinds.flatMap(([kind, why]) =>
    (coverage[kind] ?? []).map((name) => [nameOf(place, name), texts.say(why)]),
  )
  const sections = [
    { title: 'searched', heads: ['place'], rows: searched },
    { title: 'not_searched', heads: ['place', 'why'], rows: missed },
    { title: 'left_out', heads: ['place', 'how_many', 'connected_by'], rows: left },
    { title: 'not_described_here', heads: ['place', 'why'], rows: gaps },
  ] as const
  return sections.flatMap(({ title, heads, rows }) =>
    rows.length > 0 ? [sectionMarkup(texts, { title, ...descriptions[title], heads, rows })] : [],
  )
}

const descriptions = {
  searched: { meaning: 'searched_meaning', caption: 'searched_table' },
  not_searched: { meaning: 'not_searched_meaning', caption: 'not_searched_table' },
  left_out: { meaning: 'left_out_meaning', caption: 'left_out_table' },
  not_described_here: { meaning: 'not_described_meaning', caption: 'not_described_table' },
} as const satisfies Record<string, Record<string, PackageTextKey>>

const gapKinds: readonly (readonly [keyof CoverageGaps, PackageTextKey])[] = [
  ['hidden', 'gap_hidden'],
  ['filtered', 'gap_filtered'],
  ['columns', 'gap_columns'],
  ['tables', 'gap_tables'],
  ['references', 'gap_references'],
  ['histories', 'gap_histories'],
  ['unmasked', 'gap_unmasked'],
  ['collections', 'gap_collections'],
]

/** A collection, or a field of one, with the name of its dataset. */
function nameOf(place: PlaceOf, address: string): string {
  const { datasetName, collectionName } = place(address)
  return collectionName === '' ? datasetName : `${datasetName}: ${collectionName}`
}

function sectionMarkup(
  texts: PackageText,
  {
    title,
    meaning,
    caption,
    heads,
    rows,
  }: Readonly<Record<'title' | 'meaning' | 'caption', PackageTextKey>> & {
    readonly heads: readonly PackageTextKey[]
    readonly rows: readonly (readonly string[])[]
  },
): Markup {
  const lines: Content = rows.map(
    ([first, ...others]) => html`
<tr><th scope="row">${first}</th>${others.map((text) => html`<td>${text}</td>`)}</tr>`,
  )
  return html`<section>
<h2>${texts.say(title)}</h2>
<p>${texts.say(meaning)}</p>
<div class="wide"><table class="words"><caption class="hidden">${texts.say(caption)}</caption>
<thead><tr>${heads.map((key) => html`<th scope="col">${texts.say(key)}</th>`)}</tr></thead>
<tbody>${lines}
</tbody></table></div>
</section>
`
}
