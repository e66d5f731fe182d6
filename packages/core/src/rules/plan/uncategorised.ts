import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'

/**
 * Collections in which no field has a data category. No rule asks for anything there, so nothing is delivered or
 * erased. Collections that have only keys and references are left out.
 */
export function uncategorised(
  graph: DatasetGraph,
  options: {
    /** Whether rows of a collection may have an owner. */
    readonly mayHoldRows: (address: string) => boolean
    /** Searched collections report undescribed columns by themselves. */
    readonly isSearched: (address: string) => boolean
  },
): CollectionNode[] {
  const referring = new Map([...graph.nodes.keys()].map((address) => [address, new Set<string>()]))
  for (const { from, to, parts, when } of graph.edges) {
    for (const part of parts) {
      referring.get(from)?.add(part.from)
      referring.get(to)?.add(part.to)
    }
    if (when) for (const name of Object.keys(when.equals)) referring.get(when.side === 'from' ? from : to)?.add(name)
  }
  return [...graph.nodes.values()].filter((node) => {
    if (node.unavailable !== undefined || !options.mayHoldRows(node.address)) return false
    const fields = [...node.fields.values()]
    if (fields.some(({ field, categories }) => categories.length > 0 || field.service_meta.reviewed)) return false
    const linking = referring.get(node.address) as Set<string>
    for (const name of [...node.keys.flat(), ...(node.live?.foreignKeys ?? []).flatMap(({ columns }) => columns)])
      linking.add(name)
    const described = fields.filter(({ name, field: { fields: members, service_meta: meta } }) => {
      return members.length === 0 && !linking.has(name) && !meta.primary_key && meta.identity === undefined
    })
    const more = options.isSearched(node.address) ? [] : node.undescribed.filter(({ name }) => !linking.has(name))
    return described.length + more.length > 0
  })
}
