import type { CatalogueCollection } from '../../model/catalogue.js'
import type { Waiver } from '../../model/service-meta.js'
import { categoryOf } from '../draft/propose-categories.js'
import { liveFindings } from '../findings/live-findings.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'
import { proposedBy, uncoveredColumns, undescribedTables } from '../plan/coverage.js'
import type { DescribedDataset } from '../plan/dataset-graph.js'
import { describedOwnershipByPieces, type OwnershipInferences } from '../plan/described-ownership.js'
import { tablesNamingPeople } from '../plan/tables-naming-people.js'
import { uncategorised } from '../plan/uncategorised.js'
import type { Database } from '../plan/uncovered-table.js'
import { appendTo } from '../value/append-to.js'
import { type PersonPath, personPaths, stepsFrom } from './person-paths.js'

/**
 * What a description leaves out of a database, as far as it leads to a person. `table` and `column`: nobody has described them.
 * `category`: its name suggests a category, or no field of a
 * collection has one, and nobody has decided. `reason`: it is left out without a reason. `expired`: its
 * reason counts no longer. `missing`: it is described, and the database does not have it.
 */
export interface DescriptionGap {
  readonly kind: 'table' | 'column' | 'category' | 'reason' | 'expired' | 'missing'
  readonly dataset: string
  readonly collection: string
  readonly field?: string
  /** How it leads to a person: `visits.customer_id → shop:customers`. Absent where that is not the question. */
  readonly path?: string
  /** What to do. */
  readonly message: string
}

export interface GapsInput extends OwnershipInferences {
  readonly described: readonly DescribedDataset[]
  /** The day of today, such as 2030-12-31. */
  readonly today: string
}

/** Holds descriptions against their live catalogues, yielding after each piece. In the order of datasets and tables. */
export function* descriptionGaps({ described, today, ...inferences }: GapsInput): Generator<void, DescriptionGap[]> {
  const ownership = yield* describedOwnershipByPieces(described, inferences)
  yield
  const { graph, owners } = ownership
  const pathOf = personPaths(ownership)
  const isPersonal = (address: string) => owners.owned.has(address)
  const nodes = [...graph.nodes.values()]
  const proposed = proposedBy(isPersonal, (address) => owners.people.has(address))
  const gaps: DescriptionGap[] = []
  for (const database of undescribedTables(described, nodes)) {
    gaps.push(...tableGaps(database, isPersonal, pathOf))
    yield
  }
  for (const node of nodes) {
    gaps.push(...expired(node, today))
    if (isPersonal(node.address)) {
      gaps.push(...reasonGaps(node, pathOf))
      if (node.live && node.unavailable !== 'skip_processing')
        for (const { column, described, proposal } of uncoveredColumns(node, proposed)) {
          const isMissing = described && !node.fields.get(column)?.column
          if (!isMissing) gaps.push(columnGap(node, pathOf, column, described, proposal))
        }
    }
    yield
  }
  const named = new Set(gaps.map((gap) => `${gap.dataset}:${gap.collection}`))
  for (const node of uncategorised(graph, { isSearched: () => false, mayHoldRows: isPersonal })) {
    const { address, dataset, collection } = node
    if (named.has(address)) continue
    const message = `No field of '${address}' has a data category, so no request asks for anything there: give a field a category, or waive one, or the collection, with a reason (service_meta: {waived: {reason: …}}).`
    const place = { dataset: dataset.service_key, collection: collection.name }
    gaps.push({ kind: 'category', ...place, ...pathIn(pathOf, address), message })
  }
  for (const { type, loc, message } of liveFindings(graph, [...graph.nodes.keys()], [])) {
    if (type !== 'missing_collection' && type !== 'missing_column') continue
    const [dataset, collection, field] = loc.map(String) as [string, string, string?]
    gaps.push({ kind: 'missing', dataset, collection, ...(field !== undefined && { field }), message })
  }
  return gaps
}

/** Tables that nobody has described, from which rows lead to a person. A waived table stands in the way of none behind it. */
function tableGaps(database: Database, isPersonal: (address: string) => boolean, pathOf: PersonPath): DescriptionGap[] {
  const { described } = database
  const waived = [...described.values()].flatMap(({ collection, live }) =>
    collection.service_meta.waived && live ? [live] : [],
  )
  const isWaived = new Set(waived.map(({ name }) => name))
  const ends = [...described.values()].filter(
    ({ address, collection: { name } }) => isPersonal(address) && !isWaived.has(name),
  )
  const datasetOf = new Map(ends.map(({ collection, dataset }) => [collection.name, dataset.service_key]))
  const pathTo = new Map(ends.map(({ collection, address }) => [collection.name, pathOf(address) ?? address]))

  const towards = new Map<string, { readonly from: string; readonly text: string }[]>()
  for (const table of [...database.tables, ...waived])
    for (const { to, text } of stepsFrom(table)) appendTo(towards, to, { from: table.name, text })
  for (const { collection, live } of described.values())
    for (const { schema, collection: from, columns } of live?.incomingForeignKeys ?? []) {
      const name = schema === undefined ? from : `${schema}.${from}`
      appendTo(towards, collection.name, { from: name, text: `${name}.${columns.join('+')} → ` })
    }
  for (const [to, path] of pathTo) {
    for (const { from, text } of towards.get(to) ?? []) {
      if (pathTo.has(from)) continue
      pathTo.set(from, `${text}${path}`)
      datasetOf.set(from, datasetOf.get(to) as string)
    }
  }

  const [first] = ends
  if (!first) return []
  for (const { table, column, into } of tablesNamingPeople(database, isPersonal))
    if (!pathTo.has(table)) {
      const like = into === undefined ? 'looks like an e-mail address' : `is named like a key of ${into}`
      pathTo.set(table, `${table}.${column} ${like}`)
    }
  for (const [name, text] of partsOfPeople(database, ends)) if (!pathTo.has(name)) pathTo.set(name, text)

  const known = new Set(database.tables.map(({ name }) => name))
  return [...pathTo].flatMap(([name, path]) => {
    // tables of other schemas are in no catalogue, and can be waived by their whole name
    if (described.has(name) || !(known.has(name) || name.includes('.'))) return []
    return [tableGap(datasetOf.get(name) ?? first.dataset.service_key, name, path)]
  })
}

function tableGap(dataset: string, collection: string, path: string): DescriptionGap {
  const message = `Nobody has described '${collection}', and its rows lead to a person: describe it in the dataset '${dataset}', or waive it there with a reason (service_meta: {waived: {reason: …}}).`
  return { kind: 'table', dataset, collection, path, message }
}

/** Undescribed tables that rows of people refer to, and that hold data of a category by the names of their columns. */
function partsOfPeople({ tables }: Database, people: readonly CollectionNode[]): Map<string, string> {
  const found = new Map<string, string>()
  const byName = new Map(tables.map((table) => [table.name, table]))
  for (const { address, live } of people) {
    for (const { columns, references } of live?.foreignKeys ?? []) {
      const table = references.schema === undefined ? byName.get(references.collection) : undefined
      const held = table && personalColumn(table)
      if (held && !found.has(table.name))
        found.set(
          table.name,
          `${table.name} ← ${address}.${columns.join('+')}, and '${held.name}' looks like ${held.category}`,
        )
    }
  }
  return found
}

function personalColumn({ name: table, columns, view }: CatalogueCollection) {
  if (view) return undefined
  for (const column of columns) {
    const category = categoryOf(table, column)
    if (category !== undefined && category !== 'user.unique_id') return { name: column.name, category }
  }
  return undefined
}

function columnGap(
  { address, dataset, collection }: CollectionNode,
  pathOf: PersonPath,
  field: string,
  described: boolean,
  proposal: string | undefined,
): DescriptionGap {
  const looks = proposal === undefined ? '' : ` It looks like '${proposal}'.`
  const message = described
    ? `Nobody has decided on '${field}' of '${address}'.${looks} Give it a category, or waive it with a reason (service_meta: {waived: {reason: …}}).`
    : `No field describes the column '${field}' of '${address}'.${looks} Describe it, or waive it with a reason (a field with service_meta: {waived: {reason: …}}).`
  return {
    ...{ kind: described ? 'category' : 'column', dataset: dataset.service_key, collection: collection.name, field },
    ...pathIn(pathOf, address),
    message,
  }
}

const pathIn = (pathOf: PersonPath, address: string) => {
  const path = pathOf(address)
  return path === undefined ? {} : { path }
}

/** What the description leaves out without saying why. */
function reasonGaps(node: CollectionNode, pathOf: PersonPath): DescriptionGap[] {
  const { address, dataset, collection, fields, live } = node
  const { skip_processing: isSkipped, waived } = collection.service_meta
  const place = { dataset: dataset.service_key, collection: collection.name }
  if (waived) return []
  if (isSkipped) {
    // the rows of a view are found in the tables that it shows
    if (live?.view?.shows) return []
    const message = `'${address}' is never searched, and nobody has said why: say it (service_meta: {waived: {reason: …}}), or take 'skip_processing' away.`
    return [{ kind: 'reason', ...place, ...pathIn(pathOf, address), message }]
  }
  return [...fields.values()].filter(isReviewedOnly).map(({ name }) => {
    const message = `'${name}' of '${address}' is reviewed, and nobody has said why it holds no personal data: say it (service_meta: {waived: {reason: …}}).`
    return { kind: 'reason', ...place, field: name, ...pathIn(pathOf, address), message }
  })
}

function isReviewedOnly({ categories, field: { service_meta: meta } }: FieldNode): boolean {
  const isDescribed = meta.identity !== undefined || meta.primary_key || meta.references.length > 0
  return meta.reviewed && !meta.waived && !isDescribed && categories.length === 0
}

/** Reasons that counted until a day that has passed. */
function expired({ address, dataset, collection, fields }: CollectionNode, today: string): DescriptionGap[] {
  const isOver = (waived: Waiver | undefined) => waived?.until !== undefined && waived.until < today
  const place = { kind: 'expired' as const, dataset: dataset.service_key, collection: collection.name }
  const message = (what: string, until: string | undefined) =>
    `${what} was waived until ${until}: describe it, or give a reason that counts longer.`
  const { waived } = collection.service_meta
  return [
    ...(isOver(waived) ? [{ ...place, message: message(`'${address}'`, waived?.until) }] : []),
    ...[...fields.values()].flatMap(({ name, field }) => {
      const { waived } = field.service_meta
      return isOver(waived)
        ? [{ ...place, field: name, message: message(`'${name}' of '${address}'`, waived?.until) }]
        : []
    }),
  ]
}
