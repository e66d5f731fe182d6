import { pause } from './pause.js'

export interface UpkeepOptions {
  readonly everySeconds: number
  readonly signal: AbortSignal
  /** They run one after the other. When one fails, the others still run. */
  readonly chores: readonly (() => Promise<void>)[]
}

/** Runs the chores again and again, beside the runs of requests, until `signal` aborts. */
export async function startUpkeep({ everySeconds, signal, chores }: UpkeepOptions): Promise<void> {
  while (!signal.aborted) {
    await doChores(chores)
    await pause(everySeconds * 1_000, signal)
  }
}

export async function doChores(chores: UpkeepOptions['chores']): Promise<void> {
  for (const chore of chores) {
    // When the storage cannot be reached, the chore runs again next time.
    await chore().catch(() => {})
  }
}
