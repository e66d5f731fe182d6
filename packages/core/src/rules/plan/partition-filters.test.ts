import { describe, expect, it } from 'vitest'
import type { CatalogueCollection, Partition } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'
import { type AccessPlanInput, accessPlan } from './access-plan.js'
import { rowFilter } from './partition-filters.js'
import type { Plan } from './plan.js'

const column = (name: string, type = 'STRING') => ({ name, type, nullable: true })
const table = (name: string, columns: string[], partition?: Partition): CatalogueCollection => ({
  name,
  columns: columns.map((each) => column(each)),
  primaryKey: ['id'],
  uniqueKeys: [],
  foreignKeys: [],
  indexes: [],
  ...(partition && { partition }),
})

interface Case {
  readonly filter?: unknown
  readonly partition?: Partition | undefined
  readonly fields?: object[]
  /** A filter of a second dataset that describes the same table. */
  readonly second?: unknown
  readonly erases?: boolean
}

const required: Partition = { column: 'at', kind: 'timestamp', required: true }

function planned({ filter, partition, fields = [], second, erases }: Case): Plan {
  const at = { name: 'at' }
  const collection = (partition_filter: unknown, more: object[]) => ({
    name: 'visit',
    service_meta: partition_filter === undefined ? {} : { partition_filter },
    fields: [
      { name: 'id', service_meta: { primary_key: true } },
      { name: 'email', service_meta: { identity: 'email' } },
      { name: 'page', data_categories: ['user'] },
      ...(more.length > 0 ? more : [at]),
    ],
  })
  const source = (key: string, each: object) => ({
    dataset: parseDataset({ service_key: key, collections: [each] }).value,
    connection: { key: 'warehouse', disabled: false },
    catalogue: { collections: [table('visit', ['id', 'email', 'page', 'at'], partition)] },
  })
  const datasets = [source('web', collection(filter, fields))]
  if (second !== undefined) datasets.push(source('more', collection(second, [])))
  const targets: AccessPlanInput['targets'] = (_, { categories }) => (categories.includes('user') ? ['all'] : [])
  const strategy = { strategy: 'null_rewrite' as const, configuration: {} }
  const erasureTargets: NonNullable<AccessPlanInput['erasureTargets']> = (_, { categories }) =>
    categories.includes('user') ? { rule: 'all', strategy, own: true } : undefined
  return accessPlan({
    datasets,
    identities: [['email']],
    targets,
    ...(erases && { erasureTargets }),
  })
}

const found = (plan: Plan) =>
  plan.findings.filter(({ type }) => /partition|partly/.test(type)).map(({ type, severity }) => `${severity} ${type}`)

describe('a table that its server divides', () => {
  it('stops the plan where a limit is required and the dataset has none', () => {
    const plan = planned({ partition: required })
    expect(found(plan)).toEqual(['error missing_partition_filter'])
    const { message } = plan.findings.find(({ type }) => type === 'missing_partition_filter')!
    expect(message).toContain("partition_filter: [{field: at, start: '2020-01-01T00:00:00Z'}]")
  })

  it('needs no filter where none is required', () => {
    expect(found(planned({ partition: { ...required, required: false } }))).toEqual([])
    expect(planned({ partition: { ...required, required: false } }).filters).toBeUndefined()
  })

  it('is searched in part, and the plan says so', () => {
    const ranges = [
      { field: 'at', start: '2024-01-01' },
      { field: 'at', empty: true as const },
    ]
    const plan = planned({ partition: required, filter: ranges })
    expect(found(plan)).toEqual(['warning partly_searched'])
    expect(plan.coverage.filtered).toEqual(['web:visit'])
    expect(plan.filters).toEqual([
      { address: 'web:visit', connectionKey: 'warehouse', collection: 'visit', kind: 'timestamp', ranges },
    ])
  })

  it('is searched as a whole where the ranges leave nothing out', () => {
    const ranges = [
      { field: 'at', start: '2024-01-01' },
      { field: 'at', end: '2024-01-01' },
      { field: 'at', empty: true as const },
    ]
    const plan = planned({ partition: required, filter: ranges })
    expect(found(plan)).toEqual([])
    expect(plan.coverage.filtered).toBeUndefined()
    expect(plan.filters).toMatchObject([{ ranges, all: true }])
    const gap = [{ field: 'at', start: '2024-01-02' }, ...ranges.slice(1)]
    expect(found(planned({ partition: required, filter: gap }))).toEqual(['warning partly_searched'])
    expect(found(planned({ partition: required, filter: ranges.slice(0, 2) }))).toEqual(['warning partly_searched'])
  })

  it.each<[string, Case, string]>([
    [
      'another column is limited',
      { partition: required, filter: [{ field: 'id', start: 1 }] },
      'error wrong_partition_filter',
    ],
    [
      'a bound is of another kind',
      { partition: required, filter: [{ field: 'at', start: 1 }] },
      'error wrong_partition_filter',
    ],
    [
      'a number is needed',
      { partition: { ...required, kind: 'integer' }, filter: [{ field: 'at', start: '2024-01-01' }] },
      'error wrong_partition_filter',
    ],
    ['the table is whole', { filter: [{ field: 'at', start: '2024-01-01' }] }, 'warning ineffective_partition_filter'],
  ])('says so where %s', (_, given, finding) => {
    expect(found(planned(given))).toEqual([finding])
  })

  it('must be limited alike by every dataset that describes it', () => {
    const filter = [{ field: 'at', start: '2024-01-01' }]
    expect(found(planned({ partition: required, filter, second: filter }))).not.toContain(
      'error contradicting_partition_filters',
    )
    expect(found(planned({ partition: required, filter, second: [{ field: 'at', end: '2024-01-01' }] }))).toContain(
      'error contradicting_partition_filters',
    )
  })

  it('cannot have the column overwritten by which rows are found again', () => {
    const fields = [{ name: 'at', data_categories: ['user'] }]
    const plan = planned({ partition: required, filter: [{ field: 'at', start: '2024-01-01' }], fields, erases: true })
    expect(found(plan)).toContain('error masked_partition')
  })
})

describe('a filter', () => {
  const now = new Date('2026-03-01T12:00:00Z')
  const filter = (kind: Partition['kind'], ...ranges: Parameters<typeof rowFilter>[0]['ranges'][number][]) =>
    rowFilter({ kind, ranges }, now)

  it('takes a date for the whole day', () => {
    expect(filter('timestamp', { field: 'at', start: '2024-01-01', end: '2024-01-31' })).toEqual([
      { column: 'at', from: '2024-01-01T00:00:00.000000Z', to: '2024-01-31T23:59:59.999999Z' },
    ])
    expect(filter('date', { field: 'on', start: '2024-01-01', end: '2024-01-31T10:00:00Z' })).toEqual([
      { column: 'on', from: '2024-01-01', to: '2024-01-31' },
    ])
  })

  it('counts back from one instant', () => {
    expect(filter('timestamp', { field: 'at', start: 'NOW() - 2 HOURS', end: 'NOW()' })).toEqual([
      { column: 'at', from: '2026-03-01T10:00:00.000Z', to: '2026-03-01T12:00:00.000Z' },
    ])
    expect(filter('date', { field: 'on', start: 'NOW() - 1 DAY' })).toEqual([{ column: 'on', from: '2026-02-28' }])
    expect(filter('date', { field: 'on', end: 'NOW() - 9999999 DAYS' })).toEqual([{ column: 'on', to: '0001-01-01' }])
  })

  it('may ask for rows without a value, and for numbers', () => {
    expect(filter('integer', { field: 'n', start: 1, end: 9 }, { field: 'n', empty: true })).toEqual([
      { column: 'n', from: 1, to: 9 },
      { column: 'n', empty: true },
    ])
  })
})
