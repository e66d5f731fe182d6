import type { ActionType } from '../../model/action-type.js'
import type { Policy } from '../../model/policy.js'

/** What requests under a policy are for, in one word: a policy that erases may ask for access as well. */
export function actionOf({ rules }: Policy): ActionType {
  return rules.some((rule) => rule.action_type === 'erasure') ? 'erasure' : 'access'
}
