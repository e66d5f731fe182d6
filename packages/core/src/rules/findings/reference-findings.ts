import { placeOf } from '../../model/address.js'
import { nearestHint } from '../../model/nearest-key.js'
import type { CollectionNode } from '../plan/collection-node.js'
import type { DatasetGraph } from '../plan/dataset-graph.js'
import { liveAt } from '../plan/known-members.js'
import type { Ownership } from '../plan/ownership.js'
import { fieldsOf, type ReferenceEdge } from '../plan/reference-edges.js'
import { appendTo } from '../value/append-to.js'
import type { Finding } from './finding.js'

/** References whose description is probably a mistake, or leaves rows out. */
export function referenceFindings(graph: DatasetGraph, { people }: Pick<Ownership, 'people'>): Finding[] {
  // An address with a telephone number counts as a person only where the description says so.
  const isSaid = (address: string) =>
    [...(graph.nodes.get(address)?.fields.values() ?? [])].some(
      ({ field }) => field.service_meta.identity !== undefined,
    )
  const said = new Set([...people].filter(isSaid))
  return [...graph.edges.flatMap((edge) => personAsPart(edge, said)), ...uncoveredTypes(graph)]
}

/** A person belongs to nobody. A direction that says otherwise makes rows doubtful. */
function personAsPart(edge: ReferenceEdge, people: ReadonlySet<string>): Finding[] {
  const { from, to, direction } = edge
  const isSelf = from === to
  if (!people.has(to) || !(direction === 'to' || (direction === 'from' && isSelf))) return []
  const whose = isSelf
    ? 'rows of the same collection belong to each other'
    : `rows of '${to}' belong to the owner of the row that refers to them`
  const message = `The direction '${direction}' of '${from}.${fieldsOf(edge)}' says that ${whose}, but '${to}' holds people: say 'none' where these are different people, or 'both' where the row refers to its own person there.`
  return [{ type: 'person_as_part', severity: 'warning', loc: locOf(edge), message }]
}

const locOf = (edge: ReferenceEdge): string[] => {
  const { dataset, collection } = placeOf(edge.from)
  return [dataset, collection, edge.parts[0]?.from as string]
}

/**
 * Finds references that depend on a type column and do not cover all its values. Rows of another type lead nowhere and
 * are not counted.
 */
export function uncoveredTypes({ nodes, edges }: DatasetGraph): Finding[] {
  const byFields = new Map<string, ReferenceEdge[]>()
  for (const edge of edges) appendTo(byFields, `${edge.from}.${fieldsOf(edge)}`, edge)
  return [...byFields].flatMap(([name, same]): Finding[] => {
    const [first] = same as [ReferenceEdge]
    const conditions = same.map(({ when }) => (when?.side === 'from' ? when.equals : {}))
    const isFollowed = same.some(({ direction }) => direction !== 'none')
    if (!isFollowed || nodes.get(first.from)?.collection.service_meta.owner?.length === 0) return []
    const column = Object.keys(conditions[0] ?? {}).find((each) =>
      conditions.every((equals) => Object.hasOwn(equals, each)),
    )
    if (column === undefined) return []
    const type = nodes.get(first.from)?.fields.get(column)
    // A person who reviewed the type column knows its other values.
    if (type?.field.service_meta.reviewed) return []
    const values = [...new Set(conditions.map((equals) => equals[column]))]
    if (values.includes(true) && values.includes(false)) return []
    const listed = type && liveAt(nodes.get(first.from) as CollectionNode, type.path)?.values
    if (listed?.every((value) => values.includes(value))) return []
    const named = values.map((value) => `'${value}'`).sort()
    const unlisted = listed && values.map(String).filter((value) => !listed.includes(value))
    const slips = (unlisted ?? []).map(
      (value) => ` '${value}' is none of the values that '${column}' lists${nearestHint(value, listed ?? [])}.`,
    )
    const message = `'${name}' is followed only in rows whose '${column}' is ${named.join(' or ')}, in this very spelling: rows of any other type lead to nobody by it, and are neither found nor counted.${slips.join('')} Describe a reference with a 'when' for each other type, with the direction 'none' where it does not say who owns the row, or say 'reviewed' on '${column}' where there are no others.`
    return [{ type: 'uncovered_types', severity: 'warning', loc: locOf(first), message }]
  })
}
