import { enforcedKeys } from '../../model/catalogue.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import { coversKey } from './covers-key.js'
import { elementOwners } from './element-owners.js'
import type { IdentityEntries } from './identity-entries.js'
import { allAround, listsAround } from './known-members.js'
import type { MeantReference, Ownership } from './ownership.js'
import type { CollectionsInput, Draft } from './plan-draft.js'
import { type PlannedField, plannedConditionsOf, plannedField, unconditional } from './planned-field.js'
import type { JudgedOwner, PlannedJudging } from './planned-judging.js'
import { fieldsOf, type ReferenceEdge } from './reference-edges.js'

/**
 * Whether these fields hold different values in rows of different people: they are a key, or an identity that is judged
 * anyway. A key that is only declared does not count: no server enforces it, and a view may show two rows with one key.
 * Neither does a key of a document store, which keeps a number and its text apart. A reference may lead to either.
 */
export function namesOneRow(
  node: CollectionNode,
  names: readonly string[],
  { fields, objects }: IdentityEntries,
): boolean {
  const { live } = node
  const isOfDocuments = live?.schemaless || live?.sampled !== undefined
  if (coversKey(live ? { keys: isOfDocuments ? [] : enforcedKeys(live) } : node, names)) return true
  const [only, ...others] = names
  if (others.length > 0) return false
  const single = objects.every(({ properties }) => properties.length === 1)
  return single && [...(fields.get(node.address) ?? [])].some(([, each]) => each.includes(only as string))
}

/**
 * Open references that may show that a row belongs to another person. For rows with an identity these are the
 * references that lead to people. For rows that the person's rows refer to and that have an owner of their own, these
 * are all.
 */
export function judgedOpen({ order, ownership, identities, graph, directedEdges }: CollectionsInput) {
  const searched = new Set(order)
  const pointedTo = new Set(directedEdges.flatMap(({ kind, to }) => (kind === 'part' ? [to] : [])))
  return order.flatMap((address) => {
    const node = graph.nodes.get(address) as CollectionNode
    const references = ownership.references.get(address) ?? []
    const open = references.filter(
      ({ meaning, edge }) => meaning === 'open' && searched.has(edge.to) && edge.from !== edge.to,
    )
    const fields = [...(identities.fields.get(address)?.values() ?? [])].flat()
    if (fields.length === 0) return pointedTo.has(address) && references.some(isOwning) ? open : []
    return fields.every((name) => isLiveUnique(node, name))
      ? []
      : open.filter(({ edge }) => ownership.people.has(edge.to))
  })
}

const isOwning = ({ meaning }: MeantReference) => meaning === 'owner' || meaning === 'both'

function isLiveUnique({ live }: CollectionNode, name: string): boolean {
  return enforcedKeys(live).some((key) => key.length === 1 && key[0] === name)
}

/**
 * A field that holds an identity. In e-mail addresses case and outer blanks do not count unless the description says
 * otherwise.
 */
export function identityField({ node }: Pick<Draft, 'node'>, property: string, name: string): PlannedField {
  const field = node.fields.get(name) as FieldNode
  const { case_insensitive: said } = field.field.service_meta
  const isAddress = said !== false && property === 'email' && (field.kind ?? 'string') === 'string'
  return {
    ...plannedField(field),
    caseInsensitive: said === true || isAddress,
    ...(isAddress && { trimmed: true as const }),
  }
}

/** The facts that all collections of a plan share. */
export interface Known {
  readonly searched: ReadonlySet<string>
  /** Properties for which the person's values are known or may become known from rows. */
  readonly known: ReadonlySet<string>
  /** By collection, columns and members named like keys of people that have no described reference, with a field or without. */
  readonly unreferenced: ReadonlyMap<string, readonly string[]>
}

export function judgingOf(
  draft: Draft,
  { references, entries }: Ownership,
  { fields }: IdentityEntries,
  { searched, known, unreferenced }: Known,
): PlannedJudging {
  const { node, entryOfEdge, parts, named: naming, doubted } = draft
  const said = entries.get(node.address)
  const keys = unreferenced.get(node.address) ?? []
  const inside = elementOwners(node, { references, entries }, { fields }, keys)
  const ifLists = elementOwners(node, { references, entries }, { fields }, keys, (_, field) => allAround(field))
  const objects = new Map<string, readonly string[]>()
  const noteObjects = (name: string) => {
    const field = node.fields.get(name) as FieldNode
    const known = new Set(listsAround(node, field).map((list) => list.join('\0')))
    for (const path of allAround(field)) if (!known.has(path.join('\0'))) objects.set(path.join('\0'), path)
  }
  const isNamed = (name: string) => said?.some((entry) => 'identity' in entry && entry.identity === name) === true
  const held = [...(fields.get(node.address) ?? [])]
    .flatMap(([property, names]) =>
      names
        .filter((name) => known.has(property) || parts.length > 0 || isNamed(name) || inside.identity(property, name))
        .map((name) => ({
          property,
          field: identityField(draft, property, name),
          unique: isLiveUnique(node, name),
          ...(inside.identity(property, name) && { inside: true as const }),
          ...(node.fields.get(name)?.field.service_meta.reviewed && { reviewed: true as const }),
        })),
    )
    // The names of doubts must not depend on the order in which fields are described.
    .sort((one, other) => (`${one.field.name}\0${one.property}` < `${other.field.name}\0${other.property}` ? -1 : 1))
  const meant = references.get(node.address) ?? []
  const judged = (edge: ReferenceEdge): JudgedOwner => {
    const entry = entryOfEdge.get(edge)
    return {
      name: fieldsOf(edge),
      ...(entry !== undefined && searched.has(edge.to) && { entry }),
      fields: edge.parts.map(({ from }) => plannedField(node.fields.get(from) as FieldNode)),
      when: edge.when?.side === 'from' ? plannedConditionsOf(node, edge.when.equals) : unconditional,
      ...(edge.direction === 'both' && { names: true as const }),
      ...(inside.edge(edge) && { inside: true as const }),
    }
  }
  const owning = meant.filter(isOwning)
  for (const { property, field } of held) if (ifLists.identity(property, field.name)) noteObjects(field.name)
  for (const { edge } of owning) if (ifLists.edge(edge)) for (const { from } of edge.parts) noteObjects(from)
  const isOpen = held.length > 0 && !held.every(({ unique }) => unique)
  const open = meant.filter(({ meaning, edge }) => meaning === 'open' && entryOfEdge.has(edge))
  const unnamed = (isOpen ? keys : []).flatMap((name): JudgedOwner[] => {
    const field = node.fields.get(name)
    return field ? [{ name, fields: [plannedField(field)], when: unconditional }] : []
  })
  const owners = owning.map(({ edge }) => judged(edge))
  const inferred = owning.find((each) => each.inferred)
  const first = said?.map((entry) =>
    'edge' in entry
      ? { owner: owning.findIndex(({ edge }) => edge === entry.edge) }
      : { identity: held.findIndex(({ field }) => field.name === entry.identity) },
  )
  return {
    identities: held,
    owners,
    ...(owners.some((each) => each.inside) && !inside.outside() && { byElements: true as const }),
    ...(first && first.length > 0 && { first }),
    parts,
    ...(objects.size > 0 && {
      objects: [...objects].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, path]) => path),
    }),
    ...(naming.length > 0 && { named: naming }),
    ...(doubted.length > 0 && { doubted }),
    open: [...open.map(({ edge }) => judged(edge)), ...unnamed],
    ...(inferred && { inferred: fieldsOf(inferred.edge) }),
  }
}

/** Properties of the request, and those that the rows found by them may reveal. */
export function knowableProperties({ entries, objects, fields }: IdentityEntries): ReadonlySet<string> {
  const identifying = [...entries.keys()].flatMap((address) => [...(fields.get(address)?.keys() ?? [])])
  return new Set([...objects.flatMap(({ properties }) => properties), ...identifying])
}
