import { describe, expect, test } from 'vitest'
import { parseDataset } from '../../model/dataset.js'
import { parsePolicy } from '../../model/policy.js'
import { parseSystem } from '../../model/system.js'
import { datasetLinks, policyLinks, systemLinks } from './resource-links.js'
import { type KnownKeys, unknownLinkFindings, unknownLinks, unknownTaxonomyIssues } from './unknown-links.js'

const known: KnownKeys = {
  dataCategory: new Set(['user', 'user.contact.email']),
  dataUse: new Set(['essential']),
  dataSubject: new Set(['customer']),
  dataQualifier: new Set(['aggregated']),
  dataset: new Set(['shop']),
  system: new Set(['crm']),
  organization: new Set(['default_organization']),
  registry: new Set<string>(),
}

const dataset = parseDataset({
  service_key: 'shop',
  organization_service_key: 'acme',
  data_categories: ['usr'],
  data_qualifiers: ['aggregate'],
  collections: [
    {
      name: 'people',
      data_categories: ['user', 'people'],
      fields: [
        { name: 'mail', data_categories: ['user.contact.emial'], data_qualifier: 'constructor' },
        { name: 'home', fields: [{ name: 'city', data_categories: ['__proto__'] }] },
      ],
    },
  ],
}).value

describe('links that lead nowhere', () => {
  test.each([
    ['user.email', 'user.contact.email'],
    ['user.emial', 'user.contact.email'],
    ['user.divice', 'user.device'],
    ['user.x', 'user'],
    ['user.medi', 'user.medical_history'],
  ])('%s is nearest to %s: the last part counts first, where it is known', (key, nearest) => {
    const { value } = parseDataset({ service_key: 'shop', data_categories: [key], collections: [] })
    const dataCategory = new Set(['user', 'user.name', 'user.device', 'user.contact.email', 'user.medical_history'])
    expect(unknownLinks(datasetLinks(value), { ...known, dataCategory }).map((each) => each.nearest)).toContain(nearest)
  })

  test('of a dataset are found at every level, with the place and the nearest key', () => {
    const unknown = unknownLinks(datasetLinks(dataset), known)
    expect(unknown.map(({ key, path, loc, nearest }) => [key, path.join('.'), loc.join('/'), nearest])).toEqual([
      ['acme', 'organization_service_key', 'shop', undefined],
      ['usr', 'data_categories.0', 'shop', 'user'],
      ['aggregate', 'data_qualifiers.0', 'shop', 'aggregated'],
      ['people', 'collections.0.data_categories.1', 'shop/people', 'user'],
      ['user.contact.emial', 'collections.0.fields.0.data_categories.0', 'shop/people/mail', 'user.contact.email'],
      ['constructor', 'collections.0.fields.0.data_qualifier', 'shop/people/mail', 'aggregated'],
      ['__proto__', 'collections.0.fields.1.fields.0.data_categories.0', 'shop/people/home.city', 'user'],
    ])
    const findings = unknownLinkFindings(unknown)
    expect(findings[0]).toMatchObject({ type: 'unknown_organization', severity: 'warning' })
    expect(findings[4]).toEqual({
      type: 'unknown_taxonomy_key',
      severity: 'warning',
      loc: ['shop', 'people', 'mail'],
      message:
        "'shop:people.mail' names the data category 'user.contact.emial', which the taxonomy does not know, so it matches only itself and keys below it. The nearest known key is 'user.contact.email'.",
    })
    // Other resources need not exist yet, even in strict mode.
    expect(unknownTaxonomyIssues(unknown).map(({ loc }) => loc[0])).toEqual([
      'data_categories',
      'data_qualifiers',
      'collections',
      'collections',
      'collections',
      'collections',
    ])
  })

  test('of a system are found in declarations and flows', () => {
    const system = parseSystem({
      service_key: 'web',
      system_type: 'Service',
      egress: [
        { service_key: 'crm', type: 'system' },
        { service_key: 'mail', data_categories: ['nope'] },
        { service_key: 'lake', type: 'Dataset' },
        { service_key: 'anybody', type: 'user' },
      ],
      privacy_declarations: [
        {
          data_categories: ['user'],
          data_use: 'essentials',
          data_subjects: ['customers'],
          data_qualifier: 'aggregates',
          dataset_references: ['shop', 'other'],
          egress: ['gone'],
          ingress: ['crm'],
        },
      ],
    }).value
    const unknown = unknownLinks(systemLinks(system), known)
    expect(unknown.map(({ kind, key, loc }) => [kind, key, loc.join('/')])).toEqual([
      ['dataUse', 'essentials', 'web/privacy_declarations/0/data_use'],
      ['dataSubject', 'customers', 'web/privacy_declarations/0/data_subjects/0'],
      ['dataQualifier', 'aggregates', 'web/privacy_declarations/0/data_qualifier'],
      ['dataset', 'other', 'web/privacy_declarations/0/dataset_references/1'],
      ['system', 'gone', 'web/privacy_declarations/0/egress/0'],
      ['system', 'mail', 'web/egress/1/service_key'],
      ['dataCategory', 'nope', 'web/egress/1/data_categories/0'],
      ['dataset', 'lake', 'web/egress/2/service_key'],
    ])
    expect(unknownLinkFindings(unknown)[3]?.message).toBe(
      "privacy_declarations[0].dataset_references[1] of system 'web' names the dataset 'other', which does not exist: create it or correct the key.",
    )
  })

  test('of a policy are found in its rules', () => {
    const policy = parsePolicy({
      service_key: 'no_ads',
      rules: [
        {
          service_key: 'first',
          organization_service_key: 'acme',
          data_categories: { values: ['user', 'usr'] },
          data_uses: { values: ['ads'] },
          data_subjects: { values: ['customer'] },
          data_qualifier: 'identified',
        },
      ],
    }).value
    expect(unknownLinks(policyLinks(policy), known).map(({ key, path }) => [key, path.join('.')])).toEqual([
      ['acme', 'rules.0.organization_service_key'],
      ['usr', 'rules.0.data_categories.values.1'],
      ['ads', 'rules.0.data_uses.values.0'],
      ['identified', 'rules.0.data_qualifier'],
    ])
  })

  test('of a document full of unknown keys get hints for the first ones only', () => {
    const categories = Array.from({ length: 200 }, (_, at) => `key_${at}`)
    const full = parseDataset({ service_key: 'full', data_categories: [...categories, ...categories] }).value
    const unknown = unknownLinks(datasetLinks(full), known)
    expect(unknown).toHaveLength(400)
    expect(unknown.filter(({ nearest }) => nearest !== undefined)).toHaveLength(100)
  })
})
