import { setTimeout as pause } from 'node:timers/promises'
import { type HintOptions, memoryQueue, type Queue } from '@habeas/core'
import { CompiledQuery } from 'kysely'
import { holdPool, type PostgresPool, type PostgresPoolClient, type PostgresStateOptions } from './host-pool.js'
import { withLine } from './server-line.js'

/** Hints over LISTEN and NOTIFY of PostgreSQL. */
export interface PostgresQueue extends Queue {
  /** Ends the pool that was opened for a `connectionString`. A pool of yours stays open. */
  close(): Promise<void>
}

const firstPauseMs = 100
const longestPauseMs = 30_000
/** How often a connection on which nothing comes is asked whether it is there. */
const askedEveryMs = 30_000
/** After how long a server that does not answer counts as gone. */
const answerMs = 10_000

/** What `pg` has of a client that listens. */
interface Listening {
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown
  on(event: 'end', listener: () => void): unknown
  removeAllListeners(event: 'notification' | 'end'): unknown
}

/**
 * Sends hints by NOTIFY to every process that listens, over one connection of each. A hint that comes while nobody listens, or
 * while the connection is broken off, is lost; the worker's sweep finds its request. It needs no tables. Throws
 * `misconfigured` and names the option when one is wrong.
 */
export function postgresQueue(options: PostgresStateOptions): PostgresQueue {
  const { pool, schema, close } = holdPool('postgresQueue', { poolSize: 2, ...options })
  // PostgreSQL refuses longer names. A hint that another service sends names no request here, and nothing runs.
  const channel = `${schema.slice(0, 57)}_hints`
  const arrived = memoryQueue()
  const listening = listenedChannel(pool, channel, (payload) => {
    const hint = hintOf(payload)
    if (hint) void arrived.send(hint.id, hint.options)
  })
  return {
    async send(requestId, { notBefore, lane = 'small' } = {}) {
      await listening.tried()
      const payload = JSON.stringify({ id: requestId, lane, ...(notBefore && { notBefore: notBefore.toISOString() }) })
      await withLine(pool, (line) => line.send(CompiledQuery.raw('select pg_notify($1, $2)', [channel, payload])))
    },
    smallWaits: () => arrived.smallWaits?.() ?? false,
    async ping() {
      await listening.tried()
      if (listening.isSilent()) throw new Error('The server sends no notifications over this connection.')
      await withLine(pool, (line) => line.send(CompiledQuery.raw('select 1')))
    },
    async listen(handler, { concurrency, signal }) {
      if (signal.aborted) return
      const leave = listening.enter()
      try {
        await arrived.listen(handler, { concurrency, signal })
      } finally {
        await leave()
      }
    },
    close,
  }
}

function hintOf(payload: string): { readonly id: string; readonly options: HintOptions } | undefined {
  try {
    const { id, lane, notBefore } = JSON.parse(payload) as Record<string, unknown>
    const time = notBefore === undefined ? undefined : new Date(String(notBefore))
    if (typeof id !== 'string' || Number.isNaN(time?.getTime())) return undefined
    return { id, options: { lane: lane === 'large' ? 'large' : 'small', ...(time && { notBefore: time }) } }
  } catch {
    return undefined
  }
}

/** Listens to a channel over one connection, as long as anybody wants to hear of it. */
function listenedChannel(pool: PostgresPool, channel: string, heard: (payload: string) => void) {
  let listeners = 0
  let line: { readonly stop: AbortController; readonly ended: Promise<void>; readonly tried: Promise<void> } | undefined

  let isListening = false

  const open = () => {
    const stop = new AbortController()
    let isTried = () => {}
    const tried = new Promise<void>((resolve) => {
      isTried = resolve
    })
    return { stop, tried, ended: keepListening(stop.signal, isTried) }
  }

  /** Connects again after ever longer pauses, until nobody listens any more. */
  async function keepListening(signal: AbortSignal, tried: () => void): Promise<void> {
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      await listenOnce(signal, () => {
        pauseMs = firstPauseMs
        tried()
      }).catch(() => {})
      tried()
      await pause(pauseMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => {})
    }
  }

  /** Resolves, or rejects, when the connection ends. */
  async function listenOnce(signal: AbortSignal, listens: () => void): Promise<void> {
    const client = (await pool.connect()) as PostgresPoolClient & Listening
    const ending = new AbortController()
    const end = () => ending.abort()
    client.on('error', end)
    client.on('end', end)
    client.on('notification', ({ payload = '' }) => heard(payload))
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
    try {
      await answered(client.query(`listen "${channel}"`))
      listens()
      isListening = true
      while (!ending.signal.aborted) {
        await pause(askedEveryMs, undefined, { signal: ending.signal, ref: false }).catch(() => {})
        if (!ending.signal.aborted) await answered(client.query('select 1'))
      }
    } finally {
      isListening = false
      signal.removeEventListener('abort', end)
      client.removeAllListeners('notification')
      // A connection that listens is of no use to others. Its errors are still heard until it has ended.
      client.release(new Error('It has listened.'))
    }
  }

  return {
    /** Resolves when a hint that is sent now would be heard here, or the server could not be reached. */
    tried: async () => line?.tried,
    /** Whether somebody wants to hear of hints, and none can come. */
    isSilent: () => listeners > 0 && !isListening,
    /** Begins to listen. Returns what ends it. */
    enter() {
      listeners++
      line ??= open()
      return async () => {
        if (--listeners > 0) return
        const last = line
        line = undefined
        last?.stop.abort()
        await last?.ended
      }
    },
  }
}

/** A server that does not answer counts as gone. */
async function answered(query: Promise<unknown>): Promise<void> {
  const late = new AbortController()
  const timeout = pause(answerMs, undefined, { signal: late.signal, ref: false }).then(() => {
    throw new Error('The server does not answer.')
  })
  try {
    await Promise.race([query, timeout])
  } finally {
    late.abort()
    timeout.catch(() => {})
    query.catch(() => {})
  }
}
