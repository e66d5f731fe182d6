import { errorTrace } from '../model/error-trace.js'
import type { Emit, ServicePart } from '../model/privacy-event.js'

/** Work that is tried again whatever happens to it, so that no request and no caller is told when it fails. */
export interface RepeatedWork {
  readonly part: ServicePart
  /** What was tried, as in `send a hint`. Never a value. */
  readonly doing: string
  readonly requestId?: string
}

export interface FailureWatch {
  /** Tells listeners of a failure that ends nothing. The same failure again is told once in ten minutes. */
  failed(about: RepeatedWork, error: unknown): void
  /** Does work whose failure ends nothing. Never rejects. Resolves with whether it was done. */
  watch(about: RepeatedWork, work: () => Promise<unknown>, options?: WatchOptions): Promise<boolean>
  /** What has failed last time, of the work that is watched. */
  failing(): readonly RepeatedWork[]
  /** When this process last failed to reach the storage. Undefined: it never did. */
  storageFailedAt(): Date | undefined
}

interface WatchOptions {
  /** Work that goes on until the service ends counts as done once it has lasted this long. */
  readonly worksAfterMs?: number
}

const againMs = 600_000
/** Failures of single requests are forgotten beyond this number, and then told once more. */
const mostKnown = 1_000

/** Parts whose work is done in the storage. */
const ofStorage: ReadonlySet<ServicePart> = new Set(['storage', 'worker', 'upkeep'])

export function failureWatch(emit: Emit, { now }: { readonly now: () => Date }): FailureWatch {
  const known = new Map<string, { readonly about: RepeatedWork; readonly told: string; readonly at: number }>()
  let storageFailedAt: Date | undefined
  const nameOf = ({ part, doing, requestId = '' }: RepeatedWork) => [part, doing, requestId].join('/')

  function failed(about: RepeatedWork, error: unknown): void {
    const trace = errorTrace(error)
    const told = `${trace.code} ${trace.cause}`
    const failedAt = now()
    if (trace.code === 'unavailable' && ofStorage.has(about.part)) storageFailedAt = failedAt
    const before = known.get(nameOf(about))
    const at = failedAt.getTime()
    if (before?.told === told && at - before.at < againMs) return
    if (known.size >= mostKnown) forgetOldest()
    known.set(nameOf(about), { about, told, at })
    emit({ type: 'service', status: 'failing', ...about, ...trace })
  }

  /** What the service itself failed at stays until it works again. */
  function forgetOldest(): void {
    for (const [name, { about }] of known) {
      if (about.requestId === undefined) continue
      known.delete(name)
      return
    }
  }

  function worked(about: RepeatedWork): void {
    if (known.delete(nameOf(about))) emit({ type: 'service', status: 'working', ...about })
  }

  return {
    failed,
    async watch(about, work, { worksAfterMs } = {}) {
      const lasting = worksAfterMs === undefined ? undefined : setTimeout(() => worked(about), worksAfterMs).unref()
      try {
        await work()
        worked(about)
        return true
      } catch (error) {
        failed(about, error)
        return false
      } finally {
        clearTimeout(lasting)
      }
    },
    storageFailedAt: () => storageFailedAt,
    failing: () => [...known.values()].flatMap(({ about }) => (about.requestId === undefined ? about : [])),
  }
}
