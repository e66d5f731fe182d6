const attempts = 5

/** Repeats, a little later each time, what a storage that is away for a moment has refused; not what `isFinal`. */
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
