import type { Dataset } from '../../model/dataset.js'
import { declaredFields } from '../policy/declared-fields.js'
import { statedTexts } from './stated.js'
import { type TimeLimits, timeLimits } from './time-limits.js'

/** What a data map says of a dataset. All lists are sorted. */
export interface DatasetFacts {
  readonly key: string
  readonly name: string
  /** The categories of all its fields. */
  readonly categories: readonly string[]
  readonly countries: readonly string[]
  /** How long its data is kept, in the words of its description. */
  readonly retentions: readonly string[]
  /** What of it these hold for. */
  readonly limits: TimeLimits
  readonly jointController: Dataset['joint_controller']
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
  const stated = statedTexts(retentions)
  return {
    key: dataset.service_key,
    name: dataset.name,
    categories: statedTexts(categories),
    countries: statedTexts(dataset.third_country_transfers),
    retentions: stated,
    limits: timeLimits(dataset, stated),
    jointController: dataset.joint_controller,
  }
}
