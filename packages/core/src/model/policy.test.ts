import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../errors.js'
import { defaultPolicies, parsePolicy } from './policy.js'

function locsOf(input: unknown, parents?: ReadonlyMap<string, string>) {
  try {
    parsePolicy(input, parents)
  } catch (error) {
    if (isPrivacyError(error, 'invalid_input')) return error.details.issues.map(({ loc }) => loc.join('/'))
    throw error
  }
  throw new Error('was read')
}

const owner = { organization_service_key: 'default_organization' }
const any = (...values: string[]) => ({ matches: 'ANY', values })
const withRule = (rule: object) => ({ service_key: 'p', rules: [{ service_key: 'r', ...rule }] })
const erasing = (...targets: string[][]) => ({
  service_key: 'p',
  rules: targets.map((values, index) => ({
    service_key: `r${index}`,
    action_type: 'erasure',
    data_categories: any(...values),
  })),
})

describe('parsePolicy', () => {
  it('may have no rules', () => {
    expect(parsePolicy({ name: 'My Policy' }).value).toStrictEqual({
      service_key: 'my_policy',
      name: 'My Policy',
      ...owner,
      rules: [],
    })
  })

  it('takes everything a rule may say, and reads its own answer back unchanged', () => {
    const policy = {
      service_key: 'p',
      name: 'P',
      description: 'd',
      ...owner,
      execution_timeframe: 'gdpr',
      rules: [
        {
          service_key: 'r',
          name: 'R',
          description: 'd',
          ...owner,
          data_categories: { matches: 'ALL', values: ['user', 'made.up'] },
          data_uses: any('advertising'),
          data_subjects: any('customer'),
          data_qualifier: 'aggregated',
          action_type: 'erasure',
          masking_strategy: {
            strategy: 'hmac',
            configuration: { algorithm: 'SHA-256', format_preservation: { suffix: '@x' } },
          },
          format: ['json', 'html'],
        },
        { service_key: 's', name: 's', ...owner, data_uses: { matches: 'NONE', values: [] }, format: ['json'] },
      ],
    }
    expect(parsePolicy(policy)).toStrictEqual({ value: policy, warnings: [] })
    expect(parsePolicy({ ...policy, created_at: 'x', findings: [], warnings: [] }).value).toStrictEqual(policy)
  })

  it.each([
    [undefined, ['json']],
    ['csv', ['csv']],
    [
      ['csv', 'html', 'csv'],
      ['csv', 'html'],
    ],
  ])('format %j is %j', (format, expected) => {
    expect(parsePolicy(withRule({ format })).value.rules[0]?.format).toEqual(expected)
  })

  it.each([
    [{ strategy: 'null_rewrite' }, {}],
    [{ strategy: 'null_rewrite', configuration: null }, {}],
    [{ strategy: 'string_rewrite', configuration: { rewrite_value: '' } }, { rewrite_value: '' }],
    [{ strategy: 'random_string_rewrite' }, { length: 30 }],
    [
      { strategy: 'random_string_rewrite', configuration: { length: 8, format_preservation: { suffix: '@x.org' } } },
      { length: 8, format_preservation: { suffix: '@x.org' } },
    ],
    [{ strategy: 'hash' }, { algorithm: 'SHA-256' }],
    [{ strategy: 'hmac', configuration: { algorithm: 'SHA-512' } }, { algorithm: 'SHA-512' }],
    [{ strategy: 'aes_encrypt' }, { mode: 'GCM' }],
    [{ strategy: 'preserve' }, {}],
    [{ strategy: 'delete' }, {}],
  ])('masking strategy %j', (masking_strategy, configuration) => {
    const rule = { action_type: 'erasure', data_categories: any('user'), masking_strategy }
    const read = parsePolicy(withRule(rule)).value.rules[0]?.masking_strategy
    expect(read).toStrictEqual({ strategy: masking_strategy.strategy, configuration })
  })

  it.each<[object, string[]]>([
    [{ strategy: 'shred' }, ['strategy']],
    [{ strategy: 'string_rewrite' }, ['configuration']],
    [{ strategy: 'string_rewrite', configuration: { rewrite_value: 5 } }, ['configuration/rewrite_value']],
    [
      { strategy: 'string_rewrite', configuration: { value: 'x' } },
      ['configuration/rewrite_value', 'configuration/value'],
    ],
    [{ strategy: 'random_string_rewrite', configuration: { length: 0 } }, ['configuration/length']],
    [{ strategy: 'hash', configuration: { algorithm: 'MD5' } }, ['configuration/algorithm']],
    [{ strategy: 'hash', configuration: { format_preservation: {} } }, ['configuration/format_preservation/suffix']],
    [{ strategy: 'aes_encrypt', configuration: { mode: 'CBC' } }, ['configuration/mode']],
    [{ strategy: 'hash', config: {} }, ['config']],
    [{ strategy: 'null_rewrite', configuration: { suffix: 'x' } }, ['configuration/suffix']],
  ])('refuses masking strategy %j', (masking_strategy, locs) => {
    const rule = { action_type: 'erasure', data_categories: any('user'), masking_strategy }
    expect(locsOf(withRule(rule))).toEqual(locs.map((loc) => `rules/0/masking_strategy/${loc}`))
  })

  it.each<[string, unknown, string[]]>([
    ['unknown members of a policy', { service_key: 'p', rule: [] }, ['rule']],
    ['unknown members of a rule', withRule({ data_category: 'user' }), ['rules/0/data_category']],
    [
      'unknown members of a dimension',
      withRule({ data_categories: { match: 'ANY' } }),
      ['rules/0/data_categories/match'],
    ],
    ['unknown matches', withRule({ data_categories: { matches: 'SOME' } }), ['rules/0/data_categories/matches']],
    ['unknown actions', withRule({ action_type: 'consent', data_categories: any('user') }), ['rules/0/action_type']],
    ['unknown formats', withRule({ format: ['json', 'pdf'] }), ['rules/0/format/1']],
    ['rules without key and name', { service_key: 'p', rules: [{}] }, ['rules/0/service_key']],
    [
      'one rule key twice',
      { service_key: 'p', rules: [{ service_key: 'r' }, { service_key: 'r' }] },
      ['rules/1/service_key'],
    ],
    [
      'one derived rule key twice',
      { service_key: 'p', rules: [{ name: 'R' }, { service_key: 'r' }] },
      ['rules/1/service_key'],
    ],
    ['an action without categories', withRule({ action_type: 'access' }), ['rules/0/data_categories']],
    [
      'an action with an empty list',
      withRule({ action_type: 'access', data_categories: any() }),
      ['rules/0/data_categories/values'],
    ],
    [
      'an action with NONE or OTHER',
      withRule({
        action_type: 'erasure',
        data_categories: { matches: 'OTHER', values: ['user'] },
        data_uses: { matches: 'NONE', values: ['x'] },
      }),
      ['rules/0/data_categories/matches', 'rules/0/data_uses/matches'],
    ],
    [
      'masking without erasure',
      withRule({ action_type: 'access', data_categories: any('user'), masking_strategy: { strategy: 'hash' } }),
      ['rules/0/masking_strategy'],
    ],
    ['a timeframe of no days', { service_key: 'p', execution_timeframe: 0 }, ['execution_timeframe']],
    ['an unknown regime', { service_key: 'p', execution_timeframe: 'hipaa' }, ['execution_timeframe']],
    [
      'several faults at once',
      {
        rules: [
          { service_key: 'r', action_type: 'access' },
          { service_key: 'r', typo: 1 },
        ],
      },
      ['rules/1/typo', 'rules/0/data_categories', 'rules/1/service_key', 'service_key'],
    ],
  ])('refuses %s', (_, input, locs) => {
    expect(locsOf(input).sort()).toEqual(locs.sort())
  })

  it('says what a dimension is where it is written as a list, as datasets and systems have it', () => {
    expect(() =>
      parsePolicy(withRule({ action_type: 'access', data_categories: ['user.health_and_medical'] })),
    ).toThrow('rules[0].data_categories must be an object such as { matches: ANY, values: […] }.')
  })
})

describe('overlapping erasure rules', () => {
  it.each([
    [[['user.contact'], ['user.contact.email']], ['rules/1/data_categories/values/0']],
    [[['user.contact.email'], ['user.name', 'user']], ['rules/0/data_categories/values/0']],
    [[['user.name'], ['user.name']], ['rules/1/data_categories/values/0']],
  ])('%j', (targets, locs) => {
    expect(locsOf(erasing(...targets))).toEqual(locs)
  })

  it.each([
    [[['user.contact', 'user.contact.email', 'user.contact']]],
    [[['user.name'], ['user.contact.email']]],
    [[['user.name'], ['user.name_x']]],
  ])('%j is allowed', (targets) => {
    expect(parsePolicy(erasing(...targets)).value.rules).toHaveLength(targets.length)
  })

  it('concerns erasure rules only', () => {
    const { rules } = erasing(['user.name'])
    const access = { service_key: 'a', action_type: 'access', data_categories: any('user') }
    expect(parsePolicy({ service_key: 'p', rules: [...rules, access] }).value.rules).toHaveLength(2)
  })

  it('follows the parent links of the host', () => {
    const policy = erasing(['user'], ['health.weight'])
    expect(parsePolicy(policy).value.rules).toHaveLength(2)
    expect(locsOf(policy, new Map([['health', 'user']]))).toEqual(['rules/1/data_categories/values/0'])
  })
})

it('the default policies are valid', () => {
  expect(defaultPolicies.map((policy) => parsePolicy(policy).value)).toStrictEqual(defaultPolicies)
  expect(defaultPolicies.map(({ service_key }) => service_key)).toEqual([
    'default_access_policy',
    'default_erasure_policy',
  ])
})
