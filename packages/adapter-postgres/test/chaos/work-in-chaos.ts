import type { Queue } from '@habeas/core'
import { openChaosService } from './chaos-service.js'

/** Runs whatever waits until it is killed, or told to end as by a deploy. */
export function workInChaos(state: string, queue: Queue & { close(): Promise<void> }): void {
  const { privacy, pool } = openChaosService({ state, queue })
  const working = privacy.work()
  process.once('SIGTERM', async () => {
    await privacy.close()
    await working
    await queue.close()
    await pool.end()
    process.exit()
  })
  setInterval(() => {}, 60_000)
}
