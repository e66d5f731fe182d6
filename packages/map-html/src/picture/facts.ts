import type { Fact, Section, Value } from './picture.js'

/** A fact about which something is known, in a list that others are added to. Nothing otherwise. */
export function fact(term: string, ...values: readonly (Value | undefined | false)[]): Fact[] {
  const known = values.filter((value) => value !== undefined && value !== false && value !== '') as Value[]
  return known.length > 0 ? [{ term, values: known }] : []
}

/** The sections that say something. */
export function filled(sections: readonly Section[]): Section[] {
  return sections.filter(({ facts = [], entries = [] }) => facts.length + entries.length > 0)
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** Each text once, in the order of its code units, which is the same everywhere. */
export const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].sort()

/** Compares texts by their code units. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
