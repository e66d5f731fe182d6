import type { ActionContext } from '../../actions/action-context.js'
import { policyOf } from '../../actions/requests/check-submission.js'
import { requestRow } from '../../actions/requests/move-request.js'
import { openPersonalData } from '../../actions/requests/personal-data.js'
import { tookEffect } from '../../actions/until-written.js'
import { policyWebhooks } from '../../actions/webhooks/policy-webhooks.js'
import { writeAll } from '../../actions/write-all.js'
import { untilAborted } from '../../async/until-aborted.js'
import type { Abortable } from '../../async/within-seconds.js'
import type { Identity } from '../../model/identity.js'
import type { Policy } from '../../model/policy.js'
import { parseSubmission, type UnknownMembers } from '../../model/privacy-request.js'
import { planHash } from '../../results/proof/plan-hash.js'
import type { Plan } from '../../rules/plan/plan.js'
import { costText, type PlanCost } from '../../rules/plan/plan-cost.js'
import { planMermaid } from '../../rules/plan/plan-mermaid.js'
import { planText } from '../../rules/plan/plan-text.js'
import { unverifiedProperties, verifiedProperties } from '../../rules/request/proven-properties.js'
import { identitiesSoFar } from '../webhooks/call-webhooks.js'
import { type CostOptions, planCosts } from './plan-costs.js'
import type { RunOptions } from './run-options.js'
import { reviewedPlan, storePlan } from './store-plan.js'

/** What a run would do, and nothing executed. `text` and `mermaid` say the same as `plan`, for people. */
export interface Preview {
  readonly plan: Plan
  readonly text: string
  readonly mermaid: string
  /** What a server bills that is paid by what it reads. Empty where no connector can say. */
  readonly costs: readonly PlanCost[]
}

/** What a person looks at who has to approve a request or deny it. */
export interface Review extends Preview {
  /** To be given with the approval: a run that finds another plan then waits for another approval. */
  readonly planHash: string
  /** Names of properties that the person claims and that are not checked: an approval takes them for proven. */
  readonly unproven: readonly string[]
}

export interface ReviewOptions {
  readonly policy: (key: string) => Promise<Policy>
  readonly plan: RunOptions['prepare']
  readonly connections: CostOptions['connections']
  /** True where only identities that a code has proven find anything, because no person looks at a request first. */
  readonly provenOnly: boolean
}

/** Shows what a request would do before it does it. Plans only: nothing is read but catalogues, and what reading costs. */
export function reviewActions(context: ActionContext, { policy, plan, connections, provenOnly }: ReviewOptions) {
  const { storage, runtime } = context
  async function shown(plan: Plan, signal: AbortSignal | undefined): Promise<Preview> {
    const costs = await untilAborted(planCosts(plan, { connections, now: runtime.now(), signal }), signal)
    return { plan, text: [planText(plan), ...costText(costs)].join('\n'), mermaid: planMermaid(plan), costs }
  }
  /** The plan that a request would run with once it is approved. */
  const currentPlan = async (id: string, signal?: AbortSignal) => {
    const { policyKey } = await requestRow(storage, id)
    const { dataKey, identities: submitted } = await openPersonalData(context, id)
    const { pre_execution: webhooks } = await policyWebhooks(storage, policyKey)
    const { identities, derived } = await identitiesSoFar(webhooks, submitted, { context, requestId: id, dataKey })
    const applied = await policy(policyKey)
    const prepared = await untilAborted(plan(applied, identities, { fresh: true, derived }), signal)
    return { plan: prepared.plan, applied }
  }
  return {
    /** The plan that was reviewed, if it has this hash or no hash is given. Otherwise the current one. */
    async planToApprove(id: string, hash: string | undefined): Promise<Plan> {
      const reviewed = (await storage.table('requestPlan').get(reviewedPlan(id)))?.plan as Plan | undefined
      if (reviewed && (hash === undefined || planHash(reviewed) === hash)) return reviewed
      return (await currentPlan(id)).plan
    },

    async preview(
      input: { readonly policyKey: string; readonly identities: readonly Identity[] },
      { signal, ignoreUnknown }: Abortable & UnknownMembers = {},
    ): Promise<Preview> {
      signal?.throwIfAborted()
      const { value } = parseSubmission(input, { ignoreUnknown })
      const unproven = unverifiedProperties(value.identities)
      const proven = provenOnly ? verifiedProperties({ unproven }) : undefined
      const prepared = plan(await policyOf(value, policy), value.identities, { fresh: true, proven })
      return shown((await untilAborted(prepared, signal)).plan, signal)
    },

    async review(id: string, { signal }: Abortable = {}): Promise<Review> {
      signal?.throwIfAborted()
      const { unproven = [], reviewedAt } = await requestRow(storage, id)
      const { plan: current, applied } = await currentPlan(id, signal)
      // Two reviews at the same time store the same plan.
      await tookEffect(() =>
        storePlan({ storage, store: (writes) => writeAll(storage, writes) }, reviewedPlan(id), current, applied),
      )
      return {
        ...(await shown(current, signal)),
        planHash: planHash(current),
        unproven: reviewedAt === undefined ? unproven : [],
      }
    },

    /** The plan of the last run. Undefined if the request has not run yet. */
    async plan(id: string): Promise<Plan | undefined> {
      await requestRow(storage, id)
      return (await storage.table('requestPlan').get(id))?.plan as Plan | undefined
    },
  }
}
