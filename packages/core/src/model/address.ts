/** How collections are named in plans, logs and results. */
export function formatAddress(dataset: string, collection: string): string {
  return `${dataset}:${collection}`
}

/** Splits an address into its names. A dataset's key holds no colon. */
export function placeOf(address: string): { dataset: string; collection: string } {
  const end = address.indexOf(':')
  return { dataset: address.slice(0, end), collection: address.slice(end + 1) }
}

/**
 * Reads `dataset:collection` or `dataset.collection` as an address. Keys may hold dots, so the longest known dataset
 * key wins. Undefined where no dataset of `datasets` fits. It does not check whether the collection exists.
 */
export function resolveAddress(text: string, datasets: { has(key: string): boolean }): string | undefined {
  const dataset = longestPrefix(text, datasets, [':', '.'])
  return dataset === undefined ? undefined : formatAddress(dataset, text.slice(dataset.length + 1))
}

/**
 * Reads the `field` of a reference in a dataset with these collections. The longest known name is the collection, the
 * rest is the path. Undefined where no collection fits.
 */
export function resolveReference(
  field: string,
  collections: { has(name: string): boolean },
): { collection: string; path: string[] } | undefined {
  const collection = longestPrefix(field, collections, ['.'])
  return collection === undefined ? undefined : { collection, path: field.slice(collection.length + 1).split('.') }
}

function longestPrefix(
  text: string,
  names: { has(name: string): boolean },
  separators: readonly string[],
): string | undefined {
  for (let end = text.length - 2; end > 0; end--) {
    if (separators.includes(text.charAt(end)) && names.has(text.slice(0, end))) return text.slice(0, end)
  }
  return undefined
}
