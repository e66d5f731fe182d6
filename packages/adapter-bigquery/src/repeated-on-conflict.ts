import { setTimeout as delay } from 'node:timers/promises'

const mostAttempts = 8

/** Repeats what the service ended because of other transactions, after a pause that grows and is not the same for two. */
export async function repeatedOnConflict<Result>(
  work: () => Promise<Result>,
  isConflict: (error: unknown) => boolean,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === mostAttempts || !isConflict(error)) throw error
      await delay(200 * 2 ** attempt * (0.5 + Math.random()))
    }
  }
}
