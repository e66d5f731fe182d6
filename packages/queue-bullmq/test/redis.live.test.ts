import { once } from 'node:events'
import { connect as connectTo, createServer, type Socket } from 'node:net'
import { createPrivacyService, memoryBlobs, memoryStorage } from '@habeas/core'
import { queueContract } from '@habeas/testkit'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { type BullmqQueue, type BullmqQueueOptions, bullmqQueue } from '../src/index.js'

const url = process.env['REDIS_URL'] as string
const prefix = `habeas-test-${process.pid}`
let opened = 0
const queues: BullmqQueue[] = []
const nameOf = () => `queue-${++opened}`
const open = (name = nameOf(), options: Partial<BullmqQueueOptions> = {}) => {
  const queue = bullmqQueue({ url, name, prefix, ...options })
  queues.push(queue)
  return queue
}

afterEach(async () => {
  for (const queue of queues.splice(0)) await queue.close()
  await forget()
})

/** Removes everything of these tests from Redis, as a flush would. */
async function forget(): Promise<void> {
  const redis = new Redis(url)
  const keys = await redis.keys(`${prefix}:*`)
  if (keys.length > 0) await redis.del(...keys)
  redis.disconnect()
}

const encryptionKey = Buffer.alloc(32, 5).toString('base64')
const identities = [{ email: 'ann@example.com' }]
const policyKey = 'default_access_policy'

/** Listens until the end of the test, and tells what came. */
function hearing(queue: BullmqQueue, handler: (id: string) => Promise<void> = async () => {}) {
  const heard: string[] = []
  const stop = new AbortController()
  const hear = async (id: string) => {
    heard.push(id)
    await handler(id)
  }
  const ended = queue.listen(hear, { concurrency: 4, signal: stop.signal })
  return {
    heard,
    async end() {
      stop.abort()
      await ended
    },
  }
}

/** A line to Redis that can be cut. */
async function cuttableLine() {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((from) => {
    if (isCut) return from.destroy()
    const to = connectTo(Number(port), hostname)
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => other.destroy())
      socket.pipe(other)
    }
    return undefined
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as { port: number }).port}`,
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    heal: () => {
      isCut = false
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

describe('bullmqQueue', () => {
  queueContract(it, () => open())

  it('keeps the id of a request and nothing else, and no job fails', async () => {
    const name = nameOf()
    const queue = open(name)
    const { heard, end } = hearing(queue, () => Promise.reject(new Error('a secret')))
    const privacy = createPrivacyService({ encryptionKey, queue, execution: { inProcess: false } })
    const { id } = await privacy.requests.submit({ policyKey, identities })
    await expect.poll(() => heard).toEqual([id])
    const redis = new Redis(url)
    await expect.poll(() => redis.zcard(`${prefix}:${name}:completed`)).toBe(1)
    expect(await redis.zcard(`${prefix}:${name}:failed`)).toBe(0)
    const [job = ''] = await redis.zrange(`${prefix}:${name}:completed`, '0', '-1')
    const { data, ...rest } = await redis.hgetall(`${prefix}:${name}:${job}`)
    expect(data).toBe(JSON.stringify({ id }))
    expect(JSON.stringify(rest)).not.toMatch(/secret|ann@/)
    redis.disconnect()
    await privacy.close()
    await end()
  })

  it('hears again after Redis was away, and sends without waiting for long', async () => {
    const line = await cuttableLine()
    const queue = open(nameOf(), { url: line.url })
    const { heard, end } = hearing(queue)
    await queue.send('pri_1')
    await expect.poll(() => heard).toContain('pri_1')
    line.cut()
    await expect(queue.send('pri_lost')).rejects.toMatchObject({ code: 'unavailable' })
    line.heal()
    const sent = async () =>
      queue.send('pri_2').then(
        () => true,
        () => false,
      )
    await expect.poll(sent).toBe(true)
    await expect.poll(() => heard).toContain('pri_2')
    line.cut()
    // It ends, although Redis says nothing any more.
    await end()
    await line.close()
  })

  it('says whether its server answers', async () => {
    const line = await cuttableLine()
    const queue = open(nameOf(), { url: line.url })
    await queue.ping?.()
    line.cut()
    await expect.poll(() => Promise.resolve(queue.ping?.()).then(Boolean, () => 'away')).toBe('away')
    line.heal()
    await expect.poll(() => Promise.resolve(queue.ping?.()).then(() => 'there', Boolean)).toBe('there')
    await line.close()
  })

  it('hands on a hint whose sender has another time', async () => {
    const name = nameOf()
    const sender = open(name)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 })
    try {
      await sender.send('pri_now')
      await sender.send('pri_soon', { notBefore: new Date(Date.now() + 1_000) })
    } finally {
      vi.useRealTimers()
    }
    const { heard, end } = hearing(open(name))
    await expect.poll(() => heard).toEqual(['pri_now'])
    // the other one is due in ten minutes by the time of this process, and keeps no place until then
    const redis = new Redis(url)
    await expect.poll(() => redis.zcard(`${prefix}:${name}:delayed`)).toBe(1)
    await expect.poll(() => redis.llen(`${prefix}:${name}:active`)).toBe(0)
    redis.disconnect()
    await end()
    expect(heard).toEqual(['pri_now'])
  })

  it('where Redis was never there, requests are taken and the sweep runs them', async () => {
    const queue = open(nameOf(), { url: 'redis://127.0.0.1:1' })
    const privacy = createPrivacyService({ encryptionKey, queue, execution: { sweepSeconds: 0.05 } })
    const { id } = await privacy.requests.submit({ policyKey, identities })
    expect((await privacy.requests.settled(id)).status).toBe('complete')
    await privacy.close()
  })

  it('where Redis has forgotten every job, the sweep finds all requests, and new hints are heard', async () => {
    const name = nameOf()
    const shared = { encryptionKey, storage: memoryStorage(), blobs: memoryBlobs() }
    const execution = { inProcess: false, sweepSeconds: 0.2 }
    const web = createPrivacyService({ ...shared, queue: open(name), execution })
    const ids: string[] = []
    const submit = async () => ids.push((await web.requests.submit({ policyKey, identities })).id)
    for (let count = 0; count < 10; count++) await submit()
    await forget()
    const worker = createPrivacyService({ ...shared, queue: open(name), execution })
    const working = worker.work({ concurrency: 2 })
    const areComplete = async () => (await web.requests.list({ status: ['complete'] })).total
    await expect.poll(areComplete).toBe(10)
    // While it listens.
    await forget()
    const { heard, end } = hearing(open(name))
    const next = open(name)
    await next.send('pri_next')
    for (let count = 0; count < 10; count++) await submit()
    await expect.poll(areComplete).toBe(20)
    await worker.close()
    await working
    await next.send('pri_last')
    await expect.poll(() => heard).toContain('pri_last')
    await end()
    await web.close()
  })

  it('does what its README says', async () => {
    const [code = '', ...more] = await readmeExamples(new URL('../README.md', import.meta.url))
    expect(more).toEqual([])
    const statuses: string[] = []
    await runExample(`${code}\nstatuses.push(status)`, {
      createPrivacyService,
      bullmqQueue: (options: BullmqQueueOptions) => bullmqQueue({ ...options, prefix }),
      process: { env: { REDIS_URL: url } },
      encryptionKey,
      storage: memoryStorage(),
      blobs: memoryBlobs(),
      connectors: [],
      email: 'ann@example.com',
      statuses,
    })
    expect(statuses).toEqual(['complete'])
  })
})
