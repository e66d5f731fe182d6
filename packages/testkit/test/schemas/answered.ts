import { applyProposals, type DatasetDraft, type DraftedCollection, type DraftedDataset } from '@habeas/core'

type Field = DraftedCollection['fields'][number]
type FieldMeta = NonNullable<Field['service_meta']>
type Reference = NonNullable<FieldMeta['references']>[number]

/** What a person says about one field or one collection. */
export interface Answer {
  readonly identity?: string
  /** Of the references that the field has. */
  readonly direction?: NonNullable<Reference['direction']>
  /** Of a field without a foreign key, or instead of the one it has; `field` is `collection.field`. */
  readonly references?: readonly {
    readonly field: string
    readonly direction: NonNullable<Reference['direction']>
    readonly when?: Readonly<Record<string, string>>
  }[]
  readonly owner?: readonly string[]
}

/** What a person who knows the database says after drafting, beside applying in bulk what makes no row anybody's. */
export interface Answers {
  /** By `collection.field` or collection: each one is a question. */
  readonly asked: Readonly<Record<string, Answer>>
  /** By `collection.field`: what columns hold whose names do not tell. */
  readonly categories: Readonly<Record<string, string>>
}

/** What is done to the dataset for one kind of run. */
export interface Described {
  /** Collections whose key gets a category, so that rows delivered can be told apart. */
  readonly keys?: readonly string[]
  /** Collections whose rows go instead of being masked. */
  readonly deletes?: readonly string[]
}

/** A wrong category delivers a column of a person's own, so that more of them are taken over than of what says whose rows are. */
const leastOfCategories = 0.65

/** The dataset that comes of a draft and the answers of a person. */
export function answered(
  { dataset, proposals }: DatasetDraft,
  { asked, categories }: Answers,
  { keys = [], deletes = [] }: Described = {},
): DraftedDataset {
  const result = applyProposals(dataset, proposals, {
    accept: ({ kind, confidence }) => kind === 'category' && confidence >= leastOfCategories,
  })
  const collections = new Map(result.collections.map((collection) => [collection.name, collection]))
  const fields = new Map(
    result.collections.flatMap(({ name, fields }) => fields.map((field) => [`${name}.${field.name}`, field] as const)),
  )
  for (const [place, category] of Object.entries(categories)) needed(fields, place).data_categories = [category]
  for (const [place, { owner, ...answer }] of Object.entries(asked)) {
    if (owner)
      needed(collections, place).service_meta = { ...needed(collections, place).service_meta, owner: [...owner] }
    else answerAt(needed(fields, place), answer, result.service_key)
  }
  for (const name of deletes)
    needed(collections, name).service_meta = { ...needed(collections, name).service_meta, erase: 'delete' }
  for (const name of keys)
    for (const field of needed(collections, name).fields)
      if (field.service_meta?.primary_key) field.data_categories ??= ['user.unique_id']
  return result
}

function answerAt(field: Field, { identity, direction, references }: Answer, dataset: string): void {
  field.service_meta ??= {}
  const meta = field.service_meta
  if (identity !== undefined) meta.identity = identity
  if (references)
    meta.references = references.map(({ when, ...each }) => ({ dataset, ...each, ...(when && { when: { ...when } }) }))
  if (direction) {
    if (!meta.references?.length) throw new Error(`${dataset}: ${field.name} has no reference to give a direction to`)
    for (const reference of meta.references) reference.direction = direction
  }
}

function needed<Value>(places: ReadonlyMap<string, Value>, place: string): Value {
  const value = places.get(place)
  if (value === undefined) throw new Error(`There is no ${place} to answer for`)
  return value
}
