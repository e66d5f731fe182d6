import { createHmac } from 'node:crypto'
import { notDone } from '../../actions/not-done.js'
import { untilAborted } from '../../async/until-aborted.js'
import type { CollectionResult } from '../../model/collection-result.js'
import type { Blobs } from '../../ports/blobs.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { accessRules } from '../../rules/policy/targets.js'
import { withFilters } from '../connect/filtered-connection.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { withRequestSlots } from '../connect/request-slots.js'
import { InputNeeded } from '../manual/input-needed.js'
import { manualCollections } from '../manual/manual-collections.js'
import { spoolOf } from '../run/discard-run.js'
import { fencedBlobs } from '../run/fenced-blobs.js'
import {
  pausedForDecision,
  unconfirmedCollections,
  unconfirmedQuestion,
  undecidedQuestion,
} from '../run/paused-for-decision.js'
import type { PlannedRun } from '../run/plan-run.js'
import { failureOf, neededInput, notFollowedFailure, resultsOf } from '../run/results-of.js'
import { failed, pausedAt, type RunEnd } from '../run/run-end.js'
import type { RequestRun } from '../run/run-options.js'
import { checkpoints, foundForMs } from './checkpoints.js'
import { type Confirmation, confirmIdentities } from './confirm-identities.js'
import { openCounts } from './open-counts.js'
import { type AccessEnd, completed } from './run-access.js'
import type { CollectionOutcome } from './run-component.js'
import { searchCollections } from './search-collections.js'
import { type SpoolRoom, spoolRoom } from './spool.js'

/** The rows that a run has found. They lie in spools. */
export interface FoundRows extends Pick<AccessEnd, 'asked' | 'learned'> {
  readonly byAddress: ReadonlyMap<string, PlannedCollection>
  readonly outcomes: ReadonlyMap<string, CollectionOutcome>
  readonly results: readonly CollectionResult[]
  /** ISO 8601, UTC. All found rows were read after this instant. */
  readonly foundSince: string
  readonly confirmation: Confirmation
  readonly saved: ReturnType<typeof checkpoints>
  readonly room: SpoolRoom
  readonly blobs: Blobs
  readonly spoolKey: (name: string) => string
  readonly people: ReturnType<typeof manualCollections>
  readonly connection: (key: string, address: string) => Promise<OpenConnection>
}

/** Finds all rows of the subject. Ends the run when it cannot read them, or when people have to decide first. */
export async function findRows(run: RequestRun, planned: PlannedRun): Promise<FoundRows | RunEnd> {
  const { row, lease, options } = run
  const { context } = options
  const { plan, policy, identities, again, hasErased } = planned
  const { dataKey } = planned.opened
  const beganAt = context.runtime.now()
  const people = manualCollections({ context, requestId: row.id, dataKey, write: lease.write })
  const connection = reachConnections(run, planned, people)
  const confirmation = await confirmSubject(run, planned, people, connection)
  if ('event' in confirmation) return confirmation

  const blobs = fencedBlobs(options.blobs, lease.lost)
  const room = spoolRoom({ blobs, runtime: context.runtime, dataKey })
  const spoolKey = (name: string) => `${spoolOf(row)}/${name}`
  // A plan holds names only. Rows that were found for other values, such as those of a webhook, are not valid for this run.
  const saved = checkpoints({
    plan,
    storage: context.storage,
    lease,
    stored: run.stored,
    room,
    requestId: row.id,
    blobKey: spoolKey,
    searched: createHmac('sha256', dataKey)
      .update(JSON.stringify([identities, confirmation.asTexts, ...(plan.filters ?? [])]))
      .digest('base64url'),
    now: () => context.runtime.now(),
  })
  const restored = await saved.restore({ recent: plan.erasure !== undefined && !hasErased })
  const foundSince = new Date(beganAt.getTime() - (restored.size > 0 ? foundForMs : 0)).toISOString()
  const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
  const search = { plan, byAddress, identities, confirmation, restored, saved, room, spoolKey, connection, again }
  const { ends, open, asked, learned, notes } = await searchCollections(run, search)
  await saved.pause()
  await lease.confirm()

  const report = {
    nearMatches: confirmation.nearMatches,
    notes,
    handsOver: accessRules(policy).length > 0,
    unconfirmed: unconfirmedCollections(plan, confirmation),
  }
  const failure = failureOf(plan, ends)
  if (failure !== undefined) {
    // Where the run makes room for others, what it found last is read again sooner than it is stored.
    if (!options.stop.aborted) await saved.save()
    return failed(failure.message, { results: resultsOf(plan, ends, { ...report, counted: [] }) }, failure)
  }
  const needed = neededInput(ends)
  if (needed) {
    await saved.save()
    return pausedAt('access', needed, await people.actionNeeded(needed.input), context)
  }
  const erasing = plan.erasure !== undefined
  const uncounted = notDone(context, 'connection', 'count rows that open references lead to', row.id)
  const { signal } = lease
  const counted = await openCounts({ plan, byAddress, open, asked, connection, signal, erasing, failed: uncounted })
  const results = resultsOf(plan, ends, { ...report, counted })
  if (erasing && !hasErased) {
    const notFollowed = notFollowedFailure(ends)
    const undecided = !notFollowed && undecidedQuestion(plan, results, row.accepted)
    if (notFollowed || undecided) await saved.save()
    if (notFollowed) return failed(notFollowed, { results })
    if (undecided) {
      const end = pausedForDecision(planned.step, [undecided], context, { unread: false })
      return { ...end, changes: { ...end.changes, results } }
    }
  }
  const outcomes = completed(ends)
  return {
    byAddress,
    outcomes,
    results,
    foundSince,
    confirmation,
    asked,
    learned,
    saved,
    room,
    blobs,
    spoolKey,
    people,
    connection,
  }
}

/** Opens a connection by its key. Rows that people look up have one as well. */
function reachConnections(
  { row, lease, options }: RequestRun,
  { plan, manual, unavailable }: PlannedRun,
  people: FoundRows['people'],
): FoundRows['connection'] {
  const filtered = withFilters(plan, new Date(row.createdAt))
  const counted = withRequestSlots()
  return async (key, address) => {
    if (manual.has(key)) return people.connection(key, address)
    const failed = unavailable.get(key)
    if (failed) throw failed
    return counted(filtered(await untilAborted(options.connections.get(key), lease.signal)))
  }
}

/** Makes sure that the identities mean one person. Ends the run when people have to answer first. */
async function confirmSubject(
  { row, lease, options }: RequestRun,
  { plan, identities, step }: PlannedRun,
  people: FoundRows['people'],
  connection: FoundRows['connection'],
): Promise<Confirmation | RunEnd> {
  try {
    const confirmation = await confirmIdentities({ plan, identities, connection, signal: lease.signal })
    const unconfirmed = unconfirmedQuestion(plan, row.accepted, confirmation)
    if (!unconfirmed) return confirmation
    const unread = plan.erasure !== undefined && row.erasingSince === undefined
    return pausedForDecision(step, [unconfirmed], options.context, { unread })
  } catch (error) {
    if (!(error instanceof InputNeeded)) throw error
    return pausedAt('access', error, await people.actionNeeded(error.input), options.context)
  }
}
