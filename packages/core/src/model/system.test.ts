import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../errors.js'
import { defaultOrganization, parseOrganization } from './organization.js'
import { parseRegistry } from './registry.js'
import { parseSystem } from './system.js'

function locsOf(read: () => unknown) {
  try {
    read()
  } catch (error) {
    if (isPrivacyError(error, 'invalid_input')) return error.details.issues.map(({ loc }) => loc.join('/'))
    throw error
  }
  throw new Error('was read')
}

const owner = { organization_service_key: 'default_organization' }
const common = {
  service_key: 's',
  name: 's',
  ...owner,
  system_type: 'Service',
  data_responsibility_title: 'Controller',
  third_country_transfers: [],
  controllers: [],
  privacy_declarations: [],
  egress: [],
  ingress: [],
}
const declaration = {
  data_categories: [],
  data_subjects: [],
  recipients: [],
  dataset_references: [],
  egress: [],
  ingress: [],
}

describe('parseSystem', () => {
  it('needs a key or name, and a type', () => {
    expect(parseSystem({ service_key: 's', system_type: 'Service' }).value).toStrictEqual(common)
    expect(locsOf(() => parseSystem({})).sort()).toEqual(['service_key', 'system_type'])
  })

  it('takes both forms, also together, and reads its own answer back unchanged', () => {
    const system = {
      ...common,
      description: 'd',
      administrating_department: 'Sales',
      data_responsibility_title: 'Sub-Processor',
      third_country_transfers: ['USA'],
      third_country_safeguards: 'clauses',
      joint_controller: { name: 'B' },
      controllers: [{ name: 'C' }],
      security_measures: 'locks',
      data_protection_impact_assessment: { is_required: true, progress: 'done', link: 'https://example.com/dpia' },
      privacy_declarations: [
        {
          name: 'Ads',
          data_categories: ['user.contact'],
          data_use: 'advertising',
          data_subjects: ['customer'],
          data_qualifier: 'aggregated',
          recipients: ['carriers'],
          retention_period: '2 years',
          dataset_references: ['not_yet_there'],
          egress: ['other'],
          ingress: [],
        },
        declaration,
      ],
      egress: [{ service_key: 'other', type: 'system', data_categories: ['user'] }],
      ingress: [{ service_key: 'third', data_categories: [] }],
    }
    expect(parseSystem(system)).toStrictEqual({ value: system, warnings: [] })
  })

  it.each([
    [[{ is_required: true }], { is_required: true }],
    [{}, { is_required: false }],
    [[], undefined],
    [null, undefined],
  ])('the assessment %j is %j', (data_protection_impact_assessment, expected) => {
    const { value } = parseSystem({ ...common, data_protection_impact_assessment })
    expect(value.data_protection_impact_assessment).toEqual(expected)
  })

  it.each([
    [{ data_responsibility_title: 'Owner' }, 'data_responsibility_title'],
    [{ data_protection_impact_assessment: [{}, {}] }, 'data_protection_impact_assessment'],
    [{ data_protection_impact_assessment: { link: 'javascript:alert(1)' } }, 'data_protection_impact_assessment/link'],
    [{ data_protection_impact_assessment: { is_required: 'yes' } }, 'data_protection_impact_assessment/is_required'],
    [{ third_country_transfers: ['UK'] }, 'third_country_transfers/0'],
    [{ third_country_transfers: ['none', 'USA'] }, 'third_country_transfers'],
    [{ egress: [{ type: 'system' }] }, 'egress/0/service_key'],
    [{ privacy_declarations: [{ dataset_references: ['a b'] }] }, 'privacy_declarations/0/dataset_references/0'],
  ])('refuses %j', (members, loc) => {
    expect(locsOf(() => parseSystem({ ...common, ...members }))).toEqual([loc])
  })

  it('ignores and names unknown members, and reads older key names', () => {
    const { value, warnings } = parseSystem({
      fides_key: 's',
      system_type: 'Service',
      tags: [],
      egress: [{ fides_key: 'o', type: 'system' }],
    })
    expect(value).toMatchObject({ service_key: 's', egress: [{ service_key: 'o' }] })
    expect(warnings.map(({ loc }) => loc.join('/'))).toEqual(['fides_key', 'egress/0/fides_key', 'tags'])
    const faulty = { fides_key: 's', system_type: 'x', egress: [{ fides_key: 5 }] }
    expect(locsOf(() => parseSystem(faulty))).toEqual(['egress/0/fides_key'])
  })
})

it('the default organization is valid', () => {
  expect(parseOrganization(defaultOrganization).value).toStrictEqual(defaultOrganization)
})

it('an organization has contacts', () => {
  const organization = { service_key: 'acme', name: 'Acme', controller: { email: 'a@example.com' } }
  expect(parseOrganization({ ...organization, representative: [] }).value).toStrictEqual(organization)
})

it('a registry has key, name, description and owner', () => {
  expect(parseRegistry({ name: 'Our Systems', description: 'd' }).value).toStrictEqual({
    service_key: 'our_systems',
    name: 'Our Systems',
    description: 'd',
    ...owner,
  })
})
