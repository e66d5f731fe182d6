import type { FencingWords, TransactionWords } from '@habeas/sql'

/** How long a transaction waits for others, and how long it may be idle before the server ends it. */
export interface TransactionLimits {
  readonly lockTimeoutSeconds: number
  readonly abandonedTransactionSeconds: number
}

export function transactionWords({
  lockTimeoutSeconds,
  abandonedTransactionSeconds,
}: TransactionLimits): TransactionWords {
  const limits = [
    `set local lock_timeout = ${milliseconds(lockTimeoutSeconds)}`,
    `set local idle_in_transaction_session_timeout = ${milliseconds(abandonedTransactionSeconds)}`,
  ]
  return {
    begin: ['begin', ...limits],
    beginReadCommitted: ['begin isolation level read committed', ...limits],
    checkRules: ['set constraints all immediate'],
    onePacket: true,
  }
}

function milliseconds(seconds: number): number {
  return Math.min(Math.ceil(seconds * 1_000), 2_147_483_647)
}

/** Ends the sessions that hold the advisory lock of a name. `pg_locks` has the two halves of its number in two columns. */
const endHolders = `
  select pg_terminate_backend(held.pid) from pg_catalog.pg_locks as held, hashtextextended($1, 0) as number
   where held.locktype = 'advisory' and held.granted and held.objsubid = 1 and held.pid <> pg_backend_pid()
     and held.database = (select oid from pg_catalog.pg_database where datname = current_database())
     and held.classid::bigint = (number >> 32) & 4294967295 and held.objid::bigint = number & 4294967295`

/** Advisory locks that end with their transaction, so that they also work behind a pooler in transaction mode. */
export const advisoryLocks: FencingWords = {
  take: (lock, waitMs) => [
    { sql: "select set_config('lock_timeout', $1, true)", parameters: [String(milliseconds(waitMs / 1_000))] },
    { sql: 'select pg_advisory_xact_lock(hashtextextended($1, 0))', parameters: [lock] },
  ],
  takeFails: true,
  async endHolders(lock, run) {
    await run(endHolders, [lock])
  },
}
