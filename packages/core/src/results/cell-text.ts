import type { MapCell } from '../model/data-map.js'

/** What a person reads in a cell of a table. */
export function cellText(value: MapCell): string {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : value.join('; ')
}
