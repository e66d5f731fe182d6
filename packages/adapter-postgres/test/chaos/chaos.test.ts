import { fileURLToPath } from 'node:url'
import { it } from 'vitest'
import { postgresQueue } from '../../src/index.js'
import { runChaos } from './run-chaos.js'

it('every request ends as if nothing had happened', { timeout: 3_600_000 }, () =>
  runChaos({
    worker: fileURLToPath(new URL('./chaos-worker.ts', import.meta.url)),
    queue: (state) => postgresQueue({ connectionString: state, schema: 'state' }),
  }),
)
