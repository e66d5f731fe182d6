import { type Collection, type Dataset, type Field, walkFields } from '../model/dataset.js'
import { ancestors, type ParentLinks } from '../model/hierarchy.js'

/** What holds for one field once everything declared above it is counted in. */
export interface DeclaredField {
  readonly field: Field
  readonly path: readonly string[]
  /** Outermost first. */
  readonly ancestors: readonly Field[]
  /** The field's own categories alone. */
  readonly own: readonly string[]
  /** Union of the field's, its parent fields', its collection's and its dataset's categories. */
  readonly categories: readonly string[]
  /** The same union of what is declared as qualifier; empty when nothing is. */
  readonly qualifiers: readonly string[]
}

/** The fields of a collection with what is declared for them, additively, at every level. Parents come first. */
export function declaredFields(dataset: Dataset, collection: Collection): DeclaredField[] {
  const categories = union(dataset.data_categories, collection.data_categories)
  const qualifiers = union(dataset.data_qualifiers, collection.data_qualifiers)
  return [...walkFields(collection)].map(({ field, path, ancestors }) => {
    const lineage = [...ancestors, field]
    return {
      field,
      path,
      ancestors,
      own: field.data_categories,
      categories: union(categories, ...lineage.map((each) => each.data_categories)),
      qualifiers: union(
        qualifiers,
        lineage.flatMap(({ data_qualifier }) => data_qualifier ?? []),
      ),
    }
  })
}

const identified = 'aggregated.anonymized.unlinked_pseudonymized.pseudonymized.identified'

/** The qualifier that counts: of several the most identifiable, which is the deepest; with none, the data is identified. */
export function effectiveQualifier(qualifiers: readonly string[], parents?: ParentLinks): string {
  const depth = (qualifier: string) => ancestors(qualifier, parents).length
  return (
    qualifiers.reduce<string | undefined>(
      (deepest, qualifier) => (deepest === undefined || depth(qualifier) > depth(deepest) ? qualifier : deepest),
      undefined,
    ) ?? identified
  )
}

/** Most fields declare one thing at one level, and share the list with it. */
function union(...lists: readonly (readonly string[])[]): readonly string[] {
  const filled = lists.filter((list) => list.length > 0)
  return filled.length < 2 && (filled[0]?.length ?? 0) < 2 ? (filled[0] ?? []) : [...new Set(filled.flat())]
}
