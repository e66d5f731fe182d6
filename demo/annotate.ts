import { applyProposals, type Dataset, type DatasetDraft, type FieldInput, type Proposal } from '@habeas/core'
import { type Annotation, accepted, annotations, leastConfidence, struckOut } from './annotations.js'

/** The proposals a person lets stand: what the list names, and categories that are sure enough. */
export function isAccepted(proposal: Proposal): boolean {
  if (accepted.includes(proposal.id)) return true
  return proposal.kind === 'category' && proposal.confidence >= leastConfidence && !isStruckOut(proposal)
}

function isStruckOut({ id }: Proposal): boolean {
  return id in struckOut
}

/** A draft with the accepted proposals and the annotations: a dataset to attach. */
export function annotated({ dataset, proposals }: DatasetDraft): Dataset {
  const described = applyProposals(dataset, proposals, { accept: isAccepted, refuse: isStruckOut })
  for (const collection of described.collections) {
    annotate(collection, annotations[collection.name])
    for (const field of collection.fields) annotate(field, annotations[`${collection.name}.${field.name}`])
  }
  return described
}

type Described = Pick<FieldInput, 'data_categories' | 'fields'> & { service_meta?: object | null | undefined }

function annotate(described: Described, { categories, meta, fields }: Annotation = {}): void {
  if (categories) described.data_categories = [...categories]
  if (meta) described.service_meta = { ...described.service_meta, ...meta }
  if (!fields) return
  described.fields = Object.entries(fields).map(([name, annotation]) => {
    const field: FieldInput = { name }
    annotate(field, annotation)
    return field
  })
}
