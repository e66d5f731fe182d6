import { appendTo } from '../value/append-to.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import type { IdentityEntries } from './identity-entries.js'
import { identityField, judgedOpen, judgingOf, type Known, knowableProperties, namesOneRow } from './judging-of.js'
import { mixedMembers } from './mixed-members.js'
import { ownedLists, unownedLists } from './owned-lists.js'
import type { Entry, Link, OpenLink, PlannedCollection, PlannedOpen } from './plan.js'
import type { CollectionsInput, Draft } from './plan-draft.js'
import {
  type PlannedCondition,
  type PlannedField,
  plannedConditionsOf,
  plannedField,
  unconditional,
} from './planned-field.js'
import type { PlannedJudging } from './planned-judging.js'
import { readColumns, readFields, usedFields } from './read-columns.js'
import type { ReferenceEdge } from './reference-edges.js'
import { servedSpellings } from './served-spellings.js'
import { columnOf, isSpelled } from './spelled-column.js'
import { compareLoosely, spelledEdge, spelledEnds, spelledFields } from './spelled-edge.js'
import type { TargetedField } from './targeted.js'
import { type DirectedEdge, downwards } from './traversal.js'

/** Plans the entries into each collection, the references out of it, and the columns that these and the policy need. */
export function planCollections(input: CollectionsInput): PlannedCollection[] {
  const { graph, order, directedEdges, identities } = input
  const drafts = new Map<string, Draft>()
  const entryOfEdge = new Map<ReferenceEdge, number>()
  for (const address of order) {
    const node = graph.nodes.get(address) as CollectionNode
    drafts.set(address, {
      node,
      entries: [],
      roles: [],
      identities: [],
      links: [],
      entryOfEdge,
      parts: [],
      loose: [],
      named: [],
      doubted: [],
    })
  }
  for (const [address, entries] of identities.entries) {
    const into = drafts.get(address)
    for (const { object, property, field, needsConfirmation, doubted } of into ? entries : []) {
      const { node } = into as Draft
      const planned = identityField(into as Draft, property, field)
      const isFolded = planned.trimmed && !input.erasing
      const spellings = isFolded ? servedSpellings(node, node.fields.get(field) as FieldNode) : undefined
      const entry = entryOf(into as Draft, [planned], unconditional, 'identity', spellings && { spellings })
      into?.identities.push({ entry, object, property, needsConfirmation })
      if (doubted && !into?.doubted.includes(entry)) into?.doubted.push(entry)
    }
  }
  for (const directedEdge of directedEdges) {
    const from = drafts.get(directedEdge.from)
    const into = drafts.get(directedEdge.to)
    if (from && into) addLink(from, into, directedEdge, identities)
  }
  for (const { edge } of judgedOpen(input)) {
    const [into, from] = [drafts.get(edge.from), drafts.get(edge.to)]
    if (!into || !from || into.entryOfEdge.has(edge)) continue
    addLink(from, into, downwards(edge, 'compared'), identities)
  }
  const unreferenced = new Map<string, string[]>()
  for (const { node, field, to } of input.unreferenced) {
    const leadsToPeople = to !== undefined && input.ownership.people.has(to)
    if (leadsToPeople) appendTo(unreferenced, node.address, field)
  }
  const judged = { searched: new Set(order), known: knowableProperties(identities), unreferenced }
  const openAt = openLinks(input)
  return [...drafts.values()].map((draft) => finish(draft, input, judged, openAt.get(draft.node.address) ?? []))
}

type Followed = Omit<DirectedEdge, 'kind'> & { readonly kind: Link['kind'] }

function addLink(from: Draft, into: Draft, directedEdge: Followed, identities: IdentityEntries): void {
  const side = directedEdge.when?.side
  const conditions = directedEdge.when
    ? plannedConditionsOf((side === 'to' ? into : from).node, directedEdge.when.equals)
    : unconditional
  const parts = directedEdge.parts.length === 1 ? directedEdge.parts : [...directedEdge.parts].sort(byTarget)
  const spelled = spelledEnds(from.node, into.node, parts)
  const fields = parts.map((part) => plannedField(into.node.fields.get(part.to) as FieldNode))
  const leading = parts.map((part) => plannedField(from.node.fields.get(part.from) as FieldNode))
  const isDown = directedEdge.kind === 'owned' || directedEdge.kind === 'compared'
  const names = parts.map((part) => part.from)
  const role = isDown ? `owned by ${from.node.address} ${names.join(' ')}` : 'part'
  const met = side === 'to' ? conditions : unconditional
  const entry = entryOf(
    into,
    spelledFields(fields, spelled?.to),
    met,
    role,
    directedEdge.kind === 'compared' ? { compared: true } : {},
  )
  if (isDown) into.entryOfEdge.set(directedEdge.edge, entry)
  if (!isDown && !into.parts.includes(entry)) into.parts.push(entry)
  if (!spelled && compareLoosely(from.node, into.node, parts) && !into.loose.includes(entry)) into.loose.push(entry)
  if (directedEdge.kind === 'named') into.named.push(entry)
  const link: Link = {
    to: directedEdge.to,
    entry,
    kind: directedEdge.kind,
    fields: spelledFields(leading, spelled?.from),
    when: side === 'from' ? conditions : unconditional,
  }
  const isAmbiguous = isDown && !namesOneRow(from.node, names, identities)
  from.links.push(isAmbiguous ? { ...link, ambiguous: true } : link)
}

/** Returns the position of an entry, and adds it if it is new. Equal fields, condition and role make one entry. */
function entryOf(
  { node, entries, roles }: Pick<Draft, 'node' | 'entries' | 'roles'>,
  fields: readonly PlannedField[],
  when: readonly PlannedCondition[],
  role: string,
  more: Pick<Entry, 'compared' | 'spellings'> = {},
): number {
  const known = entries.findIndex(
    (entry, at) => roles[at] === role && isSame(entry.fields, fields) && isSame(entry.when, when),
  )
  if (known !== -1) return known
  const columns = fields.map(columnOf)
  const indexed = node.live?.indexes.some((index) => columns.includes(index[0] as string)) ?? true
  roles.push(role)
  return entries.push({ fields, when, indexed, ...more }) - 1
}

interface Compared extends Pick<PlannedField, 'path'> {
  readonly equals?: PlannedCondition['equals']
}

function isSame(some: readonly Compared[], others: readonly Compared[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ path, equals }, at) => {
      const other = others[at] as Compared
      return (
        equals === other.equals &&
        path.length === other.path.length &&
        path.every((name, depth) => name === other.path[depth])
      )
    })
  )
}

const byTarget = (a: DirectedEdge['parts'][number], b: DirectedEdge['parts'][number]) =>
  a.to + a.from < b.to + b.from ? -1 : 1

function finish(
  draft: Draft,
  { ownership, identities, targeted: all, erasing, doubts: allDoubts }: CollectionsInput,
  judged: Known,
  open: readonly OpenLink[],
): PlannedCollection {
  const { node, entries, links } = draft
  const targeted = all.get(node.address) ?? []
  const judging = judgingOf(draft, ownership, identities, judged)
  const knownBy = erasing?.kept.has(node.address) ? allIdentities(draft, identities) : []
  const doubts = allDoubts?.get(node.address) ?? []
  const used = usedFields(draft, judging, { knownBy, doubts }, open, erasing?.reads.get(node.address))
  const erasure = erasing?.erasures.get(node.address)
  const sharedBy = erasing?.sharedBy.get(node.address)
  const { columns, notRead } = readColumns(node, targeted, used)
  const lists = ownedLists(node, judging)
  const unowned = unownedLists(node, entries, judging)
  const mixed = mixedMembers(node, targeted, erasure?.targeted ?? [])
  return {
    address: node.address,
    dataset: node.dataset.service_key,
    collection: node.collection.name,
    connectionKey: node.connectionKey as string,
    columns,
    read: readFields(targeted, used),
    notRead,
    entries: insideMarked(entries, draft, judging),
    identities: draft.identities,
    links,
    judging,
    open,
    deliver: deliveries(targeted),
    targeted: targeted.map(({ field: { name, categories } }) => ({ field: name, dataCategories: categories })),
    others: node.collection.service_meta.others,
    ...(doubts.length > 0 && { doubts }),
    ...(mixed.length > 0 && { mixed }),
    arrays: [
      ...entries,
      ...[...judging.owners, ...judging.open].filter(({ entry }) => entry === undefined),
      ...judging.identities.map(({ field }) => ({ fields: [field] })),
    ].some(({ fields }) => fields.some((field) => mayHoldArrays(node, field))),
    ...(lists.length > 0 && { ownedLists: lists }),
    ...(unowned.length > 0 && { unownedLists: unowned }),
    ...(erasure && { erasure }),
    ...(erasing?.kept.has(node.address) && { kept: true as const }),
    ...(knownBy.length > 0 && { knownBy }),
    ...(sharedBy && { sharedBy }),
  }
}

/** The entries, with marks on those that only find elements, and on those by which references lead into lists. */
function insideMarked(
  entries: readonly Entry[],
  { node, parts, loose, identities, doubted }: Draft,
  judging: PlannedJudging,
): Entry[] {
  const inside = new Set<number>()
  for (const owner of judging.owners) if (owner.inside && owner.entry !== undefined) inside.add(owner.entry)
  const names = new Set(judging.identities.flatMap((each) => (each.inside ? [each.field.name] : [])))
  for (const { entry } of identities) {
    if (names.has(entries[entry]?.fields[0]?.name ?? '') && !doubted.includes(entry)) inside.add(entry)
  }
  return entries.map((entry, at) => ({
    ...entry,
    ...(inside.has(at) && { inside: true as const }),
    ...(parts.includes(at) && node.fields.get(entry.fields[0]?.name ?? '')?.array && { part: true as const }),
    ...(loose.includes(at) && { comparesLoosely: true as const }),
  }))
}

function allIdentities(draft: Draft, { fields }: IdentityEntries): NonNullable<PlannedCollection['knownBy']> {
  return [...(fields.get(draft.node.address) ?? [])].flatMap(([property, names]) =>
    names.map((name) => ({ property, field: identityField(draft, property, name) })),
  )
}

/** By collection, the fields of its own rows by which other rows are counted. */
function openLinks({ graph, open }: CollectionsInput): ReadonlyMap<string, readonly OpenLink[]> {
  const links = new Map<string, OpenLink[]>()
  for (const [at, { planned, edge }] of open.entries()) {
    const node = graph.nodes.get(planned.by) as CollectionNode
    appendTo(links, planned.by, openLink(graph, node, edge, planned, at))
  }
  return links
}

function openLink(
  graph: DatasetGraph,
  node: CollectionNode,
  edge: ReferenceEdge,
  { kind }: PlannedOpen,
  open: number,
): OpenLink {
  const here = (part: ReferenceEdge['parts'][number]) => (kind === 'reference' ? part.to : part.from)
  const isHere = edge.when && (edge.when.side === 'to') === (kind === 'reference')
  const holder = graph.nodes.get(node.address) as CollectionNode
  const fields = edge.parts.map((part) => plannedField(holder.fields.get(here(part)) as FieldNode))
  const spelled = spelledEdge(graph, edge)
  return {
    open,
    fields: spelledFields(fields, kind === 'reference' ? spelled?.to : spelled?.from),
    when: isHere && edge.when ? plannedConditionsOf(holder, edge.when.equals) : unconditional,
  }
}

/**
 * The paths to deliver by rule. An object with described members is delivered member by member, so that other members
 * are left out.
 */
function deliveries(targeted: readonly TargetedField[]): PlannedCollection['deliver'] {
  const delivered = new Map<string, (readonly string[])[]>()
  for (const { field, rules } of targeted) {
    for (const rule of rules) {
      const paths = delivered.get(rule) ?? []
      if (paths.length === 0) delivered.set(rule, paths)
      if (field.field.fields.length === 0) paths.push(field.path)
    }
  }
  return [...delivered].map(([rule, paths]) => ({ rule, paths }))
}

function mayHoldArrays(node: CollectionNode, field: PlannedField): boolean {
  if (isSpelled(field.path[0])) return false
  const declared = node.fields.get(field.name) as FieldNode
  const { column } = declared
  if (declared.array || field.path.length > 1) return true
  return column
    ? column.array === true || column.kind === 'object'
    : node.live === undefined || node.live.schemaless === true
}
