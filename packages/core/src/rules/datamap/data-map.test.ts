import { expect, test } from 'vitest'
import { parseDataset } from '../../model/dataset.js'
import { defaultTaxonomy } from '../../model/default-taxonomy.js'
import { parseOrganization } from '../../model/organization.js'
import { parseSystem } from '../../model/system.js'
import { dataMap } from './data-map.js'
import { datasetFacts } from './dataset-facts.js'
import type { MappedDocuments } from './map-entry.js'

const byKey = <Item extends { readonly service_key: string }>(items: readonly Item[]) =>
  new Map(items.map((item) => [item.service_key, item]))

const acme = parseOrganization({
  service_key: 'acme',
  controller: { name: 'Acme', address: '1 Elm Street', email: 'privacy@acme.example' },
  data_protection_officer: [{ name: 'Dora', phone: '+49 1' }],
  security_policy: 'https://acme.example/security',
}).value

const shop = parseSystem({
  service_key: 'shop',
  name: 'Web shop',
  system_type: 'Service',
  organization_service_key: 'acme',
  administrating_department: 'Sales',
  third_country_transfers: ['USA'],
  third_country_safeguards: 'standard contractual clauses',
  data_protection_impact_assessment: [{ is_required: true, progress: 'done', link: 'https://acme.example/dpia' }],
  joint_controller: { name: 'Partner' },
  privacy_declarations: [
    {
      name: 'Fulfil orders',
      data_categories: ['user.name'],
      data_use: 'provide.service',
      data_subjects: ['customer'],
      recipients: ['carriers'],
      dataset_references: ['orders', 'users'],
    },
    { data_categories: ['user.contact.email'], data_use: 'marketing', data_subjects: ['prospect'] },
  ],
  egress: [{ service_key: 'parcels' }],
}).value
const parcels = parseSystem({ service_key: 'parcels', name: 'Parcels', system_type: 'Service' }).value
const hosting = parseSystem({
  service_key: 'hosting',
  system_type: 'Service',
  organization_service_key: 'acme',
  data_responsibility_title: 'Processor',
  controllers: [
    { name: 'Zeta', phone: '+49 2' },
    { name: 'Beta', email: 'b@beta.example' },
  ],
  security_measures: 'locked rooms',
  third_country_transfers: ['none'],
  privacy_declarations: [{ name: 'Host', data_use: 'provide.service', data_categories: ['user'] }],
}).value

const orders = parseDataset({
  service_key: 'orders',
  retention: '10 years',
  third_country_transfers: ['CAN'],
  collections: [
    { name: 'orders', fields: [{ name: 'street', data_categories: ['user.contact.address'], retention: '2 years' }] },
  ],
}).value
const users = parseDataset({
  service_key: 'users',
  data_categories: ['user.contact.email'],
  collections: [{ name: 'users', fields: [{ name: 'email' }] }],
}).value

const documents: MappedDocuments = {
  organizations: byKey([acme]),
  systems: [shop, parcels, hosting],
  names: new Map([shop, parcels, hosting].map(({ service_key: key, name }) => [key, name])),
  receivers: new Map(),
  datasets: new Map([orders, users].map((dataset) => [dataset.service_key, datasetFacts(dataset)])),
  uses: byKey(defaultTaxonomy.dataUses),
  subjects: byKey(defaultTaxonomy.dataSubjects),
}

test('a map has a row for each declaration and dataset, and systems without one', () => {
  const { rows, blanks } = dataMap('map', documents)
  expect(rows.map(({ system_key: system, declaration, dataset }) => [system, declaration, dataset])).toEqual([
    ['hosting', 'Host', null],
    ['parcels', null, null],
    ['shop', 'Fulfil orders', 'orders'],
    ['shop', 'Fulfil orders', 'users'],
    ['shop', null, null],
  ])
  expect(rows[2]).toMatchObject({
    organization: 'acme',
    system: 'Web shop',
    responsibility: 'Controller',
    data_use: 'provide.service',
    data_categories: ['user.name'],
    dataset_categories: ['user.contact.address'],
    recipients: ['carriers'],
    egress: ['Parcels'],
    third_countries: ['CAN', 'USA'],
    safeguards: 'standard contractual clauses',
    retention: ['10 years', '2 years'],
    joint_controller: 'Partner',
    dpia_required: true,
    security_measures: 'https://acme.example/security',
  })
  expect(rows[3]).toMatchObject({
    dataset_categories: ['user.contact.email'],
    third_countries: ['USA'],
    retention: null,
  })
  expect(blanks).toEqual([])
})

const useName = (key: string) => defaultTaxonomy.dataUses.find((use) => use.service_key === key)?.name
const subjectName = (key: string) => defaultTaxonomy.dataSubjects.find((each) => each.service_key === key)?.name

test('the record of a controller says what article 30(1) asks for, and names what nobody has declared', () => {
  const { rows, blanks } = dataMap('controller', documents)
  expect(rows.map(({ system }) => system)).toEqual(['Parcels', 'Web shop', 'Web shop'])
  expect(rows[1]).toEqual({
    controller: 'Acme, 1 Elm Street, privacy@acme.example',
    joint_controller: 'Partner',
    representative: null,
    data_protection_officer: 'Dora, +49 1',
    system: 'Web shop',
    activity: 'Fulfil orders',
    department: 'Sales',
    purposes: useName('provide.service'),
    data_subjects: [subjectName('customer')],
    data_categories: ['user.contact.address', 'user.contact.email', 'user.name'],
    recipients: ['Parcels', 'carriers'],
    third_countries: ['CAN', 'USA'],
    safeguards: 'standard contractual clauses',
    retention: ['10 years (data without a category)', '2 years (user.contact.address)'],
    security_measures: 'https://acme.example/security',
  })
  expect(blanks.filter(({ system }) => system === 'shop')).toEqual([
    {
      system: 'shop',
      declaration: 'Fulfil orders',
      column: 'retention',
      message:
        "Nobody has declared 'Time limits for erasure' of 'shop', 'Fulfil orders' for 'user.contact.email' in field 'users:users.email': set `retention_period` of the declaration, or `retention` in its datasets.",
    },
    {
      system: 'shop',
      declaration: 'privacy_declarations[1]',
      column: 'retention',
      message:
        "Nobody has declared 'Time limits for erasure' of 'shop', 'privacy_declarations[1]': set `retention_period` of the declaration, or `retention` in its datasets.",
    },
  ])
  expect(blanks.filter(({ system }) => system === 'parcels').map(({ column }) => column)).toEqual([
    'controller',
    'purposes',
    'data_subjects',
    'data_categories',
    'recipients',
    'third_countries',
    'retention',
    'security_measures',
  ])
  expect(rows[0]).toMatchObject({ system: 'Parcels', third_countries: null, safeguards: null })
})

test('safeguards are asked for where data leaves for a third country', () => {
  const { third_country_safeguards: _, ...unprotected } = shop
  const { blanks } = dataMap('controller', { ...documents, systems: [unprotected] })
  expect(blanks.map(({ column }) => column)).toEqual(['safeguards', 'retention', 'safeguards', 'retention'])
})

test('there are no transfers only where a system says so, and a dataset that has some contradicts it', () => {
  const record = (system: object, datasets = documents.datasets) =>
    dataMap('controller', { ...documents, datasets, systems: [parseSystem({ ...shop, ...system }).value] })
  const told = ({ rows, blanks }: ReturnType<typeof record>) => ({
    cells: [rows[1]?.['third_countries'], rows[1]?.['safeguards']],
    messages: blanks.flatMap(({ column, message }) => (column === 'third_countries' ? [message] : [])),
  })
  expect(told(record({ third_country_transfers: [] }))).toEqual({
    cells: [null, 'standard contractual clauses'],
    messages: [
      "Nobody has declared 'Transfers to third countries' of 'shop', 'privacy_declarations[1]': set `third_country_transfers` of the system, such as [\"none\"].",
    ],
  })
  const none = record({ third_country_transfers: ['none'] })
  expect(told(none)).toEqual({ cells: [['none'], 'none needed'], messages: [] })
  expect(none.rows[0]).toMatchObject({ third_countries: ['CAN'], safeguards: 'standard contractual clauses' })
})

test('the record of a processor says what article 30(2) asks for', () => {
  const { rows, blanks } = dataMap('processor', documents)
  expect(rows).toEqual([
    {
      processor: 'Acme, 1 Elm Street, privacy@acme.example',
      controllers: ['Beta, b@beta.example', 'Zeta, +49 2'],
      representative: null,
      data_protection_officer: 'Dora, +49 1',
      system: 'hosting',
      activity: 'Host',
      processing: useName('provide.service'),
      third_countries: ['none'],
      safeguards: 'none needed',
      security_measures: 'locked rooms',
    },
  ])
  expect(blanks).toEqual([])
  const { blanks: missing } = dataMap('processor', { ...documents, systems: [{ ...hosting, controllers: [] }] })
  expect(missing).toMatchObject([{ column: 'controllers', declaration: 'Host' }])
})

test('blank texts declare nothing, and hide nothing that stands behind them', () => {
  const blank = ' \u200b\t'
  const spoken = (view: 'map' | 'controller' | 'processor', changed: Partial<MappedDocuments>) => {
    const { rows, blanks } = dataMap(view, { ...documents, ...changed })
    for (const cell of rows.flatMap((row) => Object.values(row)).flat()) expect(`${cell}`).not.toMatch(/^[\s\u200b]*$/)
    return { row: rows[0], columns: blanks.map(({ column }) => column) }
  }
  expect.hasAssertions()
  const [orderly = {}] = shop.privacy_declarations
  const declaration = { ...orderly, name: blank, data_use: blank, data_qualifier: blank, retention_period: blank }
  const lists = { data_categories: [blank], data_subjects: [blank], recipients: [blank] }
  const nobody = { name: blank, address: '', email: blank, phone: '' }
  const system = parseSystem({
    ...shop,
    system_type: blank,
    description: blank,
    administrating_department: '',
    third_country_safeguards: blank,
    security_measures: blank,
    joint_controller: nobody,
    controllers: [nobody],
    data_protection_impact_assessment: { progress: blank },
    privacy_declarations: [{ ...declaration, ...lists }],
    egress: [],
  }).value
  const kept = spoken('map', { systems: [system] })
  expect(kept.row).toMatchObject({
    security_measures: 'https://acme.example/security',
    retention: ['10 years', '2 years'],
  })

  const silent = parseDataset({ service_key: 'orders', retention: blank, collections: [{ name: 'c', retention: '' }] })
  const datasets = new Map([['orders', datasetFacts(silent.value)]])
  const organization = { ...acme, controller: nobody, representative: nobody, security_policy: blank }
  const changed = { systems: [system], datasets, organizations: byKey([organization]) }
  const required = ['purposes', 'data_subjects', 'data_categories', 'recipients']
  expect(spoken('controller', changed).columns).toEqual([
    'controller',
    ...required,
    'safeguards',
    'retention',
    'security_measures',
  ])
  const processor = { ...system, data_responsibility_title: 'Processor' } as const
  expect(spoken('processor', { ...changed, systems: [processor] }).columns).toEqual([
    'processor',
    'controllers',
    'processing',
    'safeguards',
    'security_measures',
  ])
})

test.each([
  [{ phone: '1' }, '1'],
  [{ name: 'Acme', email: ' ' }, 'Acme'],
])('a contact such as %o is shown, and lacks what the law asks for', (contact, text) => {
  const organizations = byKey([{ ...acme, controller: contact }])
  const { rows, blanks } = dataMap('controller', { ...documents, organizations, systems: [shop] })
  expect(rows[0]?.['controller']).toBe(text)
  expect(blanks[0]).toMatchObject({
    column: 'controller',
    message: expect.stringContaining(
      "set `controller` of the organization 'acme', with a name and an address, email or phone.",
    ),
  })
  const two = { ...hosting, controllers: [...hosting.controllers, contact] }
  const [blank] = dataMap('processor', { ...documents, systems: [two] }).blanks
  expect(blank).toMatchObject({ column: 'controllers', message: expect.stringContaining('each with a name and') })
})

test('a blank names a declaration by its position where its name does not tell it apart', () => {
  const twice = { ...shop, privacy_declarations: shop.privacy_declarations.map((each) => ({ ...each, name: 'Same' })) }
  const { blanks } = dataMap('controller', { ...documents, systems: [twice] })
  expect(blanks.map(({ declaration }) => declaration)).toEqual(['privacy_declarations[0]', 'privacy_declarations[1]'])
})

test('a dataset that a declaration names twice is one row', () => {
  const [orderly] = shop.privacy_declarations
  const twice = { ...shop, privacy_declarations: [{ ...orderly, dataset_references: ['users', 'orders', 'users'] }] }
  const { rows } = dataMap('map', { ...documents, systems: [parseSystem(twice).value] })
  expect(rows.map(({ dataset }) => dataset)).toEqual(['users', 'orders'])
})
