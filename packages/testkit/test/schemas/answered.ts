import type { PrivacyService } from '@habeas/core'

type Draft = Awaited<ReturnType<PrivacyService['connections']['draftDataset']>>

/** What a person says about one field or one collection. */
export interface Answer {
  readonly identity?: string
  /** Of the only reference of the field. */
  readonly direction?: 'from' | 'to' | 'both' | 'none'
  /** Of a field without a foreign key, or instead of the one it has; `field` is `collection.field`. */
  readonly references?: readonly {
    readonly field: string
    readonly direction: 'from' | 'to' | 'both' | 'none'
    readonly when?: Readonly<Record<string, string>>
  }[]
  readonly placeholders?: readonly string[]
  readonly owner?: readonly string[]
  /** Never searched: views, whose rows are those of tables. */
  readonly skip_processing?: true
}

/** What a person who knows the database answers after drafting, by `collection.field` or collection. */
export interface Answers {
  /** What drafting proposes and people apply in bulk: `none`, `owner: []`, placeholders, views. */
  readonly bulk: Readonly<Record<string, Answer>>
  /** What only a person can say. Each one is a question. */
  readonly asked: Readonly<Record<string, Answer>>
  /** Categories that names of columns do not tell. */
  readonly categories: Readonly<Record<string, string>>
}

/** What is done to the dataset for one kind of run. */
export interface Described {
  /** Collections whose key gets a category, so that rows delivered can be told apart. */
  readonly keys?: readonly string[]
  /** Collections whose rows go instead of being masked. */
  readonly deletes?: readonly string[]
}

/** Proposals below this confidence are not applied. */
const atLeast = 0.65

/** The dataset that comes of a draft and the answers of a person: the one place that knows what drafting gives. */
export function answered({ dataset, proposals }: Draft, answers: Answers, described: Described = {}) {
  const key = dataset.service_key
  const { keys = [], deletes = [] } = described
  const proposed = new Map(
    proposals
      .filter(({ confidence }) => confidence >= atLeast)
      .map(({ collection, field, category }) => [`${collection}.${field}`, category]),
  )
  const places = new Set(
    dataset.collections.flatMap(({ name, fields }) => [name, ...fields.map((f) => `${name}.${f.name}`)]),
  )
  const given: Record<string, Answer> = { ...answers.bulk }
  for (const [place, answer] of Object.entries(answers.asked)) given[place] = { ...given[place], ...answer }
  const lost = Object.keys({ ...given, ...answers.categories }).find((place) => !places.has(place))
  if (lost !== undefined) throw new Error(`${key} has no ${lost} to answer for`)
  return {
    ...dataset,
    collections: dataset.collections.map(({ name, fields }) => {
      const { owner, skip_processing } = given[name] ?? {}
      return {
        name,
        service_meta: {
          ...(owner && { owner }),
          ...(skip_processing && { skip_processing }),
          ...(deletes.includes(name) && { erase: 'delete' as const }),
        },
        fields: fields.map((field) => {
          const place = `${name}.${field.name}`
          const isKey = keys.includes(name) && field.service_meta?.primary_key === true
          const category = answers.categories[place] ?? proposed.get(place) ?? (isKey ? 'user.unique_id' : undefined)
          return {
            name: field.name,
            ...(category !== undefined && { data_categories: [category] }),
            service_meta: {
              ...field.service_meta,
              ...metaOf(place, key, field.service_meta?.references, given[place]),
            },
          }
        }),
      }
    }),
  }
}

export type AnsweredDataset = ReturnType<typeof answered>

type Drafted = readonly { readonly dataset: string; readonly field: string; readonly group?: string }[]

function metaOf(place: string, dataset: string, drafted: Drafted = [], answer: Answer = {}) {
  const { direction, references, identity, placeholders } = answer
  if (direction && drafted.length !== 1)
    throw new Error(`${dataset}: ${place} has ${drafted.length} references to direct`)
  return {
    ...(identity !== undefined && { identity }),
    ...(placeholders && { placeholders }),
    ...(direction && { references: drafted.map((reference) => ({ ...reference, direction })) }),
    ...(references && { references: references.map((reference) => ({ dataset, ...reference })) }),
  }
}
