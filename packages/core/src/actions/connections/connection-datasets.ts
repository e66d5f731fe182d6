import { PrivacyError } from '../../errors.js'
import { namedKey } from '../../model/key.js'
import type { ActionContext } from '../action-context.js'
import type { ListOptions, Page } from '../paging.js'
import type { DatasetStore, StoredDataset, WrittenDataset } from '../resources/dataset-actions.js'
import { overtaken } from '../until-written.js'
import { holdConnection, needConnection } from './connection-rows.js'

/** Links datasets to connections: a dataset to one, a connection to any number. */
export function connectionDatasets({ storage }: ActionContext, datasets: DatasetStore) {
  return {
    /**
     * Stores a dataset as `patch` does and links it to the connection. Throws `not_found`, and `conflict` when the
     * dataset is linked to another connection.
     */
    async attach(key: string, input: unknown): Promise<WrittenDataset> {
      await needConnection(storage, key)
      return datasets.write('patch', input, {
        adjust: (row) => {
          if (row.connectionKey !== null && row.connectionKey !== key) {
            const message = `The dataset '${row.id}' is linked to the connection '${row.connectionKey}': detach it there first.`
            throw new PrivacyError('conflict', message, { kind: 'dataset', id: row.id, referrers: [row.connectionKey] })
          }
          return { ...row, connectionKey: key }
        },
        around: (write) =>
          storage.transaction(async (within) => {
            // A write that was overtaken must leave nothing behind, so both are undone.
            if (!(await holdConnection(within, key)) || !(await write(within))) throw overtaken('connection', key)
            return true
          }),
      })
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
