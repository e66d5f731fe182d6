import { standsPlain } from '../erase/member-at.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import type { TargetedField } from './targeted.js'

type Path = readonly string[]

/** An object, or the elements of a list, with members that the policy does not ask for. */
export interface MixedMembers {
  /** `dataset:collection.field`. */
  readonly name: string
  readonly path: readonly string[]
  /** The names of these members. */
  readonly members: readonly string[]
}

/**
 * Objects of which the policy asks for some members and not for others that hold data as well. A plain value in their place may
 * hold either, so it is undecided.
 */
export function mixedMembers(
  node: CollectionNode,
  targeted: readonly TargetedField[],
  erased: readonly Path[],
): MixedMembers[] {
  const rules = new Map<string, Path[]>()
  for (const { field, rules: names } of targeted) {
    for (const rule of names) rules.set(rule, [...(rules.get(rule) ?? []), field.path])
  }
  const asked = [...rules.values(), erased]
  const members = [...node.fields.values()].filter(holdsData)
  const found = new Map<string, MixedMembers>()
  for (const paths of asked) {
    for (const { name, path } of members) {
      if (paths.some((each) => isAt(path, each))) continue
      for (const place of placesOf(path)) {
        if (!paths.some((each) => each.length > place.length && isAt(each, place))) continue
        const key = place.join('.')
        const others = new Set([...(found.get(key)?.members ?? []), name])
        found.set(key, { name: `${node.address}.${key}`, path: place, members: [...others] })
      }
    }
  }
  return [...found.values()]
}

/** Why a plain value in the place of these members is left alone. */
export function mixedReason({ members }: MixedMembers): string {
  return `${standsPlain}, and the policy does not ask for ${members.map((each) => `'${each}'`).join(', ')}`
}

/** A member with data of its own. A key or a reference has none unless a category says so. */
function holdsData({ path, field, categories }: FieldNode): boolean {
  if (path.length < 2 || field.fields.length > 0 || categories.length === 0) return false
  const { primary_key, references, identity } = field.service_meta
  return field.data_categories.length > 0 || !(primary_key || references.length > 0 || identity !== undefined)
}

/** Whether a path is another one, or lies below it. */
const isAt = (path: Path, above: Path) => above.every((segment, at) => path[at] === segment)

const placesOf = (path: Path) => path.slice(0, -1).map((_, at) => path.slice(0, at + 1))
