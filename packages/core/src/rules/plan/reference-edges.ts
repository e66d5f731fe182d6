import { resolveReference } from '../../model/address.js'
import { nearestHint } from '../../model/nearest-key.js'
import type { Reference } from '../../model/service-meta.js'
import type { Finding } from '../findings/finding.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import { coversKey } from './covers-key.js'
import { liveAt } from './known-members.js'

/** A reference: fields of the collection `from` name rows of `to`. */
export interface ReferenceEdge {
  /** Unique in the graph. */
  readonly id: string
  readonly from: string
  readonly to: string
  readonly parts: readonly { readonly from: string; readonly to: string }[]
  /** What it says about owners. Absent where the description says nothing. */
  readonly direction?: NonNullable<Reference['direction']>
  readonly when: EdgeCondition | undefined
}

/** Conditions on one of the two collections. */
export interface EdgeCondition {
  readonly side: 'from' | 'to'
  readonly equals: Readonly<Record<string, string | number | boolean>>
}

/** The fields of a reference in words. */
export function fieldsOf({ parts }: Pick<ReferenceEdge, 'parts'>): string {
  return parts.map(({ from }) => from).join(', ')
}

/** Collections by name, by the key of their dataset. */
type Datasets = ReadonlyMap<string, ReadonlyMap<string, CollectionNode>>

interface DraftEdge {
  readonly from: string
  readonly to: string
  direction: ReferenceEdge['direction']
  when: EdgeCondition | undefined
  readonly parts: { from: string; to: string }[]
}

/**
 * Every reference that leads to a described field. Duplicates appear once, and the order of the input does not matter.
 * Yields after each collection.
 */
export function* referenceEdges(
  nodes: ReadonlyMap<string, CollectionNode>,
  datasets: Datasets,
): Generator<void, { edges: ReferenceEdge[]; findings: Finding[] }> {
  const findings: Finding[] = []
  const drafts: DraftEdge[] = []
  const groups = new Map<string, DraftEdge>()
  const hintOf = datasetHints(datasets)
  for (const node of nodes.values()) {
    for (const field of node.fields.values()) {
      for (const reference of field.field.service_meta.references) {
        const declared = { node, field, reference }
        const target = referenceTarget(datasets, declared, hintOf, findings)
        if (!target) continue
        const draft = draftEdge(declared, target)
        const group = reference.group && JSON.stringify([draft.from, draft.to, reference.group])
        const known = group ? groups.get(group) : undefined
        if (known) addPart(known, draft, declared, findings)
        else drafts.push(draft)
        if (group && !known) groups.set(group, draft)
      }
    }
    yield
  }
  return { edges: distinctEdges(drafts, nodes), findings }
}

interface Declared {
  readonly node: CollectionNode
  readonly field: FieldNode
  readonly reference: Reference
}

const placeOf = ({ node, field }: Declared) => `${node.address}.${field.name}`
const locOf = ({ node, field }: Declared) => [node.dataset.service_key, node.collection.name, field.name]

/** The most unknown datasets with a hint. Searching for similar keys takes time, and there may be many of both. */
const mostHints = 50

/** Names the dataset that was probably meant by an unknown key. */
function datasetHints(datasets: Datasets): (key: string) => string {
  const hints = new Map<string, string>()
  return (key) => {
    const hint = hints.get(key) ?? (hints.size < mostHints ? nearestHint(key, datasets.keys()) : '')
    if (hints.size < mostHints) hints.set(key, hint)
    return hint
  }
}

interface Target {
  readonly address: string
  readonly field: string
}

/** The target of a reference, or a finding that says why it does not exist. */
function referenceTarget(
  datasets: Datasets,
  declared: Declared,
  hintOf: (key: string) => string,
  findings: Finding[],
): Target | undefined {
  const { reference } = declared
  const collections = datasets.get(reference.dataset)
  const target = collections && resolveReference(reference.field, collections)
  if (!target) {
    const place = placeOf(declared)
    const message = collections
      ? `'${place}' refers to '${reference.dataset}:${reference.field}', but dataset '${reference.dataset}' does not describe that collection: add it, correct its name or remove the reference${nearestHint(reference.field.replace(/\..*/s, ''), collections.keys())}.`
      : `'${place}' refers to '${reference.field}' of dataset '${reference.dataset}', which does not exist: add the dataset, correct its key or remove the reference${hintOf(reference.dataset)}.`
    const type = collections ? 'unknown_collection' : 'unknown_dataset'
    findings.push({ type, severity: 'error', loc: locOf(declared), message })
    return undefined
  }
  const node = collections.get(target.collection) as CollectionNode
  const { address, fields } = node
  const field = target.path.join('.')
  if (fields.has(field)) return { address, field }
  const message = `'${placeOf(declared)}' refers to '${address}.${field}', ${wayToField(node, target.path)}`
  findings.push({ type: 'unknown_field', severity: 'warning', loc: locOf(declared), message })
  return undefined
}

/** What is wrong with the name of a field that a reference leads to, and what to do. */
function wayToField(node: CollectionNode, path: readonly string[]): string {
  const { address, fields, live, undescribed } = node
  const hint = nearestHint(path.join('.'), [...fields.keys(), ...undescribed.map(({ name }) => name)])
  const way = `correct its name or remove the reference${hint}.`
  if (liveAt(node, path))
    return `which no field describes, though the database has it: add it to the fields of '${address}'.`
  if (!live || (live.schemaless && !live.sampled)) return `a field that is not described: add it, ${way}`
  const lacks = live.schemaless ? 'no sampled document has it either' : 'the database does not have it either'
  return `a field that is not described, and ${lacks}: ${way}`
}

function draftEdge({ node, field, reference }: Declared, target: Target): DraftEdge {
  const { direction, when: equals } = reference
  return {
    from: node.address,
    to: target.address,
    direction,
    when: equals && { side: 'from', equals },
    parts: [{ from: field.name, to: target.field }],
  }
}

/** The parts of a composite reference must all match, so their statements must agree. */
function addPart(whole: DraftEdge, part: DraftEdge, declared: Declared, findings: Finding[]): void {
  const { parts, direction, when } = part
  whole.parts.push(...parts)
  if (direction !== undefined && whole.direction !== undefined && direction !== whole.direction) {
    const message = `'${placeOf(declared)}' and another part of the reference '${declared.reference.group}' have different directions: give both the same, or give it only once.`
    findings.push({ type: 'contrary_direction', severity: 'error', loc: locOf(declared), message })
  }
  whole.direction ??= direction
  if (!when) return
  const known = whole.when?.equals
  const contrary = Object.entries(when.equals).find(([name, value]) => (known?.[name] ?? value) !== value)
  if (contrary) {
    const message = `'${placeOf(declared)}' and another part of the reference '${declared.reference.group}' require different values of '${contrary[0]}' in 'when': no row can meet both.`
    findings.push({ type: 'contrary_condition', severity: 'error', loc: locOf(declared), message })
  }
  whole.when = { side: when.side, equals: { ...known, ...when.equals } }
}

/** Removes duplicates and puts the rest into one order, whatever the order of fields and datasets. */
function distinctEdges(drafts: readonly DraftEdge[], nodes: ReadonlyMap<string, CollectionNode>): ReferenceEdge[] {
  const byMeaning = new Map<string, DraftEdge>()
  for (const draft of drafts) {
    const edge = withSortedParts(fromReferencingEnd(draft, nodes))
    byMeaning.set(`${waysOf(edge)}${edge.direction ?? ''}`, edge)
  }
  const sorted = [...byMeaning].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, edge]) => edge)
  // A reference without a direction adds nothing to the same reference with one.
  const isSilent = ({ direction }: DraftEdge) => direction === undefined
  const said = new Set(
    sorted.some(isSilent)
      ? sorted.flatMap((edge) => (isSilent(edge) ? [] : [waysOf(edge), waysOf(mirrored(edge))]))
      : [],
  )
  return sorted
    .filter((edge) => !isSilent(edge) || !said.has(waysOf(edge)))
    .map(({ from, to, parts, direction, when }, at): ReferenceEdge => {
      const id = `#${at}`
      return direction ? { id, from, to, parts, when, direction } : { id, from, to, parts, when }
    })
}

function waysOf({ from, to, parts, when }: DraftEdge): string {
  const ways: unknown[] = [from, to]
  for (const part of parts) ways.push(part.from, part.to)
  if (when) ways.push([when.side, Object.entries(when.equals).sort()])
  return JSON.stringify(ways)
}

/** A reference may be described at the key it leads to. The edge still starts at the rows that refer. */
function fromReferencingEnd(draft: DraftEdge, nodes: ReadonlyMap<string, CollectionNode>): DraftEdge {
  if (draft.direction === 'both' || draft.direction === 'none' || draft.from === draft.to) return draft
  const isKey = (address: string, names: readonly string[]) => coversKey(nodes.get(address) as CollectionNode, names)
  const atKey = isKey(
    draft.from,
    draft.parts.map((part) => part.from),
  )
  const toKey = isKey(
    draft.to,
    draft.parts.map((part) => part.to),
  )
  return atKey && !toKey ? mirrored(draft) : draft
}

export const opposite = { from: 'to', to: 'from', both: 'both', none: 'none' } as const

function mirrored({ from, to, parts, direction, when }: DraftEdge): DraftEdge {
  return withSortedParts({
    from: to,
    to: from,
    direction: direction && opposite[direction],
    when: when && { side: when.side === 'from' ? 'to' : 'from', equals: when.equals },
    parts: parts.map((part) => ({ from: part.to, to: part.from })),
  })
}

function withSortedParts(draft: DraftEdge): DraftEdge {
  if (draft.parts.length === 1) return draft
  return { ...draft, parts: [...draft.parts].sort((a, b) => (`${a.from}\0${a.to}` < `${b.from}\0${b.to}` ? -1 : 1)) }
}
