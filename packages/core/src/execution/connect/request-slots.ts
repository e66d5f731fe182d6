import type { Semaphore } from '../../async/semaphore.js'
import type { OpenConnection } from './open-connections.js'

/**
 * Counts one request at each of its connections while it has calls there, however many these are. It holds no place while it
 * waits for anything else, such as another request about the same person, so that requests never wait for each other in a
 * circle.
 */
export function withRequestSlots(): (open: OpenConnection) => OpenConnection {
  const held = new Map<Semaphore, { calls: number; readonly slot: Promise<Disposable> }>()
  return (open) => {
    const { requests } = open
    if (!requests) return open
    const leave = (slot: { calls: number; readonly slot: Promise<Disposable> }) => {
      if (--slot.calls > 0) return
      held.delete(requests)
      void slot.slot.then((each) => each[Symbol.dispose]()).catch(() => {})
    }
    return {
      ...open,
      async permit(signal) {
        const mine = held.get(requests) ?? { calls: 0, slot: requests.acquire(signal) }
        held.set(requests, mine)
        mine.calls++
        try {
          await mine.slot
          const permit = await open.permit(signal)
          return {
            [Symbol.dispose]() {
              permit[Symbol.dispose]()
              leave(mine)
            },
          }
        } catch (error) {
          leave(mine)
          throw error
        }
      },
    }
  }
}
