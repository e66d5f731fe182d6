import { formatAddress } from '../model/address.js'
import { type Collection, type Dataset, walkFields } from '../model/dataset.js'
import { isCovered, type ParentLinks } from '../model/is-covered.js'
import type { System } from '../model/system.js'
import type { DescribedDataset, DescribedUse } from './html/described-dataset.js'

/** Declarations about the data that a package may hold. */
export interface DataMap {
  readonly datasets: readonly Dataset[]
  readonly systems: readonly System[]
  /** Names of taxonomy items by key, for people. */
  readonly names: {
    readonly dataCategories: ReadonlyMap<string, string>
    readonly dataUses: ReadonlyMap<string, string>
  }
  readonly categoryLinks: ParentLinks
}

/**
 * The data map in the words of a package, for the collections it holds: the meaning of a field, why it is held, and by
 * which system.
 */
export function describedDatasets(
  { datasets, systems, names, categoryLinks }: DataMap,
  addresses: ReadonlySet<string>,
): DescribedDataset[] {
  return datasets.flatMap((dataset): DescribedDataset[] => {
    const { service_key: key, name, description } = dataset
    const held = dataset.collections.filter((collection) => addresses.has(formatAddress(key, collection.name)))
    if (held.length === 0) return []
    const collections = held.map((collection) => ({
      name: collection.name,
      ...(collection.description !== undefined && { description: collection.description }),
      fields: [...walkFields(collection)].map(({ field, path, ancestors }) => ({
        path,
        ...(field.description !== undefined && { description: field.description }),
        categories: [...ancestors, field]
          .flatMap((each) => each.data_categories)
          .map((category) => names.dataCategories.get(category) ?? category),
      })),
      uses: usesOf(dataset, collection),
    }))
    return [{ key, name, ...(description !== undefined && { description }), collections }]
  })

  /** Declarations that name the dataset, except those about other categories than the collection's. */
  function usesOf(dataset: Dataset, collection: Collection): DescribedUse[] {
    const categories = [
      ...dataset.data_categories,
      ...collection.data_categories,
      ...[...walkFields(collection)].flatMap(({ field }) => field.data_categories),
    ]
    const concerns = (declared: readonly string[]) =>
      declared.length === 0 ||
      categories.some((category) => declared.some((each) => isCovered(category, each, categoryLinks)))
    return systems.flatMap((system) =>
      system.privacy_declarations
        .filter(({ dataset_references: keys, data_categories: declared }) => {
          return keys.includes(dataset.service_key) && concerns(declared)
        })
        .map(({ data_use: use, name }) => ({
          system: system.name,
          ...(use !== undefined && { use: names.dataUses.get(use) ?? use }),
          ...(name !== undefined && { name }),
        })),
    )
  }
}
