import type { CollectionNode, FieldNode } from './collection-node.js'
import type { IdentityEntries } from './identity-entries.js'
import { listsAround } from './known-members.js'
import type { MeantReference, Ownership } from './ownership.js'
import type { ReferenceEdge } from './reference-edges.js'

/** Which references and identities of a collection say whose an element is, and not whose the row is. */
export interface ElementOwners {
  edge(edge: ReferenceEdge): boolean
  identity(property: string, field: string): boolean
  /** Whether a field outside of lists says whose the row is, or may. */
  outside(): boolean
}

/**
 * Fields in the elements of a list say whose the element is where a field outside of lists says whose the row is, as in the
 * comments on a post (see docs/semantics.md, 'Elements with owners of their own'), and where one in an element around them says
 * whose that is, as in the replies to a review. As long as nobody has decided on a field outside, it may say whose
 * the row is. An identity does so only beside an owner reference or a written `owner`: in the
 * record of a person, a list of e-mail addresses says whose the record is.
 */
export function elementOwners(
  node: CollectionNode,
  { references, entries }: Pick<Ownership, 'references' | 'entries'>,
  { fields }: Pick<IdentityEntries, 'fields'>,
  /** Fields that are named like keys of people and have no described reference. */
  unreferenced: readonly string[],
  lists: (node: CollectionNode, field: FieldNode) => readonly (readonly string[])[] = listsAround,
): ElementOwners {
  const isInside = (name: string) => lists(node, node.fields.get(name) as FieldNode).length > 0
  const isEdgeInside = ({ parts }: ReferenceEdge) => parts.some(({ from }) => isInside(from))
  const said = entries.get(node.address) ?? []
  const isSaidOutside = said.some((entry) => !('edge' in entry ? isEdgeInside(entry.edge) : isInside(entry.identity)))
  const owning = (references.get(node.address) ?? []).filter(({ meaning }) => meaning === 'owner' || meaning === 'both')
  const held = fields.get(node.address)
  const leadsHere = ({ edge, meaning }: MeantReference) =>
    edge.to === node.address &&
    edge.from !== node.address &&
    (meaning === 'to' || meaning === 'both') &&
    !edge.parts.some(({ to }) => isInside(to))
  // Asked for collections with owners in elements alone, since it looks at the references of all others.
  const isReferredOutside = () =>
    isSaidOutside ||
    owning.some(({ edge }) => !isEdgeInside(edge)) ||
    (references.get(node.address) ?? []).some(({ meaning, edge }) => meaning === 'open' && !isEdgeInside(edge)) ||
    unreferenced.some((name) => !node.fields.has(name) || !isInside(name)) ||
    [...references.values()].some((meant) => meant.some(leadsHere))
  const isIdentifiedOutside = () => [...(held?.values() ?? [])].flat().some((name) => !isInside(name))
  const isOwnedOutside = () => isIdentifiedOutside() || isReferredOutside()
  const listsOf = (name: string) => lists(node, node.fields.get(name) as FieldNode).map((list) => list.join('.'))
  const listOf = (name: string) => listsOf(name).at(-1)
  const isAround = (name: string, inner: string) => {
    const list = listOf(name)
    return list !== undefined && listsOf(inner).slice(0, -1).includes(list)
  }
  const isReferredAround = (name: string) =>
    owning.some(({ edge }) => edge.parts.some(({ from }) => isAround(from, name)))
  const isIdentifiedAround = (name: string) => [...(held?.values() ?? [])].flat().some((each) => isAround(each, name))
  const isWithin = ({ parts }: ReferenceEdge) =>
    parts.some(({ from }) => isReferredAround(from) || isIdentifiedAround(from))
  const ownsElements = (edge: ReferenceEdge) =>
    isEdgeInside(edge) &&
    owning.some((each) => each.edge === edge) &&
    !said.some((entry) => 'edge' in entry && entry.edge === edge) &&
    (isOwnedOutside() || isWithin(edge))
  // The reference speaks of the element alone, and so does an identity beside it.
  const isBesideOwner = (name: string) =>
    owning.some(({ edge }) => edge.parts.some(({ from }) => listOf(from) === listOf(name)) && ownsElements(edge))
  return {
    outside: isOwnedOutside,
    edge: ownsElements,
    identity: (property, name) =>
      isInside(name) &&
      !said.some((entry) => 'identity' in entry && entry.identity === name) &&
      (isBesideOwner(name) ||
        isReferredAround(name) ||
        ((isSaidOutside || !held?.get(property)?.some((other) => !isInside(other))) && isReferredOutside())),
  }
}
