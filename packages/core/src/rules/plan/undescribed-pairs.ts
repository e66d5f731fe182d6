import { formatAddress } from '../../model/address.js'
import { otherAnswers, type ReferenceAnswer } from '../draft/answers-to.js'
import { nameWords } from '../draft/name-words.js'
import { isPeopleTable } from '../draft/ownership-names.js'
import { type TypeColumn, typeColumn, typeValue } from '../draft/type-columns.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import { nodesOf } from './graph-index.js'
import { isReferring, type Ownership } from './ownership.js'

/** A field that seems to refer to rows, and of which nothing says to which. */
export interface UndescribedTarget {
  readonly node: CollectionNode
  readonly field: string
  /** Why it seems so. */
  readonly why: string
  /**
   * References to people, or to owned collections that the listed types name. Another answer is that there are none.
   */
  readonly answers: readonly ReferenceAnswer[]
}

/** Fields whose target another field states, and that may lead to people, in one dataset or in all. */
export function undescribedPairs(graph: DatasetGraph, ownership: Ownership, key?: string): UndescribedTarget[] {
  const nodes = (key === undefined ? [...graph.nodes.values()] : nodesOf(graph, key)).filter(
    ({ unavailable, address }) => unavailable !== 'skip_processing' && !ownership.entries.has(address),
  )
  const pairs: UndescribedTarget[] = []
  for (const node of nodes) {
    for (const field of node.fields.values()) {
      if (field.path.length > 1 || !isAsked(node, field) || isReferring(ownership, node.address, field.name)) continue
      const type = typeColumn(node.live?.columns ?? [...node.fields.values()], field.name)
      const answers = type ? pairAnswers(node, field.name, type, graph, ownership) : []
      if (!type || answers.length === 0) continue
      const why = `'${type.name}' says what it refers to, and no reference is described`
      pairs.push({ node, field: field.name, why, answers })
    }
  }
  return pairs
}

/** A quick test, since most fields have other names. */
const namedLikeId = /.(id|pk)$/i

function isAsked(node: CollectionNode, { name, field }: FieldNode): boolean {
  if (!namedLikeId.test(name)) return false
  const { identity, reviewed, references } = field.service_meta
  const isKey = node.keys.some((all) => all.length === 1 && all[0] === name)
  return identity === undefined && !reviewed && references.length === 0 && !isKey
}

function pairAnswers(
  node: CollectionNode,
  field: string,
  type: TypeColumn,
  { nodes }: DatasetGraph,
  ownership: Ownership,
): ReferenceAnswer[] {
  const { service_key: dataset, collections } = node.dataset
  const { people, owned } = ownership
  const at = `${node.collection.name}.${field}`
  const within = (some: ReadonlySet<string>) => collections.filter(({ name }) => some.has(formatAddress(dataset, name)))
  const named = within(owned).filter(({ name }) => isPeopleTable(name))
  const likely = type.values ? within(owned) : named.length > 0 ? named : within(people)
  const references = likely.flatMap(({ name }): ReferenceAnswer[] => {
    const key = nodes.get(formatAddress(dataset, name))?.keys.find((all) => all.length === 1)?.[0]
    const value = typeValue(type, name, nameWords(name))
    if (key === undefined || value === undefined) return []
    const isKnown = type.values !== undefined
    const means = isKnown
      ? `'${type.name}' is '${value}'`
      : `'${type.name}' is the value that stands for '${name}' in its rows, such as '${value}'`
    return [
      {
        ...{ write: 'reference', at, value: { dataset, field: `${name}.${key}`, when: { [type.name]: value } }, means },
        ...(!isKnown && { exampleOf: type.name }),
      },
    ]
  })
  if (references.length === 0) return []
  return [...references, ...otherAnswers(node, field, ownership, 'rows with an owner')]
}
