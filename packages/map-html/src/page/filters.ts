import type { Picture } from '../picture/picture.js'
import { element, part } from './element.js'

export interface Filters {
  /** For each filter the chosen option. */
  choices(): (number | undefined)[]
  clear(): void
}

/** A choice for each filter that has something to choose. */
export function filters(picture: Picture, onChange: () => void): Filters {
  const place = part('filters')
  const selects = picture.filters.map(({ label, all, options }, at) => {
    const select = element(
      'select',
      { id: `filter-${at}` },
      element('option', { value: '' }, all),
      // No-break spaces, since leading blanks of an option are dropped.
      ...options.map((option, value) =>
        element('option', { value: String(value) }, '\u00a0\u00a0'.repeat(option.depth) + option.label),
      ),
    )
    select.addEventListener('change', onChange)
    if (options.length > 1) place.append(element('label', { for: `filter-${at}`, class: 'hidden' }, label), select)
    return select
  })
  return {
    choices: () => selects.map(({ value }) => (value === '' ? undefined : Number(value))),
    clear() {
      for (const select of selects) select.value = ''
    },
  }
}
