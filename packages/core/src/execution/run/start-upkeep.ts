import { pause } from './pause.js'

export interface UpkeepOptions {
  readonly everySeconds: number
  readonly signal: AbortSignal
  /** Done one after the other, each whatever became of the others. */
  readonly chores: readonly (() => Promise<void>)[]
}

/** Does what has to be done now and then beside runs, until `signal` aborts. */
export async function startUpkeep({ everySeconds, signal, chores }: UpkeepOptions): Promise<void> {
  while (!signal.aborted) {
    await doChores(chores)
    await pause(everySeconds * 1_000, signal)
  }
}

export async function doChores(chores: UpkeepOptions['chores']): Promise<void> {
  for (const chore of chores) {
    // A storage that is away is asked again next time.
    await chore().catch(() => {})
  }
}
