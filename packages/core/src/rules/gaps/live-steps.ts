import type { CatalogueCollection, IncomingForeignKey } from '../../model/catalogue.js'
import { lastPart } from '../draft/name-words.js'
import type { CollectionNode } from '../plan/collection-node.js'
import type { DatasetGraph } from '../plan/dataset-graph.js'
import { edgesAt } from '../plan/graph-index.js'
import { isOwnedByNobody } from '../plan/ownership.js'
import { type Database, isFarKey, isHolder, nameIn } from '../plan/uncovered-table.js'
import { stepsFrom } from './person-paths.js'

/** A described collection by its address, or a table that nobody has described by its connection and name. */
export type Place = string

/** One step of a path over what the catalogue knows and no description says. */
export interface LiveStep {
  readonly from: Place
  readonly to: Place
  readonly text: string
  /** Columns of a described collection whose foreign key it is. */
  readonly columns?: readonly string[]
  /** The only decision on the key is that somebody has looked at it. Then it is no path. */
  readonly reviewed?: true
}

/** The place of a table that nobody has described. */
export const undescribedIn = ({ connection }: Database, table: string): Place => `${connection}\0${table}`

export const placeIn = (database: Database, table: string): Place =>
  database.described.get(table)?.address ?? undescribedIn(database, table)

/** The steps between the tables of all databases, except for keys on which a description has decided. */
export function liveSteps(graph: DatasetGraph, databases: readonly Database[]): LiveStep[] {
  const elsewhere = tablesByName(databases)
  return databases.flatMap((database) => {
    const { tables, described } = database
    const nodes = [...described.values()]
    const passed = nodes.flatMap((node) => (isPassed(node) && node.live ? [node.live] : []))
    const undescribed = [...tables, ...passed].flatMap((table) =>
      stepsFrom(table).map(({ to, text }) => ({
        from: placeIn(database, table.name),
        to: placeIn(database, to),
        text,
      })),
    )
    const known = [...tables, ...nodes.flatMap(({ live }) => live ?? [])]
    return [
      ...undescribed,
      ...[...tables, ...passed].flatMap((table) => farViewSteps(database, table, elsewhere)),
      ...nodes.flatMap((node) => ownSteps(graph, database, node)),
      ...known.flatMap((table) => incomingSteps(graph, database, table, elsewhere)),
      ...known.flatMap((table) => holderSteps(database, table, elsewhere)),
    ]
  })
}

/** Whether nobody has to describe the columns of a collection. It stands in the way of none behind it. */
const isPassed = ({ collection: { service_meta: meta } }: CollectionNode) => meta.skip_processing

function ownSteps(graph: DatasetGraph, database: Database, node: CollectionNode): LiveStep[] {
  if (isPassed(node)) return []
  return (node.live?.foreignKeys ?? []).flatMap(({ columns, references }) =>
    keySteps(graph, node, columns, placeIn(database, nameIn(references))),
  )
}

/** None where a description says what a foreign key means, or why nobody has to say it. */
function keySteps(graph: DatasetGraph, node: CollectionNode, columns: readonly string[], to: Place): LiveStep[] {
  if (isDecided(graph, node, columns)) return []
  const { address: from, fields } = node
  const isReviewed = columns.some((name) => fields.get(name)?.field.service_meta.reviewed)
  return [
    { from, to, text: `${from}.${columns.join('+')} → `, columns, ...(isReviewed && { reviewed: true as const }) },
  ]
}

function isDecided(graph: DatasetGraph, node: CollectionNode, columns: readonly string[]): boolean {
  const fields = columns.flatMap((name) => node.fields.get(name)?.field.service_meta ?? [])
  if (fields.some(({ waived, identity, references }) => waived || identity !== undefined || references.length > 0))
    return true
  // a reference may be described at the key it leads to
  const isEdge = edgesAt(graph, node.address).some(({ from, to, parts }) =>
    parts.some(
      (part) =>
        (from === node.address && columns.includes(part.from)) || (to === node.address && columns.includes(part.to)),
    ),
  )
  return isEdge || (isOwnedByNobody(node) && fields.length === columns.length)
}

interface Table {
  readonly database: Database
  readonly live: CatalogueCollection
  readonly node?: CollectionNode
}

function tablesByName(databases: readonly Database[]): ReadonlyMap<string, readonly Table[]> {
  const byName = new Map<string, Table[]>()
  const add = (table: Table) => byName.set(table.live.name, [...(byName.get(table.live.name) ?? []), table])
  for (const database of databases) {
    for (const live of database.tables) add({ database, live })
    for (const node of database.described.values()) if (node.live) add({ database, live: node.live, node })
  }
  return byName
}

/** The steps from a view to the tables of other schemas that another connection reads. Their names alone say so. */
function farViewSteps(
  database: Database,
  { name, view }: CatalogueCollection,
  elsewhere: ReadonlyMap<string, readonly Table[]>,
): LiveStep[] {
  return (view?.shows ?? []).flatMap((shown) => {
    const far = shown.includes('.') ? (elsewhere.get(lastPart(shown)) ?? []) : []
    const [only, ...others] = far.filter((table) => table.database !== database)
    if (!only || others.length > 0) return []
    return [{ from: placeIn(database, name), to: placeIn(only.database, only.live.name), text: `${name} shows ` }]
  })
}

/** The steps over foreign keys that only the table they lead to is told of, as those of other schemas. */
function incomingSteps(
  graph: DatasetGraph,
  database: Database,
  live: CatalogueCollection,
  elsewhere: ReadonlyMap<string, readonly Table[]>,
): LiveStep[] {
  const to = placeIn(database, live.name)
  const shown = live.view?.shows ?? []
  const far = shown.filter((each) => each.includes('.')).flatMap((each) => elsewhere.get(lastPart(each)) ?? [])
  const places = [
    ...[live.name, ...shown].map((each) => placeIn(database, each)),
    ...far.map((each) => placeIn(each.database, each.live.name)),
  ]
  return (live.incomingForeignKeys ?? []).flatMap((key): LiveStep[] => {
    const name = nameIn(key)
    const known = database.described.get(name)
    const others = key.schema === undefined || known ? [] : (elsewhere.get(key.collection) ?? [])
    const twins = others.filter((table) => isSameKey(graph, table, { live, places }, key))
    if (twins.length > 0)
      return twins.flatMap((twin) => {
        if (twin.node && !isPassed(twin.node)) return keySteps(graph, twin.node, key.columns, to)
        const { name } = twin.live
        return [{ from: placeIn(twin.database, name), to, text: `${name}.${key.columns.join('+')} → ` }]
      })
    if (known && !isPassed(known)) return keySteps(graph, known, key.columns, to)
    return [{ from: placeIn(database, name), to, text: `${name}.${key.columns.join('+')} → ` }]
  })
}

/** The steps from what holds rows of a table in another schema: a table that inherits from it, or a materialized view. */
function holderSteps(
  database: Database,
  live: CatalogueCollection,
  elsewhere: ReadonlyMap<string, readonly Table[]>,
): LiveStep[] {
  const to = placeIn(database, live.name)
  return (live.heldIn ?? []).flatMap((holder): LiveStep[] => {
    const name = nameIn(holder)
    const leads = holder.as === 'child' ? 'inherits from' : 'shows'
    const others = database.described.has(name) ? [] : (elsewhere.get(holder.collection) ?? [])
    const twins = others.filter((table) => isHolder(holder, table.database, table.live))
    if (twins.length === 0) return [{ from: placeIn(database, name), to, text: `${name} ${leads} ` }]
    // what is described there has its own paths
    return twins.flatMap(({ database: far, live: { name }, node }) =>
      node && !isPassed(node) ? [] : [{ from: placeIn(far, name), to, text: `${name} ${leads} ` }],
    )
  })
}

/**
 * Whether a table behind another connection is the one whose foreign key leads here: it has such a key into another schema,
 * and no description says that the key leads elsewhere.
 */
function isSameKey(
  graph: DatasetGraph,
  { live, node }: Table,
  target: { readonly live: CatalogueCollection; readonly places: readonly Place[] },
  key: IncomingForeignKey,
): boolean {
  const isLike = isFarKey(live, target.live, key)
  if (!isLike || !node) return isLike
  const said = edgesAt(graph, node.address).filter(({ from, parts }) =>
    parts.some((part) => from === node.address && key.columns.includes(part.from)),
  )
  return said.length === 0 || said.some(({ to }) => target.places.includes(to))
}
