import { invalidState, isRequestId, requestRow } from '../../actions/requests/move-request.js'
import type { ongoingWork } from '../../async/ongoing-work.js'
import { doChores, startUpkeep } from './start-upkeep.js'
import { startWorker, type WorkerOptions, waitingRequests } from './start-worker.js'

export interface RequestRunsOptions extends Omit<WorkerOptions, 'run'> {
  /** Resolves with false if the request cannot be claimed. */
  readonly run: (id: string, waits?: boolean) => Promise<boolean>
  /** False: requests run only when the host calls `run`. */
  readonly immediate: boolean
  readonly work: ReturnType<typeof ongoingWork>
  /** Move requests whose time of waiting for people is over. */
  readonly moveWaiting: readonly (() => Promise<void>)[]
  /** Everything that is done beside the runs, `moveWaiting` included. */
  readonly chores: readonly (() => Promise<void>)[]
}

/** Starts the worker and the upkeep of this process. Returns how the host runs requests itself. */
export function requestRuns({ work, run, moveWaiting, chores, immediate, ...worker }: RequestRunsOptions) {
  const { storage, sweepSeconds, signal } = worker
  void work.track(startUpkeep({ everySeconds: sweepSeconds, signal, chores }))
  if (immediate) void work.track(startWorker({ ...worker, run }))
  return {
    /** Runs one request, or everything that waits. Rejects with `invalid_state` if the request cannot run now. */
    async run(id?: string): Promise<void> {
      signal.throwIfAborted()
      if (id === undefined) {
        await work.track(doChores(moveWaiting))
        for (const each of await waitingRequests(worker)) await work.track(run(each))
        await work.track(doChores(chores))
        return
      }
      if (!isRequestId(id) || !(await work.track(run(id, false))))
        throw invalidState(await requestRow(storage, id), 'run')
    },
  }
}
