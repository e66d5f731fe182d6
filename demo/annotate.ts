import { type Annotation, annotations, leastConfidence, struckOut } from './annotations.js'

/** The part of a drafted dataset that annotations are added to. */
interface Draft<Collection> {
  readonly dataset: { readonly collections: readonly Collection[] }
  readonly proposals: readonly Proposal[]
}

interface Proposal {
  readonly collection: string
  readonly field: string
  readonly category: string
  readonly confidence: number
}

interface DraftedCollection {
  readonly name: string
  readonly fields: readonly { readonly name: string; readonly service_meta?: object }[]
}

/** The proposals a person lets stand. */
export function accepted<Each extends Proposal>(proposals: readonly Each[]): readonly Each[] {
  return proposals.filter(
    ({ collection, field, confidence }) => confidence >= leastConfidence && !(`${collection}.${field}` in struckOut),
  )
}

/** A draft with the accepted proposals and the annotations: a dataset to attach. */
export function annotated<Collection extends DraftedCollection>({ dataset, proposals }: Draft<Collection>): object {
  const proposed = new Map(accepted(proposals).map((each) => [`${each.collection}.${each.field}`, each.category]))
  return {
    ...dataset,
    collections: dataset.collections.map((collection) => ({
      ...collection,
      ...described(annotations[collection.name]),
      fields: collection.fields.map((field) => {
        const address = `${collection.name}.${field.name}`
        const category = proposed.get(address)
        return { ...field, ...described(annotations[address], category ? [category] : [], field.service_meta) }
      }),
    })),
  }
}

function described(annotation: Annotation | undefined, proposed: readonly string[] = [], meta: object = {}): object {
  const { categories = proposed, fields } = annotation ?? {}
  return {
    ...(categories.length > 0 && { data_categories: categories }),
    ...((annotation?.meta || Object.keys(meta).length > 0) && { service_meta: { ...meta, ...annotation?.meta } }),
    ...(fields && { fields: Object.entries(fields).map(([name, each]) => ({ name, ...described(each) })) }),
  }
}
