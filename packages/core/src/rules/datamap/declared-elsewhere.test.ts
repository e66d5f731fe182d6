import { expect, test } from 'vitest'
import { parseDataset } from '../../model/dataset.js'
import { parseSystem } from '../../model/system.js'
import { dataMap } from './data-map.js'
import { datasetFacts } from './dataset-facts.js'
import type { MappedDocuments } from './map-entry.js'
import { receiversAmong } from './receivers-among.js'

const documents: MappedDocuments = {
  organizations: new Map(),
  systems: [],
  names: new Map(),
  receivers: new Map(),
  datasets: new Map(),
  uses: new Map(),
  subjects: new Map(),
}

const retention = ({ rows, blanks }: ReturnType<typeof dataMap>) => ({
  limits: rows[0]?.['retention'],
  open: blanks.flatMap(({ column, message }) => (column === 'retention' ? [message] : [])),
})
const field = (name: string, category: string, retention?: string) => ({
  name,
  data_categories: [category],
  ...(retention !== undefined && { retention }),
})

/** What the record says of a declaration that refers to these datasets. */
function recordOf(datasets: readonly object[], declaration: object = {}, system: object = {}) {
  const read = datasets.map((each) => parseDataset(each).value)
  const dataset_references = read.map(({ service_key: key }) => key)
  const web = parseSystem({
    service_key: 'web',
    system_type: 'Service',
    privacy_declarations: [{ name: 'Orders', dataset_references, ...declaration }],
    ...system,
  }).value
  const facts = new Map(read.map((each) => [each.service_key, datasetFacts(each)]))
  return dataMap('controller', { ...documents, systems: [web], datasets: facts })
}

test('a limit of some fields says what it holds for, and the others are blank', () => {
  const a = { name: 'a', fields: [field('x', 'user.contact.email', '30 days'), field('y', 'user.name')] }
  const b = { name: 'b', fields: [field('z', 'user.payment'), { name: 'id' }, field('load', 'system.operations')] }
  const shopOf = (...collections: object[]) => ({ service_key: 'shop', collections })
  const told = "Nobody has declared 'Time limits for erasure' of 'web', 'Orders'"
  const remedy = 'set `retention_period` of the declaration, or `retention` in its datasets.'

  expect(retention(recordOf([shopOf(a, b)]))).toEqual({
    limits: ['30 days (user.contact.email)'],
    open: [`${told} for 'user.name', 'user.payment' in field 'shop:a.y', field 'shop:b.z': ${remedy}`],
  })
  expect(retention(recordOf([shopOf(a, b)], { retention_period: '1 year' }))).toEqual({ limits: ['1 year'], open: [] })
  expect(retention(recordOf([shopOf({ ...a, retention: '1 year' }, { ...b, retention: '2 years' })]))).toEqual({
    limits: ['1 year', '2 years', '30 days'],
    open: [],
  })
  expect(retention(recordOf([{ ...shopOf(a, b), retention: '1 year' }]))).toEqual({
    limits: ['1 year', '30 days'],
    open: [],
  })
  expect(retention(recordOf([shopOf(b)]))).toEqual({ limits: null, open: [`${told}: ${remedy}`] })
})

test('a category with a limit in one place and without one in another has it in part', () => {
  const crm = {
    service_key: 'crm',
    collections: [
      { name: 'people', data_categories: ['user.contact.email'], fields: [{ name: 'mail' }, { name: 'other_mail' }] },
      { name: 'cards', retention: '5 days', fields: [{ name: 'owner', fields: [field('iban', 'user.payment')] }] },
    ],
  }
  const shop = {
    service_key: 'shop',
    collections: [{ name: 'a', fields: [field('x', 'user.contact.email', '30 days')] }],
  }
  expect(retention(recordOf([shop, crm]))).toEqual({
    limits: ['30 days (user.contact.email in part)', '5 days (user.payment)'],
    open: [expect.stringContaining("for 'user.contact.email' in collection 'crm:people': set")],
  })
})

test('a dataset without a limit, and what is not described in it, are named as a whole', () => {
  const kept = { service_key: 'kept', retention: '1 year', data_categories: ['user.name'] }
  const whole = { service_key: 'whole', data_categories: ['user.contact'] }
  const many = { name: 'c', fields: [field('x', 'user.name'), field('y', 'user.payment')] }
  expect(
    retention(recordOf([kept, whole, { service_key: 'many', collections: [many, { ...many, name: 'd' }] }])),
  ).toEqual({
    limits: ['1 year (user.name in part)'],
    open: [
      expect.stringContaining(
        "for 'user.contact', 'user.name', 'user.payment' in dataset 'whole', dataset 'many': set",
      ),
    ],
  })
})

test('joint controllers of datasets stand beside that of the system, each once', () => {
  const [ann, bob] = [{ name: 'Ann', phone: '1' }, { name: 'Bob' }]
  const held = [
    { service_key: 'a', joint_controller: bob },
    { service_key: 'b', joint_controller: ann },
  ]
  const told = (...options: Parameters<typeof recordOf>) => recordOf(...options).rows[0]?.['joint_controller']
  expect(told(held.slice(1))).toBe('Ann, 1')
  expect(told([...held, { service_key: 'c', joint_controller: bob }])).toBe('Ann, 1; Bob')
  expect(told(held, {}, { joint_controller: { name: 'Zoe' } })).toBe('Zoe; Ann, 1; Bob')
  expect(told(held, {}, { joint_controller: bob })).toBe('Bob; Ann, 1')
  expect(told([{ service_key: 'a' }])).toBeNull()
})

test('systems that say they receive the data are recipients, whatever the system says', () => {
  const from = (service_key: string, flow: object) =>
    parseSystem({ service_key, name: service_key.toUpperCase(), system_type: 'Service', ...flow }).value
  const systems = [
    from('web', { privacy_declarations: [{ recipients: ['none'] }], ingress: [{ service_key: 'web' }] }),
    from('crm', { ingress: [{ service_key: 'web', type: 'System' }] }),
    from('mail', { privacy_declarations: [{ ingress: ['web'] }] }),
    from('bi', { ingress: [{ service_key: 'web', type: 'dataset' }] }),
  ]
  const names = new Map(systems.map(({ service_key: key, name }) => [key, name]))
  const receivers = receiversAmong(systems)
  const { rows } = dataMap('controller', { ...documents, systems: systems.slice(0, 1), names, receivers })
  expect(rows[0]?.['recipients']).toEqual(['CRM', 'MAIL'])
})
