import { pause } from './pause.js'

/** Does the upkeep again and again, beside the runs of requests, until `signal` aborts. */
export async function startUpkeep(
  pass: () => Promise<unknown>,
  { everySeconds, signal }: { readonly everySeconds: number; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    // When the storage cannot be reached, it is asked again next time.
    await pass().catch(() => {})
    await pause(everySeconds * 1_000, signal)
  }
}
