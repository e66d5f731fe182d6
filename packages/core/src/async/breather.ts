/**
 * Long work in small steps calls the function between them: it lets other work of the process go on once the steps have taken
 * this long since it last did.
 */
export function breather(milliseconds = 10): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < milliseconds) return
    await new Promise((resolve) => setImmediate(resolve))
    since = performance.now()
  }
}
