import type { ActionContext } from '../../actions/action-context.js'
import type { ErasureEndSource } from '../../actions/proof/erasure-end.js'
import type { RequestMove } from '../../actions/requests/move-request.js'
import { isTransient, type PrivacyError } from '../../errors.js'
import type { ActionType } from '../../model/action-type.js'
import type { ActionNeeded, PrivacyRequest } from '../../model/privacy-request.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage, Write } from '../../ports/storage.js'
import { planHash } from '../../results/proof/plan-hash.js'
import type { Plan } from '../../rules/plan/plan.js'
import { planDifference } from '../../rules/plan/plan-difference.js'
import type { MayPass } from '../../rules/request/next-retry.js'
import type { InputNeeded } from '../manual/input-needed.js'
import { reviewedPlan } from './store-plan.js'

/** How a run leaves its request. */
export interface RunEnd extends Omit<RequestMove, 'actor' | 'also' | 'writes'> {
  /** Why another attempt may do what this one could not, without a decision of a person. */
  readonly mayPass?: MayPass | undefined
  /** What has failed, for the log. It is not stored. */
  readonly error?: unknown
  /** What the receipt of the run is made from, where it had to erase something. */
  readonly erased?: Pick<ErasureEndSource, 'policy' | 'planHash' | 'identities'>
  /** Removes what is useless once the run can no longer fail. What stays is removed when the request's data is destroyed. */
  readonly tidy?: () => Promise<void>
  /** Returns writes that remove what is useless once the end is written. They are part of it. */
  readonly discards?: () => Promise<readonly Write[]>
  /** Removes what is useless once the end is written. */
  readonly afterwards?: () => Promise<void>
}

/** Returns the end of a run that has failed, with one sentence for people. */
export function failed(
  failure: string,
  changes: Partial<PrivacyRequest> = {},
  { mayPass, error }: Pick<RunEnd, 'mayPass' | 'error'> = {},
): RunEnd {
  return { event: 'fail', changes: { ...changes, failure }, detail: { reason: failure }, mayPass, error }
}

/** Returns why a run has failed that has met these errors. */
export function causeOf(errors: readonly unknown[]): Pick<RunEnd, 'mayPass' | 'error'> {
  return { mayPass: passingCause(errors), error: errors[0] }
}

/** Returns `away` where all errors may pass by themselves. */
export function passingCause(errors: readonly unknown[]): MayPass | undefined {
  return errors.length > 0 && errors.every(isTransient) ? 'away' : undefined
}

/** Returns a pause without the values that people need for their answer. These are shown elsewhere, to fewer callers. */
export function pausedAt(
  step: ActionType,
  { address, input }: InputNeeded,
  needed: readonly ActionNeeded[],
  { runtime }: Pick<ActionContext, 'runtime'>,
): RunEnd {
  // Without their values, all look-ups of a read are alike, and so are all rows that get the same new values.
  const kinds = new Map(needed.map((each) => [JSON.stringify([each.get, each.update]), each]))
  const actionNeeded = [...kinds.values()].map((each) => ({ ...each, locators: null }))
  const actionRequired = { step, collection: address, actionNeeded }
  const changes = { pausedAt: runtime.now().toISOString(), actionRequired, awaitedInput: input }
  return { event: 'pause', changes, detail: { collection: address } }
}

/** Returns a pause until the holder of the reply token of a policy webhook answers. */
export function halted(
  { webhook, resumeBy }: { webhook: string; resumeBy: string },
  { runtime }: ActionContext,
): RunEnd {
  return { event: 'pause', changes: { pausedAt: runtime.now().toISOString(), resumeBy }, detail: { webhook } }
}

/** Returns how the run ends when its plan is not the approved one. The approval stays where a database could not be reached. */
export async function differsFromApproved(
  { id, approvedPlanHash }: PrivacyRequestRow,
  plan: Plan,
  unavailable: ReadonlyMap<string, PrivacyError>,
  storage: Storage,
): Promise<RunEnd | undefined> {
  if (approvedPlanHash === undefined || planHash(plan) === approvedPlanHash) return undefined
  for (const [key, error] of unavailable) {
    const failure = `Connection '${key}' could not be asked for its catalogue: ${error.message}`
    return failed(failure, { results: [] }, causeOf([error]))
  }
  const reviewed = (await storage.table('requestPlan').get(reviewedPlan(id)))?.plan as Plan | undefined
  const changes = reviewed && planHash(reviewed) === approvedPlanHash ? planDifference(reviewed, plan) : []
  const told =
    changes.length > 0 ? ` Changed since: ${changes.slice(0, 5).join('; ')}${changes.length > 5 ? '; …' : ''}.` : ''
  return {
    event: 'replan',
    changes: {
      needsReview: true,
      failure: `The plan is not the one that was approved: look at it and approve it again.${told}`,
    },
    drop: ['reviewedAt', 'reviewedBy', 'approvedPlanHash'],
    detail: { approvedPlanHash, planHash: planHash(plan) },
  }
}
