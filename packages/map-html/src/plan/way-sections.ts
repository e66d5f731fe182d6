import type { Plan } from '@habeas/core'
import { fact } from '../picture/facts.js'
import type { Section } from '../picture/picture.js'
import type { PlacedWay, PlanPlaces } from './plan-places.js'

/** By which way a request comes to a place, and where it goes from there. */
export function waySection({ ways }: PlanPlaces, at: number, way: readonly number[]): Section {
  const steps = way.map((step) => ways[step] as PlacedWay)
  const followed = ways.filter(({ kind }) => kind !== 'open')
  return {
    heading: 'Ways of the request',
    facts: [
      ...fact('Shortest way here', ...steps.map(({ from, label }) => ({ node: from, note: label }))),
      ...fact(
        'All ways here',
        ...(steps.length > 0
          ? followed.filter(({ to }) => to === at).map(({ from, label }) => ({ node: from, note: label }))
          : []),
      ),
      ...fact(
        'Leads to',
        ...followed.filter(({ from }) => from === at).map(({ to, label }) => ({ node: to, note: label })),
      ),
    ],
  }
}

/** The open references that concern a collection, and what can be answered. */
export function openSection({ open }: Plan, address: string): Section {
  return {
    heading: 'Open',
    entries: open
      .filter((each) => each.by === address || each.address === address)
      .map(({ name, why, answers, uncounted, address: counted }) => ({
        title: name,
        facts: [
          ...fact('Why', why),
          ...fact('Say', ...answers.split('; ')),
          ...fact(uncounted ? 'Not counted' : 'Counted', `rows of ${counted}`),
        ],
      })),
  }
}
