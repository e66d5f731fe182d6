import type { FailureWatch } from '../../actions/failure-watch.js'
import { pause } from './pause.js'

/** Does the upkeep again and again, beside the runs of requests, until `signal` aborts. */
export async function startUpkeep(
  pass: () => Promise<unknown>,
  {
    everySeconds,
    signal,
    watch,
  }: { readonly everySeconds: number; readonly signal: AbortSignal; readonly watch: FailureWatch['watch'] },
): Promise<void> {
  while (!signal.aborted) {
    // When the storage cannot be reached, it is asked again next time.
    await watch({ part: 'upkeep', doing: 'ask who does the upkeep' }, pass)
    await pause(everySeconds * 1_000, signal)
  }
}
