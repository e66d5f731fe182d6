import { type RawBuilder, sql } from 'kysely'
import type { SqlTable } from './dialect.js'

/**
 * The rows of a table, for FROM, UPDATE and DELETE: without those of tables that inherit from it. These have keys, columns
 * and owners of their own, and are described and searched as tables of their own.
 */
export function rowsOf({ path, inherited }: SqlTable): RawBuilder<unknown> {
  const name = sql.id(...path)
  return inherited ? sql`only ${name}` : name
}
