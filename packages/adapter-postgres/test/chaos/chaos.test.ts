import { fileURLToPath } from 'node:url'
import { memoryQueue } from '@habeas/core'
import { it } from 'vitest'
import { postgresQueue } from '../../src/index.js'
import { runChaos } from './run-chaos.js'

it.each([
  ['with hints over PostgreSQL', true],
  ['where nobody tells another process', false],
])('every request ends as if nothing had happened, %s', { timeout: 3_600_000 }, (_, tells) =>
  runChaos({
    worker: fileURLToPath(new URL('./chaos-worker.ts', import.meta.url)),
    queue: (state) => (tells ? postgresQueue({ connectionString: state, schema: 'state' }) : memoryQueue()),
    order: { tells },
  }),
)
