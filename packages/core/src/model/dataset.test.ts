import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../errors.js'
import { parseDataset } from './dataset.js'

const emptyField = {
  data_categories: [],
  fields: [],
  service_meta: {
    primary_key: false,
    references: [],
    placeholders: [],
    return_all_elements: false,
    read_only: false,
    reviewed: false,
  },
}
const emptyCollection = {
  data_categories: [],
  data_qualifiers: [],
  fields: [],
  service_meta: { after: [], erase_after: [], skip_processing: false, on_shared: 'retain', others: false },
}
const emptyDataset = {
  organization_service_key: 'default_organization',
  third_country_transfers: [],
  data_categories: [],
  data_qualifiers: [],
  collections: [],
  service_meta: { after: [] },
}

function issuesOf(input: unknown) {
  try {
    parseDataset(input)
  } catch (error) {
    if (isPrivacyError(error, 'invalid_input')) return error.details.issues
    throw error
  }
  throw new Error('was read')
}

const field = (meta: unknown, rest: object = {}) => ({
  service_key: 'd',
  collections: [{ name: 'c', fields: [{ name: 'f', service_meta: meta, ...rest }] }],
})
const collection = (meta: unknown) => ({ service_key: 'd', collections: [{ name: 'c', service_meta: meta }] })

function readField(input: unknown) {
  const { value } = parseDataset(input)
  return value.collections[0]?.fields[0]?.service_meta
}

describe('parseDataset', () => {
  it('fills in what is left out', () => {
    expect(
      parseDataset({ service_key: 'shop', collections: [{ name: 'orders', fields: [{ name: 'id' }] }] }),
    ).toStrictEqual({
      value: {
        service_key: 'shop',
        name: 'shop',
        ...emptyDataset,
        collections: [{ name: 'orders', ...emptyCollection, fields: [{ name: 'id', ...emptyField }] }],
      },
      warnings: [],
    })
  })

  it.each([
    [{ name: 'Web Shop DB' }, 'web_shop_db', 'Web Shop DB'],
    [{ name: 'Web Shop DB', service_key: null }, 'web_shop_db', 'Web Shop DB'],
    [{ name: 'Web Shop DB', service_key: '' }, 'web_shop_db', 'Web Shop DB'],
    [{ name: '  ', service_key: 'a.b' }, 'a.b', 'a.b'],
    [{ name: null, service_key: 'a.b' }, 'a.b', 'a.b'],
  ])('%j has key %s and name %s', (input, key, name) => {
    expect(parseDataset(input).value).toStrictEqual({ service_key: key, name, ...emptyDataset })
  })

  it('takes everything the specification shows, and reads its own answer back unchanged', () => {
    const document = {
      service_key: 'shop.eu',
      name: 'Shop',
      description: 'Orders',
      organization_service_key: 'acme',
      meta: { owner: { team: 'x' } },
      third_country_transfers: ['USA', 'GBR'],
      joint_controller: { name: 'B', address: 'Street 1', email: 'b@example.com', phone: '1' },
      retention: '10 years',
      data_categories: ['user'],
      data_qualifiers: ['aggregated'],
      service_meta: { after: ['crm'] },
      collections: [
        {
          ...emptyCollection,
          name: 'or.ders: x',
          description: 'c',
          retention: 'long',
          service_meta: {
            ...emptyCollection.service_meta,
            owner: ['buyer.id'],
            after: ['crm.people', 'crm:visits'],
            erase: 'delete',
            on_shared: 'erase',
            others: true,
            retain: { reason: 'tax', until: { after: 'created', period: 'P10Y6M' } },
            partition_filter: [{ field: 'created', start: '2024-01-01' }],
          },
          fields: [
            {
              ...emptyField,
              name: 'buyer',
              description: 'f',
              data_categories: ['user.contact', 'made.up'],
              data_qualifier: 'aggregated.anonymized',
              retention: 'short',
              service_meta: { ...emptyField.service_meta, data_type: 'object[]', return_all_elements: true },
              fields: [
                {
                  ...emptyField,
                  name: 'id',
                  service_meta: {
                    ...emptyField.service_meta,
                    identity: 'user_id',
                    primary_key: true,
                    references: [
                      {
                        dataset: 'crm',
                        field: 'people.id',
                        direction: 'to',
                        group: 'g',
                        when: { owner_type: 'customer' },
                      },
                      { dataset: 'crm', field: 'people.address.id' },
                      { dataset: 'crm', field: 'people.code', direction: 'both' },
                      { dataset: 'crm', field: 'people.note', direction: 'none' },
                    ],
                    data_type: 'string',
                    length: 40,
                    case_insensitive: true,
                    placeholders: ['N/A', 0, false],
                    read_only: true,
                    reviewed: true,
                    masking_strategy: { strategy: 'hash', configuration: { algorithm: 'SHA-512' } },
                    retain: { reason: 'dispute', until: '2030-12-31' },
                  },
                },
              ],
            },
          ],
        },
      ],
    }
    expect(parseDataset(document)).toStrictEqual({ value: document, warnings: [] })
    const answer = { ...document, id: 'shop.eu', connection_key: null, created_at: 'x', findings: [], warnings: [] }
    expect(parseDataset(answer)).toStrictEqual({ value: document, warnings: [] })
  })

  it.each([
    [[{ name: 'B' }], { name: 'B' }],
    [{ name: 'B' }, { name: 'B' }],
    [[], undefined],
    [null, undefined],
  ])('joint_controller %j is %j', (joint_controller, expected) => {
    const { value } = parseDataset({ service_key: 'd', joint_controller })
    expect(value.joint_controller).toEqual(expected)
    expect('joint_controller' in value).toBe(expected !== undefined)
  })

  it.each<[unknown, (string | number)[]]>([
    [{}, ['service_key']],
    [{ name: '???' }, ['service_key']],
    [{ service_key: '..' }, ['service_key']],
    [{ service_key: 'a b' }, ['service_key']],
    [{ service_key: 'd', third_country_transfers: ['usa'] }, ['third_country_transfers', 0]],
    [{ service_key: 'd', third_country_transfers: ['XXX'] }, ['third_country_transfers', 0]],
    [{ service_key: 'd', joint_controller: [{}, {}] }, ['joint_controller']],
    [{ service_key: 'd', joint_controller: [{ name: 1 }] }, ['joint_controller', 0, 'name']],
    [{ service_key: 'd', collections: [{}] }, ['collections', 0, 'name']],
    [{ service_key: 'd', collections: [{ name: 'c', fields: [{}] }] }, ['collections', 0, 'fields', 0, 'name']],
    [{ service_key: 'd', collections: [{ name: 'c' }, { name: 'c' }] }, ['collections', 1, 'name']],
    [{ service_key: 'd', service_meta: { before: [] } }, ['service_meta', 'before']],
    [collection({ skip: true }), ['collections', 0, 'service_meta', 'skip']],
    [collection({ after: ['orders'] }), ['collections', 0, 'service_meta', 'after', 0]],
    [collection({ erase: 'drop' }), ['collections', 0, 'service_meta', 'erase']],
    [collection({ retain: { until: '2030-01-01' } }), ['collections', 0, 'service_meta', 'retain', 'reason']],
    [collection({ retain: { reason: 'x', until: '10 years' } }), ['collections', 0, 'service_meta', 'retain', 'until']],
    [
      collection({ retain: { reason: 'x', until: { after: 'f', period: 'P' } } }),
      ['collections', 0, 'service_meta', 'retain', 'until', 'period'],
    ],
  ])('refuses %j', (input, loc) => {
    expect(issuesOf(input).map((issue) => issue.loc)).toEqual([loc])
  })

  it.each<[unknown, (string | number)[]]>([
    [{ data_typ: 'string' }, ['data_typ']],
    [{ data_type: 'text' }, ['data_type']],
    [{ data_type: 'string', return_all_elements: true }, ['return_all_elements']],
    [{ return_all_elements: true }, ['return_all_elements']],
    [{ length: 0 }, ['length']],
    [{ length: 1.5 }, ['length']],
    [{ references: [{ dataset: 'd' }] }, ['references', 0, 'field']],
    [{ references: [{ dataset: 'd', field: 'orders' }] }, ['references', 0, 'field']],
    [{ references: [{ dataset: 'd', field: 'a.b', direction: 'up' }] }, ['references', 0, 'direction']],
    [{ references: [{ dataset: 'd', field: 'a.b', when: { x: { $ne: 1 } } }] }, ['references', 0, 'when', 'x']],
    [
      { references: [{ dataset: 'd', field: 'a.b', when: JSON.parse('{"__proto__":1}') }] },
      ['references', 0, 'when', '__proto__'],
    ],
    [{ placeholders: [null] }, ['placeholders', 0]],
    [{ masking_strategy: { strategy: 'shred' } }, ['masking_strategy', 'strategy']],
    [{ masking_strategy: { strategy: 'delete' } }, ['masking_strategy', 'strategy']],
    [
      { masking_strategy: { strategy: 'hash', configuration: { algorithm: 'MD5' } } },
      ['masking_strategy', 'configuration', 'algorithm'],
    ],
    [{ masking_strategy: { strategy: 'string_rewrite' } }, ['masking_strategy', 'configuration']],
    [
      { masking_strategy: { strategy: 'null_rewrite', configuration: { a: 1 } } },
      ['masking_strategy', 'configuration', 'a'],
    ],
  ])('refuses service_meta %j of a field', (meta, loc) => {
    expect(issuesOf(field(meta)).map((issue) => issue.loc)).toEqual([
      ['collections', 0, 'fields', 0, 'service_meta', ...loc],
    ])
  })

  it('says how a masking strategy is written, and that a draft holds a dataset', () => {
    const [strategy] = issuesOf(field({ masking_strategy: 'null_rewrite' }))
    expect(strategy?.msg).toBe('must be an object such as { strategy: null_rewrite }')
    const draft = { dataset: { service_key: 'd', collections: [] }, identities: [] }
    expect(issuesOf(draft)).toEqual([{ loc: ['dataset'], msg: expect.stringMatching(/alone$/), type: 'misplaced' }])
  })

  it('names bad places of every level in one answer', () => {
    const nested = { name: 'a', fields: [{ name: 'b' }, { name: 'b', service_meta: { data_type: 5, x: 1 } }] }
    const locs = issuesOf({
      service_key: 'a b',
      retention: 1,
      collections: [{ name: 'c', fields: [nested, {}, nested] }],
    })
    expect(locs.map(({ loc }) => loc.join('/')).sort()).toEqual([
      'collections/0/fields/0/fields/1/name',
      'collections/0/fields/0/fields/1/service_meta/data_type',
      'collections/0/fields/0/fields/1/service_meta/x',
      'collections/0/fields/1/name',
      'collections/0/fields/2/fields/1/name',
      'collections/0/fields/2/fields/1/service_meta/data_type',
      'collections/0/fields/2/fields/1/service_meta/x',
      'collections/0/fields/2/name',
      'retention',
      'service_key',
    ])
  })

  it('refuses fields below a scalar', () => {
    const input = field({ data_type: 'string' }, { fields: [{ name: 'g' }] })
    expect(issuesOf(input)[0]?.loc).toEqual(['collections', 0, 'fields', 0, 'service_meta', 'data_type'])
    expect(readField(field({ data_type: 'object[]' }, { fields: [{ name: 'g' }] }))?.data_type).toBe('object[]')
  })

  it.each([
    ['string[][]', 'string[]'],
    ['object_id[] or so', 'object_id[]'],
    ['', undefined],
    [null, undefined],
  ])('data_type %j is read as %j', (data_type, expected) => {
    expect(readField(field({ data_type }))?.data_type).toBe(expected)
  })

  it('reads a null direction as absent', () => {
    const meta = readField(field({ references: [{ dataset: 'd', field: 'c.x', direction: null }] }))
    expect(meta?.references).toStrictEqual([{ dataset: 'd', field: 'c.x' }])
  })

  it('ignores and names unknown members outside service_meta', () => {
    const { warnings } = parseDataset({
      service_key: 'd',
      owner: 1,
      joint_controller: { fax: '1' },
      collections: [{ name: 'c', id: 3, fields: [{ name: 'f', pii: true }] }],
    })
    expect(warnings.map(({ loc }) => loc.join('/'))).toEqual([
      'owner',
      'joint_controller/fax',
      'collections/0/id',
      'collections/0/fields/0/pii',
    ])
  })
})
