import type { CollectionNode } from '../plan/collection-node.js'
import type { DatasetGraph } from '../plan/dataset-graph.js'
import { tiedCategory } from '../plan/identity-entries.js'
import { isSlip } from '../value/is-slip.js'
import type { slipIndex } from '../value/slip-index.js'
import type { Finding } from './finding.js'

/** Properties by which requests usually name people. */
const usual: readonly string[] = [...Object.keys(tiedCategory), 'user_id', 'customer_id', 'username']

/** Identities that are spelled almost like a usual one, or like one that is declared at least as often. */
export function misspelledIdentities(graph: DatasetGraph): (nodes: readonly CollectionNode[]) => Finding[] {
  const declared = new Map<string, number>()
  for (const name of [...graph.nodes.values()].flatMap(identitiesOf)) declared.set(name, (declared.get(name) ?? 0) + 1)
  const meant = (name: string) =>
    usual.includes(name)
      ? undefined
      : [...usual, ...declared.keys()].find(
          (other) =>
            isSlip(name, other) &&
            (usual.includes(other) || (declared.get(other) ?? 0) >= (declared.get(name) as number)),
        )
  return (nodes) =>
    nodes.flatMap((node) =>
      [...node.fields.values()].flatMap(({ name: field, field: { service_meta: meta } }): Finding[] => {
        const near = meta.identity === undefined || meta.reviewed ? undefined : meant(meta.identity)
        if (near === undefined) return []
        const message = `'${node.address}.${field}' has the identity '${meta.identity}', which is spelled almost like '${near}': a request that names a person by '${near}' finds nothing there. Write 'identity: ${near}' if that is meant, or say 'reviewed: true' on the field if it is not.`
        const loc = [node.dataset.service_key, node.collection.name, field]
        return [{ type: 'misspelled_identity', severity: 'warning', loc, message }]
      }),
    )
}

const identitiesOf = ({ fields }: CollectionNode): string[] =>
  [...fields.values()].flatMap(({ field }) => field.service_meta.identity ?? [])

/** Another dataset or connection whose key is spelled almost like this one: a misspelt key makes one of its own. */
export function similarKeys(
  what: 'dataset' | 'connection',
  key: string,
  slipOf: ReturnType<typeof slipIndex>,
): Finding[] {
  const other = slipOf(key)
  if (other === undefined) return []
  const message = `The key '${key}' is spelled almost like that of the ${what} '${other}': they are two. If '${other}' is meant, write it under that key, and remove '${key}'.`
  return [{ type: 'similar_key', severity: 'info', loc: [key], message }]
}
