import { placeOf } from '../../model/address.js'
import { isCovered } from '../../model/is-covered.js'
import { answersText, answersTo, reviewed } from '../draft/answers-to.js'
import {
  isAgentColumn,
  isLookupTable,
  isPartyColumn,
  isRelativeColumn,
  isRoleColumn,
  looksLikePeople,
  namesPersonKey,
  wordSet,
} from '../draft/ownership-names.js'
import { isPlainList } from '../draft/person-names.js'
import { categoryOf } from '../draft/propose-categories.js'
import { appendTo } from '../value/append-to.js'
import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import { type IdentityEntries, tiedCategory } from './identity-entries.js'
import { isReviewed, type KnownMember, knownMembers } from './known-members.js'
import { isOwnedByNobody, type MeantReference, type Ownership } from './ownership.js'
import type { UnreferencedKey } from './unreferenced-keys.js'

/**
 * A member that may name another person than the owner of the row, and of which nobody has said whom it names. The
 * element or the object around it may be that person's.
 */
export interface DoubtfulMember {
  readonly node: CollectionNode
  readonly field: string
  /** The innermost list around it, or else the object that holds it. */
  readonly within: readonly string[]
  readonly why: string
  readonly answers: string
  /** It leads to a collection, as an open reference or by its name. Absent where only its name speaks of a person. */
  readonly leads?: true
}

/** The doubtful members of each collection whose rows may have an owner. */
export function doubtfulMembers(
  graph: DatasetGraph,
  ownership: Ownership,
  identities: Pick<IdentityEntries, 'fields'>,
  unreferenced: readonly UnreferencedKey[],
): readonly DoubtfulMember[] {
  const keysOf = new Map<CollectionNode, UnreferencedKey[]>()
  for (const each of unreferenced) if (each.to && ownership.people.has(each.to)) appendTo(keysOf, each.node, each)
  const leading = new Map<string, MeantReference[]>()
  for (const meant of [...ownership.references.values()].flat())
    if (meant.meaning === 'to' || meant.meaning === 'both') appendTo(leading, meant.edge.to, meant)
  return [...graph.nodes.values()].flatMap((node) => {
    if (!ownership.owned.has(node.address) || node.unavailable !== undefined || isOwnedByNobody(node)) return []
    const members = knownMembers(node)
    if (members.length === 0) return []
    const [keys, leadingHere] = [keysOf.get(node) ?? [], leading.get(node.address) ?? []]
    return doubtsOf({ graph, node, members, ownership, identities, keys, leadingHere })
  })
}

interface Facts {
  readonly graph: DatasetGraph
  readonly node: CollectionNode
  readonly members: readonly KnownMember[]
  readonly ownership: Ownership
  readonly identities: Pick<IdentityEntries, 'fields'>
  /** Members named like keys of people. */
  readonly keys: readonly UnreferencedKey[]
  /** References by which rows of somebody lead to these rows, as an address to its street. */
  readonly leadingHere: readonly MeantReference[]
}

/** Judges the members of each element or object together. */
function doubtsOf(facts: Facts): DoubtfulMember[] {
  const places = new Map<string, KnownMember[]>()
  for (const member of facts.members) {
    const place = JSON.stringify(placeAround(member))
    places.set(place, [...(places.get(place) ?? []), member])
  }
  return [...places.values()].flatMap((members) => doubtsIn(members, facts))
}

/** The part of a row that a member tells of: the innermost element, or else the object. */
function withinOf(member: KnownMember): readonly string[] {
  const [{ path }, { length }] = [member, placeAround(member)]
  if (member.listDepth > 0) return path.slice(0, member.listDepth)
  // what a name with a dot in it reads as may be no object
  const depth = path.findIndex((_, at) => path.slice(0, at + 1).flatMap(spokenName).length > length)
  return path.slice(0, Math.max(depth, 1))
}

/** The same as the name of the member reads, with `by` around the id of `{ 'by.id': 1 }`. */
function placeAround(member: KnownMember): readonly string[] {
  if (member.listDepth > 0) return member.path.slice(0, member.listDepth)
  const spoken = member.path.flatMap(spokenName)
  // the id in `approval: { by: { _id }, comment }` says whose the approval is
  return spoken.slice(0, isDoneBy(holderOfId(member)) && spoken.length > 2 ? -2 : -1)
}

/** A name as a path: people write `author.id` for the `id` of an `author`. */
function spokenName(name: string): readonly string[] {
  const segments = name.split('.').filter((each) => each !== '')
  return segments.length === 0 ? [name] : segments
}

function doubtsIn(members: readonly KnownMember[], facts: Facts): DoubtfulMember[] {
  const { graph, node, ownership, identities, keys, leadingHere } = facts
  const references = ownership.references.get(node.address) ?? []
  const of = ({ name }: KnownMember) =>
    references.filter(({ edge }) => edge.parts.some(({ from }) => from === name) && isOfPeople(edge.to))
  const isOfPeople = (address: string) => ownership.people.has(address)
  const held = new Set([...(identities.fields.get(node.address)?.values() ?? [])].flat())
  const isOwning = ({ meaning }: MeantReference) => meaning === 'owner' || meaning === 'both'
  // Elements are judged by such fields of their own.
  const isJudged = members.some(
    (member) =>
      held.has(member.name) ||
      references.some((each) => isOwning(each) && refersBy(each, member)) ||
      leadingHere.some(({ edge }) => edge.parts.some(({ to }) => to === member.name)),
  )
  const found: DoubtfulMember[] = members.flatMap((member) =>
    of(member)
      .filter(({ meaning }) => meaning === 'open')
      .map((meant) => ({
        ...at(node, member),
        why: meant.why ?? '',
        answers: answersText(placeOf(meant.edge.from).dataset, answersTo(graph, meant, ownership)),
        leads: true as const,
      })),
  )
  if (isJudged) return found
  for (const member of members) {
    const key = keys.find(({ field }) => field === member.name)
    if (key) found.push({ ...doubt(node, member, `it is named like a key of '${key.to}'`), leads: true })
    else if (of(member).length === 0 && namesSomebody(member) && isAsked(node, member))
      found.push(doubt(node, member, 'it is named like a column for a person'))
  }
  const isSettled = found.length > 0 || members.some((member) => of(member).length > 0)
  return isSettled ? found : [...found, ...contactDoubt(members, node)]
}

const refersBy = ({ edge }: MeantReference, { name }: KnownMember) => edge.parts.some(({ from }) => from === name)

const at = (node: CollectionNode, member: KnownMember) => ({ node, field: member.name, within: withinOf(member) })

function doubt(node: CollectionNode, member: KnownMember, why: string): DoubtfulMember {
  const { service_key: key } = node.dataset
  // Where no field describes a member, the field around it speaks for it.
  const said = member.field ?? member.above
  const place = `${node.collection.name}.${said?.name}`
  const answer = {
    ...reviewed,
    at: place,
    means: `'${member.name}' names nobody but the owner of the row, who then gets all that stands there`,
  }
  const category = member.listDepth > 0 ? contactOf(node, member) : undefined
  const property = Object.keys(tiedCategory).find((each) => tiedCategory[each] === category)
  const identity =
    property === undefined
      ? ''
      : `the identity '${property}' on '${node.address}.${member.name}' where it also names others, who then get their own elements; or `
  const reference = `a reference on '${node.address}.${member.name}' with the direction 'from' where the element belongs to whom it leads to, or 'none' where it does not`
  return { ...at(node, member), why, answers: `${identity}${reference}; or ${answersText(key, [answer])}` }
}

const isAsked = (node: CollectionNode, member: KnownMember) =>
  !isReviewed(node, member) && (member.field?.field.service_meta.references.length ?? 0) === 0

const ownNameOf = ({ path }: KnownMember) => spokenName(path.at(-1) as string).at(-1) as string
const isMail = (name: string) => /mail(_?(address|addr|adresse))?$/i.test(name)

/**
 * Whether a member is named like the key of a person, or for what that person did. Outside of lists only `by` and an object
 * that is named for another count. `kind` is a child in German, and of an element it is nearly always a kind.
 */
function namesSomebody(member: KnownMember): boolean {
  const holder = holderOfId(member)
  const name = holder ?? ownNameOf(member)
  if (isMail(name)) return false
  const isInList = member.listDepth > 0
  const whole = member.path.at(-1) as string
  const names = isInList && whole.includes('.') ? [name, whole] : [name]
  const isKey = member.kind === undefined || keyKinds.has(member.kind)
  if (!isInList && isKey && isDoneBy(name)) return ![undefined, name].includes(placeAround(member).at(-1))
  if (holder !== undefined && !isInList) return isKey && isNamedForAnother([holder])
  if (names.some(namesPersonKey)) return isInList || isNamedForAnother(placeAround(member))
  const isBrief = briefly.has(name.toLowerCase()) || (member.kind === 'object_id' && ofPartners.has(name.toLowerCase()))
  return isInList && isKey && name !== 'kind' && (isNamedForAnother(names) || isBrief)
}

/** The name of the object whose id a member is, as `by` of `by: { _id, name }`. The id of an element names the element itself. */
function holderOfId({ path, listDepth }: KnownMember): string | undefined {
  const spoken = path.slice(listDepth).flatMap(spokenName)
  return spoken.length > 1 && /^(?:_|\$)?id$/i.test(spoken.at(-1) as string) ? spoken.at(-2) : undefined
}

/** Names, in an element or an object, the person who did what it tells of. */
const doneBy = 'by'
const isDoneBy = (name: string | undefined) => name?.toLowerCase() === doneBy

const keyKinds: ReadonlySet<string> = new Set(['string', 'integer', 'object_id', 'uuid'])
/** Short names of people in elements. */
const briefly = wordSet(`${doneBy} uid voter handle`)
/** Names of people in elements where they hold an ObjectId. Others may be times and places. */
const ofPartners = wordSet('from to who whom')

const isNamedForAnother = (path: readonly string[]) =>
  path.some((name) => isAgentColumn(name) || isRoleColumn(name) || isPartyColumn(name) || isRelativeColumn(name))

/**
 * Contact data in the elements of a list may be that of other people, and so may that in an object that is named for
 * another. A list of a person's own addresses and numbers is named like one.
 */
function contactDoubt(members: readonly KnownMember[], node: CollectionNode): DoubtfulMember[] {
  const contacts = members.flatMap((member) => {
    const category = contactOf(node, member)
    return category === undefined ? [] : [{ member, category }]
  })
  const [first] = contacts.toSorted((one, other) => rank(one.category) - rank(other.category))
  if (!first || members.some((member) => contactOf(node, member) && isReviewed(node, member))) return []
  const within = placeAround(first.member)
  const isTheirs =
    first.member.listDepth === 0
      ? isNamedForAnother(within)
      : !isLookupTable(within.at(-1) as string) &&
        (looksLikePeople(contacts.map(({ category }) => category)) || !isPlainList(within))
  return isTheirs ? [doubt(node, first.member, 'it is named like data of a person, who need not be the owner')] : []
}

const contactCategories = ['user.contact.email', 'user.contact.phone_number', 'user.name', 'user.date_of_birth']
const rank = (category: string) => contactCategories.findIndex((each) => isCovered(category, each))

function contactOf({ collection }: CollectionNode, member: KnownMember): string | undefined {
  if (member.kind !== undefined && member.kind !== 'string' && member.kind !== 'integer') return undefined
  const column = { name: ownNameOf(member), kind: member.kind }
  // A `name` is a person's in `guests` and in an object named for another, whatever the collection holds.
  const within = placeAround(member).at(-1)
  const isOfAnother = within !== undefined && isNamedForAnother([within])
  const named =
    categoryOf(collection.name, column) ??
    (within === undefined ? undefined : categoryOf(isOfAnother ? 'people' : within, column))
  return [named, ...(member.field?.field.data_categories ?? [])].find((each) => each !== undefined && rank(each) !== -1)
}

/** Those that only their names tell of, as columns without a described reference. */
export function namingMembers(doubtful: readonly DoubtfulMember[]): UnreferencedKey[] {
  return doubtful
    .filter(({ leads }) => !leads)
    .map(({ node, field, why }) => ({ node, field, names: why.replace(/^it /, '') }))
}
