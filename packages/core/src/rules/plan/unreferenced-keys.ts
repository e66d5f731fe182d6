import type { CatalogueCollection } from '../../model/catalogue.js'
import { lastPart } from '../draft/name-words.js'
import { namesPersonKey } from '../draft/ownership-names.js'
import { type NamedTables, namedTables, proposedLinks } from '../draft/propose-references.js'
import type { Finding } from '../findings/finding.js'
import { appendTo } from '../value/append-to.js'
import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import { farKeys } from './far-keys.js'
import { isReviewed, type KnownMember, knownMembers } from './known-members.js'
import { isOwnedByNobody, isReferring, type Ownership } from './ownership.js'
import { seenCollection } from './seen-collection.js'
import { undescribedPairs } from './undescribed-pairs.js'

/** A column that seems to refer to rows with an owner and that has no described reference. */
export interface UnreferencedKey {
  readonly node: CollectionNode
  readonly field: string
  /** Address of the collection it seems to lead to. Absent where a type column says that. */
  readonly to?: string
  /** The database itself says that it leads there. */
  readonly isForeignKey?: true
  /** Why it may name somebody, where nothing says which collection that leads to. */
  readonly names?: string
}

/** A quick test, since most columns have other names. */
const namedLikeKey = /.(id|uuid|guid|key|fk|ref|no|nr|number)s?$/i

/**
 * Columns without a described reference that are foreign keys to rows with an owner, that are named like such keys, that have
 * a type column, or that are named like a person's key in collections that nothing connects with a person, and that nobody
 * has reviewed. Rows are neither found nor counted over them.
 */
export function unreferencedKeys(graph: DatasetGraph, ownership: Ownership): readonly UnreferencedKey[] {
  const nodes = [...graph.nodes.values()]
  const tables = tablesByConnection(nodes)
  const isAsked = (node: CollectionNode, name: string) => {
    const meta = node.fields.get(name)?.field.service_meta
    const member = byNameOf(node).get(name)
    const isLookedAt =
      (meta && (meta.reviewed || meta.identity !== undefined || meta.references.length > 0)) ||
      (member && isReviewed(node, member))
    return !isLookedAt && !isReferring(ownership, node.address, name)
  }
  const keys = nodes.flatMap((node): UnreferencedKey[] => {
    const { live, connectionKey, unavailable } = node
    if (!live || live.view || unavailable === 'skip_processing' || isOwnedByNobody(node)) return []
    const seen = seenCollection(node) as CatalogueCollection
    const described = () => tables(connectionKey as string)
    const foreign = live.foreignKeys.flatMap(({ columns, references }): UnreferencedKey[] => {
      const to = references.schema === undefined ? described().byName.get(references.collection) : undefined
      const [field] = columns
      if (!to || to === node || !ownership.owned.has(to.address) || field === undefined) return []
      return columns.every((name) => isAsked(node, name)) ? [{ node, field, to: to.address, isForeignKey: true }] : []
    })
    const { named, byName } = described()
    const isLikeKey = (name: string) => namedLikeKey.test(name) || named.byKey.has(name)
    const columns = seen.columns.filter(({ name }) => isLikeKey(name) && isAsked(node, name))
    if (columns.length === 0) return foreign
    const alike = proposedLinks(seen, named, node.dataset.service_key, columns).flatMap(
      ({ columns: [column], target, references }) => {
        const to = byName.get(target)
        // A friend in a list is another row of the same collection.
        const isInList = (byNameOf(node).get(column as string)?.listDepth ?? 0) > 0
        if (
          !to ||
          (to === node && !isInList) ||
          references.some(({ when }) => when) ||
          !ownership.owned.has(to.address)
        )
          return []
        return [{ node, field: column as string, to: to.address }]
      },
    )
    return [...foreign, ...alike]
  })
  // a foreign key says more than a type column or a name
  const isForeign = new Set(
    keys.flatMap(({ node, field, isForeignKey }) => (isForeignKey ? `${node.address}.${field}` : [])),
  )
  const pairs = undescribedPairs(graph, ownership).flatMap(({ node, field }): UnreferencedKey | readonly [] =>
    isForeign.has(`${node.address}.${field}`) ? [] : { node, field },
  )
  const known = new Set([...keys, ...pairs].map(({ node, field }) => `${node.address}.${field}`))
  const unreached = unreachedKeys(nodes, ownership).filter(({ node, field }) => !known.has(`${node.address}.${field}`))
  const isFar = ({ node, field }: UnreferencedKey) => farKeys(graph, node, ownership).some((key) => key.field === field)
  return [...keys, ...pairs, ...unreached.filter((each) => !isFar(each))]
}

/**
 * Columns named like the key or the e-mail address of a person, or holding such addresses in a sample, in collections that nothing connects with a person, and
 * of which the description says nothing. Where a collection is reached, its columns without a category are named
 * instead.
 */
function unreachedKeys(nodes: readonly CollectionNode[], ownership: Ownership): readonly UnreferencedKey[] {
  return nodes.flatMap((node): UnreferencedKey[] => {
    const { address, live, unavailable } = node
    if (!live || live.view || unavailable !== undefined || ownership.owned.has(address) || isOwnedByNobody(node))
      return []
    const { columns } = seenCollection(node) as CatalogueCollection
    return columns
      .filter(({ name, holds }) => holds || (namesPersonKey(lastPart(name)) && !isOwnKey(node, name)))
      .filter(({ name }) => !isAnswered(node, name) && !isReferring(ownership, address, name))
      .map(({ name, holds }) => ({ node, field: name, names: holds ? holdsAddresses : likeKey }))
  })
}

const likeKey = 'is named like the key or the address of a person'
const holdsAddresses = 'holds e-mail addresses in a sample, and has no identity'

/** The only key of a collection names its own rows: `client_id` of `clients`. */
function isOwnKey({ keys }: CollectionNode, name: string): boolean {
  return keys.some((key) => key.length === 1 && key[0] === name)
}

/** Whether the description says something of a column, or of a column around it. */
function isAnswered({ fields }: CollectionNode, name: string): boolean {
  const path = name.split('.')
  return path.some((_, at) => {
    const node = fields.get(path.slice(0, at + 1).join('.'))
    if (!node) return false
    const { reviewed, identity, references } = node.field.service_meta
    return reviewed || identity !== undefined || references.length > 0 || node.categories.length > 0
  })
}

export function unreferencedKeyFinding({ node, field, to, names, isForeignKey }: UnreferencedKey): Finding {
  const { address, dataset, collection } = node
  const led = isForeignKey ? 'is a foreign key to' : 'is named like a key of'
  const seems = names ?? (to === undefined ? 'has a type column' : `${led} '${to}'`)
  return {
    type: 'undescribed_reference',
    severity: 'warning',
    loc: [dataset.service_key, collection.name, field],
    message: `'${field}' of '${address}' ${seems}, and no reference is described: rows are neither found nor counted over it. Describe where it leads, ${names === holdsAddresses ? 'declare the identity on it, ' : ''}or say 'reviewed' on the field.`,
  }
}

const byName = new WeakMap<CollectionNode, ReadonlyMap<string, KnownMember>>()

function byNameOf(node: CollectionNode): ReadonlyMap<string, KnownMember> {
  const found = byName.get(node) ?? new Map(knownMembers(node).map((member) => [member.name, member]))
  byName.set(node, found)
  return found
}

/** The described tables of each database by name, built on first use. */
function tablesByConnection(nodes: readonly CollectionNode[]) {
  const byConnection = new Map<string, CollectionNode[]>()
  for (const node of nodes)
    if (node.live && node.connectionKey !== undefined) appendTo(byConnection, node.connectionKey, node)
  const made = new Map<string, { named: NamedTables; byName: ReadonlyMap<string, CollectionNode> }>()
  return (key: string) => {
    const some = byConnection.get(key) ?? []
    const known = made.get(key) ?? {
      named: namedTables(some.map((node) => seenCollection(node) as CatalogueCollection)),
      byName: new Map(some.map((node) => [node.live?.name as string, node])),
    }
    made.set(key, known)
    return known
  }
}
