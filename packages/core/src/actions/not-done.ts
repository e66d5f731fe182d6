import type { ActionContext } from './action-context.js'
import type { RepeatedWork } from './failure-watch.js'

/** Returns what to do with an error that ends nothing, since the same is tried again later: listeners are told of it. */
export function notDone(
  { failures }: Pick<ActionContext, 'failures'>,
  part: RepeatedWork['part'],
  doing: string,
  requestId?: string,
): (error: unknown) => undefined {
  return (error) => {
    failures?.failed({ part, doing, ...(requestId !== undefined && { requestId }) }, error)
    return undefined
  }
}

/**
 * Does the same with each request, one after the other. One with which it cannot be done keeps no other from it. Resolves with
 * the number of those with which it was done.
 */
export async function eachRequest<Row extends { readonly id: string }>(
  context: Pick<ActionContext, 'failures'>,
  rows: readonly Row[],
  { doing, work }: { readonly doing: string; readonly work: (row: Row) => Promise<unknown> },
): Promise<number> {
  let done = 0
  for (const row of rows) if (await work(row).catch(notDone(context, 'upkeep', doing, row.id))) done++
  return done
}
