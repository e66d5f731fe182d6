import type { CatalogueCollection, Column } from '../../model/catalogue.js'
import { nearestHint } from '../../model/nearest-key.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'
import { type DatasetGraph, sealedColumn } from '../plan/dataset-graph.js'
import type { ReferenceEdge } from '../plan/reference-edges.js'
import { servedSpellings } from '../plan/served-spellings.js'
import { dottedFields } from './dotted-fields.js'
import type { Finding } from './finding.js'
import { missingConditions } from './missing-conditions.js'
import { mixedLists } from './mixed-lists.js'

/** Contradictions between the live catalogue and the description: missing tables and columns, torn composite keys. */
export function liveFindings(
  graph: DatasetGraph,
  order: readonly string[],
  edges: readonly ReferenceEdge[],
): Finding[] {
  const findings: Finding[] = []
  for (const address of order)
    findings.push(
      ...collectionFindings(graph.nodes.get(address) as CollectionNode),
      ...missingConditions(graph, address),
    )
  const single = new Map<string, Set<string>>()
  const composite = new Set(
    order.filter((address) => graph.nodes.get(address)?.live?.foreignKeys.some((key) => key.columns.length > 1)),
  )
  for (const directedEdge of edges) {
    const part = directedEdge.parts[0]
    if (directedEdge.parts.length > 1 || !part || !(composite.has(directedEdge.from) || composite.has(directedEdge.to)))
      continue
    for (const [holder, other, columns] of [
      [directedEdge.from, directedEdge.to, `${part.from}\0${part.to}`],
      [directedEdge.to, directedEdge.from, `${part.to}\0${part.from}`],
    ] as const) {
      if (!composite.has(holder)) continue
      const key = `${holder}\0${other}`
      single.set(key, (single.get(key) ?? new Set()).add(columns))
    }
  }
  for (const [key, pairs] of single) {
    if (pairs.size < 2) continue
    const [holder, other] = key.split('\0') as [string, string]
    const node = graph.nodes.get(holder) as CollectionNode
    const target = graph.nodes.get(other) as CollectionNode
    for (const foreign of node.live?.foreignKeys ?? []) {
      if (foreign.columns.length < 2 || foreign.references.collection !== target.collection.name) continue
      if (!foreign.columns.every((column, at) => pairs.has(`${column}\0${foreign.references.columns[at]}`))) continue
      findings.push({
        type: 'torn_composite_reference',
        severity: 'error',
        loc: [node.dataset.service_key, node.collection.name, ...foreign.columns],
        message: `The references of '${holder}' over ${foreign.columns.join(', ')} are one foreign key ('${foreign.name}') of ${foreign.columns.length} columns: give them the same 'group', otherwise rows of others match a part of it.`,
      })
    }
  }
  return findings
}

/** Findings of one collection against its live table. Empty where the catalogue is not known. */
function collectionFindings(node: CollectionNode): Finding[] {
  const { live } = node
  if (node.missing) {
    const hint = node.nearest === undefined ? '' : `, such as to '${node.nearest}'`
    return [
      {
        type: 'missing_collection',
        severity: 'warning',
        loc: [node.dataset.service_key, node.collection.name],
        message: `'${node.address}' is described, but its database has no such table: correct the name${hint}, set 'skip_processing', or remove it.`,
      },
    ]
  }
  const findings: Finding[] = []
  if (live?.hidesRows) {
    findings.push({
      type: 'hidden_rows',
      severity: 'warning',
      loc: [node.dataset.service_key, node.collection.name],
      message: live.policiesUnknown
        ? `The user of the connection may not ask whether the database hides rows of '${node.address}', or masks values in them, so it may: let this user list the policies, or see every row and value.`
        : `The database may hide rows of '${node.address}', or mask values in them, for the user of the connection: what it hides is neither found nor erased. Let this user see every row and value if it should be.`,
    })
  }
  if (live?.keepsHistoryDays) {
    findings.push({
      type: 'history_kept',
      severity: 'info',
      loc: [node.dataset.service_key, node.collection.name],
      message: `The database keeps the old values of a row of '${node.address}' for ${live.keepsHistoryDays} days after the row is changed or deleted. The receipt of an erasure names the day. Shorten the retention of the table if that is too long.`,
    })
  }
  const dotted = dottedFields(node)
  findings.push(...dotted.findings)
  if (live?.schemaless)
    findings.push(...unsampledFields(node, live, dotted.names), ...plainColumns(node, live), ...mixedLists(node))
  if (!live || live.schemaless) return findings
  const sealed = new Set<string>()
  for (const field of node.fields.values()) {
    const column = field.path[0] as string
    const holder = sealedColumn(node, field)
    if (holder && !sealed.has(column)) {
      sealed.add(column)
      findings.push({
        type: 'column_without_members',
        severity: 'warning',
        loc: [node.dataset.service_key, node.collection.name, column],
        message: `'${node.address}' describes fields inside '${column}', but that column is ${holder.type}, which holds none: no search finds them. Describe '${column}' itself, without nested fields.`,
      })
    }
    const { identity } = field.field.service_meta
    if (identity !== undefined && field.path.length === 1 && field.column?.kind === 'bytes') {
      findings.push({
        type: 'unsearchable_identity',
        severity: 'warning',
        loc: [node.dataset.service_key, node.collection.name, column],
        message: `'${node.address}.${column}' is described with the identity '${identity}', but that column is ${field.column.type}: it holds bytes, and no text of a request is found there. Describe a view that shows the column as text, or change its type.`,
      })
    }
    if (identity !== undefined && field.path.length === 1 && field.column?.kind === 'object') {
      findings.push({
        type: 'unsearchable_identity',
        severity: 'warning',
        loc: [node.dataset.service_key, node.collection.name, column],
        message: `'${node.address}.${column}' is described with the identity '${identity}', but that column is ${field.column.type}: a search there covers members of objects, and neither a list of texts nor the whole value, so it finds nobody. Describe the member that holds the identity, as one of the fields of '${column}'. Where it has none, remove the identity, and have the values in a column of text, as by a view.`,
      })
    }
    if (identity === 'email' && field.field.service_meta.case_insensitive !== false && servedSpellings(node, field)) {
      findings.push({
        type: 'unserved_spellings',
        severity: 'info',
        loc: [node.dataset.service_key, node.collection.name, column],
        message: `No index of '${node.address}', which has many rows, finds e-mail addresses in '${column}' in every spelling: an access searches for fewer spellings, and its package says so. Create an index that ignores the case of letters and outer blanks, or say \`case_insensitive: false\` on the field.`,
      })
    }
    const around = objectWithout(field)
    if (around && !dotted.names.has(field.name)) {
      findings.push({
        type: 'missing_column',
        severity: 'warning',
        loc: [node.dataset.service_key, node.collection.name, field.name],
        message: `'${node.address}' describes the field '${field.name}', but '${field.path.slice(0, -1).join('.')}' is ${around.type}, which has no such member: remove the field or correct its name${nearestHint(field.path.at(-1) as string, namesOf(around.members))}.`,
      })
    }
    if (field.path.length > 1 || field.column || dotted.names.has(field.name)) continue
    findings.push({
      type: 'missing_column',
      severity: 'warning',
      loc: [node.dataset.service_key, node.collection.name, column],
      message: `'${node.address}' describes the field '${column}', but the table has no such column: remove the field or correct its name${nearestHint(column, namesOf(node.undescribed))}.`,
    })
  }
  for (const column of node.undescribed) {
    findings.push({
      type: 'undescribed_column',
      severity: 'info',
      loc: [node.dataset.service_key, node.collection.name, column.name],
      message: `No field describes the live column '${column.name}' of '${node.address}', so it is never read.`,
    })
  }
  return findings
}

/** Fields that no document of a sample has. Another document may, so the description is only probably wrong. */
function unsampledFields(
  node: CollectionNode,
  { columns, sampled = 0 }: CatalogueCollection,
  dotted: ReadonlySet<string>,
): Finding[] {
  if (sampled === 0) return []
  const { address, dataset, collection, fields, undescribed } = node
  return [...fields.values()].flatMap((field): Finding[] => {
    const isColumn = field.path.length === 1
    const name = field.path.at(-1) as string
    // Undefined where no members are known, as in a map whose keys are data.
    const around = isColumn ? columns : objectAround(field)?.members
    if (!around || around.some((each) => each.name === name) || dotted.has(field.name)) return []
    const hint = nearestHint(name, namesOf(isColumn ? undescribed : around))
    const documents = sampled === 1 ? 'the one sampled document lacks' : `none of the ${sampled} sampled documents has`
    const { identity, reviewed } = field.field.service_meta
    // nobody would be found by it, and every request would say that there is nothing
    const isBlind = identity !== undefined && hint !== '' && !reviewed
    const otherwise = isBlind ? "say 'reviewed: true' on it" : 'nothing is wrong'
    const message = `'${address}' describes the field '${field.name}', but ${documents} it: correct its name if it is misspelt${hint}. If other documents have it, ${otherwise}.`
    const loc = [dataset.service_key, collection.name, field.name]
    return [{ type: 'unsampled_field', severity: isBlind ? 'error' : hint === '' ? 'info' : 'warning', loc, message }]
  })
}

/** Columns that hold plain values in some sampled documents and objects in others, and are searched as one of these. */
function plainColumns(node: CollectionNode, { sampled = 0 }: CatalogueCollection): Finding[] {
  if (sampled === 0) return []
  const { address, dataset, collection } = node
  return [...node.fields.values()].flatMap(({ name, path, column, field: { service_meta: meta } }): Finding[] => {
    const isSearched = meta.identity !== undefined || meta.references.length > 0
    if (!isSearched || !column || column.kind === 'object') return []
    const loc = [dataset.service_key, collection.name, name]
    if (path.length === 1) {
      if (!column.members || column.members.length === 0) return []
      const message = `'${address}' is searched by '${name}', but '${name}' is ${column.type}: documents in which it holds an object are not found by it. Store the value itself in all of them, or describe the member that has it.`
      return [{ type: 'column_with_members', severity: 'warning', loc, message }]
    }
    // a column of unknown kind may just be NULL in all of them
    if (column.kind === undefined && !/\bobject\b/.test(column.type)) return []
    const message = `'${address}' is searched by '${name}', but '${column.name}' is ${column.type}: documents in which it has no members are not found by it. Store it in members in all of them, or find these documents by another field.`
    return [{ type: 'column_without_members', severity: 'warning', loc, message }]
  })
}

const namesOf = (columns: readonly Column[] = []): readonly string[] => columns.map(({ name }) => name)

/** The live object that a field is described in, where its type lists all members and the field is none of them. */
function objectWithout(field: FieldNode): Column | undefined {
  const holder = objectAround(field)
  return holder?.members?.every(({ name }) => name !== field.path.at(-1)) ? holder : undefined
}

/** The live object around a nested field. */
function objectAround({ column, path }: FieldNode): Column | undefined {
  let holder = path.length > 1 ? column : undefined
  for (const segment of path.slice(1, -1)) holder = holder?.members?.find(({ name }) => name === segment)
  return holder
}
