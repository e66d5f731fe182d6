import { expect, it } from 'vitest'
import { parsePolicy } from '../../model/policy.js'
import { needsManualData } from './targets.js'

const access = { service_key: 'hand_over', action_type: 'access', data_categories: { values: ['user'] } }
const erasure = { service_key: 'erase', action_type: 'erasure', data_categories: { values: ['user'] } }
const prohibition = { service_key: 'forbid', data_uses: { values: ['marketing'] } }

it.each<[string, object[], boolean]>([
  ['no rules', [], true],
  ['an access rule', [access], true],
  ['an access rule besides others', [erasure, access, prohibition], true],
  ['only prohibitions, which then are access rules', [prohibition], true],
  ['only erasure rules', [erasure], false],
  ['erasure rules and rules for evaluation only', [erasure, prohibition], false],
])('people are asked, unless every rule erases: %s', (_, rules, asked) => {
  expect(needsManualData(parsePolicy({ service_key: 'policy', rules }).value)).toBe(asked)
})
