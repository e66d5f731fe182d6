import type { Plan } from '@habeas/core'
import * as z from 'zod'

const names = z.array(z.string())

/** What a description leaves out, by name. */
export const coverageSchema = z.object({
  columns: names,
  tables: names,
  references: names,
  histories: names,
  hidden: names,
  unmasked: names,
  collections: names,
})

export function coverageToWire({
  columns = [],
  tables = [],
  references = [],
  histories = [],
  hidden = [],
  unmasked = [],
  collections = [],
}: Plan['coverage']) {
  return {
    columns: [...columns],
    tables: [...tables],
    references: [...references],
    histories: [...histories],
    hidden: [...hidden],
    unmasked: [...unmasked],
    collections: [...collections],
  }
}
