import { formatAddress } from '../../model/address.js'
import type { Dataset, Field } from '../../model/dataset.js'
import type { ParentLinks } from '../../model/is-covered.js'
import { appendTo } from '../value/append-to.js'
import { effectiveQualifier, union } from './declared-fields.js'

/** A dataset, or a collection or field that says itself what it holds, with what it inherits. */
export interface DeclaredPlace {
  readonly collection?: string
  /** Its dotted name. */
  readonly field?: string
  /** Its position in the document: members and positions. */
  readonly path: readonly (string | number)[]
  readonly categories: readonly string[]
  readonly qualifiers: readonly string[]
}

/**
 * The places from which the data of a dataset has its categories and qualifiers. Each stands for the fields that add
 * nothing of their own, so a dataset that says it once is one place. A place of which every field adds something is left
 * out, as what it says is part of theirs. Fields of which nothing is said are a place as well, the dataset: data without
 * a qualifier is identified.
 */
export function declaredPlaces(dataset: Dataset): DeclaredPlace[] {
  const found = new Set<DeclaredPlace>()
  const { data_categories: categories, data_qualifiers: qualifiers } = dataset
  const whole = { path: [], categories: union([], categories), qualifiers: union([], qualifiers) }
  if (dataset.collections.length === 0) found.add(whole)
  for (const [index, collection] of dataset.collections.entries()) {
    const { name, data_categories: own, data_qualifiers: ownQualifiers, fields } = collection
    const path = ['collections', index]
    const says = own.length > 0 || ownQualifiers.length > 0
    const level = says ? { collection: name, path, ...inherited(whole, own, ownQualifiers) } : whole
    if (fields.length === 0) found.add(level)
    addPlaces(found, fields, { collection: name, prefix: '', path }, level)
  }
  return [...found]
}

interface Around {
  readonly collection: string
  /** What comes before the names of the fields: `address.`. */
  readonly prefix: string
  readonly path: readonly (string | number)[]
}

function addPlaces(
  found: Set<DeclaredPlace>,
  fields: readonly Field[],
  { collection, prefix, path: around }: Around,
  above: DeclaredPlace,
): void {
  for (const [index, { name, data_categories: own, data_qualifier: qualifier, fields: members }] of fields.entries()) {
    const says = own.length > 0 || qualifier !== undefined
    const field = `${prefix}${name}`
    const path = says || members.length > 0 ? [...around, 'fields', index] : around
    const ownQualifiers = qualifier === undefined ? [] : [qualifier]
    const level = says ? { collection, field, path, ...inherited(above, own, ownQualifiers) } : above
    if (members.length === 0) found.add(level)
    else addPlaces(found, members, { collection, prefix: `${field}.`, path }, level)
  }
}

/** What a place holds inside another one. */
function inherited(above: DeclaredPlace, categories: readonly string[], qualifiers: readonly string[]) {
  return { categories: union(above.categories, categories), qualifiers: union(above.qualifiers, qualifiers) }
}

/** Places of one dataset that hold the same, so that a rule is compared with them once. */
export interface PlaceGroup {
  readonly categories: readonly string[]
  readonly qualifiers: readonly string[]
  /** The one that counts. */
  readonly qualifier: string
  /** Equal for equal categories, in whatever dataset. */
  readonly signature: string
  readonly places: readonly DeclaredPlace[]
}

export function groupPlaces(places: readonly DeclaredPlace[], qualifierParents: ParentLinks): PlaceGroup[] {
  const groups = new Map<string, DeclaredPlace[]>()
  for (const place of places) {
    appendTo(groups, `${place.categories.join('\0')}\0\0${place.qualifiers.join('\0')}`, place)
  }
  return [...groups.values()].map((grouped) => {
    const { categories, qualifiers } = grouped[0] as DeclaredPlace
    const qualifier = effectiveQualifier(qualifiers, qualifierParents)
    return { categories, qualifiers, qualifier, signature: categories.join('\0'), places: grouped }
  })
}

/** The place in words: `field 'shop:orders.card'`. */
export function placeText(dataset: string, { collection, field }: Pick<DeclaredPlace, 'collection' | 'field'>): string {
  if (collection === undefined) return `dataset '${dataset}'`
  const address = formatAddress(dataset, collection)
  return field === undefined ? `collection '${address}'` : `field '${address}.${field}'`
}
