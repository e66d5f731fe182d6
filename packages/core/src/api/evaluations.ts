import type { EvaluationListOptions } from '../actions/evaluations/evaluation-actions.js'
import type { Page } from '../actions/paging.js'
import type { RequestCaller } from '../actions/requests/request-context.js'
import type { Evaluation, EvaluationInput, EvaluationSummary } from '../model/evaluation.js'
import type { Policy, PolicyInput } from '../model/policy.js'
import type { Resource } from './resource.js'

/** What requests ask for, and what no system may do. */
export interface Policies extends Resource<PolicyInput, Policy> {
  /**
   * Compares what systems declare, and the datasets that they refer to, with the prohibitions of the policy: its rules
   * without `action_type`. The result is stored together with the version and hash of every document it rests on. Rejects with
   * `not_found` for an unknown policy, with `invalid_input` for an unknown system or registry, and with `conflict` naming the
   * keys that the documents name and that do not exist.
   */
  evaluate(key: string, input?: EvaluationInput, by?: RequestCaller): Promise<Evaluation>
}

/** Stored evaluations of policies. Policies, systems and datasets may have changed since. */
export interface Evaluations {
  /** One page, newest first, without violations. */
  list(options?: EvaluationListOptions): Promise<Page<EvaluationSummary>>
  /** Rejects with `not_found` for an unknown id. */
  get(id: string): Promise<Evaluation>
  /** Deletes one; the audit trail says who did. Rejects with `not_found` for an unknown id. */
  remove(id: string, by?: RequestCaller): Promise<void>
}
