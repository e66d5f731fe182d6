import { setTimeout as delay } from 'node:timers/promises'
import { pushedRows, type Statement, type StreamingDriver } from '@habeas/sql'
import type { Connection, Request } from 'tedious'
import type { Driver } from './load-driver.js'

/** The longest text whose type is not `max`. */
const mostCharacters = 4_000

/** Returns one of two lengths, so that the server keeps one plan for texts of many. */
function lengthFor(text: unknown): number {
  return typeof text === 'string' && text.length > mostCharacters ? mostCharacters + 1 : mostCharacters
}

/** How statements run on a line, one at a time. */
export interface Running extends Pick<StreamingDriver, 'rows' | 'run'> {
  /** Resolves when nothing runs any more: a statement is ended by an attention, for which the server has some time. */
  ended(patienceMs: number): Promise<void>
}

export function runningOn({ Request, TYPES }: Driver, line: Connection): Running {
  /** What runs just now, and resolves when the server has ended it. */
  let current: { readonly request: Request; readonly done: Promise<unknown> } | undefined

  /** Starts a statement. A batch without parameters may begin and end transactions, and one with parameters may not. */
  function start({ sql, parameters }: Statement, onRow: (row: readonly unknown[]) => void) {
    let settle: (error: Error | null | undefined) => void = () => {}
    const done = new Promise<void>((resolve, reject) => {
      settle = (error) => (error ? reject(error) : resolve())
    })
    done.catch(() => {})
    const request = new Request(sql, (error) => {
      if (current?.request === request) current = undefined
      settle(error)
    })
    request.on('row', (columns: readonly { readonly value: unknown }[]) => onRow(columns.map(({ value }) => value)))
    for (const [at, value] of parameters.entries()) {
      if (typeof value === 'number') request.addParameter(String(at + 1), TYPES.Int, value)
      else request.addParameter(String(at + 1), TYPES.NVarChar, value, { length: lengthFor(value) })
    }
    current = { request, done }
    if (parameters.length === 0) line.execSqlBatch(request)
    else line.execSql(request)
    return { request, done }
  }

  return {
    rows: (statement) =>
      pushedRows(({ row, end }) => {
        const { request, done } = start(statement, row)
        done.then(() => end(), end)
        return request
      }),
    async run(statement) {
      const rows: (readonly unknown[])[] = []
      await start(sent(statement), (row) => rows.push(row)).done
      if (!isWrite(statement)) return rows
      // what triggers have selected comes before
      return Number(rows.at(-1)?.[0])
    },
    async ended(patienceMs) {
      if (!current) return
      const { request, done } = current
      request.resume()
      line.cancel()
      await Promise.race([done.catch(() => {}), delay(patienceMs, undefined, { ref: false })])
    },
  }
}

function isWrite({ sql }: Statement): boolean {
  return /^(?:update|delete) /.test(sql)
}

/** An error may have ended the transaction already. The level of isolation stays with the session and not with the transaction. */
const afterTransaction = '; set transaction isolation level read committed'

function sent(statement: Statement): Statement {
  const { sql, parameters } = statement
  if (sql === 'commit') return { sql: `commit${afterTransaction}`, parameters }
  if (sql === 'rollback') return { sql: `if @@trancount > 0 rollback${afterTransaction}`, parameters }
  // the driver adds up what triggers have touched as well
  return isWrite(statement) ? { sql: `${sql}; select @@rowcount`, parameters } : statement
}
