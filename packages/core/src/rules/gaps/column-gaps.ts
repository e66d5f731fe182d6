import type { CollectionNode } from '../plan/collection-node.js'
import { uncoveredColumns } from '../plan/coverage.js'
import type { DescriptionGap } from './description-gap.js'

type Proposed = Parameters<typeof uncoveredColumns>[1]

/** Columns of a collection on which nobody has decided. `keys`: those of its foreign keys that lead to a person and that nobody has decided on. */
export function columnGaps(
  node: CollectionNode,
  options: {
    readonly path: string | undefined
    readonly proposed: Proposed
    readonly keys: readonly (readonly string[])[]
  },
): DescriptionGap[] {
  const { address, dataset, collection, fields } = node
  const gap = (kind: DescriptionGap['kind'], field: string, message: string): DescriptionGap => ({
    ...{ kind, dataset: dataset.service_key, collection: collection.name, field },
    ...(options.path !== undefined && { path: options.path }),
    message,
  })
  const columns = uncoveredColumns(node, options.proposed).flatMap(({ column, described, proposal }) => {
    const isMissing = described && !fields.get(column)?.column
    if (isMissing) return []
    const looks = proposal === undefined ? '' : ` It looks like '${proposal}'.`
    return [
      described
        ? gap(
            'category',
            column,
            `Nobody has decided on '${column}' of '${address}'.${looks} Give it a category, or waive it with a reason (service_meta: {waived: {reason: …}}).`,
          )
        : gap(
            'column',
            column,
            `No field describes the column '${column}' of '${address}'.${looks} Describe it, or waive it with a reason (a field with service_meta: {waived: {reason: …}}).`,
          ),
    ]
  })
  const references = options.keys.flatMap((key) => {
    // a column that no field describes is told as such
    if (key.some((name) => !fields.has(name))) return []
    const names = key.map((name) => `'${name}'`).join(', ')
    const message = `The foreign key over ${names} of '${address}' leads to a person, and no reference is described: say what it means (service_meta: {references: [{dataset: …, field: …, direction: …}]}), or waive it with a reason (service_meta: {waived: {reason: …}}).`
    return [gap('reference', key[0] as string, message)]
  })
  return [...columns, ...references]
}
