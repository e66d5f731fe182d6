import { atOnce } from '../../model/at-once.js'
import { type DatasetGraph, type DescribedDataset, datasetGraphByPieces } from './dataset-graph.js'
import { type IdentityEntries, identityEntriesByPieces, tiedCategory } from './identity-entries.js'
import { type Ownership, ownershipByPieces } from './ownership.js'

export interface DescribedOwnership {
  readonly graph: DatasetGraph
  /** Properties that may identify a person. */
  readonly properties: readonly string[]
  readonly identities: IdentityEntries
  readonly owners: Ownership
}

export interface OwnershipInferences {
  readonly inferIdentities: boolean
  readonly inferOwners?: boolean
}

/** The owners of rows for all described properties, whether or not the datasets are linked to a connection. */
export function describedOwnership(
  described: readonly DescribedDataset[],
  inferences: OwnershipInferences,
): DescribedOwnership {
  return atOnce(describedOwnershipByPieces(described, inferences))
}

/** The same, yielding after each dataset and each step. */
export function* describedOwnershipByPieces(
  described: readonly DescribedDataset[],
  { inferIdentities, inferOwners = true }: OwnershipInferences,
): Generator<void, DescribedOwnership> {
  const graph = yield* datasetGraphByPieces(described.map(withConnection))
  yield
  const properties = [...new Set([...declaredIdentities(graph), ...Object.keys(tiedCategory)])]
  const identities = yield* identityEntriesByPieces(
    graph,
    properties.map((property) => [property]),
    { inferIdentities },
  )
  yield
  const owners = yield* ownershipByPieces(graph, { identities: identities.fields, inferOwners })
  return { graph, properties, identities, owners }
}

/** Treats every dataset as linked, since the link does not matter to the description. */
function withConnection(source: DescribedDataset): DescribedDataset {
  return { ...source, connection: source.connection ?? { key: '', disabled: false } }
}

function declaredIdentities(graph: DatasetGraph): Set<string> {
  const found = new Set<string>()
  for (const node of graph.nodes.values()) {
    for (const { field } of node.fields.values()) {
      if (field.service_meta.identity !== undefined) found.add(field.service_meta.identity)
    }
  }
  return found
}
