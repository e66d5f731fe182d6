import { isDeepStrictEqual } from 'node:util'
import type { Dataset, Field } from '@habeas/core'

type Meta = Field['service_meta']

/** A field by its place, `collection.field`, members dotted. */
export function fieldAt({ collections }: Dataset, place: string): Field | undefined {
  for (const { name, fields } of collections)
    if (place.startsWith(`${name}.`)) {
      const found = fieldIn(fields, place.slice(name.length + 1))
      if (found) return found
    }
  return undefined
}

function fieldIn(fields: readonly Field[], path: string): Field | undefined {
  for (const field of fields) {
    if (field.name === path) return field
    const found = path.startsWith(`${field.name}.`)
      ? fieldIn(field.fields, path.slice(field.name.length + 1))
      : undefined
    if (found) return found
  }
  return undefined
}

/** The dataset with another `service_meta` at a field. */
export const changedField = (dataset: Dataset, place: string, change: (meta: Meta) => Meta): Dataset =>
  changedFieldAt(dataset, place, (field) => ({ ...field, service_meta: change(field.service_meta) }))

/** The dataset with another field at a place. */
export function changedFieldAt(dataset: Dataset, place: string, change: (field: Field) => Field): Dataset {
  const target = fieldAt(dataset, place)
  if (!target) return dataset
  const changed = (fields: readonly Field[]): Field[] =>
    fields.map((field) => (field === target ? change(field) : { ...field, fields: changed(field.fields) }))
  return { ...dataset, collections: dataset.collections.map((each) => ({ ...each, fields: changed(each.fields) })) }
}

/** The dataset with a field that somebody has reviewed. */
export const reviewedField = (dataset: Dataset, place: string): Dataset =>
  changedField(dataset, place, (meta) => ({ ...meta, reviewed: true }))

/** The dataset with a reference at a field. One that it has already takes its direction. What said that there is none is gone. */
export const referringField = (dataset: Dataset, place: string, reference: Meta['references'][number]): Dataset =>
  changedField(dataset, place, ({ waived: _, ...meta }) => {
    const others = meta.references.filter((each) => !isDeepStrictEqual(targetOf(each), targetOf(reference)))
    return { ...meta, reviewed: false, references: [...others, reference] }
  })

const targetOf = ({ dataset, field, when = {} }: Meta['references'][number]) => ({ dataset, field, when })

/** A place without the name of its dataset. */
export function placeIn(key: string, at: string): string {
  const own = `${key}:`
  return at.startsWith(own) ? at.slice(own.length) : at
}
