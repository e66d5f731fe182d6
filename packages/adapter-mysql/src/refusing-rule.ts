import type { Ask, DriverErrors, RefusingRule } from '@habeas/sql'

type ServerError = { readonly errno?: number; readonly message?: string; readonly sqlState?: string }

/** Where the server's own messages name a constraint. A value of a row stands before the pattern, never in it. */
const constraints: Readonly<Record<number, RegExp>> = {
  1062: / for key '([^']+)'$/,
  1451: /^Cannot delete or update a parent row: a foreign key constraint fails \(.*, CONSTRAINT `([^`]+)` FOREIGN KEY /,
  1452: /^Cannot add or update a child row: a foreign key constraint fails \(.*, CONSTRAINT `([^`]+)` FOREIGN KEY /,
  1761: /, key '([^']+)' would lead to a duplicate entry$/,
  3819: /^Check constraint '([^']+)' is violated\.$/,
  4025: /^CONSTRAINT `([^`]+)` failed for /,
}

const columns: Readonly<Record<number, RegExp>> = {
  1048: /^Column '([^']+)' cannot be null$/,
  1264: /^Out of range value for column '([^']+)' at row \d+$/,
  1265: /^Data truncated for column '([^']+)' at row \d+$/,
  1292: / for column (?:`[^`]+`\.`[^`]+`\.)?[`']([^`']+)[`'] at row \d+$/,
  1366: / for column (?:`[^`]+`\.`[^`]+`\.)?[`']([^`']+)[`'] at row \d+$/,
  1406: /^Data too long for column '([^']+)' at row \d+$/,
  1906: /^The value specified for generated column '([^']+)' in table /,
  3105: /^The value specified for generated column '([^']+)' in table /,
  3140: / in value for column '[^']*\.([^'.]+)'\.$/,
}

/** A foreign key may be that of a table in another database. */
const constraintQuery = `select 1 from information_schema.statistics where table_schema = database() and index_name = ?
  union all select 1 from information_schema.table_constraints where constraint_name = ?
  union all select 1 from information_schema.check_constraints where constraint_schema = database() and constraint_name = ? limit 1`
const columnQuery =
  'select 1 from information_schema.columns where table_schema = database() and column_name = ? limit 1'

/**
 * Names the rule that refused, as far as the server does. A trigger may raise any error, with any text in the place of a name, even a
 * value of the row. A name that nothing in the catalogue has is therefore left out.
 */
export const refusingRule: DriverErrors['refusingRule'] = async (error, ask): Promise<RefusingRule> => {
  const { errno = 0, message = '', sqlState } = error as ServerError
  if (sqlState === '45000') return {}
  const constraint = constraints[errno]?.exec(message)?.[1]
  const column = columns[errno]?.exec(message)?.[1]
  if (constraint !== undefined) {
    // the name of a unique key may have that of its table before it
    const name = errno === 1062 ? (constraint.split('.').at(-1) as string) : constraint
    return (await isKnown(ask, constraintQuery, [name, name, name])) ? { constraint: name } : {}
  }
  return column !== undefined && (await isKnown(ask, columnQuery, [column])) ? { column } : {}
}

async function isKnown(ask: Ask, sql: string, names: readonly string[]): Promise<boolean> {
  return (await ask(sql, names).catch(() => [])).length > 0
}
