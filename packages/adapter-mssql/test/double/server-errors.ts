import type { ServerError } from './tds-tokens.js'
import { SyntaxError102 } from './tsql-tokens.js'

interface PostgresError extends Error {
  readonly code?: string
  readonly constraint?: string
  readonly column?: string
  readonly table?: string
}

/** The error of SQL Server that says what an error of PostgreSQL does. */
export function serverError(error: unknown, sql: string): ServerError {
  if (error instanceof SyntaxError102) return { number: 102, message: error.message }
  const { code, constraint, column, table, message } = error as PostgresError
  const verb = /^(?:delete|update)/.exec(sql)?.[0].toUpperCase() ?? 'INSERT'
  const named = /"([^"]*)"/.exec(message)?.[1] ?? ''
  switch (code) {
    case '42P01':
      return { number: 208, message: `Invalid object name '${named}'.` }
    case '42703':
      return { number: 207, message: `Invalid column name '${named}'.` }
    case '42501':
      return { number: 229, message: `The permission was denied on the object '${named}', schema 'dbo'.` }
    case '23503': {
      const rule = verb === 'DELETE' ? 'REFERENCE' : 'FOREIGN KEY'
      return {
        number: 547,
        message: `The ${verb} statement conflicted with the ${rule} constraint "${constraint}". The conflict occurred in database "double", table "dbo.${table}".`,
      }
    }
    case '23514':
      return {
        number: 547,
        message: `The ${verb} statement conflicted with the CHECK constraint "${constraint}". The conflict occurred in database "double", table "dbo.${table}".`,
      }
    case '23505':
      return {
        number: 2627,
        message: `Violation of UNIQUE KEY constraint '${constraint}'. Cannot insert duplicate key in object 'dbo.${table}'. The duplicate key value is (${message}).`,
      }
    case '23502':
      return {
        number: 515,
        message: `Cannot insert the value NULL into column '${column}', table 'double.dbo.${table}'; column does not allow nulls. ${verb} fails.`,
      }
    case '22001':
      return { number: 8152, message: 'String or binary data would be truncated.' }
    case '22003':
      return { number: 8115, message: 'Arithmetic overflow error converting expression to data type.' }
    case '22P02':
    case '22007':
    case '22008':
      return { number: 245, message: `Conversion failed when converting the nvarchar value: ${message}` }
    case '40P01':
      return {
        number: 1205,
        message:
          'Transaction was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction.',
      }
    case '55P03':
      return { number: 1222, message: 'Lock request time out period exceeded.' }
    default:
      return { number: code === 'P0001' ? 50_000 : 8_624, message }
  }
}
