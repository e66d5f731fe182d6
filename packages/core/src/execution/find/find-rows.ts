import { createHmac } from 'node:crypto'
import { untilAborted } from '../../async/until-aborted.js'
import { placeOf } from '../../model/address.js'
import type { CollectionResult } from '../../model/collection-result.js'
import type { Blobs } from '../../ports/blobs.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { unsearchedReason } from '../../rules/plan/plan-wording.js'
import { accessRules } from '../../rules/policy/targets.js'
import type { OpenConnection } from '../connect/open-connections.js'
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
import { failureOf, neededInput, notFollowedFailure, report, resultsOf } from '../run/results-of.js'
import { failed, pausedAt, type RunEnd } from '../run/run-end.js'
import type { RequestRun } from '../run/run-options.js'
import { checkpoints, foundForMs } from './checkpoints.js'
import { type Confirmation, confirmIdentities } from './confirm-identities.js'
import { openCounts } from './open-counts.js'
import { type AccessEnd, completed, runAccess } from './run-access.js'
import type { CollectionOutcome } from './run-component.js'
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
export async function findRows(
  { row, lease, options, progress }: RequestRun,
  planned: PlannedRun,
): Promise<FoundRows | RunEnd> {
  const { signal, lost, confirm, write } = lease
  const { context, connections } = options
  const { plan, manual, unavailable, policy, identities, again, hasErased, step } = planned
  const { dataKey } = planned.opened
  const beganAt = context.runtime.now()
  const people = manualCollections({ context, requestId: row.id, dataKey, write })
  const reach = async (key: string, address: string) => {
    if (manual.has(key)) return people.connection(key, address)
    const failed = unavailable.get(key)
    if (failed) throw failed
    return untilAborted(connections.get(key), signal)
  }
  const confirmation = await confirmIdentities({ plan, identities, connection: reach, signal }).catch((error) => {
    if (error instanceof InputNeeded) return error
    throw error
  })
  if (confirmation instanceof InputNeeded)
    return pausedAt('access', confirmation, await people.actionNeeded(confirmation.input), context)
  const unconfirmed = unconfirmedQuestion(plan, row.accepted, confirmation)
  if (unconfirmed) return pausedForDecision(step, unconfirmed, context)

  const blobs = fencedBlobs(options.blobs, lost)
  const room = spoolRoom({ blobs, runtime: context.runtime, dataKey })
  const spoolKey = (name: string) => `${spoolOf(row)}/${name}`
  // A plan holds names only. Rows that were found for other values, such as those of a webhook, are not valid for this run.
  const saved = checkpoints({
    ...{ plan, storage: context.storage, write, room, requestId: row.id, blobKey: spoolKey },
    searched: createHmac('sha256', dataKey)
      .update(JSON.stringify([identities, confirmation.asTexts]))
      .digest('base64url'),
    now: () => context.runtime.now(),
  })
  const restored = await saved.restore({ recent: plan.erasure !== undefined && !hasErased })
  const foundSince = new Date(beganAt.getTime() - (restored.size > 0 ? foundForMs : 0)).toISOString()
  const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
  const notes = new Map<string, string>()
  for (const each of plan.unsearched)
    if (each.targeted) progress.collection(placeOf(each.address), 'skipped', unsearchedReason(each))
  const {
    components: ends,
    open,
    asked,
    learned,
  } = await runAccess({
    plan,
    restored,
    now: () => context.runtime.now(),
    context: {
      ...{ plan, byAddress, identities, room, signal, maxRounds: options.maxRounds },
      ...{ confirmed: confirmation.confirmed, findsAlone: confirmation.findsAlone },
      spoolKey: (address, name) => spoolKey(`${address}/${name}`),
      newId: () => context.runtime.newId(),
      connection: reach,
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
  const { nearMatches } = confirmation
  const unconfirmedAt = unconfirmedCollections(plan, confirmation)
  const handsOver = accessRules(policy).length > 0
  let results = resultsOf(plan, ends, { nearMatches, notes, handsOver, unconfirmed: unconfirmedAt, counted: [] })
  const failure = failureOf(plan, ends)
  if (failure !== undefined) {
    await saved.save()
    return failed(failure, { results })
  }
  const needed = neededInput(ends)
  if (needed) {
    await saved.save()
    return pausedAt('access', needed, await people.actionNeeded(needed.input), context)
  }
  const counting = { plan, byAddress, open, asked, connection: reach, signal, erasing: plan.erasure !== undefined }
  results = resultsOf(plan, ends, {
    ...{ nearMatches, notes, handsOver, unconfirmed: unconfirmedAt },
    counted: await openCounts(counting),
  })
  const notFollowed = plan.erasure && !hasErased && notFollowedFailure(ends)
  if (notFollowed) {
    await saved.save()
    return failed(notFollowed, { results })
  }
  const undecided = plan.erasure && !hasErased && undecidedQuestion(plan, results, row.accepted)
  if (undecided) {
    await saved.save()
    const end = pausedForDecision(step, undecided, context)
    return { ...end, changes: { ...end.changes, results } }
  }
  return {
    ...{ byAddress, outcomes: completed(ends), results, foundSince, confirmation, asked, learned },
    ...{ saved, room, blobs, spoolKey, people, connection: reach },
  }
}
