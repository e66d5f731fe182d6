/** How collections are named in plans, logs and results. */
export function formatAddress(dataset: string, collection: string): string {
  return `${dataset}:${collection}`
}

/** The names in an address; a dataset's key holds no colon. */
export function placeOf(address: string): { dataset: string; collection: string } {
  const end = address.indexOf(':')
  return { dataset: address.slice(0, end), collection: address.slice(end + 1) }
}

/**
 * The address that `dataset:collection` or `dataset.collection` means. Keys may hold dots, so the longest known dataset
 * key wins. Undefined: none of `datasets` is meant. Whether the collection exists is not looked at.
 */
export function resolveAddress(text: string, datasets: { has(key: string): boolean }): string | undefined {
  const dataset = longestPrefix(text, datasets, [':', '.'])
  return dataset === undefined ? undefined : formatAddress(dataset, text.slice(dataset.length + 1))
}

/**
 * What the `field` of a reference means in a dataset with these collections: the longest known name wins, the rest is
 * the path. Undefined: there is no such collection.
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
