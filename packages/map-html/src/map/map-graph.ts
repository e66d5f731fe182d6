import type { System } from '@habeas/core'
import { sorted } from '../picture/facts.js'
import type { MapDocuments } from './map-documents.js'

/** A place of the map, by the kind and the key of what stands there. */
export interface MapPlace {
  readonly kind: 'system' | 'dataset' | 'category' | 'other'
  readonly key: string
  /** Somebody refers to it, and nobody has described it. */
  readonly unknown?: true
  /** What the key of something other names. */
  readonly type?: string
}

export interface MapEdge {
  readonly kind: 'flow' | 'uses' | 'holds'
  readonly from: number
  readonly to: number
  /** Categories that flow or are held, or names of the declarations that use a dataset. */
  readonly words: Set<string>
}

/** The places and what leads from one to another. Edges name places by their positions. */
export interface MapGraph {
  readonly places: readonly MapPlace[]
  readonly edges: readonly MapEdge[]
  at(kind: MapPlace['kind'], key: string): number | undefined
}

type Flow = System['egress'][number]

export function mapGraph(documents: MapDocuments): MapGraph {
  const { systems, datasets, held, taxonomies } = documents
  const places: MapPlace[] = []
  const positions = new Map<string, number>()
  const edges = new Map<string, MapEdge>()
  const at = (kind: MapPlace['kind'], key: string) => positions.get(`${kind} ${key}`)
  const place = (each: MapPlace): number => {
    const name = each.kind === 'other' ? `other ${JSON.stringify([each.type, each.key])}` : `${each.kind} ${each.key}`
    const known = positions.get(name)
    if (known !== undefined) return known
    positions.set(name, places.length)
    return places.push(each) - 1
  }
  const connect = (kind: MapEdge['kind'], from: number, to: number, words: readonly string[]) => {
    const name = `${kind} ${from} ${to}`
    const edge = edges.get(name) ?? { kind, from, to, words: new Set() }
    edges.set(name, edge)
    for (const word of words) edge.words.add(word)
  }
  const other = ({ service_key: key, type = 'system' }: Pick<Flow, 'service_key' | 'type'>) => {
    if (type === 'system' || type === 'dataset') return at(type, key) ?? place({ kind: type, key, unknown: true })
    return place({ kind: 'other', key, type })
  }

  for (const { service_key: key } of systems) place({ kind: 'system', key })
  for (const { service_key: key } of datasets) place({ kind: 'dataset', key })
  for (const system of systems) {
    const own = at('system', system.service_key) as number
    for (const flow of system.egress) connect('flow', own, other(flow), flow.data_categories)
    for (const flow of system.ingress) connect('flow', other(flow), own, flow.data_categories)
    for (const declaration of system.privacy_declarations) {
      const name = declaration.name ?? declaration.data_use ?? ''
      for (const key of declaration.egress) connect('flow', own, other({ service_key: key }), [])
      for (const key of declaration.ingress) connect('flow', other({ service_key: key }), own, [])
      for (const key of declaration.dataset_references)
        connect('uses', own, other({ service_key: key, type: 'dataset' }), name === '' ? [] : [name])
    }
  }
  const category = (key: string) => place({ kind: 'category', key: taxonomies.categories.topOf(key) })
  const every = [
    ...held.values(),
    ...systems.flatMap((each) => each.privacy_declarations.map((it) => it.data_categories)),
  ]
  for (const key of sorted(every.flat().map(taxonomies.categories.topOf))) category(key)
  for (const [key, categories] of held)
    for (const each of categories) connect('holds', at('dataset', key) as number, category(each), [each])
  for (const { service_key: key, privacy_declarations: declarations } of systems) {
    for (const { data_categories: categories, dataset_references: references } of declarations) {
      // Where a dataset of the declaration holds the category, the way through the dataset shows it.
      const shown = new Set(references.flatMap((each) => (held.get(each) ?? []).map(taxonomies.categories.topOf)))
      for (const each of categories)
        if (!shown.has(taxonomies.categories.topOf(each)))
          connect('holds', at('system', key) as number, category(each), [each])
    }
  }
  return { places, edges: [...edges.values()], at }
}
