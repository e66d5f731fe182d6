import type { ActionType, CollectionResult, PrivacyRequest } from '@habeas/core'

/** What the record of a request says of rows of one collection that it left alone. */
export interface Named {
  /** Rows nobody has decided whose they are: those counted, and whether there may be more that were not. */
  readonly undecided: number
  readonly uncounted: boolean
  /** By which references, and why. */
  readonly why: string
  /** Rows that an erasure kept, with a reason. */
  readonly kept: number
  /** Why the collection was not searched. */
  readonly unsearched?: string
}

export function namedOf({ results = [] }: PrivacyRequest, table: string, actionType: ActionType): Named {
  const mine = results.filter(({ collection }) => collection === table)
  // Access and erasure of one request may count the same rows.
  const counts = (['access', 'erasure'] as const).map((action) =>
    undecidedOf(mine.filter((result) => result.actionType === action)),
  )
  const most = counts.reduce((one, other) => (other.undecided > one.undecided ? other : one))
  const outcomes = mine.filter((result) => result.actionType === actionType).flatMap((result) => result.outcomes)
  const kept = outcomes.filter(
    ({ outcome, reason = '' }) =>
      ['retained', 'unsupported', 'skipped'].includes(outcome) && !/^$|somebody else's|^undecided/.test(reason),
  )
  const unsearched = mine.flatMap((result) => result.outcomes).find(isUnsearched)?.reason
  return { ...most, kept: sum(kept), ...(unsearched !== undefined && { unsearched }) }
}

function undecidedOf(results: readonly CollectionResult[]): Pick<Named, 'undecided' | 'uncounted' | 'why'> {
  const undecided = results.flatMap((result) => result.undecided ?? [])
  return {
    undecided: undecided.reduce((total, { rowCount }) => total + (rowCount ?? 0), 0),
    uncounted: undecided.some(({ rowCount }) => rowCount === null),
    why: undecided.map(({ reference, reason }) => `${reference}: ${reason}`).join('; '),
  }
}

/** What is wrong with what is called undecided, when `expected` rows are; `open`: whether anything may be. */
export function undecidedComplaints(table: string, named: Named, expected: number, open: boolean): string[] {
  const { undecided, uncounted, why } = named
  const isRight = uncounted ? open && undecided <= expected : undecided === expected
  return isRight
    ? []
    : [`${table}: ${uncounted ? 'uncounted' : undecided} rows are called undecided, and ${expected} are (${why})`]
}

function isUnsearched({ outcome, rowCount, reason = '' }: CollectionResult['outcomes'][number]): boolean {
  return outcome === 'skipped' && rowCount === 0 && !reason.startsWith('undecided')
}

const sum = (outcomes: CollectionResult['outcomes']) => outcomes.reduce((total, { rowCount }) => total + rowCount, 0)
