import type { ActionType, PrivacyRequest } from '@habeas/core'

/** What the record of a request says of rows of one collection that it left alone. */
export interface Named {
  /** Rows nobody has decided whose they are. */
  readonly undecided: number
  /** Rows that an erasure kept, with a reason. */
  readonly kept: number
  /** Why the collection was not searched. */
  readonly unsearched?: string
}

const somebodyElses = /somebody else's/

export function namedOf({ results = [] }: PrivacyRequest, table: string, actionType: ActionType): Named {
  const outcomes = results
    .filter(({ collection }) => collection === table)
    .flatMap((result) => result.outcomes.map((outcome) => ({ ...outcome, actionType: result.actionType })))
  const sum = (list: typeof outcomes) => list.reduce((total, { rowCount }) => total + rowCount, 0)
  const says = ({ outcome, reason = '' }: (typeof outcomes)[number], pattern: RegExp) =>
    pattern.test(`${outcome} ${reason}`)
  // Both parts of an erasure may count the same rows.
  const undecided = Math.max(
    ...(['access', 'erasure'] as const).map((action) =>
      sum(outcomes.filter((each) => each.actionType === action && says(each, /undecided/))),
    ),
  )
  const kept = sum(
    outcomes.filter(
      (each) =>
        each.actionType === actionType &&
        each.reason !== undefined &&
        ['retained', 'unsupported', 'skipped'].includes(each.outcome) &&
        !says(each, somebodyElses),
    ),
  )
  const unsearched = outcomes.find(({ outcome, rowCount }) => outcome === 'skipped' && rowCount === 0)?.reason
  return { undecided, kept, ...(unsearched !== undefined && { unsearched }) }
}
