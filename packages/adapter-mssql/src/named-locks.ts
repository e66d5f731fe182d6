import { createHash } from 'node:crypto'
import type { FencingWords } from '@habeas/sql'
import { mainError } from './main-error.js'

/** The server shows the first 32 characters of the name of a lock, so that a name has exactly as many. */
function resourceOf(lock: string): string {
  return createHash('sha256').update(lock).digest('hex').slice(0, 32)
}

export const takeLockQuery = `declare @got int;
  exec @got = sp_getapplock @Resource = @1, @LockMode = 'Exclusive', @LockOwner = 'Transaction', @LockTimeout = @2;
  select case when @got >= 0 then 1 else 0 end`

export const lockHoldersQuery = `select request_session_id from sys.dm_tran_locks
  where resource_type = 'APPLICATION' and resource_database_id = db_id() and request_status = 'GRANT'
    and request_session_id <> @@spid and charindex(concat('[', @1, ']'), resource_description) > 0`

/** Locks by name that end with their transaction. They hold for one database. */
export const namedLocks: FencingWords = {
  take: (lock, waitMs) => [
    { sql: takeLockQuery, parameters: [resourceOf(lock), Math.min(Math.ceil(waitMs), 2_147_483_647)] },
  ],
  async endHolders(lock, run) {
    const holders = await run(lockHoldersQuery, [resourceOf(lock)])
    // the server ends no session from within a transaction, of which the caller ends one
    for (const [id] of holders) await run(`commit; kill ${Number(id)}; begin transaction`, [])
  },
  isGone: (error) => mainError(Object(error)).number === 6106,
}
