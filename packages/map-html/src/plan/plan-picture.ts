import { erasureDecision, type Plan, unsearchedText } from '@habeas/core'
import { counted, fact, filled, sorted } from '../picture/facts.js'
import type { Facet, LegendLine, NodeKind, Picture, PictureNode, Section } from '../picture/picture.js'
import { collectionSections } from './collection-sections.js'
import { type Outcome, outcomeOf, outcomes } from './plan-outcome.js'
import { type PlanPlace, type PlanPlaces, planPlaces } from './plan-places.js'
import { type Reached, shortestWays } from './shortest-ways.js'
import { openSection, waySection } from './way-sections.js'
import { identitySections, placeOf, requestSections, toldOfWhole } from './whole-sections.js'

const kinds: readonly NodeKind[] = [
  { key: 'request', one: 'request', many: 'Request' },
  { key: 'identity', one: 'identity', many: 'Identities' },
  { key: 'collection', one: 'collection', many: 'Collections' },
  { key: 'other', one: 'more', many: 'Not searched' },
]

const ways: readonly LegendLine[] = [
  { label: 'Identity', kind: 'identity' },
  { label: 'Finds rows of the person', edge: 'way' },
  { label: 'The same, inferred', edge: 'inferred' },
  { label: 'Finds rows that theirs refer to', edge: 'part' },
  { label: 'Open: nobody has decided', edge: 'open' },
]

/** The plan of a request as a picture, from its identities to each collection. */
export function planPicture({ plan, title }: { readonly plan: Plan; readonly title?: string }): Picture {
  const drawn = planPlaces(plan)
  const reached = shortestWays(drawn)
  const ranks = ranksOf(drawn, reached)
  const told = drawn.places.map((place) => outcomeOf(plan, place))
  const present = outcomes.filter(({ key }) => told.includes(key))
  const datasets = sorted(drawn.places.flatMap((place) => datasetOf(place) ?? []))
  const everywhere: Facet = [[...present.keys()], [...datasets.keys()]]
  const facetOf = (place: PlanPlace, outcome: Outcome): Facet => [
    present.flatMap(({ key }, at) => (key === outcome ? [at] : [])),
    datasets.flatMap((name, at) => (name === datasetOf(place) ? [at] : [])),
  ]
  const nodes = drawn.places.map((place, at): PictureNode => {
    const outcome = told[at]
    const tone = outcomes.find(({ key }) => key === outcome)?.tone
    const way = reached[at]?.way ?? []
    return {
      kind: place.kind === 'property' ? 'identity' : place.kind === 'many' ? 'other' : 'collection',
      ...{ label: datasets.length > 1 ? place.name : shortName(place), key: place.name, note: noteOf(plan, place) },
      ...(tone !== undefined && { tone }),
      rank: ranks[at] as number,
      group: datasetOf(place) ?? '',
      facets: [outcome === undefined ? everywhere : facetOf(place, outcome)],
      words: wordsOf(place),
      sections: sectionsOf(plan, drawn, at, way),
      ...(way.length > 0 && { way }),
    }
  })
  return {
    title: title ?? 'Plan of a request',
    summary: summaryOf(plan),
    kinds,
    filters: [
      { label: 'Outcome', all: 'All outcomes', options: present.map(({ label }) => ({ label, depth: 0 })) },
      { label: 'Dataset', all: 'All datasets', options: datasets.map((label) => ({ label, depth: 0 })) },
    ],
    nodes: [...nodes, requestNode(plan, drawn, everywhere)],
    edges: drawn.ways.map(({ from, to, label, kind }) => ({ from, to, label, kind: kind === 'own' ? 'way' : kind })),
    legend: [
      ...present.map(({ label, tone }) => ({ label, kind: 'collection' as const, ...(tone && { tone }) })),
      ...ways.filter(
        ({ edge }) => edge === undefined || drawn.ways.some(({ kind }) => (kind === 'own' ? 'way' : kind) === edge),
      ),
    ],
  }
}

/** What no collection stands for, as a node of its own: a reader begins there. */
function requestNode(plan: Plan, drawn: PlanPlaces, everywhere: Facet): PictureNode {
  const told = toldOfWhole(plan)
  return {
    kind: 'request',
    ...{ label: 'The whole request', key: '', note: told || 'nothing to add' },
    ...(told !== '' && { tone: 'open' as const }),
    ...{ rank: 0, group: '', words: [] },
    facets: [everywhere],
    sections: filled(requestSections(plan, drawn)),
  }
}

function summaryOf(plan: Plan): string {
  const { collections, unsearched, open, findings } = plan
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const told = toldOfWhole(plan)
  const parts = [
    `${counted(collections.length, 'collection')} searched`,
    unsearched.length > 0 && `${unsearched.length} not searched`,
    open.length > 0 && counted(open.length, 'open reference'),
    errors > 0 && `${counted(errors, 'error')} that ${errors === 1 ? 'stops' : 'stop'} the request`,
    told,
  ]
  return parts.filter(Boolean).join(', ')
}

const datasetOf = (place: PlanPlace): string | undefined =>
  place.kind === 'property' || place.kind === 'many' ? undefined : place.name.slice(0, place.name.indexOf(':'))

/** The name without its dataset, which the key has. */
const shortName = ({ kind, name }: PlanPlace): string =>
  kind === 'property' ? name : name.slice(name.indexOf(':') + 1)

function noteOf(plan: Plan, place: PlanPlace): string {
  if (place.kind === 'property') return ''
  if (place.kind === 'counted') return 'counted only'
  if (place.kind === 'unsearched') return 'not searched'
  if (place.kind === 'many') return counted(place.names.length, 'collection')
  const { collection } = place
  const fields = new Set(collection.deliver.flatMap(({ paths }) => paths.map((path) => path.join('.')))).size
  return (
    erasureDecision(plan, collection)?.words[0] ?? (fields > 0 ? `delivers ${counted(fields, 'field')}` : 'read only')
  )
}

function wordsOf(place: PlanPlace): string[] {
  if (place.kind === 'many') return [...place.names]
  return place.kind === 'searched' ? place.collection.read.map(({ field }) => field) : []
}

function sectionsOf(plan: Plan, drawn: PlanPlaces, at: number, way: readonly number[]): Section[] {
  const place = drawn.places[at] as PlanPlace
  const own: Section[] =
    place.kind === 'searched'
      ? collectionSections(plan, place.collection)
      : place.kind === 'unsearched'
        ? [{ heading: 'Not searched', facts: fact('Why', unsearchedText(place.unsearched)) }]
        : place.kind === 'many'
          ? [{ heading: place.why, facts: fact('Collections', ...place.names) }]
          : place.kind === 'counted'
            ? [{ heading: 'Counted only', facts: fact('Why', 'An open reference leads to it or comes from it.') }]
            : identitySections(plan, place.name)
  const findings = plan.findings.filter((finding) => placeOf(finding) === place.name)
  return filled([
    waySection(drawn, at, way),
    openSection(plan, place.name),
    ...own,
    {
      heading: 'Findings',
      facts: findings.flatMap(({ severity, message }) => fact(severity, message)),
    },
  ])
}

/**
 * The column of each place. What is only counted stands behind the collection that its reference belongs to, and what no
 * way leads to stands last.
 */
function ranksOf({ places, ways }: PlanPlaces, reached: readonly (Reached | undefined)[]): number[] {
  const distances = reached.map((each) => each?.distance)
  for (const { from, to, kind } of ways) {
    const known = distances[from]
    if (kind === 'open' && known !== undefined) distances[to] ??= known + 1
  }
  const last = Math.max(0, ...distances.map((each) => each ?? 0)) + 1
  return places.map((_, at) => distances[at] ?? last)
}
