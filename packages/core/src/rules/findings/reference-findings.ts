import { placeOf } from '../../model/address.js'
import type { DatasetGraph } from '../plan/dataset-graph.js'
import type { Ownership } from '../plan/ownership.js'
import { fieldsOf, type ReferenceEdge } from '../plan/reference-edges.js'
import { appendTo } from '../value/append-to.js'
import type { Finding } from './finding.js'

/** What descriptions say of references that can hardly be meant, or that leaves rows out. */
export function referenceFindings(graph: DatasetGraph, { people }: Pick<Ownership, 'people'>): Finding[] {
  // An address with a telephone number is taken for a person's only where the description says so.
  const isSaid = (address: string) =>
    [...(graph.nodes.get(address)?.fields.values() ?? [])].some(
      ({ field }) => field.service_meta.identity !== undefined,
    )
  const said = new Set([...people].filter(isSaid))
  return [...graph.edges.flatMap((edge) => personAsPart(edge, said)), ...uncoveredTypes(graph)]
}

/** People belong to nobody: a direction that says so makes rows doubtful in which people stand. */
function personAsPart(edge: ReferenceEdge, people: ReadonlySet<string>): Finding[] {
  const { from, to, direction } = edge
  const isSelf = from === to
  if (!people.has(to) || !(direction === 'to' || (direction === 'from' && isSelf))) return []
  const whose = isSelf
    ? 'rows of the same collection belong to each other'
    : `rows of '${to}' belong to whoever has the row that points to them`
  const message = `The direction '${direction}' of '${from}.${fieldsOf(edge)}' says that ${whose}, but '${to}' holds people: say 'none' where these are different people, or 'both' where the row names its own person there.`
  return [{ type: 'person_as_part', severity: 'warning', loc: locOf(edge), message }]
}

const locOf = (edge: ReferenceEdge): string[] => {
  const { dataset, collection } = placeOf(edge.from)
  return [dataset, collection, edge.parts[0]?.from as string]
}

/** Where what a reference leads to depends on a type, rows of a type that no reference names lead nowhere, and are not counted. */
function uncoveredTypes({ nodes, edges }: DatasetGraph): Finding[] {
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
    // Whoever has looked at the types knows what others there are.
    if (nodes.get(first.from)?.fields.get(column)?.field.service_meta.reviewed) return []
    const values = [...new Set(conditions.map((equals) => equals[column]))]
    if (values.includes(true) && values.includes(false)) return []
    const named = values.map((value) => `'${value}'`).sort()
    const message = `Only rows whose '${column}' is ${named.join(' or ')} are followed by '${name}': those of any other type lead to nobody by it, and are neither found nor counted. Describe a reference with a 'when' for each other type, with the direction 'none' where it says nothing of whose the row is, or say 'reviewed' on '${column}' where there are no others.`
    return [{ type: 'uncovered_types', severity: 'warning', loc: locOf(first), message }]
  })
}
