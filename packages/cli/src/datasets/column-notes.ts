import type { Dataset, Field } from '@habeas/core'
import { fewNames } from '../few-names.js'
import { isDecided } from './decided-field.js'

type Collection = Dataset['collections'][number]

interface Noting {
  /** What is told already, as `dataset:collection.field`. */
  readonly told: ReadonlySet<string>
  /** Whether requests may erase there. */
  readonly erases: boolean
}

/** What the columns of a dataset keep from requests, and what nobody has to decide on: see each part. */
export function columnNotes(dataset: Dataset, { told, erases }: Noting): string[] {
  return dataset.collections.flatMap((collection) => {
    const { name, service_meta: meta } = collection
    if (meta.skip_processing || meta.owner?.length === 0) return []
    const address = `${dataset.service_key}:${name}`
    const isTold = (field: Field) => told.has(`${address}.${field.name}`)
    const isWhole = [...dataset.data_categories, ...collection.data_categories].length > 0
    const isPersonal = collection.fields.some(hasCategory)
    return [
      ...(isPersonal && !isWhole ? unasked(address, collection, isTold) : []),
      ...(isPersonal || isWhole || hasLinks(collection) ? [] : unknownDocuments(address, collection, isTold)),
      ...(erases ? keptKeys(address, collection) : []),
    ]
  })
}

/** Columns of personal rows for which no request asks, because nobody has given them a category. */
function unasked(address: string, { fields }: Collection, isTold: (field: Field) => boolean): string[] {
  const open = fields.filter((field) => !hasCategory(field) && !isDecided(field) && !isTold(field))
  return open.length === 0
    ? []
    : [`'${address}' has columns without a category, for which no request asks: ${namesOf(open)}.`]
}

/** Documents in rows that nothing connects with a person. The schema does not say what they hold. */
function unknownDocuments(address: string, { fields }: Collection, isTold: (field: Field) => boolean): string[] {
  const isDocument = ({ service_meta: { data_type: type }, fields: members }: Field) =>
    members.length === 0 && (type === 'object' || type === 'object[]')
  const open = fields.filter((field) => isDocument(field) && !isDecided(field) && !isTold(field))
  return open.length === 0
    ? []
    : [
        `'${address}' has documents of which nobody has said what they hold, and nothing connects it with a person: ${namesOf(open)}.`,
      ]
}

/** Keys that name a person and that an erasure keeps, unless the description says how to erase them. */
function keptKeys(address: string, { fields, service_meta: { erase } }: Collection): string[] {
  const kept = fields.filter(({ service_meta: meta }) => meta.primary_key && meta.identity && !meta.masking_strategy)
  return kept.length === 0 || erase === 'delete'
    ? []
    : [
        `An erasure keeps ${namesOf(kept)} of '${address}', which is a key and names the person: erase: delete on the collection, or a masking_strategy on the field, erases it.`,
      ]
}

const namesOf = (fields: readonly Field[]) =>
  fewNames(
    fields.map(({ name }) => `'${name}'`),
    10,
  )

const hasLinks = ({ fields }: Collection) =>
  fields.some(({ service_meta: { identity, references } }) => identity !== undefined || references.length > 0)

const hasCategory = ({ data_categories: own = [], fields = [] }: Field): boolean =>
  own.length > 0 || fields.some(hasCategory)
