import type { FailureWatch, RepeatedWork } from '../../actions/failure-watch.js'
import type { Queue } from '../../ports/queue.js'

export const sendingHints: RepeatedWork = { part: 'queue', doing: 'send hints' }

/** A queue that loses hints instead of rejecting. Listeners are told: the sweep finds every request, but later. */
export function watchedQueue(queue: Queue, { watch }: Pick<FailureWatch, 'watch'>): Queue {
  return {
    async send(...hint) {
      await watch(sendingHints, () => queue.send(...hint))
    },
    listen: (...given) => queue.listen(...given),
    smallWaits: () => queue.smallWaits?.() ?? false,
  }
}
