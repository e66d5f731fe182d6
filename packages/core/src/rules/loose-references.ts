import type { CollectionNode } from './dataset-graph.js'
import type { PlannedField } from './plan.js'
import { spelledColumns } from './spelled-columns.js'

type Pair = readonly [from: string, to: string]

/** The columns at both ends of a reference as their server spells them; undefined where no foreign key is loose there. */
export function spelledEnds(
  from: CollectionNode,
  to: CollectionNode,
  pairs: readonly Pair[],
): { readonly from: readonly string[]; readonly to: readonly string[] } | undefined {
  if (isLoose(from, to, pairs)) return ends(to, pairs)
  const turned = pairs.map(([one, other]): Pair => [other, one])
  if (!isLoose(to, from, turned)) return undefined
  const { from: there, to: here } = ends(from, turned)
  return { from: here, to: there }
}

function ends({ collection }: CollectionNode, pairs: readonly Pair[]) {
  const as = { collection: collection.name, columns: pairs.map(([, to]) => to) }
  return {
    from: spelledColumns({ columns: pairs.map(([from]) => from), as }),
    to: spelledColumns({ columns: as.columns, as }),
  }
}

function isLoose(from: CollectionNode, to: CollectionNode, pairs: readonly Pair[]): boolean {
  const text = (list: readonly Pair[]) => JSON.stringify([...list].sort())
  return (
    from.connectionKey === to.connectionKey &&
    (from.live?.foreignKeys ?? []).some(
      ({ loose, columns, references }) =>
        loose === true &&
        references.schema === undefined &&
        references.collection === to.collection.name &&
        text(columns.map((name, at): Pair => [name, references.columns[at] as string])) === text(pairs),
    )
  )
}

/** A field that is compared as its server spells it. */
export function spelledField(field: PlannedField, column: string): PlannedField {
  return { ...field, path: [column], kind: 'string', caseInsensitive: false, filteredDepth: 1 }
}
