import type { Row } from '../../ports/connector.js'
import type { PlannedDoubt } from '../../rules/plan/part-doubts.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { holdsAny } from '../../rules/plan/shared-in-part.js'

/** The doubts because of which something in a row of the person is left alone. */
export function undecidedParts(
  { columns, doubts = [] }: Pick<PlannedCollection, 'columns' | 'doubts'>,
  row: Row,
): readonly PlannedDoubt[] {
  return doubts.filter(({ left }) =>
    left.some(([column, ...rest]) => holdsAny(row[columns.indexOf(column as string)], rest, [])),
  )
}
