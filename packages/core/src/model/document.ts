import * as z from 'zod'
import { isPlainObject } from './clean-input.js'
import { countryCodes } from './country-codes.js'
import { deriveKey, keySchema, optionalKeySchema } from './key.js'

/** Runs a check even where other members are wrong, so that one answer names every bad place. */
export const always = { when: () => true }

/** A key of the taxonomy. One that does not exist is a finding, not an error. */
export const taxonomyKeySchema = z.string().min(1).max(255)

export const taxonomyKeysSchema = z.array(taxonomyKeySchema).default([])

/** Keys of other resources, which need not exist yet. */
export const referenceKeysSchema = z.array(keySchema).default([])

export const countryCodesSchema = z
  .array(z.string().refine((code) => countryCodes.has(code), 'must be an ISO 3166-1 alpha-3 country code, such as DEU'))
  .default([])

/** The members that every resource of the data model has. `keyed` completes it. */
export const documentShape = {
  service_key: optionalKeySchema,
  name: z.string().exactOptional(),
  description: z.string().exactOptional(),
}

export const ownedShape = { ...documentShape, organization_service_key: keySchema.default('default_organization') }

type Keyed<Document> = Omit<Document, 'service_key' | 'name'> & {
  /** Unique among resources of its kind; `[A-Za-z0-9_.-]+`. */
  service_key: string
  /** The name that people read. Default: the key. */
  name: string
}

/**
 * Completes a resource: it derives an absent or empty key from the name, and takes the key as an absent or empty name.
 */
export function keyed<Document extends { service_key?: string; name?: string }, Input>(
  schema: z.ZodType<Document, Input>,
): z.ZodType<Keyed<Document>, Input> {
  return schema
    .superRefine((document, context) => {
      const { service_key: key, name } = { ...(document as { service_key?: unknown; name?: unknown } | undefined) }
      if (key || !isPlainObject(document)) return
      if (typeof name === 'string' && deriveKey(name)) return
      const message = name
        ? 'cannot be derived from this name: give a key'
        : 'is required, unless a name is given from which it can be derived'
      context.addIssue({ code: 'custom', path: ['service_key'], message, params: { type: 'missing' } })
    }, always)
    .transform(({ service_key, name, ...rest }) => {
      const key = service_key || (deriveKey(name ?? '') as string)
      return { service_key: key, name: name?.trim() ? name : key, ...rest }
    })
}

/** Refuses two items of one list with the same value in `member`. */
export function uniqueBy<Item>(member: string & keyof Item) {
  return (items: readonly Item[], context: z.core.$RefinementCtx) => {
    const seen = new Set<unknown>()
    if (!Array.isArray(items)) return
    items.forEach((item: Item | undefined, index) => {
      const value = item?.[member]
      if (seen.has(value)) {
        context.addIssue({
          code: 'custom',
          path: [index, member],
          message: 'is used twice',
          params: { type: 'duplicate' },
        })
      }
      if (value !== undefined) seen.add(value)
    })
  }
}

/** A member that its schema may read as undefined. `parseInput` drops such members. */
export function absentable<Output, Input>(
  schema: z.ZodType<Output | undefined, Input>,
): z.ZodExactOptional<z.ZodType<Output, Input>> {
  return schema.exactOptional() as z.ZodExactOptional<z.ZodType<Output, Input>>
}

/**
 * One object. A list of one object is unwrapped, and an empty list means absent: the specification allows both forms.
 */
export function oneOrNone<Output, Input>(schema: z.ZodType<Output, Input>) {
  return absentable(
    z
      .union([schema, z.array(schema).max(1, 'must be one object, not several')])
      .transform((value) => (Array.isArray(value) ? (value[0] as Output | undefined) : value)),
  )
}

/** Contact information, as the specification lists it. */
export const contactSchema = z.object({
  name: z.string().exactOptional(),
  address: z.string().exactOptional(),
  email: z.string().exactOptional(),
  phone: z.string().exactOptional(),
})
