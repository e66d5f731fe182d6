import type { CoverageGaps, Finding, Plan } from '@habeas/core'
import { counted, fact } from '../picture/facts.js'
import type { Section } from '../picture/picture.js'
import type { PlanPlaces } from './plan-places.js'

/** The collection that a finding is about, if it is about one. */
export const placeOf = ({ loc }: Finding): string => loc.slice(0, 2).join(':')

/** What an identity needs before it finds something. */
export function identitySections({ identities }: Plan, property: string): Section[] {
  return [
    {
      heading: 'Identity',
      facts: identities
        .filter(({ properties }) => properties.includes(property))
        .flatMap(({ properties, confirmedBy, alone, unconfirmable }) => [
          ...fact('Together with', ...properties.filter((each) => each !== property)),
          ...fact('Confirmed by', ...(alone.includes(property) ? [] : confirmedBy)),
          ...fact('Finds nothing', unconfirmable.includes(property) && 'no collection can confirm it'),
        ]),
    },
  ]
}

const gaps: Readonly<Record<keyof CoverageGaps, string>> = {
  columns: 'Columns without a description',
  tables: 'Tables without a description',
  references: 'Columns that seem to refer to people',
  histories: 'Tables that look like a history',
  hidden: 'The server may hide rows of',
  filtered: 'Searched in part, by a filter',
  unmasked: 'A strategy that no rule asks for',
  collections: 'No field has a category in',
}

/** What no collection of the picture stands for. */
export function requestSections({ coverage, findings }: Plan, { places }: PlanPlaces): Section[] {
  const shown = new Set(places.map(({ name }) => name))
  const names = Object.keys(gaps) as (keyof CoverageGaps)[]
  return [
    {
      heading: 'Findings',
      facts: findings.flatMap((each) => (shown.has(placeOf(each)) ? [] : fact(each.severity, each.message))),
    },
    {
      heading: 'Neither delivered nor erased',
      facts: names.flatMap((name) => fact(gaps[name], ...(coverage[name] ?? []))),
    },
  ]
}

/** How much a reader has to look at. Empty where there is nothing. */
export function toldOfWhole({ coverage, findings }: Plan): string {
  const warnings = findings.filter(({ severity }) => severity === 'warning').length
  const missing = Object.values(coverage).reduce((sum, names) => sum + names.length, 0)
  return [
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
    ...(missing > 0 ? [counted(missing, 'gap in the description', 'gaps in the description')] : []),
  ].join(', ')
}
