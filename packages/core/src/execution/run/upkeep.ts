import type { ActionContext } from '../../actions/action-context.js'
import type { FailureWatch } from '../../actions/failure-watch.js'
import { tookEffect } from '../../actions/until-written.js'
import type { Storage } from '../../ports/storage.js'
import type { UpkeepRow } from '../../ports/upkeep-row.js'

/** What one pass of the upkeep did. */
export interface UpkeepResult {
  /** False: another process does the upkeep now, and this one did nothing. */
  readonly done: boolean
  /** Mails that were sent. */
  readonly mailsSent: number
  /** Requests that waited for something that has ended, and were moved on. */
  readonly requestsMoved: number
  /** Requests whose personal data was destroyed. */
  readonly requestsDestroyed: number
  /** Chores that failed, as while a server is away. The next pass does them again. */
  readonly failed: readonly string[]
}

/** Something that is done beside the runs, from time to time. Resolves with how often it did it. */
export interface Chore {
  readonly name: string
  readonly counts?: 'mailsSent' | 'requestsMoved' | 'requestsDestroyed'
  readonly do: () => Promise<number>
}

export interface UpkeepOptions extends Pick<ActionContext, 'storage' | 'runtime'> {
  /** The name of this process. */
  readonly holder: string
  /** After how long another process goes on, when this one is silent. */
  readonly leaseSeconds: number
  /** They are done one after the other. When one fails, the others are still done. */
  readonly chores: readonly Chore[]
  readonly watch: FailureWatch['watch']
  /** Whether this process runs requests. */
  readonly works?: () => boolean
}

const rowId = 'upkeep'
const nothing = { mailsSent: 0, requestsMoved: 0, requestsDestroyed: 0 }

/** The chores of all processes. One process at a time does them, as the row in the storage says. */
export function upkeep({ storage, runtime, holder, leaseSeconds, chores, watch, works = () => false }: UpkeepOptions) {
  const table = storage.table('upkeep')
  /** What the last pass of this process was like. */
  let last: Pick<UpkeepRow, 'passedAt' | 'failed'> | undefined
  const known = (row: UpkeepRow | undefined) =>
    last ?? { ...(row?.passedAt && { passedAt: row.passedAt }), ...(row?.failed && { failed: row.failed }) }

  /** Returns whether this process does the upkeep now. */
  async function take(): Promise<boolean> {
    const row = await table.get(rowId)
    const now = runtime.now().getTime()
    const until = Date.parse(row?.leaseExpiresAt ?? '')
    const isMine = row?.leaseHolder === holder
    if (row?.leaseHolder !== undefined && !isMine && until > now) return false
    if (isMine && until - now > (leaseSeconds * 1_000) / 2) return true
    const leaseExpiresAt = new Date(now + leaseSeconds * 1_000).toISOString()
    const lease = { leaseHolder: holder, leaseExpiresAt, works: works() }
    const next = { id: rowId, version: (row?.version ?? 0) + 1, ...lease, ...known(row) }
    return tookEffect(async () => (row ? table.replace(next) : table.insert(next)))
  }

  return {
    /** Does every chore once, unless another process does the upkeep. Rejects when the storage cannot be asked. */
    async pass(): Promise<UpkeepResult> {
      if (!(await take())) return { done: false, ...nothing, failed: [] }
      // A chore may take longer than the lease.
      const holding = setInterval(() => void take().catch(() => {}), leaseSeconds * 250)
      const done = await doChores(chores, watch).finally(() => clearInterval(holding))
      last = { passedAt: runtime.now().toISOString(), failed: done.failed }
      return { done: true, ...done }
    },

    /** Leaves the upkeep to other processes. */
    async leave(): Promise<void> {
      const row = await table.get(rowId)
      if (row?.leaseHolder === holder) {
        await table.replace({ id: rowId, version: row.version + 1, ...known(row), ...(row.works && { works: true }) })
      }
    },
  }
}

/** What is known of the upkeep of all processes. */
export function upkeepRow(storage: Storage): Promise<UpkeepRow | undefined> {
  return storage.table('upkeep').get(rowId)
}

/** Does every chore once. */
export async function doChores(
  chores: readonly Chore[],
  watch: FailureWatch['watch'],
): Promise<Omit<UpkeepResult, 'done'>> {
  const counts = { ...nothing }
  const failed: string[] = []
  for (const { name, counts: counted, do: work } of chores) {
    const isDone = await watch({ part: 'upkeep', doing: name }, async () => {
      const count = await work()
      if (counted) counts[counted] += count
    })
    if (!isDone) failed.push(name)
  }
  return { ...counts, failed }
}
