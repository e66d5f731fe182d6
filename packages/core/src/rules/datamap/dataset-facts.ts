import type { Dataset } from '../../model/dataset.js'
import { declaredFields } from '../policy/declared-fields.js'

/** What a data map says of a dataset. All lists are sorted. */
export interface DatasetFacts {
  readonly key: string
  readonly name: string
  /** The categories of all its fields. */
  readonly categories: readonly string[]
  readonly countries: readonly string[]
  /** How long its data is kept, in the words of its description. */
  readonly retentions: readonly string[]
}

export function datasetFacts(dataset: Dataset): DatasetFacts {
  const categories = new Set<string>(dataset.data_categories)
  const retentions = new Set<string | undefined>([dataset.retention])
  for (const collection of dataset.collections) {
    retentions.add(collection.retention)
    for (const each of collection.data_categories) categories.add(each)
    for (const { field } of declaredFields(dataset, collection)) {
      retentions.add(field.retention)
      for (const each of field.data_categories) categories.add(each)
    }
  }
  retentions.delete(undefined)
  return {
    key: dataset.service_key,
    name: dataset.name,
    categories: sorted(categories),
    countries: sorted(dataset.third_country_transfers),
    retentions: sorted(retentions as ReadonlySet<string>),
  }
}

/** Each text once, in the order of its code units, which is the same everywhere. */
export function sorted(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort()
}
