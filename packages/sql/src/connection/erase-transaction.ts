import { type CountEach, type Erase, type Fence, PrivacyError } from '@habeas/core'
import { compileErase } from '../compile-erase.js'
import type { ReferencingTable } from '../compile-pointers.js'
import type { SqlColumn, SqlTable } from '../dialect.js'
import type { SqlErasingDialect } from '../erasing-dialect.js'
import { countedFirst, unchangedElsewhere, unchangedRows } from './before-writing.js'
import type { StatementResult } from './driver.js'
import { type FencingWords, takeLock } from './fencing.js'
import type { Step, TimeLimitWords, Transaction } from './transaction.js'

/** What the transaction of a batch is made with. */
interface ErasingWith<Column extends SqlColumn, Bound> {
  readonly dialect: SqlErasingDialect<Column, Bound>
  readonly fencing: FencingWords | undefined
  readonly lockTimeoutMs: number
  readonly timeLimit: TimeLimitWords | undefined
  readonly statementTimeoutMs: number
  readonly doing: string
  readonly rollBack: boolean
  readonly fence: Fence | undefined
  tableOf(asked: Pick<Erase, 'collection' | 'anyOf'>): Promise<SqlTable<Column>>
  referencing(count: CountEach): Promise<ReferencingTable<Column>>
}

interface EraseTransaction extends Transaction {
  /** How many rows the batch has touched, by the results of the steps. */
  readonly touchedBy: (results: readonly (readonly StatementResult[])[]) => number
}

/**
 * Returns the transaction that writes a batch, or undefined where there is nothing to write. A table that has no transactions is
 * written last, when everything was counted and the fence was confirmed, and what was counted is counted again.
 */
export async function eraseTransaction<Column extends SqlColumn, Bound>(
  erase: Erase,
  table: SqlTable<Column>,
  writing: ErasingWith<Column, Bound>,
): Promise<EraseTransaction | undefined> {
  const { dialect, fencing, lockTimeoutMs, doing, rollBack, fence, tableOf, referencing } = writing
  const { timeLimit, statementTimeoutMs } = writing
  const alone = table.alone === true
  if (alone && rollBack) throw noTransactionsFailure(erase.collection)
  // rows of a table that cannot be locked may change after they were counted
  let unlocked = alone || !dialect.erasing.lock
  const seen = <Table extends SqlTable<Column>>(other: Table): Table => {
    unlocked ||= other.alone === true
    return other
  }
  const asked = async (rows: Pick<Erase, 'collection' | 'anyOf'>) => seen(await tableOf(rows))
  const pointing = async (count: CountEach) => {
    const found = await referencing(count)
    seen(found.table)
    return found
  }
  const { holders, statements, failureOf } = compileErase(erase, table, dialect)
  const held = await unchangedRows(erase, asked, dialect)
  const first = await countedFirst(erase, table, pointing, dialect)
  if (!holders && statements.length === 0 && !first) return undefined
  const touchedBy = (results: readonly { readonly affected: number }[]) =>
    results.reduce((sum, { affected }) => sum + affected, 0)
  const together: Step = holders
    ? {
        statements: [holders, ...statements],
        check: ([counted, ...others]) => failureOf(Number(counted!.rows[0]![0]), touchedBy(others)),
      }
    : { statements, check: (written) => failureOf(undefined, touchedBy(written)), late: true }
  const counted: Step[] = holders
    ? [{ statements: [holders], check: ([counted]) => failureOf(Number(counted!.rows[0]![0]), 0) }]
    : []
  const written: Step = { statements, first: async () => fence?.confirm() }
  const again = unlocked ? [await unchangedElsewhere(erase, asked, dialect), first] : []
  const after =
    erase.referencedBy === undefined ? undefined : dialect.erasing.sameReferences?.(erase.referencedBy, table)
  const references = after ? [{ statements: [after] }] : []
  const locked = fence && fencing && takeLock(fencing, fence.lock, lockTimeoutMs, doing)
  // `held` comes first: a transaction locks a row that refers to another one before it locks that one
  const steps = [
    ...(locked ? [locked] : []),
    ...(held ? [held] : []),
    ...(first ? [first] : []),
    ...(alone ? [...references, ...counted, written] : [together]),
    ...again.filter((step) => step !== undefined),
    ...(alone ? [] : references),
  ]
  // when another worker may come, a COMMIT has taken effect or no longer does
  const left = () => Math.min(statementTimeoutMs, fence?.leftMs?.() ?? statementTimeoutMs)
  const limit = timeLimit && {
    limit: (what: 'statement' | 'commit') => [timeLimit.set(what === 'commit' ? left() : statementTimeoutMs)],
  }
  return {
    steps,
    touchedBy: (results) =>
      alone
        ? touchedBy(results[steps.indexOf(written)] ?? [])
        : touchedBy((results[steps.indexOf(together)] ?? []).slice(holders ? 1 : 0)),
    rollBack,
    ...(alone && { alone }),
    readsCommitted: first !== undefined || after !== undefined,
    ...(fence && !alone && { confirm: () => fence.confirm() }),
    ...limit,
    after: [...((locked && fencing?.release?.(fence.lock)) ?? []), ...(timeLimit ? [timeLimit.lift] : [])],
  }
}

function noTransactionsFailure(collection: string): PrivacyError {
  const message = `The table "${collection}" has no transactions, so that what is tried would stay: nothing was tried.`
  return new PrivacyError('unsupported', message, { feature: 'transactions' })
}
