import { isDeepStrictEqual } from 'node:util'
import {
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
    else {
      const created = document.createNode(value)
      if (isSeq(created) && created.items.every((item) => !isMap(item))) created.flow = true
      compact(created)
      partAll(document, existing)
      node.set(name, created)
    }
  }
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
    const own = isAlias(item) && !isDeepStrictEqual(old, value) ? ownCopy(node) : node
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
  visit(document, { Alias: (_, alias) => (alias.resolve(document) === node ? ownCopy(node) : undefined) })
  delete node.anchor
}

/** The same for a node that goes, and for everything in it. */
function partAll(document: Document, node: unknown): void {
  if (isNode(node)) visit(node, { Value: (_, each) => part(document, each) })
}

/** A copy without anchors: these name the first one. */
function ownCopy<Shared extends Node>(node: Shared): Shared {
  const copy = node.clone() as Shared
  visit(copy, {
    Value(_, each) {
      delete each.anchor
    },
  })
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
