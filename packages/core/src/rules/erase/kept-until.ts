import type { CollectionResult } from '../../model/collection-result.js'

const dayMs = 24 * 60 * 60 * 1_000

/** Returns the day (UTC) until which the server keeps what was masked or erased. It is absent where it keeps nothing. */
export function keptUntil(
  outcomes: CollectionResult['outcomes'],
  finishedAt: string | undefined,
  keptDays: number | undefined,
): Pick<CollectionResult, 'keptUntil'> {
  const isWritten = outcomes.some(
    ({ outcome, rowCount }) => (outcome === 'masked' || outcome === 'erased') && rowCount > 0,
  )
  if (!isWritten || finishedAt === undefined || keptDays === undefined) return {}
  return { keptUntil: new Date(Date.parse(finishedAt) + keptDays * dayMs).toISOString().slice(0, 10) }
}
