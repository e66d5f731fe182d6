import type { CollectionNode, DatasetGraph } from './dataset-graph.js'
import type { Finding } from './findings.js'

/** Where one identity object enters one collection: fields that must match together. */
export interface IdentityEntry {
  /** Position of the object in the request. */
  readonly object: number
  readonly parts: readonly { readonly property: string; readonly field: string }[]
  /** It enters only when another collection has confirmed the object (§7.3). */
  readonly needsConfirmation: boolean
  /** It holds two or more properties: a row found here confirms the object. */
  readonly confirms: boolean
}

export interface IdentityEntries {
  readonly entries: ReadonlyMap<string, readonly IdentityEntry[]>
  /** For each object, the collections whose rows confirm it; empty: nothing can. */
  readonly confirmers: readonly (readonly string[])[]
  /** Collections that only unproven properties would enter. */
  readonly unproven: ReadonlySet<string>
  /** Collections that an object could enter once confirmed, with one that could confirm it but is not searched. */
  readonly unconfirmed: ReadonlyMap<string, string>
  /** Collections by identity property, of the request or not. */
  readonly byProperty: ReadonlyMap<string, ReadonlySet<string>>
  readonly findings: readonly Finding[]
}

/** The category that is tied to a well-known property, for fields that declare no identity (§3). */
const tiedCategory: Readonly<Record<string, string>> = {
  email: 'user.contact.email',
  phone_number: 'user.contact.phone_number',
  ssn: 'user.government_id.national_identification_number',
}

export interface IdentityOptions {
  readonly inferIdentities?: boolean
  /** Properties somebody vouches for; absent: all of them. */
  readonly proven?: readonly string[]
}

/**
 * Finds the fields that each identity object enters, given the property names of each object (never the values).
 * One object's properties are AND'ed, objects are alternatives, several fields of one property are alternatives too.
 */
export function identityEntries(
  graph: DatasetGraph,
  objects: readonly (readonly string[])[],
  options: IdentityOptions = {},
): IdentityEntries {
  const findings: Finding[] = []
  const declared = declaredIdentities(graph, objects, options, findings)
  const proven = options.proven && new Set(options.proven)
  const entries = new Map<string, IdentityEntry[]>()
  const unproven = new Set<string>()
  const declaring = objects.map((properties) =>
    [...declared].flatMap(([address, byProperty]) => {
      const held = properties.filter((property) => byProperty.has(property))
      return held.length > 1 && isProven(held, proven) ? [address] : []
    }),
  )
  const confirmers = declaring.map((addresses) =>
    addresses.filter((address) => graph.nodes.get(address)?.unavailable === undefined),
  )
  const unconfirmed = new Map<string, string>()
  for (const [address, byProperty] of declared) {
    for (const [object, properties] of objects.entries()) {
      const held = properties.filter((property) => byProperty.has(property))
      if (held.length === 0) continue
      if (!isProven(held, proven)) {
        unproven.add(address)
        continue
      }
      const alone = held.length === 1 && properties.length > 1
      const closed = alone && (confirmers[object] as string[]).length === 0 && declaring[object]?.[0]
      if (closed) {
        unconfirmed.set(address, closed)
        continue
      }
      const list = entries.get(address) ?? []
      entries.set(address, list)
      for (const parts of combinations(held, byProperty)) {
        const needsConfirmation = alone && (confirmers[object] as string[]).length > 0
        list.push({ object, parts, needsConfirmation, confirms: held.length > 1 })
      }
    }
  }
  for (const [object, properties] of objects.entries()) {
    if (properties.length < 2 || (declaring[object] as string[]).length > 0) continue
    findings.push({
      type: 'not_confirmable',
      severity: 'warning',
      loc: ['identities', object],
      message: `Identity ${object + 1} has ${properties.length} properties (${properties.join(', ')}), but no collection declares two of them: each is searched alone, not confirmable.`,
    })
  }
  return {
    entries,
    confirmers,
    unconfirmed,
    unproven: new Set([...unproven].filter((address) => !entries.has(address))),
    byProperty: collectionsByProperty(declared),
    findings,
  }
}

const isProven = (held: readonly string[], proven?: ReadonlySet<string>) =>
  !proven || held.some((property) => proven.has(property))

type Declared = Map<string, Map<string, string[]>>

function declaredIdentities(
  graph: DatasetGraph,
  objects: readonly (readonly string[])[],
  options: IdentityOptions,
  findings: Finding[],
): Declared {
  const declared: Declared = new Map()
  const declare = (node: CollectionNode, property: string, field: string) => {
    const byProperty = declared.get(node.address) ?? new Map<string, string[]>()
    declared.set(node.address, byProperty)
    byProperty.set(property, [...(byProperty.get(property) ?? []), field])
  }
  const enabled = new Set(
    [...graph.nodes.values()].filter((node) => node.unavailable !== 'no connection' && node.unavailable !== 'disabled'),
  )
  const known = new Set<string>()
  for (const node of graph.nodes.values()) {
    for (const { field, name } of node.fields.values()) {
      if (field.service_meta.identity === undefined) continue
      declare(node, field.service_meta.identity, name)
      if (enabled.has(node)) known.add(field.service_meta.identity)
    }
  }
  const properties = [...new Set(objects.flat())]
  for (const property of properties) {
    if (known.has(property) || options.inferIdentities === false) continue
    const category = Object.hasOwn(tiedCategory, property) ? tiedCategory[property] : undefined
    for (const node of enabled) {
      for (const each of node.fields.values()) {
        const byName = each.path.at(-1) === property && each.field.fields.length === 0
        if (!byName && !(category && each.field.data_categories.includes(category))) continue
        declare(node, property, each.name)
        known.add(property)
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
  if (enabled.size > 0 && unknown.length > 0) {
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
  return declared
}

function collectionsByProperty(declared: Declared): Map<string, Set<string>> {
  const result = new Map<string, Set<string>>()
  for (const [address, byProperty] of declared) {
    for (const property of byProperty.keys()) result.set(property, (result.get(property) ?? new Set()).add(address))
  }
  return result
}

function combinations(properties: readonly string[], fields: ReadonlyMap<string, readonly string[]>) {
  let result: { property: string; field: string }[][] = [[]]
  for (const property of properties) {
    const choices = fields.get(property) as readonly string[]
    result = result.flatMap((parts) => choices.map((field) => [...parts, { property, field }]))
  }
  return result
}
