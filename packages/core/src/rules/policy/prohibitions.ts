import type { Warning } from '../../model/clean-input.js'
import type { Policy, Rule } from '../../model/policy.js'

/** A rule that forbids a combination of data, use and people: one without `action_type`. */
export interface Prohibition {
  readonly policy: string
  readonly rule: Rule
  /** Its position among the rules of the policy. */
  readonly index: number
}

const dimensions = ['data_categories', 'data_uses', 'data_subjects'] as const

/** The prohibitions of a policy. A rule that names nothing would forbid everything, so it forbids nothing. */
export function prohibitionsOf({ service_key: policy, rules }: Policy): Prohibition[] {
  return rules.flatMap((rule, index) =>
    rule.action_type === undefined && namesSomething(rule) ? [{ policy, rule, index }] : [],
  )
}

function namesSomething(rule: Rule): boolean {
  return rule.data_qualifier !== undefined || dimensions.some((name) => rule[name] !== undefined)
}

/** What of a policy prohibits nothing although it looks as if it did. */
export function prohibitionWarnings({ service_key: key, rules }: Policy): Warning[] {
  const loc = ['policy', key, 'rules']
  const prohibiting = rules.flatMap((rule, index) => (rule.action_type === undefined ? [{ rule, index }] : []))
  if (prohibiting.length === 0) {
    const msg = `Policy '${key}' prohibits nothing, because it has no rule without action_type: add one.`
    return [{ loc, msg }]
  }
  return prohibiting.flatMap(({ rule, index }) => {
    const named = `Rule '${rule.service_key}' of policy '${key}'`
    if (!namesSomething(rule)) {
      const msg = `${named} names no data_categories, data_uses, data_subjects or data_qualifier, so it prohibits nothing: name some.`
      return [{ loc: [...loc, index], msg }]
    }
    return dimensions.flatMap((name) => {
      const { matches, values } = rule[name] ?? {}
      if (values?.length !== 0) return []
      const effect = matches === 'ANY' ? 'it prohibits nothing' : `${matches} of nothing matches whatever is declared`
      return [
        { loc: [...loc, index, name, 'values'], msg: `${named} has no values in ${name}, so ${effect}: name some.` },
      ]
    })
  })
}
