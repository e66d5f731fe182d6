import { isDeepStrictEqual } from 'node:util'
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isSeq,
  type Node,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

export type Members = Readonly<Record<string, unknown>>

/**
 * Changes a node so that it says what `after` says. What `before` said in the same way stays as people wrote it, with comments
 * and order. Items of lists are those with the same name.
 */
export function updateMembers(document: Document, node: YAMLMap, before: Members, after: Members): void {
  part(document, node)
  for (const name of Object.keys(before)) {
    if (after[name] !== undefined) continue
    partAll(document, node.get(name, true))
    node.delete(name)
  }
  for (const [name, value] of Object.entries(after)) {
    const old = before[name]
    if (value === undefined || isDeepStrictEqual(old, value)) continue
    const existing = node.get(name, true)
    if (isNamed(value) && isSeq(existing)) updateItems(document, existing, (old ?? []) as Members[], value)
    else if (isMembers(value) && isMap(existing)) updateMembers(document, existing, isMembers(old) ? old : {}, value)
    else if (Array.isArray(value) && isSeq(existing) && updateList(document, existing, old, value)) continue
    else {
      const created = document.createNode(value)
      if (isSeq(created) && created.items.every((item) => !isMap(item))) created.flow = true
      compact(created)
      partAll(document, existing)
      if (existing && !isAlias(existing) && existing.anchor) (created as Scalar).anchor = existing.anchor
      node.set(name, created)
    }
  }
}

/** Changes a list whose items have no names. False where it has to be written anew. */
function updateList(document: Document, list: YAMLSeq, before: unknown, after: readonly unknown[]): boolean {
  const { items } = list
  if (!Array.isArray(before) || before.length !== items.length) return false
  if (after.length === items.length && items.every(isMap) && [...before, ...after].every(isMembers)) {
    part(document, list)
    for (const [at, item] of items.entries()) updateMembers(document, item, before[at], after[at] as Members)
    return true
  }
  const isKept = (item: unknown) => after.some((each) => isDeepStrictEqual(each, item))
  const kept = before.filter(isKept)
  const added = after.slice(kept.length)
  if (kept.length === 0 || !isDeepStrictEqual([...kept, ...added], after)) return false
  part(document, list)
  for (const [at, item] of items.entries()) if (!isKept(before[at])) partAll(document, item)
  list.items = [...items.filter((_, at) => isKept(before[at])), ...added.map((item) => document.createNode(item))]
  return true
}

function updateItems(document: Document, list: YAMLSeq, before: readonly Members[], after: readonly Members[]): void {
  part(document, list)
  const earlier = new Map(before.map((item) => [item['name'], item]))
  const later = new Map(after.map((item) => [item['name'], item]))
  const nodes = new Map<unknown, YAMLMap>()
  list.items = list.items.flatMap((item) => {
    const node = isAlias(item) ? item.resolve(document) : item
    if (!isMap(node)) return [item]
    const name = nameOf(document, node)
    const [old, value] = [earlier.get(name), later.get(name)]
    if (old && !value) {
      partAll(document, item)
      return []
    }
    const own = isAlias(item) && !isDeepStrictEqual(old, value) ? ownCopy(node, item) : node
    nodes.set(name, own)
    return [own === node ? item : own]
  })
  for (const item of after) {
    const node = nodes.get(item['name'])
    const old = earlier.get(item['name'])
    if (node && isDeepStrictEqual(old, item)) continue
    if (node) updateMembers(document, node, old ?? {}, item)
    else {
      const created = document.createNode(item)
      compact(created)
      list.add(created)
    }
  }
}

function nameOf(document: Document, node: YAMLMap): unknown {
  const name = node.get('name', true) as unknown
  return isAlias(name) ? name.resolve(document)?.toJSON() : node.get('name')
}

/** Makes a node that is about to change one of its place alone: what others say by an alias stays as it was. */
function part(document: Document, node: Scalar | YAMLMap | YAMLSeq): void {
  if (node.anchor === undefined) return
  visit(document, { Alias: (_, alias) => (alias.resolve(document) === node ? ownCopy(node, alias) : undefined) })
}

/** The same for a node that goes, and for everything in it. */
function partAll(document: Document, node: unknown): void {
  if (isNode(node)) visit(node, { Value: (_, each) => part(document, each) })
}

/** A copy in the place of an alias, without anchors and comments: these are of the first one. */
function ownCopy<Shared extends Node>(node: Shared, alias: Alias): Shared {
  const copy = node.clone() as Shared
  visit(copy, {
    Node(_, each) {
      if (!isAlias(each)) delete (each as Scalar).anchor
      for (const own of ['range', 'comment', 'commentBefore', 'spaceBefore'] as const) delete each[own]
    },
  })
  copy.range = alias.range ?? null
  return copy
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A list of collections or fields. */
const isNamed = (value: unknown): value is readonly Members[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => isMembers(item) && typeof item['name'] === 'string')

/** Writes each field that has no fields of its own on one line. */
export function compact(node: Node | Document): void {
  visit(node, {
    Map(_, map) {
      if (map.has('name') && !map.has('fields') && !map.has('collections')) map.flow = true
    },
  })
}
