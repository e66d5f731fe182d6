import type { DriverErrors, RefusingRule } from '@habeas/sql'

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

/** Names the rule that refused, as far as the server does. What a trigger raises itself has any text, and names nothing. */
export const refusingRule: DriverErrors['refusingRule'] = async (error): Promise<RefusingRule> => {
  const { errno = 0, message = '', sqlState } = error as ServerError
  if (sqlState === '45000') return {}
  const constraint = constraints[errno]?.exec(message)?.[1]
  const column = columns[errno]?.exec(message)?.[1]
  // the name of a unique key may have that of its table before it
  if (constraint !== undefined)
    return { constraint: errno === 1062 ? (constraint.split('.').at(-1) as string) : constraint }
  return column === undefined ? {} : { column }
}
