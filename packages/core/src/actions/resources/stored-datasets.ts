import type { DatasetRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'

const keysPerRead = 20

/** The datasets with these keys that exist, in this order. Few of them are held at once. */
export async function* storedDatasets(storage: Storage, keys: readonly string[]): AsyncIterable<DatasetRow> {
  for (let start = 0; start < keys.length; start += keysPerRead) {
    const where = { id: { in: keys.slice(start, start + keysPerRead) } }
    yield* await storage.table('dataset').find({ where })
  }
}
