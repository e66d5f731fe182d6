import { placeOf } from '../../model/address.js'
import { isAgentColumn, isGroupTable, isRoleColumn, isSettingsTable, namesPersonKey } from '../draft/ownership-names.js'
import { aboutAnotherPerson } from '../draft/person-names.js'
import { isActorColumn, isNamedForPerson, isResponseTable } from '../draft/reference-names.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import { isFilled } from './is-filled.js'
import { isReviewed, knownMembers } from './known-members.js'
import { fieldsOf, type ReferenceEdge } from './reference-edges.js'

/** Facts about collections before any inference. */
export interface OwnerFacts {
  readonly people: ReadonlySet<string>
  readonly like: ReadonlySet<string>
  readonly pointedTo: ReadonlySet<string>
  readonly inferOwners: boolean
  /** A field of a collection of people that is taken for an identity, where the description names none. */
  readonly takenFor: (address: string) => string | undefined
}

/** Why a reference is not taken for the owner. */
export interface Doubt {
  readonly why: string
  /** The field whose name is the reason. */
  readonly doubted?: string
}

/** Returns why a candidate is not taken for the owner. Undefined: it is. */
export function staysOpen(
  node: CollectionNode,
  edges: readonly ReferenceEdge[],
  candidates: readonly ReferenceEdge[],
  facts: OwnerFacts,
): (edge: ReferenceEdge) => Doubt | undefined {
  const none = candidates.length === 0 ? undefined : whyNone(node, edges, candidates, facts)
  const doubt = (edge: ReferenceEdge): Doubt | undefined => {
    if (none) return none
    if (facts.pointedTo.has(edge.to))
      return { why: `rows of '${edge.to}' belong to the owners of the rows that refer to them` }
    return mayBeEmpty(node, edge) ? { why: 'it may be empty' } : undefined
  }
  if (facts.inferOwners) return doubt
  // without inference no review of another field answers
  return (edge) => ({ why: doubt(edge)?.why ?? 'nobody has said whose the rows are' })
}

/** Why no candidate of a collection is taken for its owner. */
function whyNone(
  node: CollectionNode,
  edges: readonly ReferenceEdge[],
  candidates: readonly ReferenceEdge[],
  { people, like, pointedTo, takenFor }: OwnerFacts,
): Doubt | undefined {
  const { address } = node
  const [only, ...others] = candidates as [ReferenceEdge, ...ReferenceEdge[]]
  if (others.length > 0) return { why: `it is one of ${candidates.length} references to people` }
  const taken = takenFor(address)
  if (people.has(address))
    return {
      why: `'${address}' has an identity of its own${taken === undefined ? '' : `, because '${taken}' is taken for one (identity_inferred)`}`,
    }
  const said =
    edges.find(({ direction }) => direction === 'from') ?? edges.find(({ direction }) => direction === 'both')
  if (said) return { why: `the reference '${fieldsOf(said)}' says who owns its rows` }
  if (like.has(address)) return { why: `'${address}' looks like people itself` }
  if (pointedTo.has(address))
    return {
      why: `another reference says that rows of '${address}' belong to the owners of the rows that refer to them`,
    }
  return suspicion(node, edges, { edge: only, leadsToPeople: people.has(only.to) || like.has(only.to) })
}

/** A name that speaks against the only candidate, until a person has reviewed it. */
function suspicion(
  node: CollectionNode,
  edges: readonly ReferenceEdge[],
  { edge, leadsToPeople }: { readonly edge: ReferenceEdge; readonly leadsToPeople: boolean },
): Doubt | undefined {
  const { name } = node.collection
  if (isGroupTable(name) || isSettingsTable(name))
    return { why: `'${name}' is named like something that belongs to many` }
  const target = placeOf(edge.to).collection
  const directed = new Set(
    edges.flatMap(({ direction, parts }) => (direction === undefined ? [] : parts.map(({ from }) => from))),
  )
  const referring = new Set(edges.flatMap(({ parts }) => parts.map(({ from }) => from)))
  const isLookedAt = (field: FieldNode) =>
    field.field.service_meta.reviewed || field.field.service_meta.identity !== undefined || directed.has(field.name)
  const names = edge.parts.map(({ from }) => from)
  const isNamedForAnother = aboutAnotherPerson({
    names,
    table: name,
    target,
    leadsToPeople,
    isKey: node.keys.some((key) => key.length > 0 && key.every((each) => names.includes(each))),
  })
  const isAboutAnother = (column: Parameters<typeof isNamedForAnother>[0]) =>
    isNamedForAnother(column) || (!leadsToPeople && isActorColumn(column.name))
  const another = (column: string): Doubt => ({
    why: `'${column}' is about a person who need not be the one that '${fieldsOf(edge)}' leads to`,
    doubted: column,
  })
  for (const field of node.fields.values()) {
    if (isLookedAt(field)) continue
    if (isAgentColumn(field.name) || isRoleColumn(field.name)) return agent(field.name)
    if (!referring.has(field.name) && namesPersonKey(field.name) && !isOwnKey(node, field.name))
      return person(field.name)
    if (!referring.has(field.name) && isAboutAnother(field)) return another(field.name)
  }
  const members = knownMembers(node).filter(({ field }) => field === undefined)
  for (const column of [...node.undescribed, ...members]) {
    if ('path' in column && isReviewed(node, column)) continue
    if (isAgentColumn(column.name) || isRoleColumn(column.name)) return agent(column.name)
    if (namesPersonKey(column.name)) return person(column.name)
    if (isAboutAnother({ ...column, categories: [] })) return another(column.name)
  }
  const isPart = edge.parts.every(({ from, to }) => !isNamedForPerson(from, { table: target, key: to }))
  if (leadsToPeople && isPart) return { why: `'${fieldsOf(edge)}' is not named for the owner of a row` }
  if (!leadsToPeople && isResponseTable(name))
    return { why: `'${name}' is named like what other people do with rows of '${edge.to}'` }
  return undefined
}

const agent = (name: string): Doubt => ({
  why: `'${name}' is named like a column for somebody who worked on a row`,
  doubted: name,
})
const person = (name: string): Doubt => ({ why: `'${name}' is named like a column for a person`, doubted: name })

/** Whether a field is the key of the collection itself, which refers to nobody: `customer_id` of `customers`. */
function isOwnKey(node: CollectionNode, name: string): boolean {
  return node.keys.some((key) => key.length === 1 && key[0] === name)
}

/**
 * Whether a reference may be empty. A foreign key that cascades deletions shows that the rows belong together even if
 * it may be.
 */
function mayBeEmpty({ live }: CollectionNode, { parts, to }: ReferenceEdge): boolean {
  if (!live || live.schemaless) return true
  const names = parts.map(({ from }) => from)
  const cascades = live.foreignKeys.some(
    ({ onDelete, columns, references }) =>
      onDelete === 'cascade' &&
      references.schema === undefined &&
      references.collection === placeOf(to).collection &&
      columns.every((column) => names.includes(column)),
  )
  return !cascades && !names.every((name) => isFilled(live, name))
}
