import type { ForeignKey } from '../../model/catalogue.js'
import type { CollectionNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import type { PlannedField } from './planned-field.js'
import type { ReferenceEdge } from './reference-edges.js'
import { spelledColumn } from './spelled-column.js'

type Parts = ReferenceEdge['parts']

/**
 * The columns with exact texts at both ends of a reference. Undefined where no loose foreign key covers the reference.
 */
export function spelledEnds(
  from: CollectionNode,
  to: CollectionNode,
  parts: Parts,
): { readonly from: readonly string[]; readonly to: readonly string[] } | undefined {
  const forward = ends(from, to, parts)
  if (forward) return forward
  const turned = parts.map((part) => ({ from: part.to, to: part.from }))
  const back = ends(to, from, turned)
  return back && { from: back.to, to: back.from }
}

/** The same for an edge of the graph. */
export function spelledEdge(
  { nodes }: DatasetGraph,
  { from, to, parts }: ReferenceEdge,
): ReturnType<typeof spelledEnds> {
  return spelledEnds(nodes.get(from) as CollectionNode, nodes.get(to) as CollectionNode, parts)
}

function ends(from: CollectionNode, to: CollectionNode, described: Parts) {
  if (from.connectionKey !== to.connectionKey) return undefined
  const columns = described.map((part) => [columnNamed(from, part.from), columnNamed(to, part.to)] as const)
  for (const { loose, columns: own, references } of from.live?.foreignKeys ?? []) {
    if (!loose || references.schema !== undefined || references.collection !== to.collection.name) continue
    // The parts may be described in any order.
    const parts = columns.map(([one, other]) =>
      own.findIndex((name, part) => name === one && references.columns[part] === other),
    )
    if (parts.length !== own.length || parts.includes(-1) || new Set(parts).size < parts.length) continue
    const spelled = spelledColumns(own, references)
    return {
      from: parts.map((part) => spelled.from[part] as string),
      to: parts.map((part) => spelled.to[part] as string),
    }
  }
  return undefined
}

/** Whether the server holds values of every part equal, at both ends, that read differently. */
export function compareLoosely(from: CollectionNode, to: CollectionNode, parts: Parts): boolean {
  const isLoose = ({ fields }: CollectionNode, name: string) => {
    const { path = [], column } = fields.get(name) ?? {}
    return path.length === 1 && column?.comparesLoosely === true && !column.array
  }
  return parts.every((part) => isLoose(from, part.from) && isLoose(to, part.to))
}

/** The columns with exact texts at both ends of a foreign key. */
export function spelledColumns(
  columns: readonly string[],
  { collection, columns: key }: Pick<ForeignKey['references'], 'collection' | 'columns'>,
) {
  const as = { collection, columns: key }
  return {
    from: columns.map((_, part) => spelledColumn({ columns, as }, part)),
    to: key.map((_, part) => spelledColumn({ columns: key, as }, part)),
  }
}

/** The column of a top-level field. Undefined for a nested field. */
function columnNamed({ fields }: CollectionNode, name: string): string | undefined {
  const path = fields.get(name)?.path ?? []
  return path.length === 1 ? path[0] : undefined
}

/** The fields, compared by exact text where columns for it are given. */
export function spelledFields(
  fields: readonly PlannedField[],
  columns: readonly string[] | undefined,
): readonly PlannedField[] {
  if (!columns) return fields
  return fields.map((field, part) => ({
    ...field,
    path: [columns[part] as string],
    kind: 'string',
    caseInsensitive: false,
    filteredDepth: 1,
  }))
}
