import { setMaxListeners } from 'node:events'
import { invalidState, isRequestId, requestRow } from '../../actions/requests/move-request.js'
import type { Ready } from '../../actions/while-open.js'
import type { ongoingWork } from '../../async/ongoing-work.js'
import { PrivacyError } from '../../errors.js'
import { isPlainObject } from '../../model/clean-input.js'
import { nearestHint } from '../../model/nearest-key.js'
import { startUpkeep } from './start-upkeep.js'
import { startWorker, type WorkerOptions, waitingRequests } from './start-worker.js'
import { type Chore, doChores, type UpkeepResult, upkeep } from './upkeep.js'
import type { RunPermit } from './worker-permits.js'

/** How a request is run. */
export interface RunRequest {
  /** With false, a request that waits for its next attempt runs at once. */
  readonly waits?: boolean
  /** Aborts when its worker ends. The request is then handed back. */
  readonly stop?: AbortSignal
  readonly permit?: RunPermit
}

export interface WorkOptions {
  /** Requests that run at once here. Default: `execution.concurrency`. */
  readonly concurrency?: number | undefined
  /** Ends the work: what runs is handed back, and another process goes on with it. */
  readonly signal?: AbortSignal | undefined
}

export interface RequestRunsOptions extends Omit<WorkerOptions, 'run'> {
  /** Resolves with false if the request cannot be claimed. */
  readonly run: (id: string, how: RunRequest) => Promise<boolean>
  /** False: requests run only when the host calls `run` or `work`. */
  readonly immediate: boolean
  /** False: this process runs nothing before it calls `work`. */
  readonly inProcess: boolean
  /** The name of this process. */
  readonly holder: string
  readonly leaseSeconds: number
  readonly work: ReturnType<typeof ongoingWork>
  /** Rejects where this process cannot do what others can, as with other keys. It leaves the upkeep to them then. */
  readonly ready?: Ready | undefined
  /** Move requests whose time of waiting for people is over. */
  readonly moveWaiting: readonly Chore[]
  /** Everything that is done beside the runs, `moveWaiting` included. */
  readonly chores: readonly Chore[]
}

/** Starts the worker and the upkeep of this process. Returns how the host runs requests itself. */
export function requestRuns({
  work,
  run,
  ready,
  moveWaiting,
  chores,
  immediate,
  inProcess,
  ...worker
}: RequestRunsOptions) {
  const { storage, runtime, holder, sweepSeconds, signal, watch } = worker
  const leaseSeconds = Math.max(worker.leaseSeconds, 3 * sweepSeconds)
  /** How many loops of this process do the upkeep, and how many run requests. */
  let loops = 0
  let workers = 0
  const works = () => workers > 0
  const keeping = upkeep({ storage, runtime, holder, leaseSeconds, chores, watch, works })
  const leave = async () => {
    if (loops === 0) await keeping.leave()
  }
  const pass = async () => {
    try {
      await ready?.()
    } catch (error) {
      await keeping.leave().catch(() => {})
      throw error
    }
    return keeping.pass()
  }
  const keepUp = async (until: AbortSignal) => {
    loops++
    await startUpkeep(pass, { everySeconds: sweepSeconds, signal: until, watch })
    loops--
    // Otherwise others wait until its lease has ended.
    await leave().catch(() => {})
  }
  const start = async (concurrency: number, until: AbortSignal) => {
    workers++
    await startWorker({ ...worker, concurrency, signal: until, run: (id, permit) => run(id, { permit, stop: until }) })
    workers--
  }
  if (inProcess && immediate) void work.track(start(worker.concurrency, signal))
  if (inProcess) void work.track(keepUp(signal))

  return {
    loops: () => ({ workers, upkeep: loops }),

    /** Runs one request, or everything that waits. Rejects with `invalid_state` if the request cannot run now. */
    async run(id?: string): Promise<void> {
      signal.throwIfAborted()
      if (id === undefined) {
        await work.track(doChores(moveWaiting, watch))
        for (const each of await waitingRequests(worker)) await work.track(run(each.id, {}))
        await work.track(doChores(chores, watch))
        return
      }
      if (!isRequestId(id) || !(await work.track(run(id, { waits: false }))))
        throw invalidState(await requestRow(storage, id), 'run')
    },

    /** Runs what waits, and what comes, until the signal aborts. Resolves once everything has ended or was handed back. */
    async work(given: WorkOptions = {}): Promise<void> {
      const options = checkedOptions(given)
      const concurrency = options.concurrency ?? worker.concurrency
      if (inProcess && immediate) {
        const message = `This process works on requests already: set 'execution.inProcess' to false where 'work' is called.`
        throw new PrivacyError('misconfigured', message, { option: 'execution.inProcess' })
      }
      const ending = new AbortController()
      const end = () => {
        ending.abort(new PrivacyError('unavailable', 'The worker was told to end while the request ran.'))
      }
      options.signal?.addEventListener('abort', end)
      if (options.signal?.aborted) end()
      const until = AbortSignal.any([signal, ending.signal])
      setMaxListeners(0, until)
      // Its timers and idle connections keep no process alive, and the host may have nothing else.
      const alive = setInterval(() => {}, 3_600_000)
      try {
        await work.track(Promise.all([start(concurrency, until), inProcess ? undefined : keepUp(until)]))
      } finally {
        clearInterval(alive)
        options.signal?.removeEventListener('abort', end)
      }
    },

    /** One pass of the upkeep, for hosts without a process that works all the time. */
    async upkeep(): Promise<UpkeepResult> {
      try {
        return await work.track(keeping.pass())
      } finally {
        await leave().catch(() => {})
      }
    },
  }
}

const workOptions = ['concurrency', 'signal']

function checkedOptions(given: WorkOptions): WorkOptions {
  if (!isPlainObject(given)) throw wrongOption([], 'must be an object with concurrency and signal, or nothing')
  const { concurrency, signal, ...others } = given
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw wrongOption(
      [unknown],
      `is not known${nearestHint(unknown, workOptions)}: there are ${workOptions.join(' and ')}`,
    )
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw wrongOption(['signal'], 'must be an AbortSignal')
  const isCount = Number.isInteger(concurrency) && Number(concurrency) >= 1 && Number(concurrency) <= 100
  if (concurrency !== undefined && !isCount) throw wrongOption(['concurrency'], 'must be a whole number from 1 to 100')
  return given
}

function wrongOption(loc: string[], msg: string): PrivacyError {
  // A name may be a value that was put in the wrong place.
  const named = loc.some((name) => name === 'signal' || name === 'concurrency') ? ` '${loc[0]}'` : ''
  return new PrivacyError('invalid_input', `The option${named} of 'work' ${msg}.`, {
    issues: [{ loc, msg, type: 'invalid_value' }],
  })
}
