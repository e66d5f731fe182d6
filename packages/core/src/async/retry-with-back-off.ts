const attempts = 5

/**
 * Repeats work that failed because a storage was away for a moment, after ever longer pauses. An error for which `isFinal`
 * answers true is thrown at once.
 */
export async function retryWithBackOff<Result>(
  work: () => Promise<Result>,
  isFinal: (error: unknown) => boolean = () => false,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || isFinal(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt))
    }
  }
}
