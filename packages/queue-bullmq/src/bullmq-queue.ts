import { setTimeout as pause } from 'node:timers/promises'
import { type HintOptions, PrivacyError, type Queue } from '@habeas/core'
import { Queue as Bull, type Job, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { type BullmqQueueOptions, readOptions } from './bullmq-options.js'

/** Hints as jobs of BullMQ. */
export interface BullmqQueue extends Queue {
  /** Closes the connections. */
  close(): Promise<void>
}

/** A lower number comes first. */
const priorities = { small: 1, large: 2 } as const
/** How long a hint waits for Redis. */
const sendMs = 3_000
/** How long the end of the listening waits for Redis. */
const closeMs = 3_000
/** How often Redis is asked whether small requests wait, while large ones want to know. */
const lookMs = 100
/** After how long a worker of BullMQ tries again what Redis has refused. */
const retryMs = 1_000
/** A hint that comes so long before its time is waited for here. */
const mostEarlyMs = 1_000
/** A job whose process stood still is given to another one, however often. */
const anyNumber = 2 ** 31 - 1
/** How many jobs that have ended a dashboard shows. */
const keptJobs = 1_000

type Hint = { readonly id: string }

/**
 * Sends hints as jobs of BullMQ, over Redis. A job holds the id of a request. It does not fail, and it is not repeated: the
 * request's row says what is to be done, and when. Where Redis is away or has forgotten the jobs, the worker's sweep finds the
 * requests. Throws `misconfigured` and names the option when one is wrong.
 */
export function bullmqQueue(options: BullmqQueueOptions): BullmqQueue {
  const { url, name, prefix, redis } = readOptions(options)
  const connect = (more: object) => {
    const connection = new Redis(url, { ...redis, ...more })
    // It connects again by itself. Without a listener, Redis going away would end the process.
    connection.on('error', () => {})
    return connection
  }
  let sender: ReturnType<typeof openSender> | undefined
  let listeners = 0
  /** As Redis said when it was last asked. */
  let smallWaited = false
  let looking: Promise<void> | undefined

  /** Opens the connection over which hints are sent. */
  const openSender = () => {
    const connection = connect({ enableOfflineQueue: false, maxRetriesPerRequest: 1 })
    const jobs = new Bull<Hint>(name, { connection, prefix, skipVersionCheck: true })
    jobs.on('error', () => {})
    let waiting: (() => void)[] = []
    let isAway = false
    /** Why Redis was not reached last time. */
    let why: unknown
    connection.on('error', (error) => {
      why = error
    })
    connection.on('ready', () => {
      isAway = false
      for (const resolve of waiting) resolve()
      waiting = []
    })
    return {
      connection,
      jobs,
      /** Resolves when Redis is there. Where it did not come in time before, nobody waits for it again. */
      async ready(): Promise<void> {
        if (connection.status === 'ready') return
        if (isAway)
          throw new PrivacyError(
            'unavailable',
            'Redis is away: see that it runs and can be reached.',
            {},
            { cause: why },
          )
        await new Promise<void>((resolve) => waiting.push(resolve))
      },
      failed(): void {
        isAway = connection.status !== 'ready'
      },
    }
  }

  async function send(id: string, { notBefore, lane = 'small' }: HintOptions = {}): Promise<void> {
    sender ??= openSender()
    const { jobs, ready, failed } = sender
    const delay = Math.max(0, (notBefore?.getTime() ?? 0) - Date.now())
    try {
      await within(sendMs, async () => {
        await ready()
        await jobs.add('request', { id }, { delay, priority: priorities[lane] })
      })
    } catch (error) {
      failed()
      const message = 'Redis did not take the hint: the sweep of the workers finds the request.'
      throw new PrivacyError('unavailable', message, {}, { cause: error })
    }
  }

  async function look(): Promise<void> {
    sender ??= openSender()
    const { jobs, connection } = sender
    const ask = () => within(sendMs, () => jobs.getCountsPerPriority([priorities.small]))
    const counts = connection.status === 'ready' ? await ask().catch(() => undefined) : undefined
    smallWaited = (counts?.[priorities.small] ?? 0) > 0
    await pause(lookMs, undefined, { ref: false })
    looking = undefined
  }

  return {
    send,

    smallWaits() {
      if (listeners === 0) return false
      looking = looking ?? look()
      return smallWaited
    },

    async ping() {
      sender ??= openSender()
      const { connection, ready } = sender
      await within(sendMs, async () => {
        await ready()
        await connection.ping()
      })
    },

    async listen(handler, { concurrency, signal }) {
      if (signal.aborted) return
      const running = new Set<Promise<void>>()
      const work = async (job: Job<Hint>): Promise<void> => {
        // One that is early by another clock waits in Redis again. One that came while the listening ended is for the next one.
        if (!(await isDue(job, signal))) return send(job.data.id, hintOf(job)).catch(() => {})
        try {
          await handler(job.data.id)
        } catch {
          // The request's row says what went wrong.
        }
      }
      let isOver = false
      const retryStrategy = redis.retryStrategy ?? ((times: number) => Math.min(times * 50, 2_000))
      const connection = connect({
        maxRetriesPerRequest: null,
        // BullMQ makes a second connection of it, which nothing else ends while Redis is away
        retryStrategy: (times: number) => (isOver ? null : retryStrategy(times)),
      })
      const worker = new Worker<Hint>(
        name,
        (job) => {
          const ended: Promise<void> = work(job).finally(() => running.delete(ended))
          running.add(ended)
          return ended
        },
        {
          connection,
          prefix,
          concurrency,
          skipVersionCheck: true,
          runRetryDelay: retryMs,
          maxStalledCount: anyNumber,
          removeOnComplete: { count: keptJobs },
          removeOnFail: { count: keptJobs },
        },
      )
      worker.on('error', () => {})
      listeners++
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      listeners--
      const closing = worker.close()
      while (running.size > 0) await Promise.all(running)
      // Redis may be away. Its jobs are then given to others, and nobody waits for it.
      await within(closeMs, () => closing).catch(() => {})
      isOver = true
      connection.disconnect()
    },

    async close() {
      const last = sender
      sender = undefined
      if (!last) return
      await within(closeMs, () => last.jobs.close()).catch(() => {})
      last.connection.disconnect()
    },
  }
}

/** Whether a hint may be handed on. Its delay was measured by the clock of another machine, which may differ a little, or much. */
async function isDue({ timestamp, opts: { delay = 0 } }: Job, signal: AbortSignal): Promise<boolean> {
  const early = () => (delay === 0 ? 0 : timestamp + delay - Date.now())
  while (!signal.aborted && early() > 0 && early() <= mostEarlyMs) {
    await pause(early(), undefined, { signal }).catch(() => {})
  }
  return !signal.aborted && early() <= 0
}

function hintOf({ opts, timestamp }: Job): HintOptions {
  const lane = opts.priority === priorities.large ? 'large' : 'small'
  return { lane, ...(opts.delay && { notBefore: new Date(timestamp + opts.delay) }) }
}

/** Rejects when the work has not ended in time. */
async function within<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  const done = new AbortController()
  const late = pause(milliseconds, undefined, { signal: done.signal }).then((): never => {
    throw new Error(`Redis did not answer within ${milliseconds} ms.`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([work(), late])
  } finally {
    done.abort()
  }
}
