import fc from 'fast-check'
import { namedStrategy } from './field-words.js'
import type { ErasureWorld } from './naive-erasure.js'

/* What a policy erases, rule by rule, and what it hands over as well. Texts and numbers are of different categories. */

type RuleShape = readonly [category: string, strategy: string | undefined]

export const policyArbitrary = fc.record({
  rules: fc.oneof(
    { weight: 6, arbitrary: fc.constant<RuleShape[]>([['user', undefined]]) },
    {
      weight: 4,
      arbitrary: fc.constantFrom<RuleShape[][]>(
        [['user', 'null_rewrite']],
        [['user', 'delete']],
        [['user.text', 'hash']],
        [
          ['user.text', 'suffix'],
          ['user.number', undefined],
        ],
        [
          ['user.text', 'delete'],
          ['user.number', undefined],
        ],
        [
          ['user.number', undefined],
          ['user.text', 'string_rewrite'],
        ],
      ),
    },
  ),
  delivers: fc.constantFrom(undefined, undefined, 'user', 'user.text'),
})
type PolicyShape = typeof policyArbitrary extends fc.Arbitrary<infer Each> ? Each : never

/** Whether a rule for a category asks for what has these. */
export const covers = (value: string, categories: readonly string[]) =>
  categories.some((each) => each === value || each.startsWith(`${value}.`))

/** The rules for the model. */
export function spokenRules({ rules }: PolicyShape): ErasureWorld['rules'] {
  return rules.map(([value, strategy]) => ({
    covers: (categories) => covers(value, categories),
    strategy:
      strategy === undefined || strategy === 'delete' ? strategy : { configuration: {}, ...namedStrategy(strategy) },
  }))
}

/** The policy for the engine. */
export function policyOf({ rules, delivers }: PolicyShape) {
  const rule = (key: string, type: string, value: string, more: object = {}) => ({
    ...{ service_key: key, action_type: type, data_categories: { matches: 'ANY', values: [value] } },
    ...more,
  })
  return {
    service_key: 'everything',
    rules: [
      ...rules.map(([value, strategy], at) =>
        rule(`erase_${at}`, 'erasure', value, strategy ? { masking_strategy: namedStrategy(strategy) } : {}),
      ),
      ...(delivers === undefined ? [] : [rule('deliver', 'access', delivers)]),
    ],
  }
}
