import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../errors.js'
import { parseDataset } from './dataset.js'

const places = (warnings: readonly { loc: readonly (string | number)[] }[]) => warnings.map(({ loc }) => loc.join('/'))

function locsOf(input: unknown) {
  try {
    parseDataset(input)
  } catch (error) {
    if (isPrivacyError(error, 'invalid_input')) return places(error.details.issues)
    throw error
  }
  throw new Error('was read')
}

describe('a dataset under older names', () => {
  it('reads keys, with warnings', () => {
    const { value, warnings } = parseDataset({ fides_key: 'shop', organization_fides_key: 'acme', name: 'Shop' })
    expect(value).toMatchObject({ service_key: 'shop', organization_service_key: 'acme', name: 'Shop' })
    expect(places(warnings)).toEqual(['fides_key', 'organization_fides_key'])
    expect(parseDataset({ fides_key: 'old', service_key: 'new' }).value.service_key).toBe('new')
    expect(locsOf({ fides_key: 'a b' })).toEqual(['fides_key'])
  })

  it.each(['fides_meta', 'fidesops_meta'])('reads %s at all three levels', (block) => {
    const { value, warnings } = parseDataset({
      service_key: 'd',
      [block]: { after: ['other'], resource_id: 'x' },
      collections: [
        {
          name: 'c',
          [block]: {
            after: ['other.c'],
            erase_after: ['other.c'],
            skip_processing: true,
            masking_strategy_override: { strategy: 'delete' },
            partitioning: { where_clauses: ['`a` > 5'] },
            deletion_criteria: {},
          },
          fields: [
            {
              name: 'f',
              [block]: {
                identity: 'email',
                primary_key: true,
                references: [{ dataset: 'other', field: 'c.f', direction: 'from', note: 'x' }],
                data_type: 'string[]',
                length: 5,
                return_all_elements: true,
                read_only: null,
                masking_strategy_override: { strategy: 'random_string_rewrite', configuration: { length: 3 } },
                custom_request_field: 'x',
                redact: 'name',
              },
            },
          ],
        },
      ],
    })
    expect(value.service_meta).toEqual({ after: ['other'] })
    expect(value.collections[0]?.service_meta).toMatchObject({
      after: ['other.c'],
      erase_after: ['other.c'],
      skip_processing: true,
      erase: 'delete',
      partition_filter: [{ field: 'a', start: 5 }],
    })
    expect(value.collections[0]?.fields[0]?.service_meta).toMatchObject({
      identity: 'email',
      primary_key: true,
      references: [{ dataset: 'other', field: 'c.f', direction: 'from' }],
      data_type: 'string[]',
      length: 5,
      return_all_elements: true,
      read_only: false,
      masking_strategy: { strategy: 'random_string_rewrite', configuration: { length: 3 } },
    })
    expect(places(warnings)).toEqual([
      `${block}/resource_id`,
      `collections/0/${block}/deletion_criteria`,
      `collections/0/fields/0/${block}/references/0/note`,
      `collections/0/fields/0/${block}/custom_request_field`,
      `collections/0/fields/0/${block}/redact`,
    ])
  })

  it('lets service_meta win, member by member', () => {
    const { value } = parseDataset({
      service_key: 'd',
      collections: [
        {
          name: 'c',
          fides_meta: { skip_processing: true, after: ['a.b'] },
          fidesops_meta: { after: ['x.y'] },
          service_meta: { skip_processing: false, after: null },
        },
      ],
    })
    expect(value.collections[0]?.service_meta).toMatchObject({ skip_processing: false, after: ['a.b'] })
  })

  it('lists overrides it cannot map', () => {
    const { value, warnings } = parseDataset({
      service_key: 'd',
      collections: [{ name: 'c', fides_meta: { masking_strategy_override: { strategy: 'hash' } } }],
    })
    expect(places(warnings)).toEqual(['collections/0/fides_meta/masking_strategy_override'])
    expect(value.collections[0]?.service_meta.erase).toBeUndefined()
  })

  it('points at the place the caller wrote when a value is wrong', () => {
    const wrong = { name: 'f', fides_meta: { primary_key: 'yes', masking_strategy_override: { strategy: 'shred' } } }
    expect(locsOf({ service_key: 'd', data_qualifier: '', collections: [{ name: 'c', fields: [wrong] }] })).toEqual([
      'data_qualifier',
      'collections/0/fields/0/fides_meta/primary_key',
      'collections/0/fields/0/fides_meta/masking_strategy_override/strategy',
    ])
    expect(locsOf({ service_key: 'd', service_meta: 5, fides_meta: { after: [] } })).toEqual(['service_meta'])
  })

  it('ignores blocks that are not objects', () => {
    expect(places(parseDataset({ service_key: 'd', fides_meta: 'x', fidesops_meta: null }).warnings)).toEqual([
      'fides_meta',
    ])
  })

  it('reads one qualifier as a list', () => {
    const { value, warnings } = parseDataset({
      service_key: 'd',
      data_qualifier: 'q',
      collections: [{ name: 'c', data_qualifier: 'r' }],
    })
    expect([value.data_qualifiers, value.collections[0]?.data_qualifiers]).toEqual([['q'], ['r']])
    expect(places(warnings)).toEqual(['data_qualifier', 'collections/0/data_qualifier'])
  })

  it('makes a group of fields that had to match together, for each collection they refer to', () => {
    const refersTo = (...fields: string[]) => ({
      fides_meta: { references: fields.map((field) => ({ dataset: 'o', field, direction: 'from' })) },
    })
    const { value, warnings } = parseDataset({
      service_key: 'd',
      collections: [
        {
          name: 'payments',
          fides_meta: { grouped_inputs: ['project', 'org', 'email', 'gone'] },
          fields: [
            { name: 'project', ...refersTo('projects.id', 'people.id') },
            { name: 'org', ...refersTo('projects.org') },
            { name: 'email', service_meta: { identity: 'email' } },
            { name: 'other', ...refersTo('projects.x') },
          ],
        },
      ],
    })
    const groups = value.collections[0]?.fields.map((field) => field.service_meta.references.map(({ group }) => group))
    expect(groups).toEqual([['payments', undefined], ['payments'], [], [undefined]])
    expect(places(warnings)).toEqual([
      'collections/0/fides_meta/grouped_inputs/2',
      'collections/0/fides_meta/grouped_inputs/3',
    ])
  })

  it('survives nonsense and endless nesting', () => {
    expect(locsOf({ service_key: 'd', collections: [5, { name: 'c', fields: 'x', grouped_inputs: ['a'] }] })).toEqual([
      'collections/0',
      'collections/1/fields',
    ])
    const circle: Record<string, unknown> = { name: 'f', fides_meta: { primary_key: true } }
    circle['fields'] = [circle, circle]
    expect(locsOf({ service_key: 'd', collections: [{ name: 'c', fields: [circle] }] })).not.toHaveLength(0)
    expect(parseDataset({ service_key: 'd', collections: null }).value.collections).toEqual([])
  })
})
