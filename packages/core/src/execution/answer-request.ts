import { createHmac } from 'node:crypto'
import { inputMissing, manualDeliveries } from '../actions/manual-uploads.js'
import { policyWebhooks } from '../actions/policy-webhooks.js'
import { openRequest } from '../actions/request-identities.js'
import { untilAborted } from '../actions/until-aborted.js'
import { isPrivacyError, PrivacyError } from '../errors.js'
import { placeOf } from '../model/address.js'
import type { CollectionResult, ResidualHit } from '../model/collection-result.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import { planHash } from '../results/plan-hash.js'
import type { PlannedCollection } from '../rules/plan.js'
import { provenProperties } from '../rules/proven-identity.js'
import { accessRules } from '../rules/targets.js'
import { completed, runAccess } from './access-run.js'
import { callWebhooks } from './call-webhooks.js'
import { checkpoints } from './checkpoints.js'
import { confirmIdentities } from './confirm-identities.js'
import { readDataMap } from './data-map.js'
import { discardProgress, discardSpools, spoolOf } from './discard-run.js'
import { eraseRequest } from './erasure/erase-request.js'
import { maskingSecret } from './erasure/erased-collection.js'
import { residualValues } from './erasure/residual-search.js'
import { subjectLock } from './erasure/subject-lock.js'
import { heldBlobs } from './held-blobs.js'
import { InputNeeded } from './input-needed.js'
import type { Lease } from './lease.js'
import { manualCollections } from './manual-collections.js'
import { askToErase } from './manual-erasure.js'
import { openCounts } from './open-counts.js'
import { takeOverPackages, writePackages } from './packages.js'
import { persistently } from './persistently.js'
import type { RequestProgress } from './progress.js'
import { doubtsOf, isEmpty, leftOut, uncovered } from './run-doubts.js'
import { differsFromApproved, failed, halted, pausedAt, type RunEnd } from './run-end.js'
import type { RunOptions } from './run-options.js'
import { failureOf, neededInput, report, resultsOf, withRowsLeft } from './run-results.js'
import { spoolRoom } from './spool.js'
import { storePlan } from './stored-plan.js'
import {
  pausedForDecision,
  unconfirmedCollections,
  unconfirmedProperties,
  unconfirmedQuestion,
  undecidedQuestion,
  unsearchedQuestion,
} from './undecided-end.js'

/** Finds, erases and hands over: says how the run of a claimed request ends. */
export async function answerRequest(
  row: PrivacyRequestRow,
  lease: Lease,
  options: RunOptions,
  progress: RequestProgress,
): Promise<RunEnd> {
  const { signal, lost, confirm, write } = lease
  const { context, connections } = options
  const lock = subjectLock(context.storage, row.id, () => context.runtime.now())
  await lock.wait(signal, (other) =>
    options.emit({
      type: 'request',
      requestId: row.id,
      status: row.status,
      message: `waits for request '${other}', which erases data of the same person`,
    }),
  )
  const { dataKey, identities: submitted, encryptionKey } = await openRequest(context, row.id)
  const policy = await options.policy(row.policyKey)
  const missingInput = await inputMissing(context.storage, row, policy)
  if (missingInput.length > 0) return { event: 'needInput', changes: { missingInput } }
  const webhooks = await policyWebhooks(context.storage, row.policyKey)
  const { policyKey } = row
  const calling = { context, settings: options.webhooks, requestId: row.id, policyKey, dataKey, signal, write }
  const told = await callWebhooks('pre_execution', webhooks.pre_execution, submitted, calling)
  if (told.halted) return halted(told.halted, context)
  const { identities, derived } = told
  const proven = provenProperties(row)
  // After a failure the database may have changed: a second attempt asks for the catalogue again.
  const again = row.finishedProcessingAt !== undefined
  const searchable = proven && [...proven, ...derived]
  const isErasing = policy.rules.some((rule) => rule.action_type === 'erasure')
  const preparing = options.prepare(policy, identities, { fresh: again || isErasing, proven: searchable, derived })
  const { plan, catalogues, manual, unavailable } = await untilAborted(preparing, signal)
  await storePlan({ storage: context.storage, write }, row.id, plan, { catalogues, policy })
  const problem = plan.findings.find((finding) => finding.severity === 'error')
  if (problem) return failed(problem.message, { results: [] })
  const hasErased = row.erasingSince !== undefined
  const otherPlan = hasErased ? undefined : await differsFromApproved(row, plan, unavailable, context.storage)
  if (otherPlan) return otherPlan
  const step = plan.erasure ? 'erasure' : 'access'
  const missed = plan.erasure && !hasErased && unsearchedQuestion(plan, row.accepted)
  if (plan.erasure && !hasErased && options.strictCoverage && Object.keys(plan.coverage).length > 0)
    return failed(uncovered(plan), { results: [] })
  const question = missed || unconfirmedQuestion(plan, row.accepted)
  if (question) return pausedForDecision(step, question, context)

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

  const blobs = heldBlobs(options.blobs, lost)
  const room = spoolRoom({ blobs, runtime: context.runtime, dataKey })
  const spoolKey = (name: string) => `${spoolOf(row)}/${name}`
  // A plan knows names only: what was found for other values, which a webhook may bring, is not what this run looks for.
  const saved = checkpoints({
    ...{ plan, storage: context.storage, write, room, requestId: row.id, blobKey: spoolKey },
    searched: createHmac('sha256', dataKey)
      .update(JSON.stringify([identities, confirmation.told]))
      .digest('base64url'),
    now: () => context.runtime.now(),
  })
  const restored = await saved.restore({ recent: plan.erasure !== undefined && !hasErased })
  const byAddress = new Map(plan.collections.map((collection) => [collection.address, collection]))
  const notes = new Map<string, string>()
  for (const { address, reason, detail, targeted } of plan.unsearched) {
    if (targeted)
      progress.collection(placeOf(address), 'skipped', detail === undefined ? reason : `${reason}: ${detail}`)
  }
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
  let residualHits: readonly ResidualHit[] | undefined
  let remains: readonly string[] = []
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
  const undecided = plan.erasure && !hasErased && undecidedQuestion(plan, results, row.accepted)
  if (undecided) {
    await saved.save()
    const end = pausedForDecision(step, undecided, context)
    return { ...end, changes: { ...end.changes, results } }
  }
  const found = results
  const together = (erased: readonly CollectionResult[]) => [
    ...(handsOver ? found : []),
    ...withRowsLeft(erased, handsOver ? [] : found),
  ]
  const outcomes = completed(ends)
  const makePackages = async () => {
    const uploads = await manualDeliveries(context.storage, row.id, dataKey, policy)
    return writePackages({
      plan,
      outcomes,
      manual: uploads,
      left: leftOut(results),
      room,
      rules: accessRules(policy),
      request: row,
      words: options.packageWords(row.language),
      preparedAt: new Date(row.startedProcessingAt ?? row.createdAt),
      cipher: encryptionKey && { key: encryptionKey, randomBytes: (length) => context.runtime.randomBytes(length) },
      dataMap: () => readDataMap(context.storage),
    })
  }
  const erasing = plan.erasure && { erased: { policy, planHash: planHash(plan), identities: submitted } }
  if (plan.erasure) {
    await saved.save({ orFail: true })
    // What is erased cannot be read again: a retry finds what is left of it.
    if (!hasErased && accessRules(policy).length > 0) {
      const preparedPackages = { claims: row.claims ?? 0, files: await makePackages() }
      await write(async () => {}, { preparedPackages })
    }
    if (!hasErased) {
      // Nothing is written by a plan that rests on what the database was: a migration may have come since.
      const now = await untilAborted(
        options.prepare(policy, identities, { fresh: true, proven: searchable, derived }),
        signal,
      )
      if (planHash(now.plan) !== planHash(plan)) {
        await saved.clear()
        return answerRequest(row, lease, options, progress)
      }
    }
    const erased = await eraseRequest({
      ...{ context, lock, together, forget: saved.forget, forgetAll: saved.clear },
      residual: row.residualSearch && { values: residualValues(identities, searchable), catalogues },
      erasure: {
        ...{ requestId: row.id, plan, byAddress, outcomes, room, spoolKey, lease, progress },
        identities: { identities, findsAlone: confirmation.findsAlone, learned },
        asked: (address) => asked.filter((each) => each.address === address),
        notesIn: row.erasureNotes ?? spoolOf(row),
        connection: reach,
        askToErase: askToErase({ context, requestId: row.id, dataKey, write }),
        secret: maskingSecret(dataKey),
        now: row.startedProcessingAt ?? row.createdAt,
        clock: () => context.runtime.now(),
        stops: () =>
          lease.row.cancelRequestedBy !== undefined ? 'cancel' : lease.row.stopsForHold ? 'hold' : undefined,
        planned: (found) =>
          storePlan({ storage: context.storage, write }, row.id, { ...plan, found }, { catalogues, policy }),
      },
    }).finally(() => persistently(() => lock.release(lease)).catch(() => {}))
    // Another request has erased rows of this person meanwhile, whom it knew by something else.
    if ('overtaken' in erased) return answerRequest(row, lease, options, progress)
    if ('end' in erased) return { ...erased.end, ...(erased.end.event === 'fail' && erasing) }
    results = [...erased.results]
    residualHits = erased.residualHits
    remains = erased.identityRemains ?? []
    if (erased.needed) {
      const end = pausedAt('erasure', erased.needed, await people.actionNeeded(erased.needed.input), context)
      return { ...end, changes: { ...end.changes, results } }
    }
  }
  const doubts = {
    ...doubtsOf(found, unconfirmedProperties(plan, confirmation), plan),
    ...(remains.length > 0 && { identityRemains: remains }),
    ...(plan.erasure && !hasErased && isEmpty(outcomes) && { found: 'nothing' as const }),
  }
  const searchedAgain = residualHits && { residualHits }
  const { wrote } = room
  try {
    const { preparedPackages } = lease.row
    const packages = await (erasing && preparedPackages
      ? takeOverPackages(room, row, preparedPackages)
      : makePackages())
    await callWebhooks('post_execution', webhooks.post_execution, identities, calling)
    const changes = { results, packages, ...doubts, ...searchedAgain }
    if (erasing) {
      // What it has found cannot be found again: until it is seen to be complete, a run that takes over needs it.
      const afterwards = async () => {
        await discardProgress(context.storage, row.id)
        await discardSpools(options.blobs, row, { wrote })
      }
      return { event: 'complete', changes, ...erasing, afterwards }
    }
    const tidy = async () => {
      await saved.clear()
      await discardSpools(blobs, row, { wrote })
    }
    return { event: 'complete', changes, tidy }
  } catch (error) {
    // Spooled rows that cannot be opened are of no use to a retry; all others are.
    if (!lost.aborted) await (isPrivacyError(error, 'internal') ? saved.clear() : saved.save())
    if (!erasing) throw error
    // What was erased is erased, whatever became of the package.
    return { ...failed(PrivacyError.from(error).message, { results, ...doubts, ...searchedAgain }), ...erasing }
  }
}
