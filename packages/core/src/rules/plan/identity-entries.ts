import { holdsContactOfAnother } from '../draft/person-names.js'
import type { Finding } from '../findings/finding.js'
import { appendTo } from '../value/append-to.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import { isOwnedByNobody } from './ownership.js'
import { fieldsOf } from './reference-edges.js'

/** One field by which one property of an identity object enters a collection. */
export interface IdentityEntry {
  /** Position of the object in the request. */
  readonly object: number
  readonly property: string
  readonly field: string
  /**
   * The collection does not hold all properties of the object: it is entered only once a row has matched this one together
   * with another.
   */
  readonly needsConfirmation: boolean
  /** Nobody has said that it is the row's own person who stands there: what only this finds is undecided. */
  readonly doubted?: true
}

/** What is known of one identity object before any row is read. */
export interface IdentityObject {
  readonly properties: readonly string[]
  /** Properties that need no row to confirm them: the only one of the object, and those that somebody vouches for. */
  readonly alone: readonly string[]
  /** Searchable collections that hold two or more of its properties, so that a row there confirms that they belong together. */
  readonly confirmers: readonly string[]
  /** Properties that enter nothing, since no dataset declares them or no collection can confirm them. */
  readonly unconfirmable: readonly string[]
}

export interface IdentityEntries {
  readonly entries: ReadonlyMap<string, readonly IdentityEntry[]>
  readonly objects: readonly IdentityObject[]
  /** Collections that only unproven properties would enter. */
  readonly unproven: ReadonlySet<string>
  /** Collections that only properties which cannot be confirmed would enter. */
  readonly unconfirmed: ReadonlySet<string>
  /** By collection and property, the fields that hold it; of all properties, in the request or not. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>
  readonly findings: readonly Finding[]
}

/** The category that is tied to a well-known property, for fields that declare no identity. */
const tiedCategory: Readonly<Record<string, string>> = {
  email: 'user.contact.email',
  phone_number: 'user.contact.phone_number',
  ssn: 'user.government_id.national_identification_number',
}

export interface IdentityOptions {
  readonly inferIdentities?: boolean
  /** Properties somebody vouches for; absent: all of them. */
  readonly proven?: readonly string[]
  /** Properties that the service's own webhooks have added: these vouch that they are the same person's. */
  readonly derived?: readonly string[]
}

/**
 * Finds the fields that each identity object enters, given the property names of each object (never the values). Objects
 * are alternatives; the properties of one hold together.
 */
export function identityEntries(
  graph: DatasetGraph,
  objects: readonly (readonly string[])[],
  options: IdentityOptions = {},
): IdentityEntries {
  const findings: Finding[] = []
  const enabled = [...graph.nodes.values()].filter(
    (node) => node.unavailable !== 'no connection' && node.unavailable !== 'disabled',
  )
  const { declared: fields, doubted } = declaredIdentities(graph, enabled, objects, options, findings)
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
      // Where nothing is connected there is nothing to find, for anybody.
      unconfirmable: enabled.length === 0 ? [] : open,
    }
  })
  const entries = new Map<string, IdentityEntry[]>()
  const unproven = new Set<string>()
  const unconfirmed = new Set<string>()
  for (const [address, byProperty] of fields) {
    for (const [object, { properties, alone, unconfirmable }] of known.entries()) {
      const given = properties.filter((property) => !isDerived(property))
      // One property that nothing confirms, or that nobody declares, leaves in doubt whom the others mean.
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
      // What has to be confirmed is confirmed by nothing that may be another's.
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
  /** Fields that may hold a property, though of somebody else than the row is of. */
  readonly doubted: readonly { readonly address: string; readonly property: string; readonly field: string }[]
}

function declaredIdentities(
  graph: DatasetGraph,
  enabled: readonly CollectionNode[],
  objects: readonly (readonly string[])[],
  options: IdentityOptions,
  findings: Finding[],
): Declared {
  const declared: Declared['declared'] = new Map()
  const doubted: Declared['doubted'][number][] = []
  const declare = (node: CollectionNode, property: string, field: string) => {
    const byProperty = declared.get(node.address) ?? new Map<string, string[]>()
    declared.set(node.address, byProperty)
    appendTo(byProperty, property, field)
  }
  const known = new Set<string>()
  for (const node of graph.nodes.values()) {
    if (isOwnedByNobody(node)) continue
    for (const { field, name } of node.fields.values()) {
      if (field.service_meta.identity === undefined) continue
      declare(node, field.service_meta.identity, name)
      if (enabled.includes(node)) known.add(field.service_meta.identity)
    }
  }
  const properties = [...new Set(objects.flat())]
  for (const property of properties) {
    if (known.has(property) || options.inferIdentities === false) continue
    const category = Object.hasOwn(tiedCategory, property) ? tiedCategory[property] : undefined
    for (const node of enabled) {
      // What is left out needs no identity: nobody is to be asked for one there.
      if (isOwnedByNobody(node) || node.unavailable === 'skip_processing') continue
      for (const each of node.fields.values()) {
        const byName = each.path.at(-1) === property && each.field.fields.length === 0
        if (!byName && !(category && each.field.data_categories.includes(category))) continue
        known.add(property)
        const doubt = doubtOf(graph, node, each)
        if (doubt !== undefined) {
          doubted.push({ address: node.address, property, field: each.name })
          findings.push({
            type: 'identity_doubted',
            severity: 'warning',
            loc: [node.dataset.service_key, node.collection.name, each.name],
            message: `No dataset declares the identity '${property}', and '${node.address}.${each.name}' may hold that of somebody else, as ${doubt}: rows that only it finds are undecided. Declare 'identity: ${property}' where it says whose a row is.`,
          })
          continue
        }
        declare(node, property, each.name)
        findings.push({
          type: 'identity_inferred',
          severity: 'warning',
          loc: [node.dataset.service_key, node.collection.name, each.name],
          message: `No dataset declares the identity '${property}', so '${node.address}.${each.name}' is taken for it by its ${byName ? 'name' : 'category'}: declare 'identity: ${property}' there.`,
        })
      }
    }
  }
  const unknown = properties.filter((property) => !known.has(property))
  if (enabled.length > 0 && unknown.length > 0) {
    const none = unknown.length === properties.length
    const names = [...known].sort().join(', ') || 'none'
    findings.push({
      type: none ? 'no_known_identity' : 'unknown_identity',
      severity: none ? 'error' : 'warning',
      loc: ['identities'],
      message: none
        ? `No dataset knows the identity ${unknown.map((each) => `'${each}'`).join(' or ')}: the datasets know ${names}. Declare it on a field, or submit one of these.`
        : `No dataset knows the identity ${unknown.map((each) => `'${each}'`).join(' or ')}, so it finds nothing.`,
    })
  }
  return { declared, doubted }
}

/** Why a field may name another than the person whom its row is of. */
function doubtOf(graph: DatasetGraph, { address, collection }: CollectionNode, { name, path }: FieldNode) {
  if (holdsContactOfAnother(collection.name, path)) return `'${name}' is named like that of another person`
  const owner = collection.service_meta.owner ?? []
  if (owner.length > 0) return `'owner' says whose a row is`
  const from = graph.edges.find((edge) => edge.from === address && edge.to !== address && edge.direction === 'from')
  return from && `'${fieldsOf(from)}' says whose a row is`
}
