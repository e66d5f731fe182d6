import type { Db } from 'mongodb'
import { failure } from './connection-failure.js'
import type { DescribeOptions } from './live-collections.js'

/**
 * A server takes every name for a database, so that one that is misspelt looks like an empty one. Neither answers a request.
 * Throws `database_missing`, naming the databases that the user may see.
 */
export async function checkHoldsCollections(
  db: Db,
  { maxTimeMS, own, signal }: Pick<DescribeOptions, 'maxTimeMS' | 'own' | 'signal'>,
): Promise<void> {
  const limits = { maxTimeMS, ...(signal && { signal }) }
  const options = { nameOnly: true, authorizedCollections: true, ...limits }
  for await (const { name } of db.listCollections({}, options)) {
    if (name !== own && !name.startsWith('system.')) return
  }
  const others = await otherDatabases(db, limits)
  const named = others.map((name) => `"${name}"`).join(', ')
  const known = named ? `; the server has ${named}` : ''
  throw failure(
    'database_missing',
    // its name is hidden in messages, as all that a person set as a secret
    `The database of the connection has no collection that its user may see: correct database${known}.`,
  )
}

/** A few that are not the server's own. A user who may not list all is told those that he may read. */
async function otherDatabases(db: Db, limits: { maxTimeMS: number; signal?: AbortSignal }): Promise<string[]> {
  const command = { listDatabases: 1, nameOnly: true }
  try {
    const { databases } = await db.admin().command(command, limits)
    const names = (databases as readonly { name: string }[]).map(({ name }) => name)
    const others = names.filter((name) => !['admin', 'config', 'local', db.databaseName].includes(name)).sort()
    return others.slice(0, 10)
  } catch {
    limits.signal?.throwIfAborted()
    return []
  }
}
