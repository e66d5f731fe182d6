import { describe, expect, it } from 'vitest'
import { atOnce } from '../../model/at-once.js'
import type { Column } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'
import type { DescribedDataset } from '../plan/dataset-graph.js'
import { datasetNotices } from './dataset-notices.js'

const required = (name: string, kind: Column['kind'], type: string): Column => ({
  name,
  type,
  nullable: false,
  ...(kind && { kind }),
})
const live = {
  name: 'person',
  columns: [
    required('id', 'integer', 'integer'),
    required('email', 'string', 'text'),
    required('born', 'date', 'date'),
  ],
  primaryKey: ['id'],
  ...{ uniqueKeys: [], foreignKeys: [], indexes: [] },
}

interface Case {
  readonly access?: 'read' | 'write'
  readonly born?: object
  readonly collection?: object
}

function impossibleIn({
  access = 'write',
  born = {},
  collection = {},
}: Case): readonly { loc: unknown; message: string }[] {
  const fields = [
    { name: 'id', service_meta: { primary_key: true } },
    { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
    { name: 'born', data_categories: ['user.date_of_birth'], service_meta: born },
  ]
  const collections = [{ name: 'person', fields, service_meta: collection }]
  const { value: dataset } = parseDataset({ service_key: 'shop', collections })
  const source: DescribedDataset = {
    dataset,
    connection: { key: 'db', disabled: false, access },
    catalogue: { collections: [live] },
  }
  const none = new Set<string>()
  const { findings } = atOnce(
    datasetNotices({
      ...{ described: [source], systems: [], inferIdentities: true },
      known: {
        ...{ dataCategory: new Set(['user.contact.email', 'user.date_of_birth']), dataUse: none, dataSubject: none },
        ...{ dataQualifier: none, dataset: new Set(['shop']), system: none, organization: none, registry: none },
      },
    }),
  )('shop')
  return findings.filter(({ type }) => type === 'erasure_impossible')
}

describe('a column that no erasure could mask', () => {
  it('is named before a request stops there, with the ways out', () => {
    expect(impossibleIn({})).toEqual([
      {
        type: 'erasure_impossible',
        severity: 'warning',
        loc: ['shop', 'person', 'born'],
        message: `An erasure stops here, unless its rule names another strategy: 'shop:person.born' cannot become NULL, since its column is NOT NULL: keep it with retain: {reason: …} or read_only: true in its service_meta, delete whole rows with erase: delete in the service_meta of the collection, or allow NULL in the column.`,
      },
    ])
  })

  it.each<[string, Case]>([
    ['no request may write there', { access: 'read' }],
    ['the field stays', { born: { read_only: true } }],
    ['the field stays by its strategy', { born: { masking_strategy: { strategy: 'preserve' } } }],
    ['whole rows are deleted', { collection: { erase: 'delete' } }],
    ['the rows stay', { collection: { retain: { reason: 'the law wants it' } } }],
    ['the rows belong to nobody', { collection: { owner: [] } }],
    ['nothing is searched', { collection: { skip_processing: true } }],
  ])('is not where %s', (_, given) => expect(impossibleIn(given)).toEqual([]))
})
