import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { runChaos } from '../../adapter-postgres/test/chaos/run-chaos.js'
import { bullmqQueue } from '../src/index.js'

const url = process.env['REDIS_URL'] as string

it('every request ends as if nothing had happened, whatever becomes of the hints', { timeout: 3_600_000 }, async () => {
  const hints = { url, prefix: `habeas-chaos-${process.pid}` }
  const redis = new Redis(url)
  const keys = () => redis.keys(`${hints.prefix}:*`)
  let flushes = 0
  /** Everything of the queue is gone at once, as after a flush of a Redis that is not shared with others. */
  const flush = async () => {
    if (flushes++ > 0) return
    await expect.poll(async () => (await keys()).length).toBeGreaterThan(0)
    await redis.del(...(await keys()))
  }
  await runChaos({
    worker: fileURLToPath(new URL('./redis-chaos-worker.ts', import.meta.url)),
    queue: () => bullmqQueue(hints),
    order: { hints },
    attacks: { flush },
    first: 'flush',
  })
  expect(flushes).toBeGreaterThan(0)
  const rest = await keys()
  if (rest.length > 0) await redis.del(...rest)
  redis.disconnect()
})
