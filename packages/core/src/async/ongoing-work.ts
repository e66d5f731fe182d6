/** Remembers work until it has settled, so that closing can wait for it. */
export function ongoingWork() {
  const ongoing = new Set<Promise<unknown>>()
  return {
    /** Returns the work itself. A failure is left to the caller. */
    track<Result>(work: Promise<Result>): Promise<Result> {
      const settled: Promise<unknown> = work.catch(() => {}).finally(() => ongoing.delete(settled))
      ongoing.add(settled)
      return work
    },
    /** Resolves when all work that is tracked now has settled. Never rejects. */
    async settled(): Promise<void> {
      await Promise.all(ongoing)
    },
  }
}
