import type { Finding } from '../findings/finding.js'
import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import type { IdentityEntries } from './identity-entries.js'
import type { Plan } from './plan.js'
import type { EdgeCondition } from './reference-edges.js'
import type { Traversal } from './traversal.js'

/** A described field inside a column that its connector does not search by members. */
export interface MemberField {
  readonly node: CollectionNode
  readonly name: string
}

/** By collection, the members by which its rows would be searched although their connector cannot do that. */
export type MemberSearches = ReadonlyMap<string, readonly MemberField[]>

/** Of these fields of a collection, those that lie inside of columns which only can be searched as a whole. */
function wholeOnly({ wholeColumns, fields }: CollectionNode, names: readonly string[]): string[] {
  if (!wholeColumns) return []
  return names.filter((name) => (fields.get(name)?.path ?? name.split('.')).length > 1)
}

/**
 * The collections whose rows would be searched by members of columns. An erasure also searches the rows that own others
 * again, by the fields that lead to these.
 */
export function memberSearches(
  graph: DatasetGraph,
  { entries }: Pick<IdentityEntries, 'entries'>,
  { order, directedEdges }: Pick<Traversal, 'order' | 'directedEdges'>,
  erases: boolean,
): MemberSearches {
  const found = new Map<string, Map<string, MemberField>>()
  const note = (address: string, of: string, names: readonly string[]) => {
    const node = graph.nodes.get(of) as CollectionNode
    for (const name of wholeOnly(node, names)) {
      const known = found.get(address) ?? new Map<string, MemberField>()
      found.set(address, known.set(nameOf({ node, name }), { node, name }))
    }
  }
  for (const address of order)
    note(
      address,
      address,
      (entries.get(address) ?? []).map(({ field }) => field),
    )
  for (const { from, to, parts, when } of directedEdges) {
    note(to, to, [...parts.map((part) => part.to), ...conditionsOn('to', when)])
    if (erases) note(to, from, [...parts.map((part) => part.from), ...conditionsOn('from', when)])
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
    nodes.set(address, { ...node, unavailable: 'members not searchable', members: names.sort() })
  }
  return { ...graph, nodes }
}

/** Says for each member field what cannot be done because of it. `consequence` ends the sentence. */
function memberFindings(fields: readonly MemberField[], consequence: string): Finding[] {
  return fields.map(({ node, name }) => ({
    type: 'unsearchable_member',
    severity: 'warning',
    loc: [node.dataset.service_key, node.collection.name, name],
    message: `'${node.address}.${name}' lies inside of a column, and the connector of '${node.connectionKey}' searches columns only as a whole: ${consequence}. Have the value in a column of its own, as by a view, and describe that; or take the identity or reference from this field, or give it the direction 'none'.`,
  }))
}

/** What follows where rows of a collection would have to be searched by members. */
export function searchFindings(searches: MemberSearches): Finding[] {
  return [...searches].flatMap(([address, fields]) => memberFindings(fields, `'${address}' is not searched`))
}

/** What follows where rows would have to be counted by members. */
export function uncountedFindings(
  graph: DatasetGraph,
  { collections, open }: Pick<Plan, 'collections' | 'open'>,
): Finding[] {
  const findings = new Map<string, Finding>()
  const note = (address: string, fields: readonly { readonly path: readonly string[] }[], consequence: string) => {
    const node = graph.nodes.get(address) as CollectionNode
    const names = wholeOnly(node, [...new Set(fields.map(({ path }) => path.join('.')))])
    const members = names.map((name) => ({ node, name }))
    for (const finding of memberFindings(members, consequence)) findings.set(finding.message, finding)
  }
  for (const { uncounted, address, fields, when, undecidedWhileEmpty } of open) {
    if (!uncounted) continue
    const consequence = `rows of '${address}' that may be the person's are not counted, and are left alone`
    note(address, [...fields, ...when, ...undecidedWhileEmpty], consequence)
  }
  for (const { address: to, erasure, sharedBy = [] } of collections) {
    for (const { address, uncounted, fields, when } of [...(erasure?.pointedToBy ?? []), ...sharedBy]) {
      if (uncounted !== 'members' || address === undefined) continue
      note(address, [...fields, ...when], `rows of '${to}' to which others may refer stay when the person is erased`)
    }
  }
  return [...findings.values()]
}

function nameOf({ node, name }: MemberField): string {
  return `${node.address}.${name}`
}
