import { failure, type Statement, type TimeLimitWords } from '@habeas/sql'

const limit = 'statement_timeout_in_seconds'

/**
 * Limits that the session keeps to itself, and sends beside each further statement: ALTER SESSION may commit the transaction, as
 * DDL does. Throws `statement_timeout` where less than a second is left, since the service takes no parts of one and 0 for no limit.
 */
export const timeLimit: TimeLimitWords = {
  set(milliseconds) {
    if (milliseconds >= 1_000) return { sql: limit, parameters: [Math.floor(milliseconds / 1_000)] }
    const message =
      'Another worker may take the erasure over before Snowflake has committed, so nothing was written: try again.'
    throw failure('statement_timeout', message, undefined, 'transient')
  },
  lift: { sql: limit, parameters: [Number.POSITIVE_INFINITY] },
}

/** The seconds of such a limit. Undefined where it is a statement for the service. */
export function secondsOf({ sql, parameters }: Statement): number | undefined {
  return sql === limit ? (parameters[0] as number) : undefined
}
