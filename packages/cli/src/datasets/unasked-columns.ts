import type { Dataset, Field } from '@habeas/core'
import { fewNames } from '../few-names.js'
import { isDecided } from './decided-field.js'

/**
 * Says of each collection with personal data which of its columns no request asks for, because nobody has given them a category.
 * Keys, references, what somebody has reviewed or waived, and what is `told` already are left out.
 */
export function unaskedColumns(
  { service_key: dataset, data_categories: all = [], collections }: Dataset,
  told: ReadonlySet<string>,
): string[] {
  if (all.length > 0) return []
  return collections.flatMap(
    ({ name, data_categories: own = [], fields, service_meta: { skip_processing, owner } }) => {
      const isAsked = !skip_processing && owner?.length !== 0
      if (own.length > 0 || !isAsked || !fields.some(hasCategory)) return []
      const isTold = (field: Field) => told.has(`${dataset}:${name}.${field.name}`)
      const unasked = fields.filter((field) => !hasCategory(field) && !isDecided(field) && !isTold(field))
      if (unasked.length === 0) return []
      const names = fewNames(
        unasked.map((field) => `'${field.name}'`),
        10,
      )
      return [`'${dataset}:${name}' has columns without a category, for which no request asks: ${names}.`]
    },
  )
}

const hasCategory = ({ data_categories: own = [], fields = [] }: Field): boolean =>
  own.length > 0 || fields.some(hasCategory)
