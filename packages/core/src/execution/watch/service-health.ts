import type { FailureWatch, RepeatedWork } from '../../actions/failure-watch.js'
import { keyChecks } from '../../actions/key-check.js'
import { oneAtATime } from '../../async/one-at-a-time.js'
import { withinSeconds } from '../../async/within-seconds.js'
import { isPrivacyError } from '../../errors.js'
import { type Health, type HealthPart, type HealthProblem, healthParts, type PartHealth } from '../../model/health.js'
import type { Blobs } from '../../ports/blobs.js'
import type { Queue } from '../../ports/queue.js'
import type { Runtime } from '../../ports/runtime.js'
import type { Storage } from '../../ports/storage.js'
import type { UpkeepRow } from '../../ports/upkeep-row.js'
import { upkeepRow } from '../run/upkeep.js'
import { sendingHints } from './watched-queue.js'

/** How long a worker that has ended may have no successor, as while a new version is started. */
const followedMs = 120_000
/** How long a part may take to answer. */
const answerSeconds = 5
/** A job that calls `upkeep` is taken for gone after this time. */
const longestPauseMs = 3_600_000

export interface HealthOptions {
  readonly storage: Storage
  readonly runtime: Runtime
  readonly blobs: Blobs
  readonly queue: Queue
  /** Rejects with `misconfigured` where the keys at hand do not open what is stored. */
  readonly check: () => Promise<void>
  readonly failures: FailureWatch
  /** How many loops of this process run requests, and do the upkeep. */
  readonly loops: () => { readonly workers: number; readonly upkeep: number }
}

type Found = readonly [health: PartHealth, problem?: string, cause?: string | undefined]

const healthy: Found = ['healthy']
const unknown: Found = ['unknown']

const texts = {
  storage: 'The storage cannot be used, and calls are refused: see that its server runs and can be reached from here.',
  keys: 'The keys of this process do not open what the storage holds, and calls are refused: give it the keys that the other processes have.',
  secrets:
    'The service that keeps the keys does not answer, and calls are refused: see that it can be reached from here.',
  blobs:
    'The blobs cannot be used, so that runs fail and packages cannot be fetched: see that their server or disk is there.',
  queue:
    'Hints are lost, or do not come, so that requests wait for the sweep of a worker: see that the server of the queue can be reached.',
  away: 'No worker was seen, and this process runs no requests: start one that calls work(), or a job that calls requests.run().',
  abandoned:
    'Nobody does the upkeep, so that mails, deadlines and retention wait: start a worker, or a job that calls upkeep() every minute.',
}

/** Looks at the parts of the service. Connections are not asked: a database that is away fails its own requests, and no others. */
export function serviceHealth({ storage, runtime, blobs, queue, check, failures, loops }: HealthOptions) {
  /** The log has the cause of what does not answer. */
  const answers = async (about: RepeatedWork, work: () => Promise<unknown>) => {
    let why: unknown
    const isDone = await failures.watch(about, async () => {
      try {
        await withinSeconds(answerSeconds, work)
      } catch (error) {
        why = error
        throw error
      }
    })
    return { isDone, why }
  }
  const failing = (part: HealthPart) => failures.failing().flatMap((each) => (each.part === part ? each.doing : []))

  async function neededParts(): Promise<{ readonly storage: Found; readonly secrets: Found }> {
    const stored = await answers({ part: 'storage', doing: 'read' }, () => keyChecks(storage))
    if (!stored.isDone) return { storage: ['unhealthy', texts.storage, causeOf(stored.why)], secrets: unknown }
    const opened = await answers({ part: 'secrets', doing: 'open what is stored' }, check)
    if (opened.isDone) return { storage: healthy, secrets: healthy }
    const isWrong = isPrivacyError(opened.why, 'misconfigured')
    return { storage: healthy, secrets: ['unhealthy', isWrong ? texts.keys : texts.secrets, causeOf(opened.why)] }
  }

  async function blobsHealth(): Promise<Found> {
    const { isDone, why } = await answers({ part: 'blobs', doing: 'look for a blob' }, () => blobs.size('health'))
    return isDone ? healthy : ['unhealthy', texts.blobs, causeOf(why)]
  }

  async function queueHealth(): Promise<Found> {
    // Where its server answers, a hint that was lost says nothing about the next one.
    if (queue.ping) await answers(sendingHints, async () => queue.ping?.())
    return failing('queue').length > 0 ? ['unhealthy', texts.queue] : healthy
  }

  function workerHealth(row: UpkeepRow | undefined): Found {
    const failed = failing('worker')
    if (failed.length > 0) return ['unhealthy', notDoneText(failed)]
    if (loops().workers > 0 || (row?.works && isLive(row))) return healthy
    if (isLeft(row)) return ['unhealthy', texts.away]
    // A host may run requests by itself.
    return loops().upkeep > 0 || isLive(row) || isRecent(row) ? unknown : ['unhealthy', texts.away]
  }

  function upkeepHealth(row: UpkeepRow | undefined): Found {
    const isDone = loops().upkeep > 0 || isLive(row) || (isRecent(row) && !isLeft(row))
    const failed = [...new Set([...failing('upkeep'), ...(isDone ? (row?.failed ?? []) : [])])]
    if (failed.length > 0) return ['unhealthy', notDoneText(failed)]
    return isDone ? healthy : ['unhealthy', texts.abandoned]
  }

  const isLive = (row: UpkeepRow | undefined) =>
    row?.leaseHolder !== undefined && Date.parse(row.leaseExpiresAt ?? '') > runtime.now().getTime()
  /** The last that did the upkeep was a worker, and no other one has followed it. */
  const isLeft = (row: UpkeepRow | undefined) =>
    row?.works === true && !isLive(row) && lastSeen(row) < runtime.now().getTime() - followedMs
  const lastSeen = ({ passedAt, leaseExpiresAt }: UpkeepRow) =>
    Math.max(...[passedAt, leaseExpiresAt].flatMap((at) => (at === undefined ? [] : Date.parse(at))))
  const isRecent = (row: UpkeepRow | undefined) =>
    Date.parse(row?.passedAt ?? '') > runtime.now().getTime() - longestPauseMs

  async function look(): Promise<Health> {
    const [needed, stored, hints] = await Promise.all([neededParts(), blobsHealth(), queueHealth()])
    const isStored = needed.storage === healthy
    const row = isStored ? await upkeepRow(storage).catch(() => undefined) : undefined
    const found: Readonly<Record<HealthPart, Found>> = {
      ...needed,
      blobs: stored,
      queue: hints,
      worker: isStored ? workerHealth(row) : unknown,
      upkeep: isStored ? upkeepHealth(row) : unknown,
    }
    const of = (part: HealthPart) => found[part][0]
    const problems = healthParts.flatMap((part): HealthProblem | readonly [] => {
      const [, message, cause] = found[part]
      return message === undefined ? [] : { part, message, ...(cause !== undefined && { cause }) }
    })
    const isRefusing = of('storage') !== 'healthy' || of('secrets') !== 'healthy'
    const status = isRefusing ? 'unhealthy' : problems.length > 0 ? 'degraded' : 'healthy'
    const parts = Object.fromEntries(healthParts.map((part) => [part, of(part)]))
    return { status, ...(parts as { readonly [Part in HealthPart]: PartHealth }), problems }
  }

  return {
    /** Callers at the same time share one look. */
    health: oneAtATime(look),
    /** Whether calls are answered here. */
    isReady: oneAtATime(async () => {
      const needed = await neededParts()
      return needed.storage === healthy && needed.secrets === healthy
    }),
  }
}

/** What the failure says in words of its own. */
function causeOf(why: unknown): string | undefined {
  return isPrivacyError(why, 'unavailable') || isPrivacyError(why, 'misconfigured') ? why.message : undefined
}

const notDoneText = (failed: readonly string[]) =>
  `This fails, and is tried again: ${failed.join(', ')}. The log of the process that does it has the cause.`
