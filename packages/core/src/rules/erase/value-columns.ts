import type { PlannedErasure } from '../plan/plan.js'
import { ownColumns } from '../plan/spelled-column.js'

/**
 * The columns that name a row without a key. They are all columns that were read, except those that the server writes
 * anew with the row.
 */
export function valueColumns({
  columns,
  erasure: { rewritten = [] } = {},
}: {
  readonly columns: readonly string[]
  readonly erasure?: Pick<PlannedErasure, 'rewritten'>
}): readonly string[] {
  return ownColumns(columns).filter((name) => !rewritten.includes(name))
}
