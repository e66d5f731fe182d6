import { describe, expect, it } from 'vitest'
import { atOnce } from '../../model/at-once.js'
import type { Catalogue } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'
import { datasetNotices } from './dataset-notices.js'

const hash = { masking_strategy: { strategy: 'hash' } }
const user = ['user.name']

function strategyFindings(fields: readonly object[], given: object = {}, catalogue?: Catalogue) {
  const collections = [{ name: 'person', fields, ...given }]
  const { value: dataset } = parseDataset({ service_key: 'shop', collections })
  const none = new Set<string>()
  const known = { dataCategory: new Set(user), dataUse: none, dataSubject: none, dataQualifier: none }
  const { findings } = atOnce(
    datasetNotices({
      described: [{ dataset, ...(catalogue && { catalogue }) }],
      systems: [],
      inferIdentities: true,
      known: { ...known, dataset: new Set(['shop']), system: none, organization: none, registry: none },
    }),
  )('shop')
  return findings.filter(({ type }) => type === 'strategy_without_category')
}

const placesOf = (...given: Parameters<typeof strategyFindings>) => strategyFindings(...given).map(({ loc }) => loc[2])

describe('a masking_strategy without effect', () => {
  it('is a warning that says what to do', () => {
    expect(strategyFindings([{ name: 'note', service_meta: hash }])).toEqual([
      {
        type: 'strategy_without_category',
        severity: 'warning',
        loc: ['shop', 'person', 'note'],
        message: `'shop:person.note' names the masking_strategy 'hash', but it has no data category, so no policy asks for it: an erasure leaves it unchanged. Give it data_categories, or remove the strategy.`,
      },
    ])
  })

  it('is not reported where the field has a category, its own or an inherited one', () => {
    expect(placesOf([{ name: 'note', data_categories: user, service_meta: hash }])).toEqual([])
    expect(placesOf([{ name: 'note', service_meta: hash }], { data_categories: user })).toEqual([])
    const members = [{ name: 'street', service_meta: hash }]
    expect(placesOf([{ name: 'address', data_categories: user, fields: members }])).toEqual([])
  })

  it('is reported for members without a setting, and for no others', () => {
    const address = (...fields: object[]) => [{ name: 'address', service_meta: hash, fields }]
    expect(placesOf(address({ name: 'street', data_categories: user }))).toEqual([])
    expect(placesOf(address({ name: 'at', fields: [{ name: 'street', data_categories: user }] }))).toEqual([])
    expect(placesOf(address({ name: 'street', data_categories: user, service_meta: hash }))).toEqual(['address'])
    expect(placesOf(address({ name: 'street' }))).toEqual(['address'])
  })

  it('is reported for keys and references, which inherit nothing', () => {
    const references = [{ dataset: 'shop', field: 'person.id' }]
    const fields = [
      { name: 'id', service_meta: { ...hash, primary_key: true } },
      { name: 'parent', service_meta: { ...hash, references } },
      { name: 'note', service_meta: hash },
    ]
    const inherited = strategyFindings(fields, { data_categories: user })
    expect(inherited.map(({ loc }) => loc[2])).toEqual(['id', 'parent'])
    expect(inherited[0]?.message).toMatch(/do not count for keys and references.*Give it data_categories of its own/)
    expect(placesOf(fields.map((field) => ({ ...field, data_categories: user })))).toEqual([])
  })

  it('knows the keys of the live table', () => {
    const column = (name: string) => ({
      name,
      type: 'text',
      kind: 'string' as const,
      nullable: false,
      generated: false,
    })
    const table = { name: 'person', columns: [column('code')], primaryKey: ['code'], uniqueKeys: [], foreignKeys: [] }
    const catalogue = { collections: [table] } as unknown as Catalogue
    const fields = [{ name: 'code', service_meta: hash }]
    expect(placesOf(fields, { data_categories: user })).toEqual([])
    expect(placesOf(fields, { data_categories: user }, catalogue)).toEqual(['code'])
  })

  it('is not reported for a preserved field, which keeps its row, nor in a skipped collection', () => {
    expect(placesOf([{ name: 'note', service_meta: { masking_strategy: { strategy: 'preserve' } } }])).toEqual([])
    expect(placesOf([{ name: 'note', service_meta: hash }], { service_meta: { skip_processing: true } })).toEqual([])
  })
})
