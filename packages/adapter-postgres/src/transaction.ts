import { setTimeout as delay } from 'node:timers/promises'
import type { Statement } from '@habeas/sql'
import type { StatementResult } from './statement-batch.js'

/** Sends statements in one packet over the client of the transaction. */
export type Send = (statements: readonly Statement[]) => Promise<StatementResult[]>

/** Statements that take effect together or not at all. */
export interface Transaction {
  readonly statements: readonly Statement[]
  /** Looks at the results before they are kept: what it gives is thrown and nothing is kept. Costs a round trip. */
  readonly check?: (results: readonly StatementResult[]) => unknown
  /** Takes everything back, after rules that are checked at the end have been. */
  readonly rollBack?: boolean
}

const plain = (sql: string): Statement => ({ sql, parameters: [] })

/** Resolves with the results of its statements. Without a check one packet does: the server takes it for one transaction. */
export async function runTransaction(
  send: Send,
  { statements, check, rollBack }: Transaction,
): Promise<readonly StatementResult[]> {
  if (!check && !rollBack) return send(statements)
  let results: readonly StatementResult[]
  let failure: unknown
  try {
    const [, ...all] = await send([
      plain('begin'),
      ...statements,
      ...(rollBack ? [plain('set constraints all immediate')] : []),
    ])
    results = all.slice(0, statements.length)
    failure = check?.(results)
  } catch (error) {
    // where the connection is gone, so is the transaction
    await send([plain('rollback')]).catch(() => {})
    throw error
  }
  await send([plain(failure || rollBack ? 'rollback' : 'commit')])
  if (failure) throw failure
  return results
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
