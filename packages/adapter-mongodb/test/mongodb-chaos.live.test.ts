import { fileURLToPath } from 'node:url'
import { memoryQueue } from '@habeas/core'
import { it } from 'vitest'
import { runChaos } from '../../adapter-postgres/test/chaos/run-chaos.js'
import { chaosShop } from './chaos-shop.js'

it('every request ends as if nothing had happened', { timeout: 3_600_000 }, () =>
  runChaos({
    worker: fileURLToPath(new URL('./chaos-worker.ts', import.meta.url)),
    queue: () => memoryQueue(),
    shop: chaosShop,
  }),
)
