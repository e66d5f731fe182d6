import { fileURLToPath } from 'node:url'
import { memoryQueue } from '@habeas/core'
import { it } from 'vitest'
import { runChaos } from '../../adapter-postgres/test/chaos/run-chaos.js'
import { chaosShop } from './chaos-shop.js'
import type { Kind } from './servers.js'

/** Many requests over a server of the kind, whose workers are killed and frozen. */
export function chaosSuite(kind: Kind): void {
  it(`every request ends as if nothing had happened, on ${kind}`, { timeout: 3_600_000 }, () =>
    runChaos({
      worker: fileURLToPath(new URL('./chaos-worker.ts', import.meta.url)),
      queue: () => memoryQueue(),
      order: { kind },
      shop: (people) => chaosShop(kind, people),
    }),
  )
}
