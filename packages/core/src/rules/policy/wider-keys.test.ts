import { describe, expect, it, test } from 'vitest'
import { parseDataset } from '../../model/dataset.js'
import { parsePolicy } from '../../model/policy.js'
import { parseSystem } from '../../model/system.js'
import { declaredPlaces, groupPlaces } from './declared-places.js'
import { widerKeyFinder, widerKeys } from './wider-keys.js'

const none = new Map<string, string>()
const links = { dataCategories: none, dataUses: none, dataSubjects: none, dataQualifiers: none }

describe('widerKeys', () => {
  it.each([
    ['ANY', ['a.b'], ['a'], [{ key: 'a', values: ['a.b'] }]],
    ['ANY', ['a.b', 'c'], ['a', 'c.d'], []],
    ['ANY', ['a.b', 'c.d'], ['a', 'e'], [{ key: 'a', values: ['a.b'] }]],
    ['ANY', ['a.b'], ['a_b', 'c'], undefined],
    ['ANY', [], ['a'], undefined],
    ['ANY', ['a'], [], undefined],
    ['ALL', ['a.b', 'c.d'], ['a', 'c.d.e'], [{ key: 'a', values: ['a.b'] }]],
    ['ALL', ['a.b', 'c.d'], ['a'], undefined],
    ['NONE', ['a.b'], ['a'], []],
    ['NONE', ['a'], ['a.b'], undefined],
    ['OTHER', ['a.b'], ['a'], []],
    ['OTHER', ['a'], ['a.b'], undefined],
  ] as const)('%s of %j, where %j is declared: %j', (matches, values, declared, wider) => {
    expect(widerKeys({ matches, values: [...values] }, declared)).toEqual(wider)
  })

  it('knows keys by their parents', () => {
    const parents = new Map([['bonus', 'user.payment']])
    const dimension = { matches: 'ANY' as const, values: ['bonus'] }
    expect(widerKeys(dimension, ['user'], parents)).toEqual([{ key: 'user', values: ['bonus'] }])
  })
})

/** The warnings about one declaration and the datasets that it refers to, shortened. */
function told(rule: object, declaration: object, datasets: readonly object[] = []) {
  const policy = parsePolicy({ service_key: 'p', rules: [{ service_key: 'r', ...rule }] }).value
  const read = datasets.map((each, at) => parseDataset({ service_key: `d${at}`, ...each }).value)
  const dataset_references = read.map(({ service_key: key }) => key)
  const privacy_declarations = [{ dataset_references, ...declaration }]
  const system = parseSystem({ service_key: 's', system_type: 'Service', privacy_declarations }).value
  const finder = widerKeyFinder(policy, links)
  const place = { system, index: 0 }
  finder.addDeclaration(place)
  for (const dataset of read) {
    finder.addDataset(place, dataset.service_key, groupPlaces(declaredPlaces(dataset), none))
  }
  return finder.warnings().map(({ loc, msg }) => [loc.at(-1), msg.replace(/^.*? of system 's' | of rule .*$/g, '')])
}

const email = { data_categories: { values: ['user.contact.email'] }, data_uses: { values: ['provide.service'] } }
const wide = { data_categories: ['user'], data_use: 'provide.service' }
const user = "declares 'user', which includes the prohibited 'user.contact.email'"
const field = (name: string, ...data_categories: string[]) => ({ name, data_categories })
const holding = (...fields: object[]) => ({ collections: [{ name: 'c', fields }] })

test('a dimension that matches, or whose other dimensions cannot match, is no reason for a warning', () => {
  expect(told(email, wide)).toEqual([['data_categories', user]])
  expect(told(email, { ...wide, data_categories: ['user', 'user.contact.email'] })).toEqual([])
  expect(told(email, { ...wide, data_categories: ['user.name'] })).toEqual([])
  expect(told(email, { ...wide, data_use: 'advertising' })).toEqual([])
  expect(told(email, { data_categories: ['user'] })).toEqual([])
  expect(told({ ...email, action_type: 'access' }, wide)).toEqual([])
})

test('each dimension that is wider is named', () => {
  const use = "declares 'provide', which includes the prohibited 'provide.service'"
  expect(told(email, { ...wide, data_use: 'provide' })).toEqual([
    ['data_categories', user],
    ['data_use', use],
  ])
  expect(told(email, { data_categories: ['user.contact.email'], data_use: 'provide' })).toEqual([['data_use', use]])
  expect(told({ data_subjects: { values: ['citizen.voter'] } }, { data_subjects: ['citizen', 'customer'] })).toEqual([
    ['data_subjects', "declares 'citizen', which includes the prohibited 'citizen.voter'"],
  ])
})

test('a qualifier has to match, since data at a less identifiable level is not identified', () => {
  const pseudonymized = 'aggregated.anonymized.unlinked_pseudonymized.pseudonymized'
  const rule = { ...email, data_qualifier: pseudonymized }
  expect(told(rule, wide)).toEqual([['data_categories', user]])
  expect(told(rule, { ...wide, data_qualifier: 'aggregated' })).toEqual([])
})

test('datasets count as what the declaration uses', () => {
  const use = { data_use: 'provide.service' }
  const there = ['data_categories', user.replace("declares 'user'", "uses 'user' in field 'd0:c.notes'")]
  expect(told(email, use, [holding(field('notes', 'user'), field('more', 'user'))])).toEqual([there])
  expect(told(email, wide, [holding(field('notes', 'user.contact.email'))])).toEqual([])
  expect(told(email, { data_use: 'provide' }, [holding(field('mail', 'user.contact.email'))])).toEqual([
    ['data_use', expect.stringContaining("declares 'provide'")],
  ])
})

test('what is said around a field is no wider key where the field says more', () => {
  const dataset = { ...holding(field('name', 'user.name')), data_categories: ['user'] }
  expect(told(email, { data_use: 'provide.service' }, [dataset])).toEqual([])
})

test('several categories are looked for in all that a declaration and its datasets hold', () => {
  const both = { data_categories: { matches: 'ALL', values: ['user.payment', 'user.contact.email'] } }
  const contact = ['data_categories', expect.stringContaining("uses 'user.contact' in field 'd0:c.notes'")]
  const notes = holding(field('notes', 'user.contact'))
  expect(told(both, { data_categories: ['user.payment'] }, [notes])).toEqual([contact])
  expect(told(both, { data_categories: ['user.name'] }, [notes])).toEqual([])
  expect(told(both, { data_categories: ['user.payment'] }, [holding(field('x', 'user.contact.email'))])).toEqual([])
})
