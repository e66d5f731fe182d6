import { applyProposals, type Dataset, type DatasetDraft, type Reference } from '@habeas/core'

type Direction = NonNullable<Reference['direction']>

/** What a person says about one field or one collection. */
export interface Answer {
  readonly identity?: string
  /** Of the references that the field has. */
  readonly direction?: Direction
  /** Of a field without a foreign key, or instead of the one it has. */
  readonly references?: readonly AnsweredReference[]
  readonly owner?: readonly string[]
  /** Its name says nothing of whose a row is. */
  readonly reviewed?: true
}

export interface AnsweredReference {
  /** `collection.field` */
  readonly field: string
  readonly direction?: Direction
  readonly when?: Readonly<Record<string, string>>
}

/** What a person who knows the database says after drafting, beside applying in bulk what makes no row anybody's. */
export interface Answers {
  /** By `collection.field` or collection: each one is a question. */
  readonly asked: Readonly<Record<string, Answer>>
  /** Why drafting can neither propose nor offer an answer, by its place in `asked`. */
  readonly beyond?: Readonly<Record<string, string>>
  /** By `collection.field`: what columns hold whose names do not tell. */
  readonly categories: Readonly<Record<string, string>>
  /** By `collection.field`: identities that the draft does not know, in which these texts stand for none. */
  readonly placeholders?: Readonly<Record<string, readonly string[]>>
  /** By `collection.field`: categories that the draft is wrong about. */
  readonly notPersonal?: readonly string[]
}

/** What is done to the dataset for one kind of run. */
export interface Described {
  /** Collections whose key gets a category, so that rows delivered can be told apart. */
  readonly keys?: readonly string[]
  /** Collections whose rows go instead of being masked. */
  readonly deletes?: readonly string[]
}

/** A wrong category delivers a column of a person's own, so that more of them are taken over than of what says whose rows are. */
export const leastOfCategories = 0.65

/** The dataset that comes of a draft and the answers of a person. */
export function answered(draft: DatasetDraft, answers: Answers, { keys = [], deletes = [] }: Described = {}): Dataset {
  const result = unasked(draft, answers)
  for (const [place, answer] of Object.entries(answers.asked)) writeAnswer(result, place, answer)
  const at = placesOf(result)
  for (const name of deletes) at.collection(name).service_meta.erase = 'delete'
  for (const name of keys)
    for (const field of at.collection(name).fields)
      if (field.service_meta.primary_key && field.data_categories.length === 0)
        field.data_categories = ['user.unique_id']
  return result
}

/** The dataset before anybody has said whose rows are: what is applied in bulk, and what columns hold. */
export function unasked(
  { dataset, proposals }: DatasetDraft,
  { categories, placeholders = {}, notPersonal = [] }: Answers,
): Dataset {
  const result = applyProposals(dataset, proposals, {
    accept: ({ kind, confidence }) => kind === 'category' && confidence >= leastOfCategories,
  })
  const at = placesOf(result)
  for (const [place, category] of Object.entries(categories)) at.field(place).data_categories = [category]
  for (const [place, texts] of Object.entries(placeholders)) at.field(place).service_meta.placeholders = [...texts]
  for (const place of notPersonal) at.field(place).data_categories = []
  return result
}

export function writeAnswer(result: Dataset, place: string, answer: Answer): void {
  const { identity, direction, references, owner, reviewed } = answer
  const at = placesOf(result)
  if (owner) {
    at.collection(place).service_meta.owner = [...owner]
    return
  }
  const meta = at.field(place).service_meta
  if (identity !== undefined) meta.identity = identity
  if (reviewed) meta.reviewed = true
  if (references)
    meta.references = references.map(({ when, ...each }) => ({
      dataset: result.service_key,
      ...each,
      ...(when && { when: { ...when } }),
    }))
  if (direction) {
    if (meta.references.length === 0) throw new Error(`${place} has no reference to give a direction to`)
    for (const reference of meta.references) reference.direction = direction
  }
}

function placesOf({ collections }: Dataset) {
  const byName = new Map(collections.map((collection) => [collection.name, collection]))
  const byPlace = new Map(
    collections.flatMap(({ name, fields }) => fields.map((field) => [`${name}.${field.name}`, field] as const)),
  )
  return {
    collection: (name: string) => needed(byName, name),
    field: (place: string) => needed(byPlace, place),
  }
}

function needed<Value>(places: ReadonlyMap<string, Value>, place: string): Value {
  const value = places.get(place)
  if (value === undefined) throw new Error(`There is no ${place} to answer for`)
  return value
}
