import type { Finding } from '../findings/finding.js'
import type { CollectionNode, Unavailable } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import type { IdentityEntries } from './identity-entries.js'
import type { Plan } from './plan.js'
import type { EdgeCondition } from './reference-edges.js'
import type { Traversal } from './traversal.js'

/** A described field by which its connector does not search: a member of a column, or no column of `lookups`. */
export interface MemberField {
  readonly node: CollectionNode
  readonly name: string
}

/** By collection, the fields by which its rows would be searched although their connector cannot do that. */
export type MemberSearches = ReadonlyMap<string, readonly MemberField[]>

/** Of these fields of a collection, those that lie inside of columns which only can be searched as a whole. */
function wholeOnly({ wholeColumns, fields }: CollectionNode, names: readonly string[]): string[] {
  if (!wholeColumns) return []
  return names.filter((name) => (fields.get(name)?.path ?? name.split('.')).length > 1)
}

/**
 * Of the fields of one search, those by which it cannot be made. Where one column looks rows up, the connector compares the
 * others itself.
 */
export function unsearchable(
  node: CollectionNode,
  names: readonly string[],
  conditions: readonly string[] = [],
): readonly string[] {
  const inside = wholeOnly(node, [...names, ...conditions])
  const lookups = node.live?.lookups
  if (!lookups || names.length === 0 || names.some((name) => lookups.includes(name))) return inside
  return [...new Set([...inside, ...names])]
}

/**
 * The collections whose rows would be searched by fields by which they cannot be. An erasure also searches the rows that own others
 * again, by the fields that lead to these.
 */
export function memberSearches(
  graph: DatasetGraph,
  { entries }: Pick<IdentityEntries, 'entries'>,
  { order, directedEdges }: Pick<Traversal, 'order' | 'directedEdges'>,
  erases: boolean,
): MemberSearches {
  const found = new Map<string, Map<string, MemberField>>()
  const note = (address: string, of: string, names: readonly string[], conditions?: readonly string[]) => {
    const node = graph.nodes.get(of) as CollectionNode
    for (const name of unsearchable(node, names, conditions)) {
      const known = found.get(address) ?? new Map<string, MemberField>()
      found.set(address, known.set(nameOf({ node, name }), { node, name }))
    }
  }
  for (const address of order) for (const { field } of entries.get(address) ?? []) note(address, address, [field])
  for (const { from, to, parts, when } of directedEdges) {
    note(
      to,
      to,
      parts.map((part) => part.to),
      conditionsOn('to', when),
    )
    if (erases)
      note(
        to,
        from,
        parts.map((part) => part.from),
        conditionsOn('from', when),
      )
  }
  return new Map([...found].map(([address, fields]) => [address, [...fields.values()]]))
}

function conditionsOn(side: EdgeCondition['side'], when: EdgeCondition | undefined): string[] {
  return when?.side === side ? Object.keys(when.equals) : []
}

/** The graph without a search of these collections. */
export function withoutMemberSearches(graph: DatasetGraph, searches: MemberSearches): DatasetGraph {
  const nodes = new Map(graph.nodes)
  for (const [address, fields] of searches) {
    const node = nodes.get(address) as CollectionNode
    const names = fields.map((field) => (field.node.address === address ? field.name : nameOf(field)))
    nodes.set(address, { ...node, unavailable: reasonOf(fields), members: names.sort() })
  }
  return { ...graph, nodes }
}

function reasonOf(fields: readonly MemberField[]): Unavailable {
  return fields.some(({ node, name }) => wholeOnly(node, [name]).length > 0)
    ? 'members not searchable'
    : 'columns not searchable'
}

/** Says for each such field what cannot be done because of it. `consequence` ends the sentence. */
function memberFindings(fields: readonly MemberField[], consequence: string): Finding[] {
  return fields.map(({ node, name }) => {
    const loc = [node.dataset.service_key, node.collection.name, name]
    const lookups = node.live?.lookups ?? []
    if (wholeOnly(node, [name]).length === 0) {
      const message = `'${node.address}' can be looked up by ${lookups.join(', ') || 'no column'} only, and not by '${name}': ${consequence}. Refer to a column by which its rows are looked up, or give the reference the direction 'none'.`
      return { type: 'unsearchable_column', severity: 'warning', loc, message }
    }
    return {
      type: 'unsearchable_member',
      severity: 'warning',
      loc,
      message: `'${node.address}.${name}' lies inside of a column, and the connector of '${node.connectionKey}' searches columns only as a whole: ${consequence}. Have the value in a column of its own, as by a view, and describe that; or take the identity or reference from this field, or give it the direction 'none'.`,
    }
  })
}

/** What follows where rows of a collection would have to be searched by fields by which they cannot be. */
export function searchFindings(searches: MemberSearches): Finding[] {
  return [...searches].flatMap(([address, fields]) => memberFindings(fields, `'${address}' is not searched`))
}

/** What follows where rows would have to be counted by such fields. */
export function uncountedFindings(
  graph: DatasetGraph,
  { collections, open }: Pick<Plan, 'collections' | 'open'>,
): Finding[] {
  const findings = new Map<string, Finding>()
  const note = (address: string, fields: Fields, conditions: Fields, consequence: string) => {
    const node = graph.nodes.get(address) as CollectionNode
    const names = unsearchable(node, namesOf(fields), namesOf(conditions))
    const members = names.map((name) => ({ node, name }))
    for (const finding of memberFindings(members, consequence)) findings.set(finding.message, finding)
  }
  for (const { uncounted, address, fields, when, undecidedWhileEmpty } of open) {
    if (!uncounted) continue
    const consequence = `rows of '${address}' that may be the person's are not counted, and are left alone`
    note(address, fields, [...when, ...undecidedWhileEmpty], consequence)
  }
  for (const { address: to, erasure, sharedBy = [] } of collections) {
    for (const { address, uncounted, fields, when } of [...(erasure?.pointedToBy ?? []), ...sharedBy]) {
      if (uncounted === undefined || uncounted === 'hidden' || address === undefined) continue
      note(address, fields, when, `rows of '${to}' to which others may refer stay when the person is erased`)
    }
  }
  return [...findings.values()]
}

type Fields = readonly { readonly path: readonly string[] }[]

export function namesOf(fields: Fields): string[] {
  return [...new Set(fields.map(({ path }) => path.join('.')))]
}

function nameOf({ node, name }: MemberField): string {
  return `${node.address}.${name}`
}
