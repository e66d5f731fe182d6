import { findAll } from '../../actions/find-all.js'
import { inputMissing } from '../../actions/manual/input-missing.js'
import {
  type DescribedManualWebhook,
  enabledConnections,
  webhooksBehind,
} from '../../actions/manual/manual-webhook-actions.js'
import { openRequestKey, type PersonalData } from '../../actions/requests/personal-data.js'
import { byPhase, webhooksOf } from '../../actions/webhooks/policy-webhooks.js'
import { untilAborted } from '../../async/until-aborted.js'
import type { ActionType } from '../../model/action-type.js'
import type { Identity } from '../../model/identity.js'
import type { Policy } from '../../model/policy.js'
import type { StoredPolicyWebhook } from '../../ports/webhook-rows.js'
import { unknownInLog } from '../../rules/findings/acceptance-issues.js'
import type { Plan } from '../../rules/plan/plan.js'
import { actionOf } from '../../rules/policy/action-of.js'
import { verifiedProperties } from '../../rules/request/proven-properties.js'
import { counted } from '../../rules/value/counted-rows.js'
import { unlimitedPlaces } from '../erase/residual-search.js'
import { callWebhooks, type WebhookRun } from '../webhooks/call-webhooks.js'
import { pausedForDecision, unconfirmedQuestion, unsearchedQuestion } from './paused-for-decision.js'
import type { Prepared } from './prepare.js'
import { differsFromApproved, failed, halted, type RunEnd } from './run-end.js'
import type { RequestRun } from './run-options.js'
import { storePlan } from './store-plan.js'

/** What a run knows before it searches for rows. */
export interface PlannedRun extends Prepared {
  readonly opened: PersonalData
  readonly policy: Policy
  /** The identities of the request, with those that webhooks have added. */
  readonly identities: readonly Identity[]
  /** Properties that may find rows by themselves. Undefined means all of them. */
  readonly searchable: readonly string[] | undefined
  /** True when the request was tried before. */
  readonly again: boolean
  /** True when rows may have been erased already. */
  readonly hasErased: boolean
  readonly step: ActionType
  /** Ask people to upload data. */
  readonly uploading: readonly DescribedManualWebhook[]
  /** Webhooks that are called once everything else is done. */
  readonly afterwards: readonly StoredPolicyWebhook[]
  readonly calling: WebhookRun
  /** Describes and plans again. */
  readonly prepare: (fresh: boolean) => Promise<Prepared>
}

/** Asks the webhooks and the databases, and plans. Returns the end of the run where no rows can be searched for yet. */
export async function planRun({ row, lease, options, progress, stored }: RequestRun): Promise<PlannedRun | RunEnd> {
  const { signal, write } = lease
  const { context } = options
  const [[key], stages, connections] = await findAll(context.storage, [
    { kind: 'requestKey', where: { id: { equals: row.id } } },
    { kind: 'policyWebhooks', ...webhooksOf(row.policyKey) },
    { kind: 'connection', ...enabledConnections },
  ])
  const opened = await openRequestKey(context, row.id, key)
  const { dataKey, identities: submitted } = opened
  const policy = await options.policy(row.policyKey)
  stored.actionType = actionOf(policy)
  const uploading = await webhooksBehind(context.storage, connections)
  const missingInput = await inputMissing(context.storage, row, policy, uploading)
  if (missingInput.length > 0) return { event: 'needInput', changes: { missingInput } }
  const webhooks = byPhase(row.policyKey, stages)
  const { policyKey } = row
  const calling = {
    context,
    settings: options.webhooks,
    requestId: row.id,
    policyKey,
    dataKey,
    signal,
    write,
    progress,
  }
  const told = await callWebhooks('pre_execution', webhooks.pre_execution, submitted, calling)
  if (told.halted) return halted(told.halted, context)
  const { identities, derived } = told
  const proven = verifiedProperties(row)
  // After a failure the database may have changed, so a second attempt asks for the catalogue again.
  const again = row.finishedProcessingAt !== undefined || row.retry !== undefined
  const searchable = proven && [...proven, ...derived]
  const prepare = (fresh: boolean) =>
    progress.span('habeas.plan', {}, async (tell) => {
      const asked = { fresh, proven: searchable, derived }
      const made = await untilAborted(options.prepare(policy, identities, asked), signal)
      tell({ 'habeas.collections': made.plan.collections.length })
      return made
    })
  const prepared = await prepare(again || stored.actionType === 'erasure')
  const { plan, unavailable } = prepared
  stored.proof = await storePlan({ ...context, store: lease.store }, row.id, plan, policy)
  for (const { place, message } of unknownInLog(row.accepted ?? {}, plan))
    progress.collection(place, 'skipped', message)
  const [problem, ...more] = plan.findings.filter((finding) => finding.severity === 'error')
  if (problem) {
    const others = more.length > 0 ? ` The preview lists ${counted(more.length, 'more problem')}.` : ''
    return failed(`${problem.message}${others}`, { results: [] })
  }
  const hasErased = row.erasingSince !== undefined
  const otherPlan = hasErased ? undefined : await differsFromApproved(row, plan, unavailable, context.storage)
  if (otherPlan) return otherPlan
  const step = plan.erasure ? 'erasure' : 'access'
  if (plan.erasure && !hasErased && options.strictCoverage && undecided(plan).length > 0)
    return failed(uncovered(plan), { results: [] })
  if (row.residualSearch && plan.erasure && !hasErased) {
    const [unlimited] = unlimitedPlaces(plan, prepared.catalogues)
    if (unlimited !== undefined) return failed(notLimited(unlimited), { results: [] })
  }
  const questions = [
    unconfirmedQuestion(plan, row.accepted),
    plan.erasure && !hasErased ? unsearchedQuestion(plan, row.accepted) : undefined,
  ].filter((question) => question !== undefined)
  if (questions.length > 0) return pausedForDecision(step, questions, context, { unread: mayAsk(plan) })
  return {
    ...prepared,
    opened,
    policy,
    identities,
    searchable,
    again,
    hasErased,
    step,
    uploading,
    calling,
    prepare,
    afterwards: webhooks.post_execution,
  }
}

/** Whether rows may bring up questions: to an erasure that they may be somebody else's, to any request that nothing confirms an identity. */
function mayAsk({ erasure, collections }: Plan): boolean {
  return erasure !== undefined || collections.some((each) => each.identities.some((seed) => seed.needsConfirmation))
}

/** Returns why an erasure that has to reach everything does not begin. */
function uncovered(plan: Plan): string {
  const names = undecided(plan)
  const more = names.length > 5 ? ` (and ${names.length - 5} more)` : ''
  return `Nothing was erased, since nobody has decided on ${names.slice(0, 5).join(', ')}${more}: describe them, or say 'reviewed', or leave out the option coverage: 'strict'.`
}

function notLimited(address: string): string {
  return `Nothing was erased: the residual search that was asked for could not read '${address}', whose server asks for a limit. Write a 'partition_filter' into its dataset, or set 'skip_processing'.`
}

/** The gaps on which nobody has decided. Somebody wrote the filters of partitions. */
function undecided({ coverage: { filtered: _, ...gaps } }: Plan): string[] {
  return Object.values<readonly string[]>(gaps).flat()
}
