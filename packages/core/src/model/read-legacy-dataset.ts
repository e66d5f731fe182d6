import type { Issue } from '../errors.js'
import { isPlainObject } from './clean-input.js'
import { type LegacyNotes, type LegacyReading, legacyNotes, renameKeys } from './legacy-names.js'
import { readLegacyPartitioning } from './read-legacy-partitioning.js'
import { collectionMetaSchema, datasetMetaSchema, fieldMetaSchema, referenceSchema } from './service-meta.js'

type Location = Issue['loc']
type Node = Record<string, unknown>
type Translate = (name: string, value: unknown) => readonly [name: string, value: unknown] | undefined

const ignored = 'has no counterpart here and was ignored'

/**
 * Translates a dataset of the older format into the current names: `fides_key`, the blocks `fides_meta` and
 * `fidesops_meta` at every level, `grouped_inputs`, and a single `data_qualifier` instead of a list. `service_meta`
 * wins over the old blocks.
 */
export function readLegacyDataset(input: unknown): LegacyReading {
  const notes = legacyNotes()
  if (!isPlainObject(input)) return { input, ...notes }
  const open = new Set<unknown>()

  function each(node: Node, member: string, loc: Location, read: (child: Node, loc: Location) => Node): Node {
    const list = node[member]
    if (!Array.isArray(list) || open.has(list) || loc.length > 64) return node
    open.add(list)
    const children = list.map((child, index) => (isPlainObject(child) ? read(child, [...loc, member, index]) : child))
    open.delete(list)
    return { ...node, [member]: children }
  }

  function readField(field: Node, loc: Location): Node {
    return each(readMeta(field, loc, translateField, notes), 'fields', loc, readField)
  }

  function readCollection(collection: Node, loc: Location): Node {
    const grouped = groupedInputs(collection, loc)
    const read = readQualifier(readMeta(collection, loc, translateCollection, notes), loc, notes)
    const complete = each(read, 'fields', loc, readField)
    return grouped ? groupReferences(complete, grouped.names, grouped.loc, notes) : complete
  }

  const dataset = readQualifier(renameKeys(input, [], notes), [], notes)
  return { input: each(readMeta(dataset, [], translateDataset, notes), 'collections', [], readCollection), ...notes }
}

const legacyBlocks = ['fides_meta', 'fidesops_meta']

/** Merges the old blocks into `service_meta`, member by member. */
function readMeta(node: Node, loc: Location, translate: Translate, notes: LegacyNotes): Node {
  if (!legacyBlocks.some((block) => Object.hasOwn(node, block))) return node
  const { service_meta: own, ...rest } = node
  const meta: Node = isPlainObject(own)
    ? Object.fromEntries(Object.entries(own).filter(([, value]) => value != null))
    : {}
  for (const block of legacyBlocks) {
    const old = rest[block]
    delete rest[block]
    if (old == null) continue
    if (!isPlainObject(old)) {
      notes.warn([...loc, block], 'is not an object and was ignored')
      continue
    }
    for (const [name, value] of Object.entries(old)) {
      if (value == null || name === 'grouped_inputs') continue
      const translated = translate(name, value)
      if (!translated) notes.warn([...loc, block, name], ignored)
      else if (!Object.hasOwn(meta, translated[0])) {
        meta[translated[0]] = cleanReferences(translated, [...loc, block, name], notes)
        notes.moved([...loc, block, name], [...loc, 'service_meta', translated[0]])
      }
    }
  }
  return { ...rest, service_meta: own === undefined || own === null || isPlainObject(own) ? meta : own }
}

/** Drops unknown members of references in an old block, with a warning for each, like all other unknown members. */
function cleanReferences([name, value]: readonly [string, unknown], loc: Location, notes: LegacyNotes): unknown {
  if (name !== 'references' || !Array.isArray(value)) return value
  return value.map((reference, index) => {
    if (!isPlainObject(reference)) return reference
    const known = Object.entries(reference).filter(([member]) => {
      const keep = Object.hasOwn(referenceSchema.shape, member)
      if (!keep) notes.warn([...loc, index, member], ignored)
      return keep
    })
    return Object.fromEntries(known)
  })
}

const translateDataset: Translate = (name, value) =>
  Object.hasOwn(datasetMetaSchema.shape, name) ? [name, value] : undefined

const translateCollection: Translate = (name, value) => {
  if (name === 'partitioning') {
    const ranges = readLegacyPartitioning(value)
    return ranges && ['partition_filter', ranges]
  }
  if (name === 'masking_strategy_override') {
    return isPlainObject(value) && value.strategy === 'delete' ? ['erase', 'delete'] : undefined
  }
  return Object.hasOwn(collectionMetaSchema.shape, name) ? [name, value] : undefined
}

const translateField: Translate = (name, value) => {
  if (name === 'masking_strategy_override') return ['masking_strategy', value]
  return Object.hasOwn(fieldMetaSchema.shape, name) ? [name, value] : undefined
}

/** Turns the older single qualifier of a dataset or a collection into a list. */
function readQualifier(node: Node, loc: Location, notes: LegacyNotes): Node {
  if (typeof node.data_qualifier !== 'string' || node.data_qualifiers != null) return node
  const { data_qualifier: qualifier, ...rest } = node
  notes.warn([...loc, 'data_qualifier'], 'was read as data_qualifiers')
  notes.moved([...loc, 'data_qualifier'], [...loc, 'data_qualifiers', 0])
  return { ...rest, data_qualifiers: [qualifier] }
}

function groupedInputs(collection: Node, loc: Location): { names: unknown[]; loc: Location } | undefined {
  for (const block of [undefined, ...legacyBlocks]) {
    const holder = block ? collection[block] : collection
    const names = isPlainObject(holder) ? holder.grouped_inputs : undefined
    if (Array.isArray(names)) return { names, loc: [...loc, ...(block ? [block] : []), 'grouped_inputs'] }
  }
  return undefined
}

/** Fields whose values had to match together. Their references to one common collection become a group. */
function groupReferences(collection: Node, names: unknown[], loc: Location, notes: LegacyNotes): Node {
  const { grouped_inputs: _, ...rest } = collection
  if (!Array.isArray(rest.fields)) return rest
  const wanted = new Set(names)
  const uses = new Map<string, number>()
  for (const field of rest.fields) {
    if (!isPlainObject(field) || !wanted.has(field.name)) continue
    for (const text of new Set(references(field).map(target))) uses.set(text, (uses.get(text) ?? 0) + 1)
  }
  const shared = (reference: Node) => (uses.get(target(reference)) ?? 0) > 1
  const grouped = new Set<unknown>()
  const fields = rest.fields.map((field) => {
    if (!isPlainObject(field) || !wanted.has(field.name) || !references(field).some(shared)) return field
    grouped.add(field.name)
    const withGroup = (reference: Node) =>
      shared(reference) && reference.group == null ? { ...reference, group: collection.name } : reference
    return { ...field, service_meta: { ...(field.service_meta as Node), references: references(field).map(withGroup) } }
  })
  names.forEach((name, index) => {
    if (grouped.has(name)) return
    notes.warn([...loc, index], 'shares no referenced collection with another listed field and was not grouped')
  })
  return { ...rest, fields }
}

function references(field: Node): Node[] {
  const meta = field.service_meta
  const list = isPlainObject(meta) ? meta.references : undefined
  return Array.isArray(list) && list.every(isPlainObject) ? list : []
}

/** The collection that a reference means, as far as its text shows. */
function target({ dataset, field }: Node): string {
  return `${dataset}:${String(field).split('.')[0]}`
}
