import type { DriverErrors, RefusingRule } from '@habeas/sql'
import { mainError } from './main-error.js'

/** Where the server's own messages name a constraint. A value of a row stands behind the pattern, never in it. */
const constraints: Readonly<Record<number, RegExp>> = {
  547: /^The (?:UPDATE|DELETE|INSERT|MERGE) statement conflicted with the (?:(?:FOREIGN KEY|REFERENCE|SAME TABLE REFERENCE|CHECK|FOREIGN KEY SAME TABLE) )?constraint "([^"]*)"\./,
  2601: /^Cannot insert duplicate key row in object '(?:[^']|'')*' with unique index '([^']*)'\./,
  2627: /^Violation of (?:UNIQUE|PRIMARY) KEY constraint '([^']*)'\./,
}

const columns: Readonly<Record<number, RegExp>> = {
  271: /^The column "([^"]*)" cannot be modified because it is either a computed column/,
  515: /^Cannot insert the value NULL into column '([^']*)', table '/,
  2628: /^String or binary data would be truncated in table '[^']*', column '([^']*)'\./,
  8102: /^Cannot update identity column '([^']*)'\.$/,
}

/** Names the rule that refused, as far as the server does. What a trigger raises itself has any text, and names nothing. */
export const refusingRule: DriverErrors['refusingRule'] = async (error): Promise<RefusingRule> => {
  const { number = 0, message = '' } = mainError(Object(error)) as { number?: number; message?: string }
  const constraint = constraints[number]?.exec(message)?.[1]
  const column = columns[number]?.exec(message)?.[1]
  return { ...(constraint !== undefined && { constraint }), ...(column !== undefined && { column }) }
}
