import type { Collection, Dataset, Field } from '../../model/dataset.js'
import { ancestors, type ParentLinks } from '../../model/is-covered.js'

/** A field with everything that is declared for it and above it. */
export interface DeclaredField {
  readonly field: Field
  readonly path: readonly string[]
  /** Outermost first. */
  readonly ancestors: readonly Field[]
  /** The field's own categories, without inherited ones. */
  readonly own: readonly string[]
  /** Union of the categories of the field, its parent fields, its collection and its dataset. */
  readonly categories: readonly string[]
  /** The same union of the qualifiers. Empty where none is declared. */
  readonly qualifiers: readonly string[]
}

/** The fields of a collection with the declarations of all levels added up. Parents come first. */
export function declaredFields(dataset: Dataset, collection: Collection): DeclaredField[] {
  const found: DeclaredField[] = []
  addFields(found, collection.fields, {
    path: [],
    lineage: [],
    categories: union(distinct(dataset.data_categories), collection.data_categories),
    qualifiers: union(distinct(dataset.data_qualifiers), collection.data_qualifiers),
  })
  return found
}

/** The declarations of one level, which all lower levels inherit. */
interface Level {
  readonly path: readonly string[]
  readonly lineage: readonly Field[]
  readonly categories: readonly string[]
  readonly qualifiers: readonly string[]
}

function addFields(found: DeclaredField[], fields: readonly Field[], above: Level): void {
  for (const field of fields) {
    const { data_categories: own, data_qualifier: qualifier } = field
    const path = above.path.length === 0 ? [field.name] : [...above.path, field.name]
    const categories = union(above.categories, own)
    const qualifiers = qualifier === undefined ? above.qualifiers : union(above.qualifiers, [qualifier])
    found.push({ field, path, ancestors: above.lineage, own, categories, qualifiers })
    if (field.fields.length === 0) continue
    addFields(found, field.fields, { path, lineage: [...above.lineage, field], categories, qualifiers })
  }
}

const identified = 'aggregated.anonymized.unlinked_pseudonymized.pseudonymized.identified'

/** The qualifier that counts: the deepest one, which is the most identifiable. Without any the data is identified. */
export function effectiveQualifier(qualifiers: readonly string[], parents?: ParentLinks): string {
  const depth = (qualifier: string) => ancestors(qualifier, parents).length
  return (
    qualifiers.reduce<string | undefined>(
      (deepest, qualifier) => (deepest === undefined || depth(qualifier) > depth(deepest) ? qualifier : deepest),
      undefined,
    ) ?? identified
  )
}

/**
 * Adds declarations to the inherited ones, each once. Most levels declare nothing and share the list of the level
 * above.
 */
export function union(held: readonly string[], added: readonly string[]): readonly string[] {
  if (added.length === 0) return held
  return distinct(held.length === 0 ? added : [...held, ...added])
}

function distinct(list: readonly string[]): readonly string[] {
  return list.length < 2 ? list : [...new Set(list)]
}
