import { isOrganizationTable } from '../draft/ownership-names.js'
import type { CollectionNode } from '../plan/collection-node.js'
import type { DescribedOwnership } from '../plan/described-ownership.js'
import { edgesAt } from '../plan/graph-index.js'
import { identityEntries } from '../plan/identity-entries.js'
import { isOwnedByNobody, type Ownership } from '../plan/ownership.js'
import { fieldsOf } from '../plan/reference-edges.js'
import { type DirectedEdge, distances, type Way } from '../plan/traversal.js'
import { collectionsByProperty } from '../plan/unsearched-collections.js'
import { appendTo } from '../value/append-to.js'
import type { Finding } from './finding.js'

/** Finds out for each collection whether anything leads to it, and says what would. */
export function unreachableCollections(
  { graph, properties, identities, owners }: DescribedOwnership,
  directedEdges: readonly DirectedEdge[],
): (node: CollectionNode) => Finding[] {
  const { people } = owners
  const reached = reachingIdentities([...directedEdges, ...openWays(owners)], collectionsByProperty(identities.fields))
  return (node) => {
    if (node.unavailable === 'skip_processing' || isOwnedByNobody(node) || reached.has(node.address)) return []
    const edges = edgesAt(graph, node.address)
    const alone = identityEntries(
      { nodes: new Map([[node.address, node]]), edges: [], findings: [] },
      properties.map((property) => [property]),
    )
    const ways = [
      ...alone.findings
        .filter((finding) => finding.type === 'identity_inferred')
        .map((finding) => `its field '${finding.loc[2]}' looks like an identity, so declare 'identity' on it`),
      ...edges
        .filter((edge) => edge.from === node.address && edge.direction !== 'none' && reached.has(edge.to))
        .map((edge) => {
          const names = (reached.get(edge.to) as readonly string[]).join(', ')
          return `with the direction 'from', its reference to '${edge.to}' would let ${names} reach it`
        }),
      ...edges
        .filter((edge) => edge.to === node.address && edge.direction !== 'none' && reached.has(edge.from))
        .map((edge) => {
          const names = (reached.get(edge.from) as readonly string[]).join(', ')
          const fields = edge.parts.map(({ from }) => `'${edge.from}.${from}'`).join(' and ')
          return `with the direction 'to', ${fields} would let ${names} reach it, but then each of its rows belongs to everybody whose rows refer to it`
        }),
    ]
    const categorised = [...node.fields.values()].some((field) => field.categories.length > 0)
    // A person whom the row itself names is a better owner than rows that refer to it.
    const naming = edges
      .filter(
        ({ from, to, direction }) => from === node.address && from !== to && direction === 'none' && people.has(to),
      )
      .map((edge) => `'${edge.from}.${fieldsOf(edge)}' says 'none': if it names the owner of the row, say 'from'`)
    const nobodys = isOrganizationTable(node.collection.name) && ways.length > 0 ? [ofNobody] : []
    const advice =
      [...naming.slice(0, 1), ...ways.slice(0, 1), ...nobodys].join('; or ') ||
      `declare 'identity' on one of its fields, add a reference, or ${ofNobody}`
    return [
      {
        type: 'unreachable_collection',
        // No policy asks for a field without a category.
        severity: categorised ? 'warning' : 'info',
        loc: [node.dataset.service_key, node.collection.name],
        message: `No identity and no reference leads to '${node.address}', so no request finds anything there: ${advice}.`,
      },
    ]
  }
}

const ofNobody = 'say owner: [] where its rows belong to nobody'

/** The identities from which each collection can be reached. */
function reachingIdentities(
  ways: readonly Way[],
  byProperty: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, readonly string[]> {
  const reached = new Map<string, string[]>()
  for (const [property, addresses] of byProperty) {
    for (const address of distances(ways, addresses).keys()) appendTo(reached, address, property)
  }
  for (const properties of reached.values()) properties.sort()
  return reached
}

/** An open reference leads somewhere once it is decided. It has its own finding. */
function openWays({ references }: Ownership): Way[] {
  const open = [...references.values()].flat().filter(({ meaning }) => meaning === 'open')
  return open.flatMap(({ edge: { from, to } }) => [
    { from, to },
    { from: to, to: from },
  ])
}
