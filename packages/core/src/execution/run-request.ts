import type { ActionContext } from '../actions/context.js'
import { openRequest } from '../actions/request-identities.js'
import { moveRequest } from '../actions/request-rows.js'
import { isPrivacyError, PrivacyError } from '../errors.js'
import type { Identity } from '../model/identity.js'
import type { Policy } from '../model/policy.js'
import type { PrivacyRequest } from '../model/privacy-request.js'
import type { Blobs } from '../ports/blobs.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import type { PlannedCollection } from '../rules/plan.js'
import { accessRules } from '../rules/targets.js'
import { completed, runAccess } from './access-run.js'
import { checkpoints } from './checkpoints.js'
import { discardRun } from './discard-run.js'
import { heldBlobs } from './held-blobs.js'
import { holdLease, type Lease } from './lease.js'
import type { OpenConnections } from './open-connections.js'
import { requestBlobs, writePackages } from './packages.js'
import { persistently } from './persistently.js'
import type { Prepared } from './prepare.js'
import { type Emit, type RequestProgress, requestProgress } from './progress.js'
import { failureOf, placeOf, report, resultsOf } from './run-results.js'
import { spoolRoom } from './spool.js'
import { storePlan } from './stored-plan.js'
import { untilAborted } from './until-aborted.js'

export interface RunOptions {
  readonly context: ActionContext
  readonly blobs: Blobs
  readonly connections: OpenConnections
  readonly maxRounds: number
  readonly emit: Emit
  /** Aborts when the service closes: the request then ends in `error`, and what was found is kept for a retry. */
  readonly stop: AbortSignal
  /** Aborts when the request is canceled in this process. */
  readonly canceled: AbortSignal
  readonly policy: (key: string) => Promise<Policy>
  readonly prepare: (
    policy: Policy,
    identities: readonly Identity[],
    options: { readonly fresh: boolean },
  ) => Promise<Prepared>
}

/**
 * Runs one claimed request to its end, whatever happens: complete, or error with what is missing named. A run that loses
 * its request writes nothing more, and what a canceled one has written is removed.
 */
export async function runRequest(row: PrivacyRequestRow, options: RunOptions): Promise<void> {
  const { context, emit } = options
  const lease = holdLease(context, row, options)
  const progress = requestProgress({ storage: context.storage, runtime: context.runtime, requestId: row.id, emit })
  emit({ type: 'request', requestId: row.id, status: row.status })
  let changes: Partial<PrivacyRequest>
  try {
    changes = await answer(row, lease, options, progress)
    await progress.flush()
  } catch (error) {
    // The log is complete before the request is seen to have ended, whatever failed.
    await progress.flush().catch(() => {})
    changes = { failure: PrivacyError.from(error).message }
  }
  const held = await lease.end()
  const moved = held && (await finish(context, held, changes))
  if (!moved) return leave(row.id, options)
  const { status, failure } = moved
  emit({ type: 'request', requestId: row.id, status, ...(failure !== undefined && { message: failure }) })
}

/** A storage that is away for a moment must not undo a run; when it stays away, the lease ends and the run is repeated. */
function finish({ storage, runtime }: ActionContext, held: PrivacyRequestRow, changes: Partial<PrivacyRequest>) {
  const finishedProcessingAt = runtime.now().toISOString()
  const event = changes.failure === undefined ? 'complete' : 'fail'
  return persistently(() => moveRequest(storage, held, event, { ...changes, finishedProcessingAt }))
}

/** Of a canceled request nothing stays; one that was taken over is another worker's, with all that belongs to it. */
async function leave(id: string, { context: { storage }, blobs, canceled, emit }: RunOptions): Promise<void> {
  const row = await persistently(() => storage.table('privacyRequest').get(id))
  if (row?.status !== 'canceled') return
  if (!canceled.aborted) emit({ type: 'request', requestId: id, status: 'canceled' })
  await discardRun(storage, blobs, id)
}

async function answer(
  row: PrivacyRequestRow,
  { signal, lost, confirm }: Lease,
  options: RunOptions,
  progress: RequestProgress,
): Promise<Partial<PrivacyRequest>> {
  const { context, connections } = options
  const { dataKey, identities } = await openRequest(context, row.id)
  const policy = await options.policy(row.policyKey)
  // After a failure the database may have changed: a second attempt asks for the catalogue again.
  const again = row.finishedProcessingAt !== undefined
  const preparing = options.prepare(policy, identities, { fresh: again })
  const { plan, catalogues, unavailable } = await untilAborted(preparing, signal)
  await storePlan(context.storage, row.id, plan, catalogues)
  const problem = plan.findings.find((finding) => finding.severity === 'error')
  if (problem) return { failure: problem.message, results: [] }

  const blobs = heldBlobs(options.blobs, lost)
  const room = spoolRoom({ blobs, runtime: context.runtime, dataKey })
  const spool = `${requestBlobs(row.id)}/spool`
  const spoolKey = (name: string) => `${spool}/${name}`
  const saved = checkpoints({ plan, storage: context.storage, room, requestId: row.id, blobKey: spoolKey })
  const restored = await saved.restore()
  const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
  const notes = new Map<string, string>()
  for (const { address, reason, detail, targeted } of plan.unsearched) {
    if (targeted)
      progress.collection(placeOf(address), 'skipped', detail === undefined ? reason : `${reason}: ${detail}`)
  }
  const { components: ends, nearMatches } = await runAccess({
    plan,
    restored,
    now: () => context.runtime.now(),
    context: {
      plan,
      byAddress,
      identities,
      room,
      signal,
      maxRounds: options.maxRounds,
      spoolKey: (address, name) => spoolKey(`${address}/${name}`),
      async connection(key) {
        const failed = unavailable.get(key)
        if (failed) throw failed
        const open = await untilAborted(connections.get(key), signal)
        // Who is let in after an abort is sent away, and need not be waited for.
        return { ...open, place: (waiting) => untilAborted(open.place(waiting), waiting) }
      },
      note(address, message) {
        notes.set(address, message)
        progress.collection(byAddress.get(address) as PlannedCollection, 'in_processing', message)
      },
      progress: (address, rows) => progress.rows(byAddress.get(address) as PlannedCollection, rows),
    },
    started(component) {
      for (const member of component.members) {
        progress.collection(
          byAddress.get(member) as PlannedCollection,
          again ? 'retrying' : 'in_processing',
          again ? 'retrying' : 'starting',
        )
      }
    },
    ended(component, index, end) {
      report(
        progress,
        component.members.map((member) => byAddress.get(member) as PlannedCollection),
        end,
      )
      if (end.state === 'complete' && !end.restored) saved.done(index, end.outcome)
    },
  })
  await saved.pause()
  await confirm()
  const results = resultsOf(plan, ends, nearMatches, notes)
  const failure = failureOf(plan, ends)
  if (failure !== undefined) {
    await saved.save()
    return { failure, results }
  }
  const spooled = room.wrote || again
  try {
    const outcomes = completed(ends)
    const packages = await writePackages({ plan, outcomes, room, rules: accessRules(policy), requestId: row.id })
    await saved.clear()
    if (spooled) await blobs.delete(spool)
    return { results, packages }
  } catch (error) {
    // Spooled rows that cannot be opened are of no use to a retry; all others are.
    if (!lost.aborted) await (isPrivacyError(error, 'internal') ? saved.clear() : saved.save())
    throw error
  }
}
