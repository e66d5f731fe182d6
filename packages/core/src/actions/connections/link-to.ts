import { PrivacyError } from '../../errors.js'
import type { DatasetRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import type { WriteOptions } from '../resources/resources.js'
import { overtaken } from '../until-written.js'
import { holdConnection } from './connection-rows.js'

/**
 * Has a write of a dataset link it to a connection. The write then throws `not_found`, and `conflict` when the dataset is
 * linked to another connection.
 */
export function linkTo(storage: Storage, key: string): WriteOptions<DatasetRow> {
  return {
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
  }
}
