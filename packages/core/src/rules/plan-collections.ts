import type { Targeted } from './access-plan.js'
import type { CollectionNode, DatasetGraph, FieldNode } from './dataset-graph.js'
import type { IdentityEntries } from './identity-entries.js'
import type { IdentityFeed, Link, PlannedCollection, PlannedCondition, PlannedField, Slot } from './plan.js'
import type { Arrow } from './traversal.js'

/** The ways into each collection, the references out of it, and the columns that these and the policy need. */
export function planCollections(
  graph: DatasetGraph,
  order: readonly string[],
  arrows: readonly Arrow[],
  identities: IdentityEntries,
  targeted: Targeted,
): PlannedCollection[] {
  const drafts = new Map(order.map((address) => [address, draft(graph.nodes.get(address) as CollectionNode)]))
  for (const [address, entries] of identities.entries) {
    const into = drafts.get(address)
    if (!into) continue
    for (const { object, parts: unsorted, needsConfirmation, confirms } of entries) {
      const parts = [...unsorted].sort((a, b) => (a.field < b.field ? -1 : 1))
      const properties = parts.map((part) => part.property)
      const names = parts.map((part) => part.field)
      const slot = into.slot(names, [], names.length > 1)
      into.identities.push({ slot, object, properties, needsConfirmation, confirms })
    }
  }
  for (const arrow of arrows) {
    const from = drafts.get(arrow.from)
    const into = drafts.get(arrow.to)
    if (!from || !into) continue
    const conditions = arrow.when ? Object.entries(arrow.when.equals) : []
    const parts = [...arrow.parts].sort((a, b) => (a.to + a.from < b.to + b.from ? -1 : 1))
    const declaring = arrow.when?.side === 'to' ? into.node : from.node
    const here = conditions.map(([name, equals]) => plannedCondition(declaring, name, equals))
    from.links.push({
      to: arrow.to,
      slot: into.slot(
        parts.map((part) => part.to),
        arrow.when?.side === 'to' ? here : [],
      ),
      fields: parts.map((part) => plannedField(from.node.fields.get(part.from) as FieldNode)),
      when: arrow.when?.side === 'from' ? here : [],
      lookup: arrow.lookup,
      ownOnly: arrow.undirected,
    })
  }
  return [...drafts.values()].map((each) => finish(each, targeted.get(each.node.address) ?? new Map()))
}

type Draft = ReturnType<typeof draft>

function draft(node: CollectionNode) {
  const slots: Slot[] = []
  const known = new Map<string, number>()
  return {
    node,
    slots,
    identities: [] as IdentityFeed[],
    links: [] as Link[],
    /**
     * The same fields under the same condition are one way in, whoever leads there. An identity of several properties
     * is a way of its own: whether one of its properties is somebody else's must not depend on what references found.
     */
    slot(names: readonly string[], when: readonly PlannedCondition[], identity = false): number {
      const key = JSON.stringify([names, when, identity])
      const found = known.get(key)
      if (found !== undefined) return found
      const fields = names.map((name) => plannedField(node.fields.get(name) as FieldNode))
      const columns = fields.map((field) => field.path[0] as string)
      const indexed = node.live?.indexes.some((index) => columns.includes(index[0] as string)) ?? true
      known.set(key, slots.length)
      return slots.push({ fields, when, indexed }) - 1
    },
  }
}

function plannedCondition(node: CollectionNode, name: string, equals: string | number | boolean): PlannedCondition {
  const declared = node.fields.get(name)
  const kind = declared ? declared.kind : node.live?.columns.find((column) => column.name === name)?.kind
  return { path: declared?.path ?? name.split('.'), ...(kind && { kind }), equals }
}

function plannedField(field: FieldNode): PlannedField {
  return {
    name: field.name,
    path: field.path,
    ...(field.kind && { kind: field.kind }),
    caseInsensitive: field.field.service_meta.case_insensitive,
    placeholders: field.field.service_meta.placeholders,
    filteredDepth: field.filteredDepth,
  }
}

function finish(from: Draft, targeted: ReadonlyMap<string, readonly string[]>): PlannedCollection {
  const { node, slots, links } = from
  const reasons = new Map<string, string[]>()
  const need = (name: string, reason: string) => {
    const known = reasons.get(name)
    if (!known) reasons.set(name, [reason])
    else if (!known.includes(reason)) known.push(reason)
  }
  for (const name of targeted.keys()) need(name, 'target')
  for (const slot of slots) {
    for (const field of slot.fields) need(field.name, 'entry')
    for (const condition of slot.when) need(condition.path.join('.'), 'condition')
  }
  for (const link of links) {
    for (const field of link.fields) need(field.name, 'reference')
    for (const condition of link.when) need(condition.path.join('.'), 'condition')
  }
  const columns = new Set(
    [...reasons.keys()].map((name) => node.fields.get(name)?.path[0] ?? (name.split('.')[0] as string)),
  )
  const declared = [...node.fields.values()]
  const declaredColumns = new Set(declared.map((field) => field.path[0] as string))
  const rules = [...new Set([...targeted.values()].flat())]
  return {
    address: node.address,
    dataset: node.dataset.service_key,
    collection: node.collection.name,
    connectionKey: node.connectionKey as string,
    columns: [
      ...[...declaredColumns].filter((column) => columns.has(column)),
      ...[...columns].filter((column) => !declaredColumns.has(column)),
    ],
    read: [...reasons].map(([field, why]) => ({ field, reasons: why.sort() })),
    notRead: [
      ...declared.filter((field) => !columns.has(field.path[0] as string)).map((field) => field.name),
      ...(node.live?.columns ?? []).map((column) => column.name).filter((name) => !declaredColumns.has(name)),
    ],
    slots,
    identities: from.identities,
    links,
    deliver: rules.map((rule) => ({ rule, paths: deliveredPaths(node, targeted, rule) })),
    targeted: [...targeted.keys()].map((field) => ({
      field,
      dataCategories: (node.fields.get(field) as FieldNode).categories,
    })),
    others: node.collection.service_meta.others,
    arrays: slots.some((slot) => slot.fields.some((field) => mayHoldArrays(node, field))),
  }
}

/** An object whose members are described is delivered member by member: what is not described, or not asked for, stays. */
function deliveredPaths(node: CollectionNode, targeted: ReadonlyMap<string, readonly string[]>, rule: string) {
  return [...targeted].flatMap(([name, rules]) => {
    const { field, path } = node.fields.get(name) as FieldNode
    return rules.includes(rule) && field.fields.length === 0 ? [path] : []
  })
}

function mayHoldArrays(node: CollectionNode, field: PlannedField): boolean {
  const declared = node.fields.get(field.name) as FieldNode
  const column = node.live?.columns.find((each) => each.name === field.path[0])
  if (declared.array || field.path.length > 1) return true
  return column
    ? column.array === true || column.kind === 'object'
    : node.live === undefined || node.live.schemaless === true
}
