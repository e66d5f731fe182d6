import { describe, expect, test } from 'vitest'
import type { Catalogue, Column } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'
import { parseSystem } from '../../model/system.js'
import type { ValueKind } from '../../model/value.js'
import { type DatasetFindingsInput, datasetNotices } from './dataset-notices.js'

const system = parseSystem({
  service_key: 'web',
  system_type: 'Service',
  privacy_declarations: [{ dataset_references: ['shop'] }],
}).value

type Fields = Record<string, { categories?: string[]; meta?: Record<string, unknown> }>

function shop(collections: Record<string, Fields | { fields: Fields; meta: object }>, key = 'shop') {
  const fieldsOf = (fields: Fields) =>
    Object.entries(fields).map(([name, { categories = [], meta = {} }]) => ({
      name,
      data_categories: categories,
      service_meta: meta,
    }))
  return parseDataset({
    service_key: key,
    collections: Object.entries(collections).map(([name, given]) =>
      'meta' in given && 'fields' in given
        ? { name, fields: fieldsOf(given.fields as Fields), service_meta: given.meta }
        : { name, fields: fieldsOf(given as Fields) },
    ),
  }).value
}

function findings(
  datasets: readonly ReturnType<typeof shop>[],
  { catalogue, ...rest }: Partial<DatasetFindingsInput> & { catalogue?: Catalogue } = {},
) {
  const known = {
    dataCategory: new Set(['user', 'user.name', 'user.contact.email']),
    dataUse: new Set<string>(),
    dataSubject: new Set<string>(),
    dataQualifier: new Set<string>(),
    dataset: new Set(datasets.map((dataset) => dataset.service_key)),
    system: new Set(['web']),
    organization: new Set(['default_organization']),
  }
  return datasetNotices('shop', {
    described: datasets.map((dataset) => ({ dataset, ...(catalogue && { catalogue }) })),
    systems: [system],
    known,
    inferIdentities: true,
    ...rest,
  }).findings
}

const places = (found: ReturnType<typeof findings>) =>
  found.map(({ type, severity, loc }) => `${severity} ${type} ${loc.join('/')}`)

const customer: Fields = {
  id: { meta: { primary_key: true } },
  email: { categories: ['user.contact.email'], meta: { identity: 'email' } },
}

describe('findings about a dataset', () => {
  test('a well described one has none', () => {
    expect(findings([shop({ customer })])).toEqual([])
  })

  test('an unknown one has none', () => {
    expect(findings([])).toEqual([])
  })

  test('orphan_dataset: no system refers to it', () => {
    const found = findings([shop({ customer })], { systems: [] })
    expect(places(found)).toEqual(['warning orphan_dataset shop'])
  })

  test.each([
    ['an unknown dataset', 'nowhere', 'customer.id', 'error unknown_dataset'],
    ['an unknown collection', 'shop', 'people.id', 'error unknown_collection'],
    ['an unknown field', 'shop', 'customer.uid', 'warning unknown_field'],
  ])('a reference to %s', (_, dataset, field, expected) => {
    const orders: Fields = {
      id: { meta: { primary_key: true, identity: 'order_id' } },
      customer_id: { meta: { references: [{ dataset, field, direction: 'from' }] } },
    }
    expect(places(findings([shop({ customer, orders })]))).toEqual([`${expected} shop/orders/customer_id`])
  })

  describe('unreachable_collection', () => {
    const log: Fields = { id: { meta: { primary_key: true } }, text: { categories: ['user'] } }

    test('is reported where no identity and no reference leads', () => {
      const [found] = findings([shop({ customer, log })])
      expect(found).toMatchObject({ type: 'unreachable_collection', severity: 'warning', loc: ['shop', 'log'] })
      expect(found?.message).toContain("declare 'identity' on one of its fields")
    })

    test('matters less where nothing is categorised', () => {
      const plain: Fields = { id: { meta: { primary_key: true } } }
      expect(places(findings([shop({ customer, plain })]))).toEqual(['info unreachable_collection shop/plain'])
    })

    test('says which identity would reach it over a reference that only leads away', () => {
      const reference = { dataset: 'shop', field: 'customer.id', direction: 'to' }
      const orders: Fields = {
        id: { meta: { primary_key: true } },
        customer_id: { categories: ['user'], meta: { references: [reference] } },
      }
      const [found] = findings([shop({ customer, orders })])
      expect(found?.message).toContain("'from', its reference to 'shop:customer' would let email reach")
      const to = { dataset: 'shop', field: 'log.id', direction: 'from' }
      const [other] = findings([shop({ customer: { ...customer, log_id: { meta: { references: [to] } } }, log })])
      expect(other?.message).toContain("with the direction 'to', 'shop:customer.log_id' would let email reach it")
    })

    test('says which of its fields looks like an identity that is declared elsewhere', () => {
      const leads: Fields = {
        id: { meta: { primary_key: true } },
        mail: { categories: ['user.contact.email'] },
      }
      const [found] = findings([shop({ customer, leads })])
      expect(found).toMatchObject({ type: 'unreachable_collection', loc: ['shop', 'leads'] })
      expect(found?.message).toContain("its field 'mail' looks like an identity")
    })

    test('is not reported where another dataset leads there', () => {
      const crm = shop(
        {
          contact: {
            mail: { meta: { identity: 'email', primary_key: true } },
            log: { meta: { references: [{ dataset: 'shop', field: 'log.id', direction: 'to' }] } },
          },
        },
        'crm',
      )
      expect(findings([shop({ log }), crm])).toEqual([])
    })

    test.each([{ skip_processing: true }, { owner: [] }])('is not reported where nothing is searched: %j', (meta) => {
      expect(findings([shop({ customer, log: { fields: log, meta } })])).toEqual([])
    })
  })

  test.each([
    [{ data_type: 'string' }, ['info missing_placeholders shop/people/login']],
    [{ data_type: 'string', placeholders: ['n/a'] }, []],
    [{ data_type: 'string', reviewed: true }, []],
    [{ data_type: 'string', primary_key: true }, []],
    [{ data_type: 'integer' }, []],
  ])('missing_placeholders: an identity in free text: %j', (meta, expected) => {
    const people: Fields = { id: { meta: 'primary_key' in meta ? {} : { primary_key: true } } }
    const login = { meta: { ...meta, identity: 'login' } }
    expect(places(findings([shop({ people: { ...people, login } })]))).toEqual(expected)
  })

  test('identity_inferred where no dataset declares the property, unless it is switched off', () => {
    const people: Fields = {
      id: { meta: { primary_key: true } },
      mail: { categories: ['user.contact.email'] },
    }
    expect(places(findings([shop({ people })]))).toEqual(['warning identity_inferred shop/people/mail'])
    expect(places(findings([shop({ people })], { inferIdentities: false }))).toEqual([
      'warning unreachable_collection shop/people',
    ])
  })

  test('missing_primary_key where an erasure would need one', () => {
    const people: Fields = { email: { categories: ['user.contact.email'], meta: { identity: 'email' } } }
    const plain: Fields = { email: { meta: { identity: 'email' } } }
    const fixed: Fields = {
      email: { categories: ['user.contact.email'], meta: { identity: 'email', read_only: true } },
    }
    expect(places(findings([shop({ people, plain, fixed })]))).toEqual(['info missing_primary_key shop/people'])
  })

  describe('open_reference', () => {
    const orders = (reference: object): Fields => ({
      id: { meta: { primary_key: true } },
      customer_id: { meta: { references: [{ dataset: 'shop', field: 'customer.id', ...reference }] } },
    })

    test('open_reference, with the possible answers', () => {
      const [found, ...others] = findings([shop({ customer, orders: orders({}) })])
      expect(others).toEqual([])
      expect(found).toMatchObject({
        type: 'open_reference',
        severity: 'warning',
        loc: ['shop', 'orders', 'customer_id'],
        message: expect.stringMatching(/may be empty.*direction 'from'.*'both'.*'none'.*owner: \[customer_id\]/),
      })
      // A person is never a part of another row.
      expect(found?.message).not.toContain("'to'")
    })

    test.each(['from', 'both', 'none'])('is not reported with the direction %s', (direction) => {
      const found = findings([shop({ customer, orders: orders({ direction }) })])
      expect(found.filter(({ type }) => type === 'open_reference')).toEqual([])
    })

    test('is not reported where an owner is described, or none', () => {
      const owned = (owner: string[]) => shop({ customer, orders: { fields: orders({}), meta: { owner } } })
      for (const owner of [['customer_id'], []])
        expect(findings([owned(owner)]).filter(({ type }) => type === 'open_reference')).toEqual([])
    })

    test('is reported more often where owners are not inferred', () => {
      const crm = shop({ visits: orders({}) }, 'crm')
      expect(findings([shop({ customer }), crm])).toEqual([])
      const column = (name: string) => ({ name, type: 'text', nullable: false })
      const table = { primaryKey: ['id'], uniqueKeys: [], foreignKeys: [], indexes: [] }
      const catalogue: Catalogue = {
        collections: [
          { ...table, name: 'customer', columns: [column('id'), column('email')] },
          { ...table, name: 'orders', columns: [column('id'), column('customer_id')] },
        ],
      }
      const datasets = [shop({ customer, orders: orders({}) })]
      expect(findings(datasets, { catalogue })).toEqual([])
      expect(places(findings(datasets, { catalogue, inferOwners: false }))).toEqual([
        'warning open_reference shop/orders/customer_id',
      ])
    })
  })

  test('unknown_owner and unknown_after', () => {
    const orders = { fields: { id: { meta: { primary_key: true } }, note: {} }, meta: { owner: ['note', 'buyer'] } }
    const codes = {
      fields: { code: { meta: { identity: 'code', primary_key: true } } },
      meta: { after: ['shop:none'] },
    }
    expect(places(findings([shop({ customer, orders, codes })]))).toEqual([
      'info unreachable_collection shop/orders',
      'error unknown_owner shop/orders/owner',
      'error unknown_owner shop/orders/owner',
      'warning unknown_after shop/codes/after',
    ])
  })

  test('contradictions between the live schema and the description', () => {
    const column = (name: string) => ({ name, type: 'text', nullable: true })
    const table = { uniqueKeys: [], foreignKeys: [], indexes: [] }
    const catalogue: Catalogue = {
      collections: [
        {
          ...table,
          name: 'customer',
          primaryKey: ['uid'],
          hidesRows: true as const,
          keepsHistoryDays: 8,
          columns: [column('uid'), column('id'), column('phone')],
        },
      ],
    }
    const orders: Fields = { id: { meta: { primary_key: true, identity: 'order' } } }
    expect(places(findings([shop({ customer, orders })], { catalogue }))).toEqual([
      'warning primary_key_differs shop/customer',
      'warning hidden_rows shop/customer',
      'info history_kept shop/customer',
      'warning missing_column shop/customer/email',
      'info undescribed_column shop/customer/uid',
      'info undescribed_column shop/customer/phone',
      'warning missing_collection shop/orders',
    ])
  })

  test('missing_collection names the nearest known name', () => {
    const table = { primaryKey: ['id'], uniqueKeys: [], foreignKeys: [], indexes: [], columns: [] }
    const collections = ['order', 'customers'].map((name) => ({ ...table, name }))
    const found = findings([shop({ customer })], { catalogue: { collections } })
    expect(found.map(({ message }) => message)).toContain(
      "'shop:customer' is described, but its database has no such table: correct the name, such as to 'customers', set 'skip_processing', or remove it.",
    )
  })

  test('empty_connection: the database shows nothing', () => {
    const found = findings([shop({})], { catalogue: { collections: [] } })
    expect(found).toEqual([
      {
        ...{ type: 'empty_connection', severity: 'warning', loc: ['shop'] },
        message:
          "The connection of 'shop' shows no table or collection: check the names of its database and schema, and what its user may see.",
      },
    ])
  })

  test('undescribed_reference: a member that may name another person, until it is reviewed', () => {
    const comments = (meta: object = {}) =>
      parseDataset({
        service_key: 'shop',
        collections: [
          {
            name: 'customer',
            fields: [
              { name: 'email', service_meta: { identity: 'email' } },
              {
                name: 'comments',
                service_meta: { data_type: 'object[]' },
                fields: [{ name: 'username', service_meta: meta }],
              },
            ],
          },
        ],
      }).value
    expect(places(findings([comments()]))).toEqual(['warning undescribed_reference shop/customer/comments.username'])
    expect(findings([comments({ reviewed: true })])).toEqual([])
  })

  test('hidden_rows and history_kept speak of no database in particular', () => {
    const table = { name: 'customer', primaryKey: ['id'], uniqueKeys: [], foreignKeys: [], indexes: [] }
    const columns = ['id', 'email'].map((name) => ({ name, type: 'text', nullable: false }))
    const collections = [{ ...table, columns, hidesRows: true as const, keepsHistoryDays: 14 }]
    expect(findings([shop({ customer })], { catalogue: { collections } }).map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The database may hide rows of 'shop:customer', or mask values .* Let this user see every row/,
      ),
      expect.stringMatching(
        /^The database keeps the old values of a row of 'shop:customer' for 14 days .* names the day\./,
      ),
    ])
  })

  test('column_without_members: fields inside a column that holds no objects', () => {
    const column = (name: string, kind?: ValueKind) => ({
      name,
      type: `a ${kind}`,
      nullable: true,
      ...(kind && { kind }),
    })
    const inside = (name: string) => ({ name, fields: [{ name: 'a', fields: [{ name: 'b' }] }, { name: 'c' }] })
    const names = ['text', 'row', 'numbers', 'json', 'list', 'gone']
    const described = parseDataset({
      service_key: 'shop',
      collections: [
        { name: 'log', fields: [{ name: 'id', service_meta: { identity: 'email' } }, ...names.map(inside)] },
      ],
    }).value
    const columns = [
      ...[column('id', 'string'), column('text', 'string'), column('row'), column('json', 'object')],
      ...[
        { ...column('numbers', 'integer'), array: true },
        { ...column('list', 'object'), array: true },
      ],
    ]
    const table = { name: 'log', columns, primaryKey: ['id'], uniqueKeys: [], foreignKeys: [], indexes: [] }
    expect(places(findings([described], { catalogue: { collections: [table] } }))).toEqual([
      'warning column_without_members shop/log/text',
      'warning column_without_members shop/log/row',
      'warning column_without_members shop/log/numbers',
      'warning missing_column shop/log/gone',
    ])
    const documents = { ...table, schemaless: true }
    expect(places(findings([described], { catalogue: { collections: [documents] } }))).toEqual([])
  })

  test('missing_column: members that the type of an object does not list', () => {
    const member = (name: string, members?: Column[]): Column => ({
      ...{ name, type: members ? 'STRUCT' : 'STRING', nullable: true, kind: members ? 'object' : 'string' },
      ...(members && { members }),
    })
    const user = member('user', [
      member('note'),
      member('home', [member('city')]),
      { ...member('data'), kind: 'object' },
    ])
    const fields = [
      { name: 'Note' },
      { name: 'note' },
      { name: 'home', fields: [{ name: 'city' }, { name: 'zip' }] },
      { name: 'data', fields: [{ name: 'anything' }] },
    ]
    const described = parseDataset({
      service_key: 'shop',
      collections: [
        {
          name: 'log',
          fields: [
            { name: 'id', service_meta: { identity: 'email' } },
            { name: 'user', fields },
          ],
        },
      ],
    }).value
    const table = {
      name: 'log',
      columns: [member('id'), user],
      primaryKey: ['id'],
      uniqueKeys: [],
      foreignKeys: [],
      indexes: [],
    }
    expect(places(findings([described], { catalogue: { collections: [table] } }))).toEqual([
      'warning missing_column shop/log/user.Note',
      'warning missing_column shop/log/user.home.zip',
    ])
  })

  test('are given only for the requested dataset, whatever its key', () => {
    const other = shop({ log: { text: { categories: ['unknown'] } } }, 'constructor')
    expect(findings([shop({ customer }), other])).toEqual([])
    const own = shop({ customer, ['__proto__']: { id: { meta: { identity: 'x' } } } })
    expect(findings([own])).toEqual([])
  })
})
