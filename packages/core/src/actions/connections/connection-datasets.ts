import { PrivacyError } from '../../errors.js'
import { namedKey } from '../../model/key.js'
import type { ActionContext } from '../action-context.js'
import type { ListOptions, Page } from '../paging.js'
import type { DatasetStore, StoredDataset, WrittenDataset } from '../resources/dataset-actions.js'
import { needConnection } from './connection-rows.js'
import { linkTo } from './link-to.js'

/** Links datasets to connections: a dataset to one, a connection to any number. */
export function connectionDatasets({ storage }: ActionContext, datasets: DatasetStore) {
  return {
    /**
     * Stores a dataset as `patch` does and links it to the connection. Throws `not_found`, and `conflict` when the
     * dataset is linked to another connection.
     */
    async attach(key: string, input: unknown): Promise<WrittenDataset> {
      await needConnection(storage, key)
      return datasets.write('patch', input, linkTo(storage, key))
    },

    /** Removes the link and keeps the dataset; throws `not_found` when it is not linked to this connection. */
    async detach(key: string, datasetKey: string): Promise<void> {
      await needConnection(storage, key)
      await need(key, datasetKey)
      await datasets.write(
        'patch',
        { service_key: datasetKey },
        {
          adjust: (row) => {
            if (row.connectionKey !== key) throw notLinked(key, datasetKey)
            return { ...row, connectionKey: null }
          },
        },
      )
    },

    async list(key: string, options?: ListOptions): Promise<Page<StoredDataset>> {
      await needConnection(storage, key)
      return datasets.listLinked(key, options)
    },

    async get(key: string, datasetKey: string): Promise<StoredDataset> {
      await needConnection(storage, key)
      return datasets.show(await need(key, datasetKey))
    },
  }

  async function need(key: string, datasetKey: string) {
    const row = await datasets.find(datasetKey)
    if (row?.connectionKey !== key) throw notLinked(key, datasetKey)
    return row
  }
}

function notLinked(key: string, datasetKey: string): PrivacyError<'not_found'> {
  const message = `No dataset with ${namedKey(datasetKey)} is linked to the connection '${key}'.`
  return new PrivacyError('not_found', message, { kind: 'dataset', id: datasetKey })
}
