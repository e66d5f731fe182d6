import type {
  DataCategory,
  DataSubject,
  Dataset,
  DataUse,
  Organization,
  PrivacyDeclaration,
  System,
} from '@habeas/core'
import { walkFields } from '@habeas/core'
import { byText, sorted } from '../picture/facts.js'
import { type Taxonomy, taxonomy } from './taxonomy.js'

/** What a map is drawn of: documents, as `list` and `get` of the service answer them. */
export interface MappedInput {
  readonly systems: readonly System[]
  readonly datasets: readonly Dataset[]
  readonly organizations?: readonly Organization[]
  readonly dataCategories?: readonly DataCategory[]
  readonly dataUses?: readonly DataUse[]
  readonly dataSubjects?: readonly DataSubject[]
}

/** The documents in the order of their keys, and what is asked about them again and again. */
export interface MapDocuments {
  readonly systems: readonly System[]
  readonly datasets: readonly Dataset[]
  readonly organizations: ReadonlyMap<string, Organization>
  readonly uses: ReadonlyMap<string, DataUse>
  readonly taxonomies: Readonly<Record<'categories' | 'uses' | 'subjects', Taxonomy>>
  /** The categories that a dataset declares anywhere, by its key. */
  readonly held: ReadonlyMap<string, readonly string[]>
}

export function mapDocuments(input: MappedInput): MapDocuments {
  const { organizations = [], dataCategories, dataUses = [], dataSubjects } = input
  const datasets = byKey(input.datasets)
  return {
    systems: byKey(input.systems),
    datasets,
    organizations: new Map(organizations.map((each) => [each.service_key, each])),
    uses: new Map(dataUses.map((each) => [each.service_key, each])),
    taxonomies: {
      categories: taxonomy(dataCategories),
      uses: taxonomy(dataUses),
      subjects: taxonomy(dataSubjects),
    },
    held: new Map(datasets.map((dataset) => [dataset.service_key, heldIn(dataset)])),
  }
}

/** The categories of a declaration: those it names, and those of its datasets. */
export function declaredCategories(declaration: PrivacyDeclaration, { held }: MapDocuments): string[] {
  return sorted([
    ...declaration.data_categories,
    ...declaration.dataset_references.flatMap((key) => held.get(key) ?? []),
  ])
}

function heldIn(dataset: Dataset): string[] {
  const inCollections = dataset.collections.flatMap((collection) => [
    ...collection.data_categories,
    ...[...walkFields(collection)].flatMap(({ field }) => field.data_categories),
  ])
  return sorted([...dataset.data_categories, ...inCollections])
}

/** In the order of their keys, so that the order in which they are given changes nothing. */
function byKey<Document extends { readonly service_key: string }>(documents: readonly Document[]): Document[] {
  return [...documents].sort((a, b) => byText(a.service_key, b.service_key))
}
