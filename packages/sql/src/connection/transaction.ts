import { setTimeout as delay } from 'node:timers/promises'
import type { Statement } from '../dialect.js'
import type { StatementResult } from './driver.js'

/** Sends statements over the session of the transaction, in one packet where possible. */
export type Send = (statements: readonly Statement[]) => Promise<StatementResult[]>

/** Statements, and a check of their results. What the check returns is thrown, and nothing is kept. */
export interface Step {
  readonly statements: readonly Statement[]
  /** Costs a round trip. */
  readonly check?: (results: readonly StatementResult[]) => unknown
  /** True where the check costs no round trip: it waits for the steps behind it, and is left out where COMMIT is in their packet. */
  readonly late?: boolean
  /** Called before it is sent, when the steps before it were checked. When it rejects, it is not sent. Costs a round trip. */
  readonly first?: () => Promise<void>
}

/** Statements that take effect together or not at all. */
export interface Transaction {
  readonly steps: readonly Step[]
  /** Each statement sees everything that is committed when it begins, whatever the default of the database is. */
  readonly readsCommitted?: boolean
  /** Takes everything back, after the rules that are checked at the end were checked. */
  readonly rollBack?: boolean
  /** Each statement takes effect by itself, and nothing is taken back. */
  readonly alone?: boolean
  /** Sent at the beginning, and before COMMIT once more: has the server end what takes too long. */
  readonly limit?: (what: 'statement' | 'commit') => readonly Statement[]
  /** Called when everything is written, before COMMIT is sent. When it rejects, everything is taken back. */
  readonly confirm?: () => Promise<void>
  /** Sent after COMMIT or ROLLBACK, in the same packet. */
  readonly after?: readonly Statement[]
}

/** How a server is told to end each further statement of a session that takes longer. */
export interface TimeLimitWords {
  set(milliseconds: number): Statement
  readonly lift: Statement
}

/** The words of a server for transactions. */
export interface TransactionWords {
  /** Also the limits of the transaction, such as how long it waits for locks. */
  readonly begin: readonly string[]
  readonly beginReadCommitted: readonly string[]
  /** Checks the rules that are otherwise checked when a transaction commits. */
  readonly checkRules: readonly string[]
  /** Statements that are sent together are one packet, and nothing can be looked at before a COMMIT among them. */
  readonly onePacket?: true
}

/** The words of the standard. */
export const standardTransactions: TransactionWords = {
  begin: ['start transaction'],
  beginReadCommitted: ['set transaction isolation level read committed', 'start transaction'],
  checkRules: [],
}

const plain = (sql: string): Statement => ({ sql, parameters: [] })

/** Runs a transaction and resolves with the results of each step. Steps without a check are sent together, at best all. */
export async function runTransaction(
  send: Send,
  { steps, readsCommitted, rollBack, alone, limit, confirm, after = [] }: Transaction,
  words: TransactionWords,
): Promise<(readonly StatementResult[])[]> {
  const commitsAlone = !words.onePacket || rollBack || confirm
  const checkOf = ({ check, late }: Step) => (late && !commitsAlone ? undefined : check)
  const found: (readonly StatementResult[])[] = []
  const begin = readsCommitted ? words.beginReadCommitted : words.begin
  let before = [...(alone ? [] : begin.map(plain)), ...(limit?.('statement') ?? [])]
  let waiting: Step[] = []
  const sendAll = async (last: readonly Statement[]) => {
    const all = await send([...before, ...waiting.flatMap(({ statements }) => statements), ...last])
    const results = split(all.slice(before.length), waiting)
    for (const [at, step] of waiting.entries()) {
      const failure = checkOf(step)?.(results[at]!)
      if (failure) throw failure
    }
    found.push(...results)
    before = []
    waiting = []
  }
  try {
    for (const [at, step] of steps.entries()) {
      if (step.first) {
        if (before.length + waiting.length > 0) await sendAll([])
        await step.first()
      }
      waiting.push(step)
      if (step.check && !step.late && at < steps.length - 1) await sendAll([])
    }
    const unchecked = waiting.some(checkOf)
    if (rollBack) {
      await sendAll(words.checkRules.map(plain))
      await send([plain('rollback'), ...after])
    } else if (unchecked || confirm) {
      await sendAll([])
      await confirm?.()
      await send([...(limit?.('commit') ?? []), plain('commit'), ...after])
    } else await sendAll([plain('commit'), ...after])
    return found
  } catch (error) {
    // where the connection is gone, the transaction is gone as well
    await send([plain('rollback'), ...after]).catch(() => {})
    throw error
  }
}

function split(all: readonly StatementResult[], steps: readonly Step[]): (readonly StatementResult[])[] {
  let from = 0
  return steps.map(({ statements }) => {
    const results = all.slice(from, from + statements.length)
    from += statements.length
    return results
  })
}

const mostAttempts = 8

/**
 * Repeats what the server ended because of other transactions, after a growing pause that is different for each of them.
 * `pauseMs`: half of the first one. Default: 10.
 */
export async function repeatedOnConflict<Result>(
  { isConflict, pauseMs = 10 }: { readonly isConflict: (error: unknown) => boolean; readonly pauseMs?: number },
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === mostAttempts || !isConflict(error)) throw error
      await delay(pauseMs * 2 ** attempt * (0.5 + Math.random()))
    }
  }
}
