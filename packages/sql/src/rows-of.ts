import { type RawBuilder, sql } from 'kysely'
import type { SqlTable } from './dialect.js'

/**
 * Returns the rows of a table for FROM, UPDATE and DELETE, without those of tables that inherit from it. Such tables have
 * keys, columns and owners of their own, and are described and searched by themselves.
 */
export function rowsOf({ path, inherited }: SqlTable): RawBuilder<unknown> {
  const name = sql.id(...path)
  return inherited ? sql`only ${name}` : name
}
