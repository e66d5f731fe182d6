import type { ActionContext } from '../actions/context.js'
import { moveRequest, openRequest } from '../actions/requests.js'
import { isPrivacyError, PrivacyError } from '../errors.js'
import type { Policy } from '../model/policy.js'
import type { CollectionResult, PrivacyRequest } from '../model/privacy-request.js'
import type { Blobs } from '../ports/blobs.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import type { Plan, PlannedCollection } from '../rules/plan.js'
import { accessRules } from '../rules/targets.js'
import { type ComponentEnd, completed, runAccess } from './access-run.js'
import { checkpoints } from './checkpoints.js'
import { holdLease } from './lease.js'
import type { OpenConnections } from './open-connections.js'
import { writePackages } from './packages.js'
import type { Prepared } from './prepare.js'
import { type Emit, type RequestProgress, requestProgress } from './progress.js'
import { spoolRoom } from './spool.js'
import { storePlan } from './stored-plan.js'

export interface RunOptions {
  readonly context: ActionContext
  readonly blobs: Blobs
  readonly connections: OpenConnections
  readonly maxRounds: number
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly policy: (key: string) => Promise<Policy>
  readonly prepare: (
    policy: Policy,
    identities: Awaited<ReturnType<typeof openRequest>>['identities'],
  ) => Promise<Prepared>
}

/** Runs one claimed request to its end, whatever happens: complete, or error with what is missing named. */
export async function runRequest(row: PrivacyRequestRow, options: RunOptions): Promise<void> {
  const { context, emit } = options
  const lease = holdLease(context, row, options.signal)
  const progress = requestProgress({ storage: context.storage, runtime: context.runtime, requestId: row.id, emit })
  emit({ type: 'request', requestId: row.id, status: row.status })
  let changes: Partial<PrivacyRequest>
  try {
    changes = await answer(row, { ...options, signal: lease.signal }, progress)
    await progress.flush()
  } catch (error) {
    // The log is complete before the request is seen to have ended, whatever failed.
    await progress.flush().catch(() => {})
    changes = { failure: PrivacyError.from(error).message }
  }
  const held = await lease.end()
  const moved = held && (await finish(context, held, changes))
  if (moved) {
    emit({
      type: 'request',
      requestId: row.id,
      status: moved.status,
      ...(moved.failure !== undefined && { message: moved.failure }),
    })
  }
}

/** A storage that is away for a moment must not undo a run; when it stays away, the lease ends and the run is repeated. */
async function finish(context: ActionContext, held: PrivacyRequestRow, changes: Partial<PrivacyRequest>) {
  const finishedProcessingAt = context.runtime.now().toISOString()
  const event = changes.failure === undefined ? 'complete' : 'fail'
  for (let attempt = 1; ; attempt++) {
    try {
      return await moveRequest(context.storage, held, event, { ...changes, finishedProcessingAt })
    } catch (error) {
      if (attempt === finishAttempts) throw error
      await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt))
    }
  }
}

const finishAttempts = 5

async function answer(
  row: PrivacyRequestRow,
  options: RunOptions,
  progress: RequestProgress,
): Promise<Partial<PrivacyRequest>> {
  const { context, blobs, connections } = options
  const { dataKey, identities } = await openRequest(context, row.id)
  const policy = await options.policy(row.policyKey)
  const { plan, catalogues, unavailable } = await options.prepare(policy, identities)
  await storePlan(context.storage, row.id, plan, catalogues)
  const problem = plan.findings.find((finding) => finding.severity === 'error')
  if (problem) return { failure: problem.message, results: [] }

  const room = spoolRoom({ blobs, runtime: context.runtime, dataKey })
  const spoolKey = (name: string) => `requests/${row.id}/spool/${name}`
  const saved = checkpoints({ plan, storage: context.storage, room, requestId: row.id, blobKey: spoolKey })
  const restored = await saved.restore()
  const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
  const again = row.finishedProcessingAt !== undefined
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
      signal: options.signal,
      maxRounds: options.maxRounds,
      spoolKey: (address, name) => spoolKey(`${address}/${name}`),
      async connection(key) {
        const failed = unavailable.get(key)
        if (failed) throw failed
        return connections.get(key)
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
  const results = resultsOf(plan, ends, nearMatches, notes)
  const failure = failureOf(plan, ends)
  if (failure !== undefined) {
    await saved.save()
    return { failure, results }
  }
  await saved.pause()
  const spooled = room.wrote || again
  try {
    const outcomes = completed(ends)
    const packages = await writePackages({ plan, outcomes, room, rules: accessRules(policy), requestId: row.id })
    await saved.clear()
    if (spooled) await blobs.delete(`requests/${row.id}/spool`)
    return { results, packages }
  } catch (error) {
    // Spooled rows that cannot be opened are of no use to a retry; all others are.
    await (isPrivacyError(error, 'internal') ? saved.clear() : saved.save())
    throw error
  }
}

function report(progress: RequestProgress, members: readonly PlannedCollection[], end: ComponentEnd): void {
  for (const member of members) {
    if (end.state === 'waiting') progress.collection(member, 'skipped', 'not run: what leads to it failed')
    else if (end.state === 'error')
      progress.collection(member, 'error', end.error.message, { durationMs: end.durationMs })
    else if (!end.restored) {
      const found = end.outcome.collections.find(({ address }) => address === member.address)
      const { own = 0, lookedUp = 0, others = 0, dropped = 0 } = found?.counts ?? {}
      const notes = [
        lookedUp > 0 && `${lookedUp} looked up`,
        others > 0 && `${others} of other people left out`,
        dropped > 0 && `${dropped} values not followed, since what they refer to cannot hold them`,
      ].filter(Boolean)
      const message = `found ${own + lookedUp} rows${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
      progress.collection(member, 'complete', message, { rowCount: own + lookedUp, durationMs: end.durationMs })
    }
  }
}

function resultsOf(
  plan: Plan,
  ends: readonly ComponentEnd[],
  nearMatches: ReadonlyMap<string, number>,
  notes: ReadonlyMap<string, string>,
): CollectionResult[] {
  const found = completed(ends)
  const failed = new Map(
    plan.components.flatMap((component, index) => {
      const end = ends[index] as ComponentEnd
      return end.state === 'complete' ? [] : component.members.map((member) => [member, end] as const)
    }),
  )
  const searched = plan.collections.map(({ address, dataset, collection }): CollectionResult => {
    const outcome = found.get(address)
    if (!outcome) {
      const end = failed.get(address)
      const reason = end?.state === 'error' ? end.error.message : 'not run: what leads to it failed'
      return { dataset, collection, actionType: 'access', outcomes: [{ outcome: 'failed', rowCount: 0, reason }] }
    }
    const { own, lookedUp, others, elementsLeft } = outcome.counts
    const near = nearMatches.get(address)
    const note = notes.get(address)
    const rowCount = own + lookedUp
    return {
      dataset,
      collection,
      actionType: 'access',
      outcomes: [
        rowCount > 0
          ? { outcome: 'delivered', rowCount }
          : { outcome: 'nothing_found', rowCount: 0, ...(note !== undefined && { reason: note }) },
        ...(others > 0 ? [{ outcome: 'skipped' as const, rowCount: others, reason: "somebody else's" }] : []),
      ],
      ...(elementsLeft > 0 && { elementsLeft }),
      ...(near !== undefined && { nearMatches: near }),
    }
  })
  const unsearched = plan.unsearched.map(({ address, reason, detail }): CollectionResult => {
    const why = detail === undefined ? reason : `${reason}: ${detail}`
    return { ...placeOf(address), actionType: 'access', outcomes: [{ outcome: 'skipped', rowCount: 0, reason: why }] }
  })
  return [...searched, ...unsearched]
}

/** One sentence that names what failed first; the log and the results have the rest. */
function failureOf(plan: Plan, ends: readonly ComponentEnd[]): string | undefined {
  const failed = ends.flatMap((end, index) =>
    end.state === 'error' ? [{ end, members: plan.components[index]?.members ?? [] }] : [],
  )
  const first = failed[0]
  if (!first) return undefined
  const names = failed.flatMap(({ members }) => members)
  const others = names.length > 1 ? ` (and ${names.length - 1} more: ${names.slice(1, 6).join(', ')})` : ''
  const connection = plan.collections.find(({ address }) => address === names[0])?.connectionKey
  return `${names[0]} could not be read over connection '${connection}'${others}: ${first.end.error.message} Retry reads only what is missing.`
}

/** The names in an address; a dataset's key holds no colon. */
function placeOf(address: string): { dataset: string; collection: string } {
  const end = address.indexOf(':')
  return { dataset: address.slice(0, end), collection: address.slice(end + 1) }
}
