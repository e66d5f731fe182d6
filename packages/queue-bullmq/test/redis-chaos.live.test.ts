import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { runChaos } from '../../adapter-postgres/test/chaos/run-chaos.js'
import { cuttingProxy } from '../../core/test/erasure/cutting-proxy.js'
import { bullmqQueue } from '../src/index.js'

/** A database of the server that no other suite uses, so that it can be flushed. */
const url = new URL('/13', process.env['REDIS_URL']).href

it('every request ends as if nothing had happened, whatever becomes of the hints', { timeout: 3_600_000 }, async () => {
  const redis = new Redis(url)
  await redis.flushdb()
  const line = await cuttingProxy(url, () => (bytes) => [{ bytes }])
  const hints = { url: line.url, prefix: 'chaos' }
  const flush = async () => {
    await expect.poll(() => redis.dbsize()).toBeGreaterThan(0)
    await redis.flushdb()
  }
  const cut = async () => {
    line.cut()
    await delay(2_000)
    line.heal()
  }
  await runChaos({
    worker: fileURLToPath(new URL('./redis-chaos-worker.ts', import.meta.url)),
    queue: () => bullmqQueue(hints),
    order: { hints },
    attacks: { 'cut Redis': cut },
    certain: { flush: { times: 1, attack: flush } },
  })
  await redis.flushdb()
  redis.disconnect()
  await line.close()
})
