import { setTimeout as delay } from 'node:timers/promises'
import type { Statement } from '@habeas/sql'
import type { StatementResult } from './statement-batch.js'

/** Sends statements in one packet over the client of the transaction. */
export type Send = (statements: readonly Statement[]) => Promise<StatementResult[]>

/** Statements whose results are looked at: what `check` gives is thrown, and nothing is kept. Costs a round trip. */
export interface Checked {
  readonly statements: readonly Statement[]
  readonly check: (results: readonly StatementResult[]) => unknown
}

/** Statements that take effect together or not at all. */
export interface Transaction {
  /** Asked before any of the statements is sent; each of these sees what is committed by the time it begins. */
  readonly first?: Checked
  readonly statements: readonly Statement[]
  /** Looks at the results before they are kept: what it gives is thrown and nothing is kept. Costs a round trip. */
  readonly check?: Checked['check']
  /** Each statement sees what is committed by the time it begins, whatever the database has for its default. */
  readonly readsCommitted?: boolean
  /** Takes everything back, after rules that are checked at the end have been. */
  readonly rollBack?: boolean
}

const readCommitted = 'isolation level read committed'

const plain = (sql: string): Statement => ({ sql, parameters: [] })

/** Resolves with the results of its statements. Without a check one packet does: the server takes it for one transaction. */
export async function runTransaction(send: Send, transaction: Transaction): Promise<readonly StatementResult[]> {
  const { first, statements, check, readsCommitted, rollBack } = transaction
  if (!first && !check && !readsCommitted && !rollBack) return send(statements)
  const begin = plain(readsCommitted ? `begin ${readCommitted}` : 'begin')
  const last = rollBack ? [plain('set constraints all immediate')] : check ? [] : [plain('commit')]
  try {
    if (first) {
      const [, ...asked] = await send([plain(`begin ${readCommitted}`), ...first.statements])
      const failure = first.check(asked)
      if (failure) throw failure
    }
    const all = await send([...(first ? [] : [begin]), ...statements, ...last])
    const results = all.slice(first ? 0 : 1).slice(0, statements.length)
    const failure = check?.(results)
    if (failure) throw failure
    if (rollBack || check) await send([plain(rollBack ? 'rollback' : 'commit')])
    return results
  } catch (error) {
    // where the connection is gone, so is the transaction
    await send([plain('rollback')]).catch(() => {})
    throw error
  }
}

const mostAttempts = 8

/** A deadlock, or a conflict between transactions of which the server ended this one. */
const conflicts = new Set(['40P01', '40001'])

/** Repeats what the server ended because of others, after a pause that grows and is not the same for two. */
export async function repeatedOnConflict<Result>(
  work: () => Promise<Result>,
  codeOf: (error: unknown) => unknown,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === mostAttempts || !conflicts.has(String(codeOf(error)))) throw error
      await delay(10 * 2 ** attempt * (0.5 + Math.random()))
    }
  }
}
