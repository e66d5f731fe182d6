import { isCovered } from '../../model/is-covered.js'
import { referenceFields } from '../erase/erasure-plan.js'
import { type ErasureTargets, fieldDecisions } from '../erase/field-decisions.js'
import type { CollectionNode } from '../plan/collection-node.js'
import type { DatasetGraph, DescribedDataset } from '../plan/dataset-graph.js'
import type { Finding } from './finding.js'

/** A rule for all personal data that names no strategy, as that of the built-in policy. */
const everything: ErasureTargets = (_, { field, categories }) => {
  const isPersonal = (some: readonly string[]) => some.some((each) => isCovered(each, 'user'))
  return isPersonal(categories) ? { rule: '', strategy: undefined, own: isPersonal(field.data_categories) } : undefined
}

/**
 * Fields that an erasure could not mask, as their columns show: before a request stops at them. A rule that names another
 * strategy decides for itself. Only where requests may write.
 */
export function impossibleMasks(
  graph: DatasetGraph,
  owned: ReadonlySet<string>,
): (source: DescribedDataset, nodes: readonly CollectionNode[]) => Finding[] {
  let known: ReturnType<typeof referenceFields> | undefined
  const isMasked = ({ address, live, collection, unavailable }: CollectionNode) => {
    const { erase, retain } = collection.service_meta
    const stays = retain !== undefined && retain.until === undefined
    return live && unavailable === undefined && owned.has(address) && erase !== 'delete' && !stays
  }
  return ({ connection }, nodes) => {
    if (connection?.access !== 'write' || connection.manual) return []
    return nodes.filter(isMasked).flatMap((node) => {
      known ??= referenceFields(graph, new Map())
      const references = known.get(node.address) ?? { to: new Set<string>(), from: new Set<string>() }
      return fieldDecisions(node, everything, references).impossible.map(
        (finding): Finding => ({
          ...finding,
          severity: 'warning',
          message: `An erasure stops here, unless its rule names another strategy: ${finding.message}`,
        }),
      )
    })
  }
}
