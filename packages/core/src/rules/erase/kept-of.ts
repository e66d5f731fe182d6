import type { CollectionResult } from '../../model/collection-result.js'
import type { KeptElsewhere } from '../../model/kept-copy.js'

const dayMs = 24 * 60 * 60 * 1_000

/** Returns what the server keeps of rows that were masked or erased, with the last day (UTC) of its own history. */
export function keptOf(
  outcomes: CollectionResult['outcomes'],
  finishedAt: string | undefined,
  { keptDays, keptCopies }: KeptElsewhere,
): Pick<CollectionResult, 'keptUntil' | 'keptCopies'> {
  const isWritten = outcomes.some(
    ({ outcome, rowCount }) => (outcome === 'masked' || outcome === 'erased') && rowCount > 0,
  )
  if (!isWritten || finishedAt === undefined) return {}
  const until = (days: number) => new Date(Date.parse(finishedAt) + days * dayMs).toISOString().slice(0, 10)
  return { ...(keptDays !== undefined && { keptUntil: until(keptDays) }), ...(keptCopies && { keptCopies }) }
}
