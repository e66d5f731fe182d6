import { resolveReference } from '../model/address.js'
import type { Reference } from '../model/service-meta.js'
import type { CollectionNode, FieldNode } from './dataset-graph.js'
import type { Finding } from './findings.js'

/** Ends are `from` → `to`; an undirected edge has its ends sorted. */
export interface ReferenceEdge {
  /** That of no other edge of the graph. */
  readonly id: string
  readonly from: string
  readonly to: string
  readonly parts: readonly { readonly from: string; readonly to: string }[]
  readonly directed: boolean
  readonly when: EdgeCondition | undefined
}

/** Equalities on the collection that declares the reference. */
export interface EdgeCondition {
  readonly side: 'from' | 'to'
  readonly equals: Readonly<Record<string, string | number | boolean>>
}

/** Collections by name, by the key of their dataset. */
type Datasets = ReadonlyMap<string, ReadonlyMap<string, CollectionNode>>

interface DraftEdge {
  readonly from: string
  readonly to: string
  readonly directed: boolean
  when: EdgeCondition | undefined
  readonly parts: { from: string; to: string }[]
}

/** Every reference that leads to a described field, those that mean the same once, whatever the order of what is given. */
export function referenceEdges(
  nodes: ReadonlyMap<string, CollectionNode>,
  datasets: Datasets,
): { edges: ReferenceEdge[]; findings: Finding[] } {
  const findings: Finding[] = []
  const drafts: DraftEdge[] = []
  const groups = new Map<string, DraftEdge>()
  for (const node of nodes.values()) {
    for (const field of node.fields.values()) {
      for (const reference of field.field.service_meta.references) {
        const declared = { node, field, reference }
        const target = referenceTarget(datasets, declared, findings)
        if (!target) continue
        const draft = draftEdge(declared, target)
        const group = reference.group && JSON.stringify([draft.from, draft.to, reference.direction, reference.group])
        const known = group ? groups.get(group) : undefined
        if (known) addPart(known, draft, declared, findings)
        else drafts.push(draft)
        if (group && !known) groups.set(group, draft)
      }
    }
  }
  return { edges: distinctEdges(drafts, nodes.keys()), findings }
}

interface Declared {
  readonly node: CollectionNode
  readonly field: FieldNode
  readonly reference: Reference
}

const placeOf = ({ node, field }: Declared) => `${node.address}.${field.name}`
const locOf = ({ node, field }: Declared) => [node.dataset.service_key, node.collection.name, field.name]

interface Target {
  readonly address: string
  readonly field: string
}

/** What a reference names, or a finding that says why there is no such thing. */
function referenceTarget(datasets: Datasets, declared: Declared, findings: Finding[]): Target | undefined {
  const { reference } = declared
  const collections = datasets.get(reference.dataset)
  const target = collections && resolveReference(reference.field, collections)
  if (!target) {
    const place = placeOf(declared)
    const message = collections
      ? `'${place}' refers to '${reference.dataset}:${reference.field}', a collection that dataset '${reference.dataset}' does not describe: add it or remove the reference.`
      : `'${place}' refers to '${reference.field}' of dataset '${reference.dataset}', which does not exist: add the dataset or remove the reference.`
    const type = collections ? 'unknown_collection' : 'unknown_dataset'
    findings.push({ type, severity: 'error', loc: locOf(declared), message })
    return undefined
  }
  const { address, fields } = collections.get(target.collection) as CollectionNode
  const field = target.path.join('.')
  if (fields.has(field)) return { address, field }
  const message = `'${placeOf(declared)}' refers to '${address}.${field}', a field that is not described: the reference is not followed until it is.`
  findings.push({ type: 'unknown_field', severity: 'warning', loc: locOf(declared), message })
  return undefined
}

function draftEdge({ node, field, reference }: Declared, target: Target): DraftEdge {
  const { direction, when: equals } = reference
  const directed = direction !== undefined
  return direction === 'from'
    ? {
        from: target.address,
        to: node.address,
        directed,
        when: equals && { side: 'to', equals },
        parts: [{ from: target.field, to: field.name }],
      }
    : {
        from: node.address,
        to: target.address,
        directed,
        when: equals && { side: 'from', equals },
        parts: [{ from: field.name, to: target.field }],
      }
}

/** Every part of a composite reference holds together, so what two of them say of one field must agree. */
function addPart(whole: DraftEdge, { parts, when }: DraftEdge, declared: Declared, findings: Finding[]): void {
  whole.parts.push(...parts)
  if (!when) return
  const known = whole.when?.equals
  const contrary = Object.entries(when.equals).find(([name, value]) => (known?.[name] ?? value) !== value)
  if (contrary) {
    const message = `'${placeOf(declared)}' and another part of the reference '${declared.reference.group}' ask for different values of '${contrary[0]}' in 'when': no row can meet both.`
    findings.push({ type: 'contrary_condition', severity: 'error', loc: locOf(declared), message })
  }
  whole.when = { side: when.side, equals: { ...known, ...when.equals } }
}

/** Drafts that mean the same collapse, and the rest has one order, whatever the order of fields and datasets. */
function distinctEdges(drafts: readonly DraftEdge[], addresses: Iterable<string>): ReferenceEdge[] {
  const ranks = addressRanks(addresses)
  const rankOf = (address: string) => ranks.get(address) as number
  const spellings = drafts.map((draft) => canonical(draft, rankOf(draft.from), rankOf(draft.to))).sort(byMeaning)
  return spellings
    .filter((each, at) => at + 1 === spellings.length || byMeaning(each, spellings[at + 1] as Spelling) !== 0)
    .map(({ edge: { from, to, parts, directed, when } }, at) => ({ id: `#${at}`, from, to, parts, directed, when }))
}

/** The place of each address among all, in quotes, so that none is the beginning of another. */
function addressRanks(addresses: Iterable<string>): ReadonlyMap<string, number> {
  const quoted = Array.from(addresses, (address) => ({ address, text: JSON.stringify(address) }))
  quoted.sort((a, b) => (a.text < b.text ? -1 : 1))
  return new Map(quoted.map(({ address }, at) => [address, at]))
}

interface Spelling {
  readonly edge: DraftEdge
  readonly from: number
  readonly to: number
}

function byMeaning(a: Spelling, b: Spelling): number {
  return a.from - b.from || a.to - b.to || compareDetails(a.edge, b.edge)
}

function compareDetails(a: DraftEdge, b: DraftEdge): number {
  const [one, other] = [detailsOf(a), detailsOf(b)]
  return one < other ? -1 : one > other ? 1 : 0
}

const detailsOf = ({ parts, directed, when }: DraftEdge) =>
  JSON.stringify([
    parts.map((part) => [part.from, part.to]),
    directed,
    when && [when.side, Object.entries(when.equals).sort()],
  ])

/** One spelling for edges that mean the same, so that an undirected one equals its mirror. */
function canonical(draft: DraftEdge, from: number, to: number): Spelling {
  const edge = withSortedParts(draft)
  if (draft.directed || from < to) return { edge, from, to }
  const mirror = withSortedParts(mirrored(draft))
  return from > to || compareDetails(mirror, edge) < 0 ? { edge: mirror, from: to, to: from } : { edge, from, to }
}

function withSortedParts(draft: DraftEdge): DraftEdge {
  if (draft.parts.length === 1) return draft
  return { ...draft, parts: [...draft.parts].sort((a, b) => (`${a.from}\0${a.to}` < `${b.from}\0${b.to}` ? -1 : 1)) }
}

function mirrored(draft: DraftEdge): DraftEdge {
  return {
    from: draft.to,
    to: draft.from,
    directed: draft.directed,
    when: draft.when && { side: draft.when.side === 'from' ? 'to' : 'from', equals: draft.when.equals },
    parts: draft.parts.map((part) => ({ from: part.to, to: part.from })),
  }
}
