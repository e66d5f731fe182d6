import type { Column } from '../../model/catalogue.js'
import { parseDataType } from '../../model/dataset.js'
import { namedMembers } from '../draft/member-columns.js'
import type { CollectionNode, FieldNode } from './collection-node.js'

/** A member of an object or of the objects in a list that has no members itself. */
export interface KnownMember {
  /** Dotted path. */
  readonly name: string
  readonly path: readonly string[]
  readonly kind: Column['kind'] | undefined
  readonly values: Column['values'] | undefined
  /** It holds a list of values. */
  readonly array: boolean
  /** How many segments of the path lead to the innermost list around it. 0 where it is in none. */
  readonly listDepth: number
  /** Absent where only the live catalogue knows it. */
  readonly field?: FieldNode
  /** The innermost described field around it. */
  readonly above: FieldNode | undefined
}

/** A cache, since several rules ask for the members of each collection. */
const known = new WeakMap<CollectionNode, readonly KnownMember[]>()

/** The members that a dataset describes, then those that only the live catalogue knows, inside of described columns. */
export function knownMembers(node: CollectionNode): readonly KnownMember[] {
  const found = known.get(node) ?? [...describedMembers(node), ...liveMembers(node)]
  known.set(node, found)
  return found
}

function describedMembers(node: CollectionNode): KnownMember[] {
  return [...node.fields.values()].flatMap((field): KnownMember[] => {
    const { name, path, kind } = field
    if (path.length < 2 || field.field.fields.length > 0) return []
    const live = liveAt(node, path)
    const array = isList(field) || live?.array === true
    // An object whose members only the catalogue knows.
    if (live && namedMembers(live).length > 0) return []
    return [{ name, path, kind, array, values: live?.values, field, ...placeOf(node, path) }]
  })
}

function liveMembers(node: CollectionNode): KnownMember[] {
  const walk = (column: Column, path: readonly string[]): KnownMember[] => {
    const members = namedMembers(column)
    if (members.length > 0) return members.flatMap((member) => walk(member, [...path, member.name]))
    const name = path.join('.')
    if (path.length < 2 || fieldAt(node, path)) return []
    const { kind, values, array = false } = column
    return [{ name, path, kind, values, array, ...placeOf(node, path) }]
  }
  const described = (node.live?.columns ?? []).filter(({ name }) => node.fields.get(name)?.path.length === 1)
  return described.flatMap((column) => walk(column, [column.name]))
}

function placeOf(node: CollectionNode, path: readonly string[]): Pick<KnownMember, 'listDepth' | 'above'> {
  let listDepth = 0
  let above: FieldNode | undefined
  for (let depth = 1; depth < path.length; depth++) {
    const around = path.slice(0, depth)
    const field = fieldAt(node, around)
    if (field) above = field
    if ((field && isList(field)) || liveAt(node, around)?.array) listDepth = depth
  }
  return { listDepth, above }
}

/** The described field at a path. A name with a dot in it may read as the path of another one. */
function fieldAt({ fields }: CollectionNode, path: readonly string[]): FieldNode | undefined {
  const field = fields.get(path.join('.'))
  return field?.path.every((segment, at) => segment === path[at]) ? field : undefined
}

/**
 * Whether all that stands at a path is taken for a list. What the dataset says counts, and a sample where it says nothing. One in
 * which some rows hold an object does not say so: what such a row holds would be judged by what stands in others.
 */
export function isListAt(node: CollectionNode, path: readonly string[]): boolean {
  const field = fieldAt(node, path)
  if (field?.field.service_meta.data_type !== undefined) return isList(field)
  const live = liveAt(node, path)
  return live?.array === true && !live.orObject
}

/** What a field lies in, down to where lists are one person's: objects, and lists whose elements may belong to several people. */
export function allAround({ path, filteredDepth }: FieldNode): readonly (readonly string[])[] {
  return path.slice(0, Math.min(path.length - 1, filteredDepth)).map((_, at) => path.slice(0, at + 1))
}

/** The lists around a field whose elements may belong to several people. */
export function listsAround(node: CollectionNode, field: FieldNode): readonly (readonly string[])[] {
  return allAround(field).filter((each) => isListAt(node, each))
}

/** Whether a field lies in the elements of a list, which may belong to several people. */
export function isInElements(node: CollectionNode, field: FieldNode): boolean {
  return listsAround(node, field).length > 0
}

function isList({ field: { service_meta: meta } }: FieldNode): boolean {
  return meta.data_type !== undefined && parseDataType(meta.data_type).array
}

/** The live column or member at a path. */
export function liveAt({ live }: CollectionNode, [first, ...rest]: readonly string[]): Column | undefined {
  let found = live?.columns.find(({ name }) => name === first)
  for (const segment of rest) found = found?.members?.find(({ name }) => name === segment)
  return found
}

/** Whether a person has looked at it. The field around a member speaks for it where no field describes the member. */
export function isReviewed(node: CollectionNode, { field, above, path }: KnownMember): boolean {
  const said = field ?? above
  return said?.field.service_meta.reviewed === true || isOnesOwnList(node, path)
}

/** Whether a description says that a list around it belongs to one person. */
function isOnesOwnList({ fields }: CollectionNode, path: readonly string[]): boolean {
  return path.some((_, at) => fields.get(path.slice(0, at + 1).join('.'))?.field.service_meta.return_all_elements)
}
