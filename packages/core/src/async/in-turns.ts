import { breather } from './breather.js'

/** Does work that yields after each piece, and lets other work go on in between. */
export async function inTurns<Result>(work: Generator<void, Result>): Promise<Result> {
  // A piece may itself take some milliseconds.
  const breathe = breather(5)
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await breathe()
  }
}
