/** The data map's description of a package's content, in words for the person. */
export interface DescribedDataset {
  readonly key: string
  readonly name?: string
  readonly description?: string
  readonly collections: readonly DescribedCollection[]
}

export interface DescribedCollection {
  readonly name: string
  readonly description?: string
  readonly fields: readonly DescribedField[]
  /** Why it is held and by which system. */
  readonly uses: readonly DescribedUse[]
}

export interface DescribedField {
  readonly path: readonly string[]
  readonly description?: string
  /** Names of its data categories. */
  readonly categories: readonly string[]
}

export interface DescribedUse {
  readonly system: string
  /** The name of the data use, for example 'Marketing'. */
  readonly use?: string
  /** The name in the system's declaration. */
  readonly name?: string
}

/** A dataset or collection as the pages name it, described or not. */
export interface Place {
  readonly dataset: string
  readonly datasetName: string
  readonly datasetDescription?: string
  readonly collectionName: string
  readonly collection?: DescribedCollection
}

/** Finds descriptions by address. An undescribed collection goes by its own names. */
export function placesOf(datasets: readonly DescribedDataset[]): (address: string) => Place {
  const byKey = new Map(datasets.map((dataset) => [dataset.key, dataset]))
  return (address) => {
    // A dataset's key holds no colon.
    const [key = '', ...rest] = address.split(':')
    const collectionName = rest.join(':')
    const dataset = byKey.get(key)
    const collection = dataset?.collections.find(({ name }) => name === collectionName)
    return {
      dataset: key,
      datasetName: dataset?.name || key,
      collectionName,
      ...(dataset?.description && { datasetDescription: dataset.description }),
      ...(collection && { collection }),
    }
  }
}
