import { isPrivacyError } from '@habeas/core'
import type { Statement } from '../dialect.js'
import { failure, lockedFailure } from './connection-failure.js'
import type { StatementResult } from './driver.js'
import type { Step, Transaction } from './transaction.js'

/** How a server locks by name, so that the writes of an overtaken worker take no effect. */
export interface FencingWords {
  /**
   * Takes the lock, and waits for it no longer than `waitMs` milliseconds. After that time the statement fails, or the one
   * row of the last statement is 0.
   */
  take(lock: string, waitMs: number): readonly Statement[]
  /** True where `take` fails by itself. */
  readonly takeFails?: boolean
  /** Releases the lock, where the end of the transaction does not. */
  release?(lock: string): readonly Statement[]
  /** Ends the sessions that hold the lock, as far as the user may. */
  endHolders(lock: string, run: RunStatement): Promise<void>
  /** Returns whether an error of the driver says that a session, which `endHolders` was to end, had just ended by itself. */
  isGone?(error: unknown): boolean
}

/** Runs a statement and resolves with its rows. */
export type RunStatement = (sql: string, parameters: readonly unknown[]) => Promise<StatementResult['rows']>

/**
 * Returns locks of a session, by functions of the server. `take` has a name and a number of seconds as arguments, and gives
 * 1 when it has the lock. `holder` gives the id of the session that holds it.
 */
export function namedLocks(
  functions: Readonly<Record<'take' | 'release' | 'holder', string>> & Pick<FencingWords, 'isGone'>,
): FencingWords {
  const { take, release, holder, isGone } = functions
  return {
    take: (lock, waitMs) => [{ sql: `select ${take}(?, ?)`, parameters: [lock, Math.ceil(waitMs / 1_000)] }],
    release: (lock) => [{ sql: `select ${release}(?)`, parameters: [lock] }],
    async endHolders(lock, run) {
      const [row] = await run(`select ${holder}(?)`, [lock])
      const id = Number(row?.[0] ?? 0)
      if (id > 0) await run(`kill ${id}`, [])
    },
    ...(isGone && { isGone }),
  }
}

/** How long an overtaken worker may take to end by itself. */
const patienceMs = 2_000
const mostAttempts = 5

/** Returns the first step of a fenced transaction. `doing` completes "while …". */
export function takeLock(words: FencingWords, lock: string, waitMs: number, doing: string): Step {
  const statements = words.take(lock, waitMs)
  if (words.takeFails) return { statements }
  return {
    statements,
    check: (results) => (Number(results.at(-1)?.rows[0]?.[0]) === 1 ? undefined : lockedFailure(doing)),
  }
}

/**
 * Takes the lock once and releases it. Sessions that hold it for longer than a moment are ended. `run` runs a transaction,
 * and rejects with `connection_failed`.
 */
export async function endWrites(
  words: FencingWords,
  lock: string,
  run: (transaction: Transaction, doing: string) => Promise<(readonly StatementResult[])[]>,
): Promise<void> {
  const doing = 'waiting for an earlier worker'
  const one: RunStatement = async (sql, parameters) => {
    const [results] = await run({ steps: [{ statements: [{ sql, parameters }] }] }, doing)
    return results?.[0]?.rows ?? []
  }
  /** Why a session may not be ended. It may still end by itself. */
  let refused: unknown
  const transaction = { steps: [takeLock(words, lock, patienceMs, doing)], after: words.release?.(lock) ?? [] }
  for (let attempt = 1; ; attempt++) {
    try {
      await run(transaction, doing)
      return
    } catch (error) {
      if (!isPrivacyError(error, 'connection_failed') || error.details.reason !== 'lock_timeout') throw error
      if (attempt === mostAttempts) {
        const message =
          'An earlier worker of the same request still writes, and its session could not be ended: end it at the server, or retry later.'
        throw failure('lock_timeout', message, refused ?? error, 'transient')
      }
      try {
        await words.endHolders(lock, one)
      } catch (rejection) {
        if (!isPrivacyError(rejection, 'connection_failed')) throw rejection
        if (words.isGone?.(rejection.cause)) continue
        if (rejection.details.reason !== 'permission') throw rejection
        refused = rejection
      }
    }
  }
}
