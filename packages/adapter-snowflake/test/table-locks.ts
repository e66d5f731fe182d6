/** Locks on tables that are written, each held until its transaction ends. */
export interface TableLocks {
  /** False where another session held it for too long. */
  take(table: string, session: string): Promise<boolean>
  /** Gives back all that the session holds or waits for. */
  release(session: string): void
}

interface Waiter {
  readonly session: string
  decide(taken: boolean): void
}

export function tableLocks(waitMs = 30_000): TableLocks {
  const holders = new Map<string, string>()
  const waiters = new Map<string, Waiter[]>()
  return {
    take(table, session) {
      const holder = holders.get(table)
      if (holder === undefined || holder === session) {
        holders.set(table, session)
        return Promise.resolve(true)
      }
      return new Promise((resolve) => {
        const waiting = waiters.get(table) ?? []
        waiters.set(table, waiting)
        const waiter: Waiter = {
          session,
          decide(taken) {
            clearTimeout(timer)
            resolve(taken)
          },
        }
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(waiter), 1)
          resolve(false)
        }, waitMs)
        waiting.push(waiter)
      })
    },
    release(session) {
      for (const waiting of waiters.values()) {
        for (const waiter of waiting.filter((each) => each.session === session)) {
          waiting.splice(waiting.indexOf(waiter), 1)
          waiter.decide(false)
        }
      }
      for (const [table, holder] of holders) {
        if (holder !== session) continue
        const next = waiters.get(table)?.shift()
        if (next) {
          holders.set(table, next.session)
          next.decide(true)
        } else holders.delete(table)
      }
    },
  }
}
