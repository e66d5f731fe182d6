import { placeOf } from '../../model/address.js'
import { nearestHint } from '../../model/nearest-key.js'
import type { DatasetGraph } from '../plan/dataset-graph.js'
import { edgesAt } from '../plan/graph-index.js'
import { fieldsOf } from '../plan/reference-edges.js'
import type { Finding } from './finding.js'

/** Columns that a `when` of a reference names, and that the live table lacks. A request that follows it would fail. */
export function missingConditions(graph: DatasetGraph, address: string): Finding[] {
  const { live, fields } = graph.nodes.get(address) ?? {}
  if (!live || live.schemaless) return []
  const columns = live.columns.map(({ name }) => name)
  return edgesAt(graph, address).flatMap((edge): Finding[] => {
    const { from, to, when } = edge
    if (!when || (when.side === 'from' ? from : to) !== address) return []
    const missing = Object.keys(when.equals).filter(
      (name) => !fields?.has(name) && !columns.includes(name) && !columns.includes(name.split('.')[0] as string),
    )
    return missing.map((name) => {
      const { dataset, collection } = placeOf(address)
      const message = `The reference of '${from}.${fieldsOf(edge)}' to '${to}' holds only where '${name}' has a value, but '${address}' has no such column: correct the name in its 'when'${nearestHint(name, columns)}.`
      return { type: 'missing_column', severity: 'warning', loc: [dataset, collection, name], message }
    })
  })
}
