import { manualDeliveries } from '../../actions/manual/manual-upload-actions.js'
import { retryWithBackOff } from '../../async/retry-with-back-off.js'
import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { CollectionResult, ResidualHit } from '../../model/collection-result.js'
import type { Identity } from '../../model/identity.js'
import { planHash } from '../../results/proof/plan-hash.js'
import { accessRules } from '../../rules/policy/targets.js'
import { eraseRequest } from '../erase/erase-request.js'
import { erasedPointers } from '../erase/erased-pointers.js'
import { maskingSecret } from '../erase/erasure-context.js'
import { residualValues } from '../erase/residual-search.js'
import type { FoundRows } from '../find/find-rows.js'
import { foundNothing, lookedFor, packageDoubts, recordDoubts } from '../find/package-doubts.js'
import { askToErase } from '../manual/ask-to-erase.js'
import { readDataMap } from '../package/read-data-map.js'
import { takeOverPackages, writePackages } from '../package/write-packages.js'
import { callWebhooks } from '../webhooks/call-webhooks.js'
import { discardProgress, discardSpools, spoolOf } from './discard-run.js'
import type { PlannedRun } from './plan-run.js'
import { rowsLeft, withRowsLeft } from './results-of.js'
import { failed, pausedAt, type RunEnd } from './run-end.js'
import type { RequestRun } from './run-options.js'
import { storePlan } from './store-plan.js'

/**
 * Hands over what was found, and erases what is to be erased. Undefined: what it rests on has changed before anything was
 * written, so that the run has to begin anew.
 */
export async function carryOut(
  { row, lease, options, progress, lock }: RequestRun,
  planned: PlannedRun,
  { results: found, ...run }: FoundRows,
): Promise<RunEnd | undefined> {
  const { lost, write } = lease
  const { context } = options
  const { plan, catalogues, policy, identities, searchable, hasErased, calling } = planned
  const { dataKey, identities: submitted, encryptionKey } = planned.opened
  const {
    byAddress,
    outcomes,
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
  } = run
  const rules = accessRules(policy)
  const handsOver = rules.length > 0
  let results = found
  let residualHits: readonly ResidualHit[] | undefined
  let remains: readonly string[] = []
  let spellings: readonly Identity[] = []
  const together = (erased: readonly CollectionResult[]) => [
    ...(handsOver ? found : []),
    ...withRowsLeft(erased, handsOver ? rowsLeft(found) : found),
  ]
  const left = packageDoubts(found, plan, confirmation)
  const makePackages = async () => {
    const uploads = await manualDeliveries(context.storage, row.id, dataKey, policy)
    return writePackages({
      plan,
      outcomes,
      manual: uploads,
      doubts: left,
      room,
      rules,
      request: row,
      texts: options.packageText(row.language),
      preparedAt: new Date(row.startedProcessingAt ?? row.createdAt),
      cipher: encryptionKey && { key: encryptionKey, randomBytes: (length) => context.runtime.randomBytes(length) },
      dataMap: () => readDataMap(context.storage),
    })
  }
  const erasing = plan.erasure && { erased: { policy, planHash: planHash(plan), identities: submitted } }
  if (plan.erasure) {
    await saved.save({ orFail: true })
    // What is erased cannot be read again: a retry finds what is left of it.
    if (!hasErased && handsOver) {
      const preparedPackages = { fencingToken: row.fencingToken ?? 0, files: await makePackages() }
      await write(async () => {}, { preparedPackages })
    }
    if (!hasErased) {
      // Nothing is written by a plan that rests on what the database was: a migration may have come since.
      const now = await planned.prepare(true)
      if (planHash(now.plan) !== planHash(plan)) {
        await saved.clear()
        return undefined
      }
    }
    const erased = await eraseRequest({
      ...{ context, lock, foundSince, together, forget: saved.forget, forgetAll: saved.clear },
      residual: row.residualSearch && { values: residualValues(identities, searchable), catalogues },
      erasure: {
        ...{ requestId: row.id, plan, byAddress, outcomes, room, spoolKey, lease, progress },
        identities: { identities, findsAlone: confirmation.findsAlone, learned },
        asked: (address) => asked.filter((each) => each.address === address),
        pointers: erasedPointers(context),
        notesIn: row.erasureNotes ?? spoolOf(row),
        connection,
        askToErase: askToErase({ context, requestId: row.id, dataKey, write }),
        secret: maskingSecret(dataKey),
        now: row.startedProcessingAt ?? row.createdAt,
        clock: () => context.runtime.now(),
        stops: () =>
          lease.row.cancelRequestedBy !== undefined ? 'cancel' : lease.row.stopsForHold ? 'hold' : undefined,
        planned: (found) => storePlan(write, row.id, { ...plan, found }, policy),
      },
    }).finally(() => retryWithBackOff(() => lock.release(lease)).catch(() => {}))
    // Another request has erased rows of this person meanwhile, whom it knew by something else.
    if ('overtaken' in erased) return undefined
    if ('end' in erased) {
      if (erased.end.event !== 'fail') return erased.end
      return { ...erased.end, changes: { ...recordDoubts(left), ...erased.end.changes }, ...erasing }
    }
    results = [...erased.results]
    residualHits = erased.residualHits
    remains = erased.identityRemains ?? []
    spellings = erased.spellings ?? []
    if (erased.needed) {
      const end = pausedAt('erasure', erased.needed, await people.actionNeeded(erased.needed.input), context)
      return { ...end, changes: { ...end.changes, results } }
    }
  }
  const doubts = {
    ...recordDoubts(left),
    ...(remains.length > 0 && { identityRemains: remains }),
    ...(plan.erasure &&
      foundNothing(results) && { found: 'nothing' as const, lookedFor: lookedFor(plan, identities, confirmation) }),
  }
  const searchedAgain = residualHits && { residualHits }
  const { wrote } = room
  try {
    const { preparedPackages } = lease.row
    const packages = await (erasing && preparedPackages
      ? takeOverPackages(room, row, preparedPackages)
      : makePackages())
    await callWebhooks('post_execution', planned.afterwards, identities, calling)
    const changes = { results, packages, ...doubts, ...searchedAgain }
    if (erasing) {
      // What it has found cannot be found again: until it is seen to be complete, a run that takes over needs it.
      const afterwards = async () => {
        await discardProgress(context.storage, row.id)
        await discardSpools(options.blobs, row, { wrote })
      }
      return {
        event: 'complete',
        changes,
        erased: { ...erasing.erased, identities: [...submitted, ...spellings] },
        afterwards,
      }
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
