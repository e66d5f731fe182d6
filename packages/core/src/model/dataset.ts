import * as z from 'zod'
import { parseDataType } from './data-type.js'
import {
  always,
  contactSchema,
  countryCodesSchema,
  keyed,
  oneOrNone,
  ownedShape,
  taxonomyKeySchema,
  taxonomyKeysSchema,
  uniqueBy,
} from './document.js'
import { collectionMetaSchema, datasetMetaSchema, type FieldMeta, fieldMetaSchema } from './field-meta.js'
import type { InputOf } from './input-of.js'
import { invalidInput, type Parsed, parseInput } from './parse-input.js'
import { readLegacyDataset } from './read-legacy-dataset.js'

export { parseDataType }

/** One field of a collection, as the specification words it; nested fields are those of an object or of a list of objects. */
export interface Field {
  name: string
  description?: string
  data_categories: string[]
  data_qualifier?: string
  retention?: string
  fields: Field[]
  service_meta: FieldMeta
}

/** A field as a person writes it: what is left out has its default. */
export interface FieldInput extends InputOf<typeof fieldSchema> {}

/** The same as the schema reads it: a field may have fields, so that this type cannot be inferred. */
export interface ReadField {
  name: string
  description?: string
  data_categories?: string[] | undefined
  data_qualifier?: string
  retention?: string
  fields?: ReadField[] | undefined
  service_meta?: z.input<typeof fieldMetaSchema> | undefined
}

const described = {
  name: z.string().min(1),
  description: z.string().exactOptional(),
  data_categories: taxonomyKeysSchema,
  retention: z.string().exactOptional(),
}

const fieldSchema: z.ZodType<Field, ReadField> = z
  .object({
    ...described,
    data_qualifier: taxonomyKeySchema.exactOptional(),
    service_meta: fieldMetaSchema.prefault({}),
    get fields(): z.ZodType<Field[], ReadField[] | undefined> {
      return z.array(fieldSchema).superRefine(uniqueBy('name'), always).default([])
    },
  })
  .superRefine((field, context) => {
    const { data_type, return_all_elements } = { ...field?.service_meta }
    const { type, array } = parseDataType(typeof data_type === 'string' ? data_type : undefined)
    if (type && type !== 'object' && Array.isArray(field.fields) && field.fields.length > 0) {
      const message = 'must be object or object[], because the field has fields of its own'
      context.addIssue({ code: 'custom', path: ['service_meta', 'data_type'], message })
    }
    if (return_all_elements === true && !array) {
      const message = 'needs a data_type that ends in []'
      context.addIssue({ code: 'custom', path: ['service_meta', 'return_all_elements'], message })
    }
  }, always)

const collectionSchema = z.object({
  ...described,
  data_qualifiers: taxonomyKeysSchema,
  service_meta: collectionMetaSchema.prefault({}),
  fields: z.array(fieldSchema).superRefine(uniqueBy('name'), always).superRefine(uniqueDottedNames, always).default([]),
})

/** Fields go by their dotted names: of `a.b` and the member `b` of `a` only one would be planned, and the other kept. */
function uniqueDottedNames(fields: readonly Field[], context: z.core.$RefinementCtx): void {
  const seen = new Map<string, string>()
  const walk = (list: readonly (Field | undefined)[], above: readonly string[], at: readonly (string | number)[]) => {
    if (!Array.isArray(list)) return
    list.forEach((field: Field | undefined, index) => {
      if (typeof field?.name !== 'string') return
      const path = [...above, field.name]
      const [name, place] = [path.join('.'), JSON.stringify(path)]
      // The very same path is two equal names in one list, which are refused there.
      if ((seen.get(name) ?? place) !== place) {
        const message = `makes '${name}' the dotted name of two fields: describe one of them only, or read one under another name, as a view gives it`
        context.addIssue({ code: 'custom', path: [...at, index, 'name'], message, params: { type: 'duplicate' } })
      }
      seen.set(name, seen.get(name) ?? place)
      walk(field.fields, path, [...at, index, 'fields'])
    })
  }
  walk(fields, [], [])
}

const datasetShape = z.object({
  ...ownedShape,
  meta: z.record(z.string(), z.unknown()).exactOptional(),
  third_country_transfers: countryCodesSchema,
  joint_controller: oneOrNone(contactSchema),
  retention: z.string().exactOptional(),
  data_categories: taxonomyKeysSchema,
  data_qualifiers: taxonomyKeysSchema,
  service_meta: datasetMetaSchema.prefault({}),
  collections: z.array(collectionSchema).superRefine(uniqueBy('name'), always).default([]),
})

/** A described database schema: the specification's Dataset, and what execution needs under `service_meta`. */
export const datasetSchema = keyed(datasetShape)

/** A collection as a person writes it. */
export interface CollectionInput extends InputOf<typeof collectionSchema> {}
/** A dataset as a person writes it; `attachDataset` and `datasets.put` take it. */
export interface DatasetInput extends InputOf<typeof datasetSchema> {}
export interface Collection extends z.output<typeof collectionSchema> {}
export interface Dataset extends z.output<typeof datasetSchema> {}

/** Reads a dataset, also under the ancestor's names (`fides_key`, `fides_meta`, …), each of which becomes a warning. */
export function parseDataset(input: unknown): Parsed<Dataset> {
  const legacy = readLegacyDataset(input)
  const { value, warnings } = parseInput('dataset', datasetSchema, legacy.input, { locate: legacy.locate })
  const misplaced = warnings.filter(({ loc }) => isMisplaced(loc))
  if (misplaced.length > 0)
    throw invalidInput(
      'dataset',
      misplaced.map(({ loc }) => ({
        ...{ loc: legacy.locate(loc), type: 'unknown_member' },
        msg: "belongs under 'service_meta': here it would mean nothing",
      })),
    )
  return { value, warnings: [...legacy.warnings, ...warnings] }
}

/** Whether an unknown member is one of `service_meta` a level too high: ignored, a `retain` would keep nothing. */
function isMisplaced(loc: Parsed<Dataset>['warnings'][number]['loc']): boolean {
  const name = String(loc.at(-1))
  const holders = loc.slice(0, -1).filter((step) => typeof step === 'string')
  const isHolder = holders.every((step, at) => step === (at === 0 ? 'collections' : 'fields'))
  const schemas = [datasetMetaSchema, collectionMetaSchema]
  return isHolder && Object.hasOwn((schemas[holders.length] ?? fieldMetaSchema).shape, name)
}

/** Every field of a collection, a parent before its own fields. `ancestors` are outermost first. */
export function* walkFields(
  collection: Pick<Collection, 'fields'>,
): Generator<{ field: Field; path: string[]; ancestors: Field[] }> {
  function* walk(
    fields: readonly Field[],
    ancestors: Field[],
  ): Generator<{ field: Field; path: string[]; ancestors: Field[] }> {
    for (const field of fields) {
      yield { field, path: [...ancestors.map(({ name }) => name), field.name], ancestors }
      yield* walk(field.fields, [...ancestors, field])
    }
  }
  yield* walk(collection.fields, [])
}
