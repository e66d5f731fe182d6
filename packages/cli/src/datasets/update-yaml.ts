import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isSeq, type Node, visit, type YAMLMap, type YAMLSeq } from 'yaml'

export type Members = Readonly<Record<string, unknown>>

/**
 * Changes a node so that it says what `after` says. What `before` said in the same way stays as people wrote it, with comments
 * and order. Items of lists are those with the same name.
 */
export function updateMembers(document: Document, node: YAMLMap, before: Members, after: Members): void {
  for (const name of Object.keys(before)) if (after[name] === undefined) node.delete(name)
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
      node.set(name, created)
    }
  }
}

function updateItems(document: Document, list: YAMLSeq, before: readonly Members[], after: readonly Members[]): void {
  const nodes = new Map<unknown, YAMLMap>()
  for (const item of list.items) if (isMap(item)) nodes.set(item.get('name'), item)
  const earlier = new Map(before.map((item) => [item['name'], item]))
  const names = new Set(after.map((item) => item['name']))
  list.items = list.items.filter(
    (item) => !isMap(item) || !earlier.has(item.get('name')) || names.has(item.get('name')),
  )
  for (const item of after) {
    const node = nodes.get(item['name'])
    if (node) updateMembers(document, node, earlier.get(item['name']) ?? {}, item)
    else {
      const created = document.createNode(item)
      compact(created)
      list.add(created)
    }
  }
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
