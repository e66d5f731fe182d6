import type { Dataset } from '@habeas/core'
import type { LoadedConfig } from '../config/load-config.js'
import { leanCollections, leanDataset } from './lean-dataset.js'
import { type FileChange, manifestChange } from './manifest-change.js'

/** The change of the file that describes a dataset, from what it said to what it shall say. Undefined where nothing changes. */
export function datasetChange(
  config: LoadedConfig,
  after: Dataset,
  { before, connectionKey }: { readonly before?: Dataset | undefined; readonly connectionKey?: string | undefined },
): FileChange | undefined {
  const { service_key: key } = after
  return manifestChange(config, {
    ...{ kind: 'dataset', key, place: key },
    before: before && { collections: leanCollections(before) },
    after: { collections: leanCollections(after) },
    fresh() {
      const { service_key, ...rest } = leanDataset(after)
      return { service_key, ...(connectionKey !== undefined && { connection_key: connectionKey }), ...rest }
    },
  })
}
