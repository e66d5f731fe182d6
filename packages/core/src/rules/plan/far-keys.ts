import { otherAnswers, type ReferenceAnswer } from '../draft/answers-to.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import { nodesNamed } from './graph-index.js'
import { isReferring, type Ownership } from './ownership.js'
import type { UndescribedTarget } from './undescribed-pairs.js'

/**
 * Fields without a described reference whose foreign key leads to another schema. It may be the collection with an owner that
 * another connection has, where that is the only one with the name.
 */
export function farKeys(graph: DatasetGraph, node: CollectionNode, ownership: Ownership): UndescribedTarget[] {
  const { address, connectionKey, fields, live } = node
  return (live?.foreignKeys ?? []).flatMap(({ columns: [column = '', ...more], references }): UndescribedTarget[] => {
    const field = fields.get(column)
    if (references.schema === undefined || more.length > 0 || !field || isReferring(ownership, address, column))
      return []
    const { identity, reviewed: isReviewed, references: described } = field.field.service_meta
    if (identity !== undefined || isReviewed || described.length > 0) return []
    // of other databases only descriptions may be at hand
    const [target, ...others] = nodesNamed(graph, references.collection).filter(
      (each) => each.connectionKey !== connectionKey,
    )
    const [to = ''] = references.columns
    if (!target?.fields.has(to) || others.length > 0 || !ownership.owned.has(target.address)) return []
    const why = `its foreign key leads to '${references.schema}.${references.collection}', and no reference is described`
    return [
      {
        node,
        field: column,
        why,
        answers: [...answersAt(node, field, target, to), ...otherAnswers(node, column, ownership, 'people')],
      },
    ]
  })
}

export function answersAt(
  { collection }: CollectionNode,
  { name }: FieldNode,
  target: CollectionNode,
  key: string,
): ReferenceAnswer[] {
  const reference = { dataset: target.dataset.service_key, field: `${target.collection.name}.${key}` }
  const answer = (direction: 'from' | 'none', means: string): ReferenceAnswer => ({
    ...{ write: 'reference', at: `${collection.name}.${name}`, value: { ...reference, direction }, means },
  })
  return [
    answer('from', `a row belongs to the owner of the row of '${target.collection.name}' that it names`),
    answer('none', `it names a row of '${target.collection.name}', and does not say who owns its own`),
  ]
}
