/** Calls while `work` goes on share its result. */
export function oneAtATime<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let going: Promise<Result> | undefined
  return () => {
    going ??= work().finally(() => {
      going = undefined
    })
    return going
  }
}
