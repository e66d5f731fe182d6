/** A failure of the demo that is no fault of the program; its message says what to do. */
class DemoFailure extends Error {
  constructor(happened: string, remedy: string, cause?: unknown) {
    super(`${happened.replace(/\.$/, '')}.\n${remedy}`, { cause })
    this.name = 'DemoFailure'
  }
}

/** What is told of a failure: what happened, and what to do about it. */
export function failureText(error: unknown): string {
  if (error instanceof DemoFailure) return `\nThe demo failed. ${error.message}`
  const lines = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return `\nThe demo failed, and this should not happen:\n${lines}\nRun npm ci and the demo once more; if it fails again, report it with the lines above.`
}

/** Does a part of the demo, and says of its failure what to do. */
export async function orFail<Result>(remedy: string, part: () => Promise<Result>): Promise<Result> {
  try {
    return await part()
  } catch (error) {
    throw new DemoFailure((error as Error).message, remedy, error)
  }
}
