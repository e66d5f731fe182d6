import { referenceFields } from '../erase/erasure-plan.js'
import { declaredKey } from '../erase/field-decisions.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'
import type { DatasetGraph } from '../plan/dataset-graph.js'
import type { Finding } from './finding.js'

/** A field whose strategy has no effect: policies ask for categories, and none of the field counts. */
export interface IneffectiveStrategy {
  readonly address: string
  readonly field: string
  readonly finding: Finding
}

export function ineffectiveStrategies(
  graph: DatasetGraph,
): (nodes: readonly CollectionNode[]) => IneffectiveStrategy[] {
  let known: ReturnType<typeof referenceFields> | undefined
  const isMeant = ({ unavailable, fields }: CollectionNode) =>
    unavailable !== 'skip_processing' &&
    [...fields.values()].some(({ field }) => field.service_meta.masking_strategy !== undefined)
  return (nodes) =>
    nodes.filter(isMeant).flatMap((node) => {
      known ??= referenceFields(graph, new Map())
      const { to, from } = known.get(node.address) ?? { to: [], from: [] }
      const live = node.live && node.live.primaryKey.length > 0 ? node.live.primaryKey : undefined
      const keys = new Set([...(live ?? declaredKey(node)), ...to, ...from])
      return [...node.fields.values()].flatMap((field) => unasked(node, field, keys))
    })
}

function unasked(node: CollectionNode, field: FieldNode, keys: ReadonlySet<string>): IneffectiveStrategy[] {
  const strategy = field.field.service_meta.masking_strategy?.strategy
  // A preserved field keeps its row from being deleted, whether or not a policy asks for it.
  if (strategy === undefined || strategy === 'preserve' || isAskedFor(node, field, keys)) return []
  const isInherited = field.categories.length > 0
  const why = isInherited
    ? 'the categories it inherits do not count for keys and references'
    : 'it has no data category, so no policy asks for it'
  const own = isInherited ? ' of its own' : ''
  const finding: Finding = {
    type: 'strategy_without_category',
    severity: 'warning',
    loc: [node.dataset.service_key, node.collection.name, field.name],
    message: `'${node.address}.${field.name}' names the masking_strategy '${strategy}', but ${why}: an erasure leaves it unchanged. Give it data_categories${own}, or remove the strategy.`,
  }
  return [{ address: node.address, field: field.name, finding }]
}

/** Whether a policy may ask for a field, or for one of its members that has no strategy itself. */
function isAskedFor(node: CollectionNode, field: FieldNode, keys: ReadonlySet<string>): boolean {
  const counting = keys.has(field.name) ? field.field.data_categories : field.categories
  if (counting.length > 0) return true
  return field.field.fields.some((member) => {
    const inner = node.fields.get(`${field.name}.${member.name}`)
    return inner !== undefined && !member.service_meta.masking_strategy && isAskedFor(node, inner, keys)
  })
}
