import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fence } from '@habeas/core'
import { failure } from '@habeas/sql'
import { statusOf } from './failures.js'
import type { JobRequest, JobService } from './job-service.js'

/**
 * Writes under a lock are jobs numbered one after the other: `habeas_<hash of the lock>_<number>`. The service gives an id
 * once, so the worker that begins the next job keeps every other one from beginning it.
 */
export interface FencedJobs {
  /** Asks the fence, then runs the job, unless another worker has taken over meanwhile. */
  write(request: JobRequest, fence: Fence): Promise<void>
  /** Ends the job of another worker, and takes the number that it would use next. */
  endWrites(lock: string, signal?: AbortSignal): Promise<void>
}

/** How long an overtaken worker's job may take to end by itself. */
const patienceMs = 2_000
const cancelPatienceMs = 60_000
const pollMs = 100
/** Locks whose numbers are remembered. Those of any other are found with some more questions. */
const mostLocks = 100

const doing = 'waiting for an earlier worker'

export function fencedJobs(jobs: JobService): FencedJobs {
  /** The writes of this process under a lock, one after the other. */
  const turns = new Map<string, Promise<unknown>>()
  /** From which number on to look for a free one. The lock that was written under last comes last. */
  const next = new Map<string, number>()

  async function isTaken(lock: string, number: number, signal?: AbortSignal): Promise<boolean> {
    return (await jobs.state(idOf(lock, number), signal)) !== undefined
  }

  /** The first number that no job has. Numbers are taken one after the other, so this takes few questions. */
  async function firstFree(lock: string, signal?: AbortSignal): Promise<number> {
    let free = next.get(lock) ?? 0
    let taken = free - 1
    for (let step = 1; await isTaken(lock, free, signal); step *= 2) {
      taken = free
      free += step
    }
    while (free - taken > 1) {
      const middle = Math.floor((free + taken) / 2)
      if (await isTaken(lock, middle, signal)) taken = middle
      else free = middle
    }
    return free
  }

  /** Requests end without a word: what was written to last is kept. */
  function remember(lock: string, number: number): void {
    next.delete(lock)
    next.set(lock, number)
    const [oldest] = next.keys()
    if (next.size > mostLocks && oldest !== undefined) next.delete(oldest)
  }

  async function inTurn<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
    const before = turns.get(lock) ?? Promise.resolve()
    const mine = before.then(work, work)
    turns.set(lock, mine)
    try {
      return await mine
    } finally {
      if (turns.get(lock) === mine) turns.delete(lock)
    }
  }

  async function writeInTurn(request: JobRequest, { lock, confirm }: Fence): Promise<void> {
    const number = await firstFree(lock, request.signal)
    await ended(lock, number - 1, request.signal)
    await confirm()
    const jobId = idOf(lock, number)
    const attempt = randomUUID()
    try {
      await jobs.begin({ ...request, jobId, labels: { ...request.labels, habeas_attempt: attempt } })
    } catch (error) {
      next.delete(lock)
      if (statusOf(error) !== 409) throw error
      const state = await jobs.state(jobId, request.signal)
      // the client repeats a call whose answer it did not get
      if (state?.configuration?.labels?.['habeas_attempt'] !== attempt) throw overtakenFailure()
    }
    remember(lock, number + 1)
    await jobs.ended(jobId, request)
  }

  /** Waits for a job of another worker, and has it cancelled when it takes long. */
  async function ended(lock: string, number: number, signal?: AbortSignal): Promise<void> {
    if (number < 0) return
    const jobId = idOf(lock, number)
    const begun = Date.now()
    for (let cancelled = false; ; ) {
      const state = (await jobs.state(jobId, signal))?.status?.state
      if (state === undefined || state === 'DONE') return
      const waited = Date.now() - begun
      if (waited > cancelPatienceMs) {
        const message =
          'An earlier worker of the same request still writes, and its job could not be cancelled: cancel it in BigQuery, or retry later.'
        throw failure('lock_timeout', message, undefined, 'transient')
      }
      if (waited > patienceMs && !cancelled) {
        cancelled = true
        await jobs.cancel(jobId)
      }
      await delay(pollMs)
    }
  }

  return {
    write: (request, fence) =>
      inTurn(fence.lock, () => writeInTurn(request, { lock: fence.lock, confirm: () => fence.confirm() })),
    async endWrites(lock, signal) {
      next.delete(lock)
      for (;;) {
        const number = await firstFree(lock, signal)
        await ended(lock, number - 1, signal)
        try {
          // costs nothing
          await jobs.begin({ query: 'select 1', parameters: [], doing, signal, jobId: idOf(lock, number) })
          return
        } catch (error) {
          if (statusOf(error) !== 409) throw error
        }
      }
    },
  }
}

function idOf(lock: string, number: number): string {
  return `habeas_${createHash('sha256').update(lock).digest('hex').slice(0, 40)}_${number}`
}

function overtakenFailure(): Error {
  const message = 'Another worker has taken the request over and ended the writes of this one: nothing was written.'
  return failure('cancelled', message)
}
