import { type RowKind, type Storage, searchable } from '../../src/index.js'

/** Everything that is stored, as text: what must not be found in it was not stored in the clear. */
export async function storedText(storage: Storage): Promise<string> {
  const kinds = Object.keys(searchable) as RowKind[]
  return JSON.stringify(await Promise.all(kinds.map((kind) => storage.table(kind).find())))
}
