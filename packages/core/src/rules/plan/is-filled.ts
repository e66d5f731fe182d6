import type { CatalogueCollection } from '../../model/catalogue.js'

/** Whether a column holds one value in every row. */
export function isFilled(live: CatalogueCollection | undefined, name: string): boolean {
  return live?.columns.some((column) => column.name === name && !column.nullable && !column.array) === true
}
