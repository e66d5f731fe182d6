import { createHmac } from 'node:crypto'
import type { ActionContext } from '../actions/context.js'
import { inputMissing, manualDeliveries } from '../actions/manual-uploads.js'
import { policyWebhooks } from '../actions/policy-webhooks.js'
import { openRequest } from '../actions/request-identities.js'
import { moveRequest, type RequestMove } from '../actions/request-rows.js'
import { isPrivacyError, PrivacyError } from '../errors.js'
import type { Identity } from '../model/identity.js'
import type { Policy } from '../model/policy.js'
import type { ActionNeeded, PrivacyRequest } from '../model/privacy-request.js'
import type { Blobs } from '../ports/blobs.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import type { Plan, PlannedCollection } from '../rules/plan.js'
import { provenProperties } from '../rules/proven-identity.js'
import { accessRules } from '../rules/targets.js'
import { completed, runAccess } from './access-run.js'
import type { WebhookSettings } from './ask-webhook.js'
import { callWebhooks } from './call-webhooks.js'
import { checkpoints } from './checkpoints.js'
import { readDataMap } from './data-map.js'
import { discardRun } from './discard-run.js'
import { heldBlobs } from './held-blobs.js'
import type { InputNeeded } from './input-needed.js'
import { holdLease, isHeldBy, type Lease } from './lease.js'
import { manualCollections } from './manual-collections.js'
import type { OpenConnections } from './open-connections.js'
import { requestBlobs, writePackages } from './packages.js'
import { persistently } from './persistently.js'
import { planHash } from './plan-hash.js'
import type { Prepared } from './prepare.js'
import { type Emit, type RequestProgress, requestProgress } from './progress.js'
import { failureOf, neededInput, placeOf, report, resultsOf } from './run-results.js'
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
  /** What is written together with the end of a request that is complete. */
  readonly completing: (
    row: PrivacyRequestRow,
    changes: Partial<PrivacyRequest>,
    options?: { readonly whateverHappens?: boolean },
  ) => Promise<RequestMove['also']>
  /** Told after that was written. */
  readonly completed: () => void
  readonly webhooks: WebhookSettings
  readonly prepare: (
    policy: Policy,
    identities: readonly Identity[],
    options: { readonly fresh: boolean; readonly proven?: readonly string[] | undefined },
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
  let end: RunEnd
  try {
    end = await answer(row, lease, options, progress)
    await progress.flush()
  } catch (error) {
    // The log is complete before the request is seen to have ended, whatever failed.
    await progress.flush().catch(() => {})
    end = failed(PrivacyError.from(error).message)
  }
  const held = await lease.end()
  const moved = held && (await finish(held, end, options))
  if (!moved) return leave(row.id, options)
  if (end.event === 'complete') options.completed()
  const { status, failure } = moved
  emit({ type: 'request', requestId: row.id, status, ...(failure !== undefined && { message: failure }) })
}

/** How a run leaves its request. */
type RunEnd = Omit<RequestMove, 'actor' | 'also'>

function failed(failure: string, changes: Partial<PrivacyRequest> = {}): RunEnd {
  return { event: 'fail', changes: { ...changes, failure }, detail: { reason: failure } }
}

/** A storage that is away for a moment must not undo a run; when it stays away, the lease ends and the run is repeated. */
async function finish(held: PrivacyRequestRow, end: RunEnd, { context, completing }: RunOptions) {
  const hasEnded = end.event === 'complete' || end.event === 'fail'
  const finishedAt = hasEnded && { finishedProcessingAt: context.runtime.now().toISOString() }
  const write = (options?: { readonly whateverHappens: boolean }) => completing(held, end.changes ?? {}, options)
  // A mail that cannot be written must not keep the request from being complete.
  const writes = async () => persistently(write).catch(() => write({ whateverHappens: true }))
  const also = end.event === 'complete' ? await writes() : undefined
  const move = { ...end, actor: 'system', changes: { ...end.changes, ...finishedAt }, ...(also && { also }) }
  return persistently(async () => {
    let row = held
    for (;;) {
      const moved = await moveRequest(context, row, move)
      if (moved) return moved
      const now = await context.storage.table('privacyRequest').get(held.id)
      if (!now || !isHeldBy(now, held)) return undefined
      if (now.version === row.version) {
        throw new PrivacyError('conflict', 'The storage could not write the end of a run just now.', {
          ...{ kind: 'privacy request', id: held.id },
        })
      }
      row = now
    }
  })
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
): Promise<RunEnd> {
  const { context, connections } = options
  const { dataKey, identities: submitted, encryptionKey } = await openRequest(context, row.id)
  const policy = await options.policy(row.policyKey)
  const missingInput = await inputMissing(context.storage, row, policy)
  if (missingInput.length > 0) return { event: 'needInput', changes: { missingInput } }
  const webhooks = await policyWebhooks(context.storage, row.policyKey)
  const calling = { context, settings: options.webhooks, requestId: row.id, policyKey: row.policyKey, dataKey, signal }
  const told = await callWebhooks('pre_execution', webhooks.pre_execution, submitted, calling)
  if (told.halted) return halted(told.halted, context)
  const { identities, derived } = told
  const proven = provenProperties(row)
  // After a failure the database may have changed: a second attempt asks for the catalogue again.
  const again = row.finishedProcessingAt !== undefined
  const preparing = options.prepare(policy, identities, { fresh: again, proven: proven && [...proven, ...derived] })
  const { plan, catalogues, manual, unavailable } = await untilAborted(preparing, signal)
  await storePlan(context.storage, row.id, plan, catalogues)
  const problem = plan.findings.find((finding) => finding.severity === 'error')
  if (problem) return failed(problem.message, { results: [] })
  const otherPlan = differsFromApproved(row, plan, unavailable)
  if (otherPlan) return otherPlan

  const blobs = heldBlobs(options.blobs, lost)
  const room = spoolRoom({ blobs, runtime: context.runtime, dataKey })
  const spool = `${requestBlobs(row.id)}/spool`
  const spoolKey = (name: string) => `${spool}/${name}`
  const kept = { plan, storage: context.storage, room, requestId: row.id, blobKey: spoolKey }
  // A plan knows names only: what was found for other values, which a webhook may bring, is not what this run looks for.
  const saved = checkpoints({
    ...kept,
    searched: createHmac('sha256', dataKey).update(JSON.stringify(identities)).digest('base64url'),
  })
  const restored = await saved.restore()
  const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
  const notes = new Map<string, string>()
  const people = manualCollections({ context, requestId: row.id, dataKey })
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
      async connection(key, address) {
        if (manual.has(key)) return people.connection(key, address)
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
    return failed(failure, { results })
  }
  const needed = neededInput(ends)
  if (needed) {
    await saved.save()
    return pausedAt(needed, await people.actionNeeded(needed.input), context)
  }
  const spooled = room.wrote || again || restored.size > 0
  try {
    const outcomes = completed(ends)
    const uploads = await manualDeliveries(context.storage, row.id, dataKey, policy)
    const packages = await writePackages({
      plan,
      outcomes,
      manual: uploads,
      room,
      rules: accessRules(policy),
      requestId: row.id,
      preparedAt: new Date(row.startedProcessingAt ?? row.createdAt),
      cipher: encryptionKey && { key: encryptionKey, randomBytes: (length) => context.runtime.randomBytes(length) },
      dataMap: () => readDataMap(context.storage),
    })
    await callWebhooks('post_execution', webhooks.post_execution, identities, calling)
    await saved.clear()
    if (spooled) await blobs.delete(spool)
    return { event: 'complete', changes: { results, packages } }
  } catch (error) {
    // Spooled rows that cannot be opened are of no use to a retry; all others are.
    if (!lost.aborted) await (isPrivacyError(error, 'internal') ? saved.clear() : saved.save())
    throw error
  }
}

/** Whoever may see that a request waits may not see by whose values: these are shown apart. */
function pausedAt(
  { address, input }: InputNeeded,
  needed: readonly ActionNeeded[],
  { runtime }: ActionContext,
): RunEnd {
  // Without their values, all look-ups of a read are alike.
  const actionNeeded = needed.slice(0, 1).map((each) => ({ ...each, locators: null }))
  const actionRequired = { step: 'access' as const, collection: address, actionNeeded }
  const changes = { pausedAt: runtime.now().toISOString(), actionRequired, awaitedInput: input }
  return { event: 'pause', changes, detail: { collection: address } }
}

function halted({ webhook, resumeBy }: { webhook: string; resumeBy: string }, { runtime }: ActionContext): RunEnd {
  return { event: 'pause', changes: { pausedAt: runtime.now().toISOString(), resumeBy }, detail: { webhook } }
}

/** A plan that nobody has approved is not run (§6). One that only lacks a database that was away is no other plan. */
function differsFromApproved(
  { approvedPlanHash }: PrivacyRequestRow,
  plan: Plan,
  unavailable: ReadonlyMap<string, PrivacyError>,
): RunEnd | undefined {
  if (approvedPlanHash === undefined || planHash(plan) === approvedPlanHash) return undefined
  for (const [key, error] of unavailable) {
    return failed(`Connection '${key}' could not be asked for its catalogue: ${error.message}`, { results: [] })
  }
  return {
    event: 'replan',
    changes: {
      reviewAgain: true,
      failure: 'The plan is not the one that was approved: look at it and approve it again.',
    },
    drop: ['reviewedAt', 'reviewedBy', 'approvedPlanHash'],
    detail: { approvedPlanHash, planHash: planHash(plan) },
  }
}
