import { maskedTexts } from '../../model/masking-strategy.js'
import type { Value } from '../../model/value.js'
import { memberAt } from '../erase/member-at.js'
import type { RowDecision } from '../erase/row-eraser.js'
import type { PlannedCollection, PlannedErasure } from '../plan/plan.js'
import { valueText } from '../value/cast-value.js'

/**
 * The new values of fields, for a person who erases by hand: null, a text, or the kind of mask where each row has its
 * own text.
 */
export type ManualUpdate = Readonly<Record<string, null | string | { readonly masking_strategy: string }>>

/** The new values of one row's fields. Null: the row is to be deleted. */
export function manualUpdate(
  { erasure }: Pick<PlannedCollection, 'address'> & { readonly erasure: PlannedErasure },
  decision: Extract<RowDecision, { kind: 'mask' | 'delete' }>,
): ManualUpdate | null {
  if (decision.kind === 'delete') return null
  const changes = new Map(decision.changes.map((change) => [change.column, change]))
  return Object.fromEntries(
    erasure.masks.flatMap(({ field, path: [column = '', ...below], strategy }): [string, ManualUpdate[string]][] => {
      const change = changes.get(column)
      // A field that stays unchanged in this row is not part of the task.
      if (!change?.differs) return []
      if (change.structured && textAt(change.was, below) === textAt(change.becomes, below)) return []
      if (strategy.strategy === 'null_rewrite') return [[field, null]]
      if (maskedTexts[strategy.strategy] !== 'same') return [[field, { masking_strategy: strategy.strategy }]]
      const to = memberAt(change.becomes, below)
      return [[field, typeof to === 'string' ? to : { masking_strategy: strategy.strategy }]]
    }),
  )
}

const textAt = (value: Value | undefined, path: readonly string[]): string => valueText(memberAt(value, path) ?? null)
