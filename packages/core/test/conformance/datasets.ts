import { type Dataset, parseDataset } from '../../src/model/dataset.js'
import type { DescribedDataset } from '../../src/rules/plan/dataset-graph.js'
import type { Targets } from '../../src/rules/plan/targeted.js'
import { isCovered } from '../../src/rules/policy/matches-dimension.js'
import { type Json, sample } from './bank.js'

/** A dataset in the cases' own form, which parts execution from description nowhere. */
export interface NeutralDataset extends Json {
  readonly key: string
  readonly connection?: string
  readonly collections: readonly Json[]
}

export interface DatasetInput {
  readonly datasets?: readonly NeutralDataset[]
  readonly datasets_ref?: string | readonly string[]
}

/** The datasets of a case, spelled out in it or named. */
export function neutralDatasets({ datasets, datasets_ref }: DatasetInput): readonly NeutralDataset[] {
  if (datasets) return datasets
  const references = typeof datasets_ref === 'string' ? [datasets_ref] : (datasets_ref ?? [])
  return references.flatMap((reference) => sample(reference) as NeutralDataset | NeutralDataset[])
}

/** The same dataset as a manifest of the ancestor would say it, so that nothing of it is lost before it is read. */
export function manifestOf({ key, connection: _, collections, ...rest }: NeutralDataset): Json {
  return { fides_key: key, collections: collections.map((each) => described(each)), ...described(rest) }
}

/** Datasets that were made by code repeat `return_all_elements` on what lies below, where it need not stand. */
function described(node: Json, inherits = false): Json {
  const { name, description, data_categories, fields, return_all_elements: all, ...meta } = node
  const below = inherits || all === true
  return {
    ...Object.fromEntries(Object.entries({ name, description, data_categories }).filter(([, value]) => value != null)),
    ...(Array.isArray(fields) && { fields: fields.map((field: Json) => described(field, below)) }),
    fides_meta: { ...meta, ...(all === true && !inherits && { return_all_elements: true }) },
  }
}

function datasetOf(neutral: NeutralDataset): Dataset {
  return parseDataset(manifestOf(neutral)).value
}

/** Each dataset on a connection of its own, with nothing known of the database behind it. */
export function describedDatasets(input: DatasetInput): DescribedDataset[] {
  return neutralDatasets(input).map((neutral) => ({
    dataset: datasetOf(neutral),
    connection: { key: neutral.connection ?? neutral.key, disabled: false },
  }))
}

export const everything: Targets = () => ['everything']

/** Fields with a category that one of these covers. */
export function targeting(categories: readonly string[]): Targets {
  return (_, field) =>
    field.categories.some((own) => categories.some((target) => isCovered(own, target))) ? ['rule'] : []
}
