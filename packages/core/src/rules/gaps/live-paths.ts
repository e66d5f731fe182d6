import type { DescribedOwnership } from '../plan/described-ownership.js'
import type { Database } from '../plan/uncovered-table.js'
import { appendTo } from '../value/append-to.js'
import { type LiveStep, liveSteps, type Place, placeIn, undescribedIn } from './live-steps.js'
import { type NamedPath, namedPaths, partsOfPeople } from './named-paths.js'
import { personPaths } from './person-paths.js'

/** A path from rows to a person. */
export interface LivePath {
  readonly text: string
  /** The dataset that describes the person, and its connection. */
  readonly dataset: string
  readonly connection: string | undefined
}

/** How rows lead to a person: as descriptions say it, and over live tables and keys on which nobody has decided. */
export interface LivePaths {
  /** The path from rows of a table or collection. */
  of(place: Place): LivePath | undefined
  /** From rows of the tables of a database that nobody has described, by their names. */
  ofTables(database: Database): ReadonlyMap<string, LivePath>
  /** The foreign keys of a described collection that lead to a person of another one, and on which nobody has decided. */
  undecided(address: string): readonly (readonly string[])[]
  /** Those on which somebody has only said that they are reviewed. */
  reviewed(address: string): readonly (readonly string[])[]
}

export function livePaths(databases: readonly Database[], described: DescribedOwnership): LivePaths {
  const { graph, owners } = described
  const isOwned = (address: string) => owners.owned.has(address)
  const pathOf = personPaths(described)
  const paths = new Map<Place, LivePath>()
  const add = (place: Place, path: LivePath) => {
    if (!paths.has(place)) paths.set(place, path)
  }
  for (const { address, dataset, collection, connectionKey: connection } of graph.nodes.values())
    if (isOwned(address) && !collection.service_meta.waived)
      add(address, { text: pathOf(address) ?? address, dataset: dataset.service_key, connection })

  const steps = new Map<Place, LiveStep[]>()
  const keys = new Map<Place, LiveStep[]>()
  for (const step of liveSteps(graph, databases)) {
    if (!step.reviewed) appendTo(steps, step.to, step)
    if (step.columns) appendTo(keys, step.from, step)
  }
  const goOn = () => {
    for (const [to, path] of paths)
      for (const { from, text } of steps.get(to) ?? []) add(from, { ...path, text: `${text}${path.text}` })
  }
  const addTables = (tablesOf: (database: Database) => readonly NamedPath[]) => {
    for (const database of databases) {
      const { connection } = database
      for (const { table, dataset, text } of tablesOf(database))
        add(placeIn(database, table), { text, dataset, connection })
    }
  }
  goOn()
  addTables((database) => namedPaths(database, isOwned))
  goOn()
  const leading = new Set(paths.keys())
  addTables((database) => partsOfPeople(database, isOwned))
  const keysOf = (address: string, isReviewed: boolean) =>
    (keys.get(address) ?? []).flatMap(({ to, columns = [], reviewed = false }) =>
      reviewed === isReviewed && to !== address && graph.nodes.has(to) && leading.has(to) ? [columns] : [],
    )
  return {
    of: (place) => paths.get(place),
    ofTables: (database) => {
      const start = undescribedIn(database, '')
      const here = [...paths].filter(([place]) => place.startsWith(start))
      return new Map(here.map(([place, path]) => [place.slice(start.length), path]))
    },
    undecided: (address) => keysOf(address, false),
    reviewed: (address) => keysOf(address, true),
  }
}
