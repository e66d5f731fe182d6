import type { Targeted } from './access-plan.js'
import type { Arrow } from './arrows.js'
import type { CollectionNode, DatasetGraph, FieldNode } from './dataset-graph.js'
import type { ErasurePlan } from './erasure-plan.js'
import type { IdentityEntries } from './identity-entries.js'
import { spelledEnds, spelledField } from './loose-references.js'
import type { IdentityFeed, Link, PlannedCollection, PlannedCondition, PlannedField, Slot } from './plan.js'

import { spelledPart } from './spelled-columns.js'

/** Names of the rules that deliver each field. */
type Rules = ReadonlyMap<string, readonly string[]>

/** The ways into each collection, the references out of it, and the columns that these and the policy need. */
export function planCollections(
  graph: DatasetGraph,
  order: readonly string[],
  arrows: readonly Arrow[],
  identities: IdentityEntries,
  targeted: Targeted,
  erasing?: ErasurePlan,
): PlannedCollection[] {
  const drafts = new Map<string, Draft>()
  for (const address of order) {
    const node = graph.nodes.get(address) as CollectionNode
    drafts.set(address, { node, slots: [], known: new Map(), identities: [], links: [] })
  }
  for (const [address, entries] of identities.entries) {
    const into = drafts.get(address)
    if (!into) continue
    for (const { object, parts: unsorted, needsConfirmation, confirms } of entries) {
      const parts = [...unsorted].sort((a, b) => (a.field < b.field ? -1 : 1))
      const properties = parts.map((part) => part.property)
      const names = parts.map((part) => part.field)
      const slot = slotOf(into, names, unconditional, names.length > 1)
      into.identities.push({ slot, object, properties, needsConfirmation, confirms })
    }
  }
  for (const arrow of arrows) {
    const from = drafts.get(arrow.from)
    const into = drafts.get(arrow.to)
    if (!from || !into) continue
    const side = arrow.when?.side
    const conditions = plannedConditions(side === 'to' ? into.node : from.node, arrow)
    const parts = arrow.parts.length === 1 ? arrow.parts : [...arrow.parts].sort(byTarget)
    const names = parts.map((part) => part.to)
    const spelled = spelledEnds(
      from.node,
      into.node,
      parts.map((part) => [part.from, part.to] as const),
    )
    const fields = parts.map((part) => plannedField(from.node.fields.get(part.from) as FieldNode))
    from.links.push({
      to: arrow.to,
      slot: slotOf(into, names, side === 'to' ? conditions : unconditional, false, spelled?.to),
      fields: spelled ? fields.map((field, at) => spelledField(field, spelled.from[at] as string)) : fields,
      when: side === 'from' ? conditions : unconditional,
      lookup: arrow.lookup,
      ownOnly: arrow.undirected,
    })
  }
  return [...drafts.values()].map((each) => finish(each, targeted.get(each.node.address) ?? new Map(), erasing))
}

interface Draft {
  readonly node: CollectionNode
  readonly slots: Slot[]
  /** Places in `slots`. */
  readonly known: Map<string, number>
  readonly identities: IdentityFeed[]
  readonly links: Link[]
}

/**
 * The same fields under the same condition are one way in, whoever leads there. An identity of several properties is a
 * way of its own: whether one of its properties is somebody else's must not depend on what references found.
 */
function slotOf(
  { node, slots, known }: Draft,
  names: readonly string[],
  when: readonly PlannedCondition[],
  identity = false,
  spelled?: readonly string[],
): number {
  const key =
    when.length > 0 || identity || spelled ? JSON.stringify([names, when, identity, spelled]) : names.join('\0')
  const found = known.get(key)
  if (found !== undefined) return found
  const fields = names.map((name) => plannedField(node.fields.get(name) as FieldNode))
  const columns = fields.map((field) => field.path[0] as string)
  const indexed = node.live?.indexes.some((index) => columns.includes(index[0] as string)) ?? true
  known.set(key, slots.length)
  return (
    slots.push({
      ...{ when, indexed },
      fields: spelled ? fields.map((field, at) => spelledField(field, spelled[at] as string)) : fields,
    }) - 1
  )
}

const unconditional: readonly PlannedCondition[] = []

function plannedConditions(node: CollectionNode, { when }: Arrow): readonly PlannedCondition[] {
  return when ? plannedConditionsOf(node, when.equals) : unconditional
}

/** Equalities on a collection, in the types of their fields. */
export function plannedConditionsOf(
  node: CollectionNode,
  equalities: Readonly<Record<string, string | number | boolean>>,
): readonly PlannedCondition[] {
  return Object.entries(equalities).map(([name, equals]) => {
    const declared = node.fields.get(name)
    const kind = declared ? declared.kind : node.live?.columns.find((column) => column.name === name)?.kind
    return { path: declared?.path ?? name.split('.'), ...(kind && { kind }), equals }
  })
}

const byTarget = (a: Arrow['parts'][number], b: Arrow['parts'][number]) => (a.to + a.from < b.to + b.from ? -1 : 1)

/** A field as a run compares it. */
export function plannedField(field: FieldNode): PlannedField {
  const { name, path, kind, filteredDepth } = field
  const caseInsensitive = field.field.service_meta.case_insensitive === true
  const { placeholders } = field.field.service_meta
  return kind
    ? { name, path, kind, caseInsensitive, placeholders, filteredDepth }
    : { name, path, caseInsensitive, placeholders, filteredDepth }
}

function finish(from: Draft, targeted: Rules, erasing?: ErasurePlan): PlannedCollection {
  const { node, slots, links } = from
  const used = usedFields(from)
  for (const [name, reason] of erasing?.reads.get(node.address) ?? []) use(used, name, reason)
  const erasure = erasing?.erasures.get(node.address)
  const sharedBy = erasing?.sharedBy.get(node.address)
  const { columns, notRead } = readColumns(node, targeted, used)
  return {
    address: node.address,
    dataset: node.dataset.service_key,
    collection: node.collection.name,
    connectionKey: node.connectionKey as string,
    columns,
    read: readFields(targeted, used),
    notRead,
    slots,
    identities: from.identities,
    links,
    deliver: deliveries(node, targeted),
    targeted: [...targeted.keys()].map((field) => ({
      field,
      dataCategories: (node.fields.get(field) as FieldNode).categories,
    })),
    others: node.collection.service_meta.others,
    arrays: slots.some((slot) => slot.fields.some((field) => mayHoldArrays(node, field))),
    ...(erasure && { erasure }),
    ...(erasing?.kept.has(node.address) && { kept: true as const }),
    ...(sharedBy && { sharedBy }),
  }
}

type Reasons = Map<string, readonly string[]>

/** What leads into a collection and out of it, and what is compared on the way, each with what for. */
function usedFields({ slots, links }: Draft): Reasons {
  const used: Reasons = new Map()
  for (const slot of slots) {
    for (const field of slot.fields) use(used, nameToRead(field), 'entry')
    for (const condition of slot.when) use(used, condition.path.join('.'), 'condition')
  }
  for (const link of links) {
    for (const field of link.fields) use(used, nameToRead(field), 'reference')
    for (const condition of link.when) use(used, condition.path.join('.'), 'condition')
  }
  return used
}

const nameToRead = ({ name, path }: PlannedField) => (spelledPart(path[0]) ? (path[0] as string) : name)

function use(used: Reasons, name: string, reason: string): void {
  const known = used.get(name) ?? []
  if (!known.includes(reason)) used.set(name, [...known, reason].sort())
}

/** Most fields are read for nothing else, and share this list. It is the last of the alphabet. */
const asTarget: readonly string[] = ['target']

function readFields(targeted: Rules, used: Reasons): PlannedCollection['read'] {
  const read: PlannedCollection['read'][number][] = []
  for (const field of targeted.keys()) {
    const reasons = used.get(field)
    read.push({ field, reasons: reasons ? [...reasons, ...asTarget] : asTarget })
  }
  for (const [field, reasons] of used) if (!targeted.has(field)) read.push({ field, reasons })
  return read
}

/** The top-level columns of what is read, described ones first, and what is left out with the others. */
function readColumns(node: CollectionNode, targeted: Rules, used: Reasons) {
  const further = new Set<string>()
  for (const name of used.keys()) if (!node.fields.has(name)) further.add(name.split('.')[0] as string)
  const columns = new Set<string>()
  for (const { name, path } of node.fields.values()) {
    const column = path[0] as string
    if (targeted.has(name) || used.has(name) || further.has(column)) columns.add(column)
  }
  for (const column of further) columns.add(column)
  const notRead: string[] = []
  for (const { name, path } of node.fields.values()) if (!columns.has(path[0] as string)) notRead.push(name)
  for (const { name } of node.undescribed) notRead.push(name)
  return { columns: [...columns], notRead }
}

/** An object whose members are described is delivered member by member: what is not described, or not asked for, stays. */
function deliveries(node: CollectionNode, targeted: Rules): PlannedCollection['deliver'] {
  const delivered = new Map<string, (readonly string[])[]>()
  for (const [name, rules] of targeted) {
    const { field, path } = node.fields.get(name) as FieldNode
    for (const rule of rules) {
      const paths = delivered.get(rule) ?? []
      if (paths.length === 0) delivered.set(rule, paths)
      if (field.fields.length === 0) paths.push(path)
    }
  }
  return [...delivered].map(([rule, paths]) => ({ rule, paths }))
}

function mayHoldArrays(node: CollectionNode, field: PlannedField): boolean {
  if (spelledPart(field.path[0])) return false
  const declared = node.fields.get(field.name) as FieldNode
  const { column } = declared
  if (declared.array || field.path.length > 1) return true
  return column
    ? column.array === true || column.kind === 'object'
    : node.live === undefined || node.live.schemaless === true
}
