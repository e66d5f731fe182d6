import * as z from 'zod'
import { isPlainObject } from './clean-input.js'
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
import type { InputOf } from './input-of.js'
import { invalidInput, type Parsed, parseInput } from './parse-input.js'
import { readLegacyDataset } from './read-legacy-dataset.js'
import { collectionMetaSchema, datasetMetaSchema, type FieldMeta, fieldMetaSchema } from './service-meta.js'

export { parseDataType }

/**
 * One field of a collection in the specification's words. Nested fields are those of an object or of a list of objects.
 */
export interface Field {
  name: string
  description?: string
  data_categories: string[]
  data_qualifier?: string
  retention?: string
  fields: Field[]
  service_meta: FieldMeta
}

/** A field as a person writes it. Omitted members have defaults. */
export interface FieldInput extends InputOf<typeof fieldSchema> {}

/**
 * The input that the schema reads. It is written out because a field may have fields, so TypeScript cannot infer it.
 */
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
    service_meta: fieldMetaSchema.prefault({}).transform((meta) => (meta.waived ? { ...meta, reviewed: true } : meta)),
    get fields(): z.ZodType<Field[], ReadField[] | undefined> {
      return z.array(fieldSchema).superRefine(uniqueBy('name'), always).default([])
    },
  })
  .superRefine((field, context) => {
    const { data_type, return_all_elements } = { ...field?.service_meta }
    const { type, array } = parseDataType(typeof data_type === 'string' ? data_type : undefined)
    if (type && type !== 'object' && Array.isArray(field.fields) && field.fields.length > 0) {
      const message = 'must be object or object[], because the field has nested fields'
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
  service_meta: collectionMetaSchema
    .prefault({})
    .transform((meta) => (meta.waived ? { ...meta, skip_processing: true } : meta)),
  fields: z.array(fieldSchema).superRefine(uniqueBy('name'), always).superRefine(uniqueDottedNames, always).default([]),
})

/**
 * Fields are planned by their dotted names. If `a.b` and the member `b` of `a` were both described, only one would be
 * planned and the other would stay unchanged.
 */
function uniqueDottedNames(fields: readonly Field[], context: z.core.$RefinementCtx): void {
  const seen = new Map<string, string>()
  const walk = (list: readonly (Field | undefined)[], above: readonly string[], at: readonly (string | number)[]) => {
    if (!Array.isArray(list)) return
    list.forEach((field: Field | undefined, index) => {
      if (typeof field?.name !== 'string') return
      const path = [...above, field.name]
      const [name, place] = [path.join('.'), JSON.stringify(path)]
      // An equal path means two equal names in one list. Another check refuses these.
      if ((seen.get(name) ?? place) !== place) {
        const message = `makes '${name}' the dotted name of two fields: describe only one of them, or rename one, for example in a view`
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

/** A described database schema: the specification's Dataset, with the settings for execution under `service_meta`. */
export const datasetSchema = keyed(datasetShape)

/** A collection as a person writes it. */
export interface CollectionInput extends InputOf<typeof collectionSchema> {}
/** A dataset as a person writes it; `attachDataset` and `datasets.put` take it. */
export interface DatasetInput extends InputOf<typeof datasetSchema> {}
export interface Collection extends z.output<typeof collectionSchema> {}
export interface Dataset extends z.output<typeof datasetSchema> {}

/** Reads a dataset. It also takes the older names (`fides_key`, `fides_meta`, …), each with a warning. */
export function parseDataset(input: unknown): Parsed<Dataset> {
  if (isPlainObject(input) && isPlainObject(input['dataset']) && input['collections'] === undefined) {
    const msg = 'holds the dataset, as the answer of draftDataset does: pass that member alone'
    throw invalidInput('dataset', [{ loc: ['dataset'], msg, type: 'misplaced' }])
  }
  const legacy = readLegacyDataset(input)
  const { value, warnings } = parseInput('dataset', datasetSchema, legacy.input, { locate: legacy.locate })
  const misplaced = warnings.filter(({ loc }) => isMisplaced(loc))
  if (misplaced.length > 0)
    throw invalidInput(
      'dataset',
      misplaced.map(({ loc }) => ({
        loc: legacy.locate(loc),
        type: 'unknown_member',
        msg: "belongs under 'service_meta': it has no effect here",
      })),
    )
  return { value, warnings: [...legacy.warnings, ...warnings] }
}

/**
 * Whether an unknown member belongs in `service_meta`, one level below. If it were ignored, a `retain` would have no
 * effect.
 */
function isMisplaced(loc: Parsed<Dataset>['warnings'][number]['loc']): boolean {
  const name = String(loc.at(-1))
  const holders = loc.slice(0, -1).filter((step) => typeof step === 'string')
  const isHolder = holders.every((step, at) => step === (at === 0 ? 'collections' : 'fields'))
  const schemas = [datasetMetaSchema, collectionMetaSchema]
  return isHolder && Object.hasOwn((schemas[holders.length] ?? fieldMetaSchema).shape, name)
}

/** Every field of a collection, a parent before its own fields. `ancestors` starts with the outermost. */
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
