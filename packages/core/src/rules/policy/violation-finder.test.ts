import { describe, expect, it } from 'vitest'
import { parseDataset } from '../../model/dataset.js'
import { parsePolicy } from '../../model/policy.js'
import { parseSystem } from '../../model/system.js'
import { declaredPlaces, groupPlaces } from './declared-places.js'
import { violationFinder } from './violation-finder.js'
import { violationsOf } from './violations.js'

/** `loyalty` lies below `mine`, and that below `mine.top`, in every part of the taxonomy. */
const parents = new Map([
  ['loyalty', 'mine'],
  ['mine', 'mine.top'],
])
const links = { dataCategories: parents, dataUses: parents, dataSubjects: parents, dataQualifiers: parents }

interface Declared {
  readonly data_categories?: readonly string[]
  readonly data_use?: string
  readonly data_subjects?: readonly string[]
  readonly data_qualifier?: string
  readonly dataset_references?: readonly string[]
}

function found(rule: object, declared: Declared, dataset?: object) {
  const rules = [{ service_key: 'r', ...rule }]
  const finder = violationFinder([parsePolicy({ service_key: 'p', rules }).value], links)
  const system = parseSystem({ service_key: 's', system_type: 'Service', privacy_declarations: [declared] }).value
  const declaration = { system, index: 0 }
  if (!dataset) return finder.inDeclaration(declaration)
  const places = declaredPlaces(parseDataset({ service_key: 'd', ...dataset }).value)
  return finder.inDataset(declaration, 'd', groupPlaces(places, links.dataQualifiers))
}

const dimensions = [
  ['data_categories', 'dataCategories', (keys: readonly string[]) => ({ data_categories: keys })],
  ['data_subjects', 'dataSubjects', (keys: readonly string[]) => ({ data_subjects: keys })],
] as const

/** What each value of `matches` meets of the declared keys; undefined where it does not match. */
const cases: readonly (readonly [
  name: string,
  values: readonly string[],
  declared: readonly string[],
  met: Readonly<Record<'ANY' | 'ALL' | 'NONE' | 'OTHER', readonly string[] | undefined>>,
])[] = [
  ['the same key', ['a.b'], ['a.b'], { ANY: ['a.b'], ALL: ['a.b'], NONE: undefined, OTHER: undefined }],
  ['a key below', ['a'], ['a.b.c'], { ANY: ['a.b.c'], ALL: ['a.b.c'], NONE: undefined, OTHER: undefined }],
  ['a key above', ['a.b'], ['a'], { ANY: undefined, ALL: undefined, NONE: ['a'], OTHER: ['a'] }],
  ['a key beside', ['a.b'], ['a.c'], { ANY: undefined, ALL: undefined, NONE: ['a.c'], OTHER: ['a.c'] }],
  ['half a segment', ['a.b'], ['a.bc'], { ANY: undefined, ALL: undefined, NONE: ['a.bc'], OTHER: ['a.bc'] }],
  [
    'a key below by a parent',
    ['mine'],
    ['loyalty.x'],
    { ANY: ['loyalty.x'], ALL: ['loyalty.x'], NONE: undefined, OTHER: undefined },
  ],
  [
    'a key below by two parents',
    ['mine.top'],
    ['loyalty'],
    { ANY: ['loyalty'], ALL: ['loyalty'], NONE: undefined, OTHER: undefined },
  ],
  [
    'a key above by a parent',
    ['loyalty'],
    ['mine'],
    { ANY: undefined, ALL: undefined, NONE: ['mine'], OTHER: ['mine'] },
  ],
  ['some of several', ['a'], ['a.b', 'c'], { ANY: ['a.b'], ALL: ['a.b'], NONE: undefined, OTHER: ['c'] }],
  ['one of two values', ['a', 'b'], ['a.b', 'c'], { ANY: ['a.b'], ALL: undefined, NONE: undefined, OTHER: ['c'] }],
  [
    'both values',
    ['a', 'b'],
    ['a.b', 'b', 'c'],
    { ANY: ['a.b', 'b'], ALL: ['a.b', 'b'], NONE: undefined, OTHER: ['c'] },
  ],
  ['nothing declared', ['a'], [], { ANY: undefined, ALL: undefined, NONE: undefined, OTHER: undefined }],
]

const matches = ['ANY', 'ALL', 'NONE', 'OTHER'] as const

describe.each(dimensions)('%s', (dimension, member, declare) => {
  describe.each(cases)('%s: %j over %j', (_, values, declared, met) => {
    it.each(matches)('%s', (how) => {
      const uses = found({ [dimension]: { matches: how, values } }, declare(declared))
      expect(uses.map((use) => use[member])).toEqual(met[how] ? [met[how]] : [])
    })
  })
})

describe('data_uses, of which a declaration has one', () => {
  describe.each(cases.filter(([, , declared]) => declared.length < 2))('%s: %j over %j', (_, values, [use], met) => {
    it.each(matches)('%s', (how) => {
      const uses = found({ data_uses: { matches: how, values } }, use === undefined ? {} : { data_use: use })
      expect(uses.map(({ dataUses }) => dataUses)).toEqual(met[how] ? [met[how]] : [])
    })
  })
})

const identified = 'aggregated.anonymized.unlinked_pseudonymized.pseudonymized.identified'
const pseudonymized = 'aggregated.anonymized.unlinked_pseudonymized.pseudonymized'

describe('data_qualifier', () => {
  it.each([
    ['the same', pseudonymized, pseudonymized, pseudonymized],
    ['a more identifiable one', pseudonymized, identified, identified],
    ['a less identifiable one', pseudonymized, 'aggregated', undefined],
    ['none, which counts as identified', pseudonymized, undefined, identified],
    ['one below by a parent', 'mine', 'loyalty', 'loyalty'],
    ['one above by a parent', 'loyalty', 'mine', undefined],
  ])('%s', (_, qualifier, declared, met) => {
    const rule = { data_qualifier: qualifier }
    const own = { data_categories: ['user'], ...(declared !== undefined && { data_qualifier: declared }) }
    expect(found(rule, own).map(({ dataQualifier }) => dataQualifier)).toEqual(met ? [met] : [])
    const dataset = { data_categories: ['user'], ...(declared !== undefined && { data_qualifiers: [declared] }) }
    const inDataset = found(rule, { dataset_references: ['d'] }, dataset)
    expect(inDataset.map(({ dataQualifier }) => dataQualifier)).toEqual(met ? [met] : [])
  })

  it('is left to the datasets by a declaration that names no data', () => {
    expect(found({ data_qualifier: 'aggregated' }, { dataset_references: ['d'] })).toEqual([])
    expect(found({ data_qualifier: 'aggregated' }, {})).toHaveLength(1)
  })

  it.each<[string, object]>([
    ['says nothing', {}],
    ['says nothing of its fields', { collections: [{ name: 'c', fields: [{ name: 'email' }] }] }],
    [
      'says nothing of one field',
      { collections: [{ name: 'c', fields: [{ name: 'email' }, { name: 'sum', data_qualifier: 'aggregated' }] }] },
    ],
  ])('is met, as identified, by a dataset that %s', (_, dataset) => {
    const uses = found({ data_qualifier: pseudonymized }, { dataset_references: ['d'] }, dataset)
    expect(uses).toMatchObject([{ dataset: 'd', dataQualifier: identified, places: [{ path: [] }] }])
    expect(uses[0]?.places).toHaveLength(1)
  })
})

describe('a rule', () => {
  const rule = {
    data_categories: { values: ['user.contact'] },
    data_uses: { values: ['advertising'] },
    data_subjects: { values: ['customer'] },
    data_qualifier: pseudonymized,
  }
  const declared = { data_categories: ['user.contact.email'], data_use: 'advertising.own', data_subjects: ['customer'] }

  it('prohibits what matches in every dimension that it names', () => {
    expect(found(rule, declared)).toHaveLength(1)
    expect(found(rule, { ...declared, data_categories: ['user.name'] })).toEqual([])
    expect(found(rule, { ...declared, data_use: 'improve' })).toEqual([])
    expect(found(rule, { ...declared, data_subjects: ['employee'] })).toEqual([])
    expect(found(rule, { ...declared, data_qualifier: 'aggregated' })).toEqual([])
  })

  it('leaves out of a violation the dimensions that the rule does not name', () => {
    const [use] = found({ data_uses: rule.data_uses }, declared)
    expect(use).toMatchObject({ dataCategories: [], dataUses: ['advertising.own'], dataSubjects: [] })
    expect(use).not.toHaveProperty('dataQualifier')
  })

  it('with an action_type prohibits nothing, nor does one that names nothing', () => {
    expect(found({ action_type: 'access', data_categories: rule.data_categories }, declared)).toEqual([])
    expect(found({}, declared)).toEqual([])
  })

  it('is compared with data of a dataset under the use and the subjects of the declaration', () => {
    const dataset = { collections: [{ name: 'c', fields: [{ name: 'f', data_categories: ['user.contact'] }] }] }
    const referring = { ...declared, data_categories: [], dataset_references: ['d'] }
    expect(found(rule, referring, dataset)).toMatchObject([{ dataset: 'd', places: [{ collection: 'c', field: 'f' }] }])
    expect(found(rule, { ...referring, data_use: 'improve' }, dataset)).toEqual([])
    expect(found(rule, { ...referring, data_subjects: [] }, dataset)).toEqual([])
    expect(found({ data_uses: rule.data_uses }, referring, dataset)).toEqual([])
  })
})

describe('ALL of several categories', () => {
  const rule = { data_categories: { matches: 'ALL', values: ['user.health', 'user.contact'] } }
  const field = (category: string, data_qualifier?: string) => ({
    name: category,
    data_categories: [category],
    data_qualifier,
  })
  const health = field('user.health')
  const email = field('user.contact.email')

  function details(declared: Declared, datasets: Readonly<Record<string, readonly object[]>>, more: object = {}) {
    const rules = [{ service_key: 'r', ...rule, ...more }]
    const finder = violationFinder([parsePolicy({ service_key: 'p', rules }).value], links)
    const system = parseSystem({ service_key: 's', system_type: 'Service', privacy_declarations: [declared] }).value
    const declaration = { system, index: 0 }
    const uses = [
      finder.inDeclaration(declaration),
      ...Object.entries(datasets).map(([service_key, fields]) => {
        const { value } = parseDataset({ service_key, collections: [{ name: 'c', fields }] })
        return finder.inDataset(declaration, service_key, groupPlaces(declaredPlaces(value), links.dataQualifiers))
      }),
      finder.together(),
    ]
    return uses.flat().flatMap((use) => violationsOf(use, 10).map(({ violation }) => violation))
  }

  it.each<[string, Declared, Readonly<Record<string, readonly object[]>>, string, string | undefined]>([
    ['two fields of a dataset', {}, { a: [health, email] }, "in fields of dataset 'a' together", 'a'],
    ['fields of two datasets', {}, { a: [health], b: [email] }, "in datasets 'a', 'b' together", undefined],
    [
      'the declaration and a dataset',
      { data_categories: ['user.health'] },
      { a: [email] },
      "in its data_categories and dataset 'a' together",
      undefined,
    ],
  ])('is met by %s', (_, declared, datasets, where, dataset) => {
    const found = details({ ...declared, dataset_references: ['a', 'b'] }, datasets)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ dataCategories: ['user.health', 'user.contact.email'], system: 's' })
    expect(found[0]?.dataset).toBe(dataset)
    expect(found[0]?.detail).toContain(`uses 'user.health', 'user.contact.email' ${where}, which rule 'r'`)
  })

  it('names the place that holds all of it, and no other', () => {
    const both = { name: 'both', data_categories: ['user.health', 'user.contact'] }
    const found = details({ dataset_references: ['a', 'b'] }, { a: [health], b: [email, both] })
    expect(found.map(({ dataset, field: name }) => [dataset, name])).toEqual([['b', 'both']])
  })

  it('is not met where one is absent, deidentified enough, or used for something else', () => {
    const refers = { dataset_references: ['a', 'b'] }
    expect(details(refers, { a: [health], b: [field('user.name')] })).toEqual([])
    const hidden = field('user.contact.email', 'aggregated')
    expect(details(refers, { a: [health], b: [hidden] }, { data_qualifier: pseudonymized })).toEqual([])
    expect(details(refers, { a: [health], b: [hidden] })).toHaveLength(1)
    expect(details(refers, { a: [health], b: [email] }, { data_uses: { values: ['advertising'] } })).toEqual([])
  })

  it('tells the most identifiable qualifier of what it met', () => {
    const [first] = details({}, { a: [field('user.health', pseudonymized), email] }, { data_qualifier: pseudonymized })
    expect(first).toMatchObject({ dataset: 'a', dataQualifier: identified })
  })
})

describe('the sentence of a violation', () => {
  const details = (rule: object, declared: Declared, dataset?: object) =>
    found(rule, declared, dataset)
      .flatMap((use) => violationsOf(use, 10))
      .map(({ violation }) => violation.detail)

  it('names system, declaration, rule and policy, and what to change', () => {
    const rule = {
      data_categories: { values: ['user'] },
      data_uses: { values: ['advertising'] },
      data_subjects: { values: ['customer'] },
    }
    const declared = { data_categories: ['user.name'], data_use: 'advertising', data_subjects: ['customer'] }
    expect(details(rule, { ...declared, name: 'Newsletter' } as Declared)).toEqual([
      "Declaration 'Newsletter' of system 's' uses 'user.name' for 'advertising' about 'customer', which rule 'r' of policy 'p' prohibits: correct the data_categories, change its data_use, change its data_subjects, or change the rule.",
    ])
  })

  it('names dataset, collection and field', () => {
    const rule = { data_categories: { values: ['user'] }, data_qualifier: 'aggregated' }
    const dataset = {
      data_categories: ['user.device'],
      collections: [
        { name: 'plain', fields: [{ name: 'id' }] },
        {
          name: 'orders',
          data_categories: ['user.payment'],
          fields: [{ name: 'id' }, { name: 'to', fields: [{ name: 'street', data_categories: ['user.contact'] }] }],
        },
      ],
    }
    const told = details(rule, { dataset_references: ['d'] }, dataset)
    expect(told).toEqual([
      expect.stringContaining(
        "uses 'user.device' as 'aggregated.anonymized.unlinked_pseudonymized.pseudonymized.identified' in dataset 'd', which",
      ),
      expect.stringContaining(" in collection 'd:orders', which"),
      expect.stringContaining(" in field 'd:orders.to.street', which"),
    ])
    expect(told[2]).toMatch(
      /prohibits: take dataset 'd' out of its dataset_references, correct the data_categories there, say how far the data is deidentified there, or change the rule\.$/,
    )
    expect(told[2]).toContain(
      "'privacy_declarations[0]' of system 's' uses 'user.device', 'user.payment', 'user.contact' as",
    )
  })

  it('names five keys, and counts the others', () => {
    const data_categories = Array.from({ length: 7 }, (_, at) => `user.k${at}`)
    expect(details({ data_categories: { values: ['user'] } }, { data_categories })[0]).toContain(
      "'user.k4' and 2 more,",
    )
  })
})
