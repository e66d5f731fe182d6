import type { PlannedErasure } from '../plan/plan.js'
import { ownColumns } from '../plan/spelled-column.js'

/**
 * The columns that name a row without a key: all that were read, but for those that the server writes anew when the row
 * is written.
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
