import { atOnce } from '../../model/at-once.js'
import { nearestHint } from '../../model/nearest-key.js'
import { holdsContactOfAnother } from '../draft/person-names.js'
import type { Finding } from '../findings/finding.js'
import { appendTo } from '../value/append-to.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import { edgesAt } from './graph-index.js'
import { isOwnedByNobody } from './ownership.js'
import { fieldsOf } from './reference-edges.js'
import { undeclaredIdentities } from './undeclared-identities.js'

/** A field through which a property of an identity object enters a collection. */
export interface IdentityEntry {
  /** Position of the object in the request. */
  readonly object: number
  readonly property: string
  readonly field: string
  /**
   * The collection lacks some properties of the object. It is entered only after a row elsewhere matched this property
   * together with another.
   */
  readonly needsConfirmation: boolean
  /**
   * The description does not say that the field holds the identity of the row's own person. Rows found only by it are
   * undecided.
   */
  readonly doubted?: true
}

/** The known facts about one identity object before any row is read. */
export interface IdentityObject {
  readonly properties: readonly string[]
  /** Properties that need no confirmation: the only one of the object, and those that the host's webhooks added. */
  readonly alone: readonly string[]
  /** Searchable collections that hold two or more of its properties. A row there confirms that they belong together. */
  readonly confirmers: readonly string[]
  /** Properties that enter no collection, because no dataset declares them or no collection can confirm them. */
  readonly unconfirmable: readonly string[]
}

export interface IdentityEntries {
  readonly entries: ReadonlyMap<string, readonly IdentityEntry[]>
  readonly objects: readonly IdentityObject[]
  /** Collections that only unverified properties would enter. */
  readonly unproven: ReadonlySet<string>
  /** Collections that only properties without confirmation would enter. */
  readonly unconfirmed: ReadonlySet<string>
  /** By collection and property, the fields that hold it. This covers all properties, not only those of the request. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>
  readonly findings: readonly Finding[]
}

/** The category of a well-known property, for fields that declare no identity. */
export const tiedCategory: Readonly<Record<string, string>> = {
  email: 'user.contact.email',
  phone_number: 'user.contact.phone_number',
  ssn: 'user.government_id.national_identification_number',
}

export interface IdentityOptions {
  readonly inferIdentities?: boolean
  /** Verified properties. Absent: all are verified. */
  readonly proven?: readonly string[] | undefined
  /** Properties that webhooks of the host added. The webhooks guarantee that they belong to the same person. */
  readonly derived?: readonly string[] | undefined
}

/**
 * Finds the fields that each identity object enters, from the names of its properties (never the values). Objects are
 * alternatives. The properties of one object apply together.
 */
export function identityEntries(
  graph: DatasetGraph,
  objects: readonly (readonly string[])[],
  options: IdentityOptions = {},
): IdentityEntries {
  return atOnce(identityEntriesByPieces(graph, objects, options))
}

/** The same, yielding after each property. */
export function* identityEntriesByPieces(
  graph: DatasetGraph,
  objects: readonly (readonly string[])[],
  options: IdentityOptions,
): Generator<void, IdentityEntries> {
  const findings: Finding[] = []
  const enabled = [...graph.nodes.values()].filter(
    (node) => node.unavailable !== 'no connection' && node.unavailable !== 'disabled',
  )
  const { declared: fields, doubted } = yield* declaredIdentities(graph, enabled, objects, options, findings)
  const isDerived = (property: string) => options.derived?.includes(property) === true
  const isVerified = (property: string) => !options.proven || options.proven.includes(property)
  const isSearchable = (address: string) => graph.nodes.get(address)?.unavailable === undefined
  const known = objects.map((properties): IdentityObject => {
    const held = [...fields].map(([address, byProperty]) => ({
      address,
      properties: properties.filter((property) => byProperty.has(property)),
    }))
    const confirmers = held.filter((each) => each.properties.length > 1 && isSearchable(each.address))
    const isConfirmable = (property: string) => confirmers.some((each) => each.properties.includes(property))
    const given = properties.filter((property) => !isDerived(property))
    const alone = given.length <= 1 ? properties : properties.filter(isDerived)
    const open = properties.filter((property) => !alone.includes(property) && !isConfirmable(property))
    return {
      properties,
      alone,
      confirmers: confirmers.map(({ address }) => address),
      // Without any connection there is nothing to find for anybody.
      unconfirmable: enabled.length === 0 ? [] : open,
    }
  })
  const entries = new Map<string, IdentityEntry[]>()
  const unproven = new Set<string>()
  const unconfirmed = new Set<string>()
  for (const [address, byProperty] of fields) {
    for (const [object, { properties, alone, unconfirmable }] of known.entries()) {
      const given = properties.filter((property) => !isDerived(property))
      // A property without confirmation, or that no dataset declares, leaves open whom the others mean.
      const isInDoubt =
        unconfirmable.length > 0 &&
        (!isDeclaredInFull(given, fields) || given.every((property) => unconfirmable.includes(property)))
      for (const property of properties) {
        const names = byProperty.get(property)
        if (!names) continue
        if (!isVerified(property)) {
          unproven.add(address)
          continue
        }
        if (isInDoubt || unconfirmable.includes(property)) {
          unconfirmed.add(address)
          continue
        }
        const list = entries.get(address) ?? []
        entries.set(address, list)
        const isWhole = properties.every((each) => byProperty.has(each))
        for (const field of names)
          list.push({ object, property, field, needsConfirmation: !isWhole && !alone.includes(property) })
      }
    }
  }
  for (const { address, property, field } of doubted) {
    for (const [object, { properties, alone }] of known.entries()) {
      // A field that may hold another person's identity confirms nothing.
      if (!properties.includes(property) || !isVerified(property) || !alone.includes(property)) continue
      const entry = { object, property, field, needsConfirmation: false, doubted: true } as const
      entries.set(address, [...(entries.get(address) ?? []), entry])
    }
  }
  return {
    entries,
    objects: known,
    unproven: new Set([...unproven].filter((address) => !entries.has(address))),
    unconfirmed: new Set([...unconfirmed].filter((address) => !entries.has(address))),
    fields,
    findings,
  }
}

function isDeclaredInFull(properties: readonly string[], fields: IdentityEntries['fields']): boolean {
  return properties.every((property) => [...fields.values()].some((byProperty) => byProperty.has(property)))
}

interface Declared {
  readonly declared: Map<string, Map<string, string[]>>
  /** Fields that may hold a property of another person than the row's. */
  readonly doubted: readonly { readonly address: string; readonly property: string; readonly field: string }[]
}

function* declaredIdentities(
  graph: DatasetGraph,
  enabled: readonly CollectionNode[],
  objects: readonly (readonly string[])[],
  options: IdentityOptions,
  findings: Finding[],
): Generator<void, Declared> {
  const declared: Declared['declared'] = new Map()
  const doubted: Declared['doubted'][number][] = []
  const declare = (node: CollectionNode, property: string, field: string) => {
    const byProperty = declared.get(node.address) ?? new Map<string, string[]>()
    declared.set(node.address, byProperty)
    appendTo(byProperty, property, field)
  }
  const known = new Set<string>()
  const counting = new Set(enabled)
  for (const node of graph.nodes.values()) {
    if (isOwnedByNobody(node)) continue
    for (const { field, name } of node.fields.values()) {
      if (field.service_meta.identity === undefined) continue
      declare(node, field.service_meta.identity, name)
      if (counting.has(node)) known.add(field.service_meta.identity)
    }
  }
  const properties = [...new Set(objects.flat())]
  for (const property of properties) {
    yield
    const category = Object.hasOwn(tiedCategory, property) ? tiedCategory[property] : undefined
    if (known.has(property) && category !== undefined)
      findings.push(...undeclaredIdentities(graph, enabled, { property, category, declared }))
    if (known.has(property) || options.inferIdentities === false) continue
    for (const node of enabled) {
      // A skipped collection needs no identity, so no finding asks for one.
      if (isOwnedByNobody(node) || node.unavailable === 'skip_processing') continue
      for (const each of node.fields.values()) {
        const byName = each.path.at(-1) === property && each.field.fields.length === 0
        if (!byName && !(category && each.field.data_categories.includes(category))) continue
        // A person has looked, and has not declared it as an identity.
        if (each.field.service_meta.reviewed) continue
        const doubt = doubtOf(graph, node, each)
        known.add(property)
        if (doubt !== undefined) {
          doubted.push({ address: node.address, property, field: each.name })
          findings.push({
            type: 'identity_doubted',
            severity: 'warning',
            loc: [node.dataset.service_key, node.collection.name, each.name],
            message: `No dataset declares the identity '${property}', and '${node.address}.${each.name}' may hold that of somebody else, as ${doubt}: rows that only it finds are undecided. Declare 'identity: ${property}' if the field identifies the owner of the row, or say 'reviewed: true' on it if it does not.`,
          })
          continue
        }
        declare(node, property, each.name)
        findings.push({
          type: 'identity_inferred',
          severity: 'warning',
          loc: [node.dataset.service_key, node.collection.name, each.name],
          message: `No dataset declares the identity '${property}', so '${node.address}.${each.name}' is taken for it by its ${byName ? 'name' : 'category'}: declare 'identity: ${property}' there, or say 'reviewed: true' on it if it does not identify the owner of the row.`,
        })
      }
    }
  }
  const unknown = properties.filter((property) => !known.has(property))
  if (enabled.length > 0 && unknown.length > 0) {
    const none = unknown.length === properties.length
    const names = [...known].sort().join(', ') || 'none'
    const hintOf = (property: string) => nearestHint(property, known).replace(/^: (.*)$/, ' ($1)')
    const asked = unknown.map((each) => `'${each}'${hintOf(each)}`).join(' or ')
    findings.push({
      type: none ? 'no_known_identity' : 'unknown_identity',
      severity: none ? 'error' : 'warning',
      loc: ['identities'],
      message: none
        ? `No dataset knows the identity ${asked}: the datasets know ${names}. Declare it on a field, or submit one of these.`
        : `No dataset knows the identity ${asked}, so it finds nothing.`,
    })
  }
  return { declared, doubted }
}

/** The reason why a field may hold the identity of another person than the row's. */
function doubtOf(graph: DatasetGraph, { address, collection }: CollectionNode, { name, path }: FieldNode) {
  if (holdsContactOfAnother(collection.name, path)) return `'${name}' is named like a field of another person`
  const owner = collection.service_meta.owner ?? []
  if (owner.length > 0) return `'owner' says who owns a row`
  const from = edgesAt(graph, address).find(
    (edge) => edge.from === address && edge.to !== address && edge.direction === 'from',
  )
  return from && `'${fieldsOf(from)}' says who owns a row`
}
