import type { PrivacyError } from '../../errors.js'
import type { Connection } from '../../model/connection.js'
import { keySchema } from '../../model/key.js'
import type { ConnectionRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { keyNotFound } from '../key-not-found.js'
import { untilWritten } from '../until-written.js'

/** A connection without the members that only the storage needs. */
export function shownConnection({ id: _, version: __, searchText: ___, ...connection }: ConnectionRow): Connection {
  return connection
}

/** `known`: the keys that there are, to name the one that was probably meant. */
export function connectionNotFound(key: string, known: Iterable<string> = []): PrivacyError<'not_found'> {
  return keyNotFound('connection', key, known)
}

export async function findConnection(storage: Storage, key: string): Promise<ConnectionRow | undefined> {
  return keySchema.safeParse(key).success ? storage.table('connection').get(key) : undefined
}

export async function needConnection(storage: Storage, key: string): Promise<ConnectionRow> {
  const row = await findConnection(storage, key)
  if (row) return row
  throw connectionNotFound(key, await connectionKeys(storage))
}

export async function connectionKeys(storage: Storage): Promise<readonly string[]> {
  return (await storage.table('connection').find()).map(({ id }) => id)
}

/** Writes a change of an existing connection; does nothing where there is none. */
export async function changeConnection(
  storage: Storage,
  key: string,
  change: (row: ConnectionRow) => ConnectionRow,
): Promise<void> {
  await untilWritten('connection', key, async () => {
    const row = await findConnection(storage, key)
    if (!row) return true
    return (await storage.table('connection').replace({ ...change(row), version: row.version + 1 })) || undefined
  })
}

/**
 * Runs inside a transaction: makes sure that the connection exists until the transaction ends, so that nothing is
 * stored for a connection that is being deleted. Gives undefined when another write changed it at the same time.
 */
export async function holdConnection(storage: Storage, key: string): Promise<ConnectionRow | undefined> {
  const row = await needConnection(storage, key)
  const held = { ...row, version: row.version + 1 }
  return (await storage.table('connection').replace(held)) ? held : undefined
}
