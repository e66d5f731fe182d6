import { cancelledFailure } from '@habeas/sql'
import { missingDataset, statusOf } from './failures.js'
import type { JobService } from './job-service.js'

/** Where a dataset lies, which BigQuery is asked for once. */
export interface DatasetLocation {
  find(ask: JobService['ask'], signal?: AbortSignal): Promise<string | undefined>
  /** Has it asked for again. */
  forget(): void
}

export function datasetLocation(dataset: string): DatasetLocation {
  let found: Promise<string | undefined> | undefined

  async function asked(ask: JobService['ask']): Promise<string | undefined> {
    try {
      // without a signal, since other callers wait for the same answer
      return (await ask<{ location?: string }>(`/datasets/${encodeURIComponent(dataset)}`)).location
    } catch (error) {
      found = undefined
      throw statusOf(error) === 404 ? missingDataset(error, dataset) : error
    }
  }

  return {
    find(ask, signal) {
      found ??= asked(ask)
      return untilAborted(found, signal)
    },
    forget() {
      found = undefined
    },
  }
}

function untilAborted<Answer>(answer: Promise<Answer>, signal: AbortSignal | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(cancelledFailure(signal?.reason))
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
    answer.then(resolve, reject).finally(() => signal?.removeEventListener('abort', stop))
  })
}
