import { schemas } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import type { Picture } from '../picture/picture.js'
import { dataMapPicture } from './data-map-picture.js'
import type { MappedInput } from './map-documents.js'

const shop = schemas.dataset.parse({
  service_key: 'shop',
  name: 'Shop database',
  retention: '10 years',
  collections: [
    {
      name: 'customer',
      fields: [
        { name: 'id' },
        { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
        { name: 'home', fields: [{ name: 'street', data_categories: ['user.contact.address.street'] }] },
      ],
    },
  ],
})
const lonely = schemas.dataset.parse({ service_key: 'lonely', data_categories: ['user.name'] })
const web = schemas.system.parse({
  service_key: 'web',
  name: 'Web shop',
  system_type: 'Service',
  administrating_department: 'Sales',
  privacy_declarations: [
    {
      name: 'Orders',
      data_categories: ['user.contact', 'user.financial'],
      data_use: 'provide.service',
      data_subjects: ['customer'],
      dataset_references: ['shop', 'gone'],
    },
    { name: 'Mails', data_categories: ['user.name'], data_use: 'advertising', data_subjects: ['prospect'] },
  ],
  egress: [
    { service_key: 'parcels', data_categories: ['user.contact.address'] },
    { service_key: 'office', type: 'user' },
  ],
})
const parcels = schemas.system.parse({
  service_key: 'parcels',
  system_type: 'Third Party',
  ingress: [{ service_key: 'web', data_categories: ['user.name'] }],
})
const input: MappedInput = {
  systems: [web, parcels],
  datasets: [shop, lonely],
  dataCategories: [schemas.dataCategory.parse({ service_key: 'user.contact', name: 'Contact details' })],
}

const picture = dataMapPicture(input)
const node = (key: string, { nodes }: Picture = picture) => nodes.find((each) => each.key === key)
const lines = ({ nodes, edges }: Picture) =>
  edges.map(({ kind, from, to, label }) => [kind, nodes[from]?.key, nodes[to]?.key, label].filter(Boolean).join(' '))

describe('the picture of a data map', () => {
  it('has systems, datasets, categories, and what nobody has described', () => {
    expect(picture.nodes.map(({ kind, key, label, note }) => [kind, key, label, note])).toEqual([
      ['system', 'parcels', 'parcels', 'Third Party'],
      ['system', 'web', 'Web shop', 'Service'],
      ['dataset', 'lonely', 'lonely', '0 tables'],
      ['dataset', 'shop', 'Shop database', '1 table'],
      ['other', 'office', 'office', 'user'],
      ['dataset', 'gone', 'gone', 'not described'],
      ['category', 'user.contact', 'Contact details', ''],
      ['category', 'user.financial', 'user.financial', ''],
      ['category', 'user.name', 'user.name', ''],
    ])
    expect(node('gone')?.tone).toBe('faint')
    expect(picture.summary).toBe('2 systems, 2 datasets, 2 flows, 3 categories')
  })

  it('draws a flow once, with the categories that both sides name', () => {
    expect(lines(picture).sort()).toEqual([
      'flow web office',
      'flow web parcels user.contact.address, user.name',
      'holds lonely user.name',
      'holds shop user.contact',
      'holds web user.financial',
      'holds web user.name',
      'uses web gone',
      'uses web shop',
    ])
  })

  it('is the same for the same documents in any order', () => {
    const turned = { ...input, systems: [parcels, web], datasets: [lonely, shop] }
    expect(dataMapPicture(turned)).toEqual(picture)
  })

  it('filters by declaration, with everything that lies below what is chosen', () => {
    const [byCategory, byUse, bySubject] = picture.filters
    expect(byCategory?.options.map(({ label, depth }) => `${'  '.repeat(depth)}${label}`)).toEqual([
      'user',
      '  Contact details',
      '    user.contact.address',
      '      user.contact.address.street',
      '    user.contact.email',
      '  user.financial',
      '  user.name',
    ])
    expect(byUse?.options.map(({ label }) => label)).toEqual(['advertising', 'provide', 'provide.service'])
    expect(bySubject?.options.map(({ label }) => label)).toEqual(['customer', 'prospect'])
    // Orders, Mails and what flows.
    expect(node('web')?.facets).toEqual([
      [[0, 1, 2, 3, 4, 5], [1, 2], [0]],
      [[0, 6], [0], [1]],
      [[0, 1, 2, 6], [], []],
      [[], [], []],
    ])
    expect(node('lonely')?.facets).toEqual([[[0, 6], [], []]])
    expect(node('shop')?.facets).toEqual([[[0, 1, 2, 3, 4], [1, 2], [0]]])
  })

  it('says of a system what it declares, and which tables are behind', () => {
    const sections = node('web')?.sections ?? []
    expect(sections.map(({ heading }) => heading)).toEqual(['System', '2 declarations', 'Flows', 'Tables behind it'])
    expect(sections[1]?.entries?.[0]).toEqual({
      title: 'Orders',
      facts: [
        { term: 'Use', values: ['provide.service'] },
        { term: 'People', values: ['customer'] },
        { term: 'Categories', values: ['Contact details', 'user.financial'] },
        { term: 'Datasets', values: [{ node: 3 }, { node: 5 }] },
      ],
    })
    expect(sections[3]?.entries).toEqual([
      {
        title: 'Shop database',
        facts: [
          { term: 'Dataset', values: [{ node: 3 }] },
          { term: 'customer', values: ['user.contact.address.street', 'user.contact.email'] },
        ],
      },
    ])
  })

  it('says of a dataset who uses it and what each field holds', () => {
    const sections = node('shop')?.sections ?? []
    expect(sections.map(({ heading }) => heading)).toEqual(['Dataset', 'Used by', '1 table'])
    expect(sections[1]?.facts).toEqual([{ term: 'System', values: [{ node: 1, note: 'Orders' }] }])
    expect(sections[2]?.entries).toEqual([
      {
        title: 'customer',
        note: '4 fields',
        facts: [
          { term: 'email', values: ['user.contact.email', 'identity: email'] },
          { term: 'home.street', values: ['user.contact.address.street'] },
          { term: 'Other fields', values: ['id, home'] },
        ],
      },
    ])
  })

  it('says of a category who holds and declares it', () => {
    expect(node('user.name')?.sections[0]?.facts).toEqual([
      { term: 'Held in', values: [{ node: 2, note: 'user.name' }] },
      { term: 'Declared by', values: [{ node: 1, note: 'user.name' }] },
    ])
  })

  it('has an empty picture of nothing', () => {
    expect(dataMapPicture({ systems: [], datasets: [] })).toMatchObject({ nodes: [], edges: [] })
  })
})
