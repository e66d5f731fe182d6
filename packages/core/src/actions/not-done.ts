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
