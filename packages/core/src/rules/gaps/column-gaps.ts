import type { CollectionNode } from '../plan/collection-node.js'
import { type keysAlone, uncoveredColumns, unknownDocuments } from '../plan/coverage.js'
import type { DatasetGraph } from '../plan/dataset-graph.js'
import type { DescriptionGap } from './description-gap.js'

export interface ColumnQuestions {
  /** How rows lead to a person. Absent for a table of things. */
  readonly path: string | undefined
  readonly proposed: Parameters<typeof uncoveredColumns>[2]
  /** The foreign keys that lead to a person, and on which nobody has decided. */
  readonly keys: readonly (readonly string[])[]
  /** Whether a decision on a column is asked for. */
  readonly isAsked: (column: string) => boolean
  /** Whether nothing is open about a column but where it leads. */
  readonly isKeyAlone: ReturnType<typeof keysAlone>
}

/** Columns of a collection on which nobody has decided. */
export function columnGaps(
  graph: DatasetGraph,
  node: CollectionNode,
  { path, proposed, keys, isAsked, isKeyAlone }: ColumnQuestions,
): DescriptionGap[] {
  const { address, dataset, collection, fields } = node
  const gap = (kind: DescriptionGap['kind'], field: string, message: string): DescriptionGap => ({
    ...{ kind, dataset: dataset.service_key, collection: collection.name, field },
    ...(path !== undefined && { path }),
    message,
  })
  const all = uncoveredColumns(graph, node, proposed)
  const uncovered = all.filter((each) => isAsked(each.column) && !isKeyAlone(each))
  const columns = uncovered.flatMap(({ column, described, proposal }) => {
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
  const unknown = path === undefined ? [] : unknownDocuments(node, all)
  const documents = unknown.map(({ column: name }) => {
    const message = `Nobody has said what '${name}' of '${address}' holds, and any member may be about a person: describe its members (fields: […]), give it a category, or waive it with a reason (service_meta: {waived: {reason: …}}).`
    return gap('category', name, message)
  })
  // several paths may begin with one key
  const references = [...new Map(keys.map((key) => [key.join('\0'), key])).values()].flatMap((key) => {
    // a column that no field describes is told as such
    if (key.some((name) => !fields.has(name))) return []
    const names = key.map((name) => `'${name}'`).join(', ')
    const message = `The foreign key over ${names} of '${address}' leads to a person, and no reference is described: say what it means (service_meta: {references: [{dataset: …, field: …, direction: …}]}), or waive it with a reason (service_meta: {waived: {reason: …}}).`
    return [gap('reference', key[0] as string, message)]
  })
  return [...columns, ...documents, ...references]
}
