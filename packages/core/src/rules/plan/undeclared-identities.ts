import type { Finding } from '../findings/finding.js'
import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import { edgesAt } from './graph-index.js'
import { isFilled } from './is-filled.js'
import { isOwnedByNobody } from './ownership.js'

interface DeclaredProperty {
  readonly property: string
  /** The category of values of the property. */
  readonly category: string
  /** The collections that declare identities, with the properties. */
  readonly declared: ReadonlyMap<string, ReadonlyMap<string, unknown>>
}

/**
 * Fields that may hold a property which others declare as an identity, and of which nobody has said whether they do. They are
 * never searched. Where each row has an owner, and where the collection has that identity already, it makes no difference.
 */
export function undeclaredIdentities(
  graph: DatasetGraph,
  enabled: readonly CollectionNode[],
  { property, category, declared }: DeclaredProperty,
): Finding[] {
  return enabled.flatMap((node): Finding[] => {
    const { address, dataset, collection, fields, unavailable } = node
    if (isOwnedByNobody(node) || unavailable === 'skip_processing' || declared.get(address)?.has(property)) return []
    if (alwaysHasOwner(graph, node, declared)) return []
    return [...fields.values()].flatMap(({ name, field, path }): Finding[] => {
      const { reviewed, references } = field.service_meta
      const isLike = path.at(-1) === property || field.data_categories.includes(category)
      if (!isLike || field.fields.length > 0 || reviewed || references.length > 0) return []
      const message = `Nobody has said whether '${address}.${name}' says whose a row is, and others declare the identity '${property}': rows that only it names are not found. Declare 'identity: ${property}' there, or say 'reviewed: true' on it if it does not identify the owner of the row.`
      return [
        {
          type: 'undeclared_identity',
          severity: 'warning',
          loc: [dataset.service_key, collection.name, name],
          message,
        },
      ]
    })
  })
}

/** Whether a reference that says whose a row is, or leads to people without a direction, is filled in each row. */
function alwaysHasOwner(
  graph: DatasetGraph,
  { address, live }: CollectionNode,
  people: DeclaredProperty['declared'],
): boolean {
  return edgesAt(graph, address).some(({ from, to, direction, when, parts }) => {
    const isOwner = direction === 'from' || direction === 'both' || (direction === undefined && people.has(to))
    return (
      from === address &&
      to !== address &&
      isOwner &&
      when === undefined &&
      parts.every((part) => isFilled(live, part.from))
    )
  })
}
