import type pg from 'pg'
import { takeLockQuery } from '../../src/named-locks.js'
import { catalogueAnswers } from './double-catalogue.js'
import { serverError } from './server-errors.js'
import type { TdsLine } from './tds-line.js'
import type { Asked } from './tds-requests.js'
import { columnsToken, doneToken, errorToken, rowToken, transactionToken, type WireColumn } from './tds-tokens.js'
import { translated } from './tsql-parser.js'

const rowsAtOnce = 200
/** What the driver sends when it has logged in. */
const settingsOfDriver = /^set [a-z_]+ [a-z0-9_ -]+(?:\nset [a-z_]+ [a-z0-9_ -]+){5,}$/i
const readCommitted = 'set transaction isolation level read committed'

/** One session: what it is asked, it asks PostgreSQL, statement by statement. */
export class DoubleSession {
  readonly #line: TdsLine
  readonly #client: pg.Client
  #inTransaction = false
  /** Set by an attention: the statement that runs ends without an answer of its own. */
  #stopped = false

  constructor(line: TdsLine, client: pg.Client) {
    this.#line = line
    this.#client = client
  }

  stop(): void {
    this.#stopped = true
  }

  async answer(asked: Asked): Promise<void> {
    this.#stopped = false
    try {
      await this.#run(asked)
    } catch (error) {
      await this.#fail(error, asked.sql)
    }
  }

  /** XACT_ABORT is on: an error takes the transaction back. */
  async #fail(error: unknown, sql: string): Promise<void> {
    const wasIn = this.#inTransaction
    this.#inTransaction = false
    if (wasIn) await this.#client.query('rollback')
    const ended = wasIn ? [transactionToken(10)] : []
    const severity = this.#stopped ? [] : [errorToken(serverError(error, sql))]
    await this.#line.send(Buffer.concat([...severity, ...ended, doneToken(2)]), true)
  }

  async #run({ sql, parameters }: Asked): Promise<void> {
    const settings = /^set xact_abort on; set nocount on; set lock_timeout (\d+)$/.exec(sql)
    if (settings) {
      await this.#client.query(`set lock_timeout = ${settings[1]}`)
      return this.#done()
    }
    if (settingsOfDriver.test(sql)) return this.#done()
    if (sql === 'set transaction isolation level serializable' || sql === readCommitted) {
      return this.#done()
    }
    if (sql === 'begin transaction') return this.#begin()
    if (sql === `commit; ${readCommitted}`) return this.#end('commit')
    if (sql === `if @@trancount > 0 rollback; ${readCommitted}`) return this.#end('rollback')
    const kill = /^commit; kill (\d+); begin transaction$/.exec(sql)
    if (kill) {
      await this.#client.query('commit')
      await this.#client.query('select pg_terminate_backend($1)', [Number(kill[1])])
      await this.#client.query('begin')
      return this.#done()
    }
    if (sql === takeLockQuery) return this.#takeLock(parameters)
    await this.#ask({ sql, parameters })
  }

  async #begin(): Promise<void> {
    await this.#client.query('begin')
    this.#inTransaction = true
    await this.#line.send(Buffer.concat([transactionToken(8), doneToken(0)]), true)
  }

  async #end(word: 'commit' | 'rollback'): Promise<void> {
    const wasIn = this.#inTransaction
    if (word === 'commit' && !wasIn) throw Object.assign(new Error('3902'), { code: '3902' })
    this.#inTransaction = false
    if (wasIn) await this.#client.query(word)
    const ended = wasIn ? [transactionToken(word === 'commit' ? 9 : 10)] : []
    await this.#line.send(Buffer.concat([...ended, doneToken(0)]), true)
  }

  /** A lock that is not taken in time is no error here, and the transaction goes on. */
  async #takeLock([name, waitMs]: Asked['parameters']): Promise<void> {
    const {
      rows: [[before]],
    } = (await this.#client.query({ text: 'show lock_timeout', rowMode: 'array' })) as unknown as { rows: [[string]] }
    await this.#client.query('savepoint lock')
    let got = 1
    try {
      await this.#client.query(`set local lock_timeout = ${Math.max(1, Number(waitMs))}`)
      await this.#client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
      await this.#client.query(`set local lock_timeout = '${before}'`)
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03') throw error
      await this.#client.query('rollback to savepoint lock')
      got = 0
    }
    await this.#rows([{ name: '', dataTypeID: 23 }], [[String(got)]])
  }

  async #ask({ sql, parameters }: Asked): Promise<void> {
    const known = catalogueAnswers.get(sql)
    const statement = known === undefined ? translated(sql) : { sql: known, writes: false }
    // PostgreSQL has no character of the number 0
    const values = parameters.map((value) => value?.replaceAll('\\u0000', '\ue000').replaceAll('\0', '\ue000') ?? null)
    if (!statement.writes && known === undefined && !this.#inTransaction) return this.#stream(statement.sql, values)
    const { fields, rows, rowCount } = await this.#query(statement.sql, values)
    if (!statement.writes) return this.#rows(fields, rows)
    await this.#rows([{ name: '', dataTypeID: 23 }], [[String(rowCount)]])
  }

  /** Reads portion by portion, as fast as the client takes them. */
  async #stream(sql: string, values: readonly (string | null)[]): Promise<void> {
    await this.#client.query('begin')
    try {
      await this.#query(`declare rows no scroll cursor for ${sql}`, values)
      for (let first = true; ; first = false) {
        const { fields, rows } = await this.#query(`fetch ${rowsAtOnce} from rows`, [])
        const last = rows.length < rowsAtOnce
        const parts = [...(first ? [columnsToken(fields)] : []), ...rows.map((row) => rowToken(fields, row))]
        await this.#line.send(Buffer.concat([...parts, ...(last ? [doneToken(0x10)] : [])]), last)
        if (last) break
        if (this.#stopped) throw new Error('stopped')
      }
    } finally {
      await this.#client.query('rollback')
    }
  }

  async #query(text: string, values: readonly (string | null)[]) {
    const asked = { text, values: [...values], rowMode: 'array' as const, types: { getTypeParser: () => String } }
    const { fields, rows, rowCount } = await this.#client.query(asked)
    return { fields: fields as readonly WireColumn[], rows: rows as (string | null)[][], rowCount }
  }

  async #rows(fields: readonly WireColumn[], rows: readonly (readonly (string | null)[])[]): Promise<void> {
    const parts = [columnsToken(fields), ...rows.map((row) => rowToken(fields, row)), doneToken(0x10, rows.length)]
    await this.#line.send(Buffer.concat(parts), true)
  }

  async #done(): Promise<void> {
    await this.#line.send(doneToken(0), true)
  }
}
