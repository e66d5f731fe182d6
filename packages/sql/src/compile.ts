import { createQueryId, type RawBuilder } from 'kysely'
import type { SqlDialect, Statement } from './dialect.js'

/** Returns the text and parameters of a statement, in the words of the dialect. */
export function compile(statement: RawBuilder<unknown>, dialect: Pick<SqlDialect, 'createCompiler'>): Statement {
  const { sql, parameters } = dialect.createCompiler().compileQuery(statement.toOperationNode(), createQueryId())
  return { sql, parameters }
}
