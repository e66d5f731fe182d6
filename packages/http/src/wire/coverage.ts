import type { Plan } from '@habeas/core'
import * as z from 'zod'
import { wireRecord } from './wire-record.js'

const names = z.array(z.string())

/** What a description leaves out, by name. */
export const coverage = wireRecord<Plan['coverage']>()({
  columns: names,
  tables: names,
  references: names,
  histories: names,
  hidden: names,
  filtered: names,
  unmasked: names,
  collections: names,
})
