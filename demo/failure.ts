/** A failure of the demo that is no fault of the program; its message says what to do. */
class DemoFailure extends Error {
  constructor(happened: string, remedy: string, cause?: unknown) {
    super(`${happened}.\n${remedy}`, { cause })
    this.name = 'DemoFailure'
  }
}

/** What is told of a failure: what happened, and what to do about it. Where it happened is for whoever asks for it. */
export function failureText(error: unknown): string {
  const isForeseen = error instanceof DemoFailure
  const told = isForeseen
    ? `\nThe demo failed. ${error.message}`
    : `\nThe demo failed, and this should not happen: ${firstLine(happening(error))}.\nRun npm ci and then the demo once more; if it fails again, report what HABEAS_TRACE=1 npm run demo prints.`
  if (!process.env['HABEAS_TRACE']) return told
  const source = isForeseen ? error.cause : error
  return `${told}\n\n${source instanceof Error ? (source.stack ?? source.message) : String(source)}`
}

/** Does a part of the demo, and says of its failure what to do. */
export async function orFail<Result>(remedy: string, part: () => Promise<Result>): Promise<Result> {
  try {
    return await part()
  } catch (error) {
    throw new DemoFailure(happening(error), remedy, error)
  }
}

/** Some failures have no message but a code. */
function happening(error: unknown): string {
  const { message, code, name }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error))
  return (message.trim() || code || name).replace(/\.$/, '')
}

const firstLine = (text: string) => text.replace(/\.?\n.*$/s, '')
