import { describe, expect, test } from 'vitest'
import { customer, type Fields, findings, places, shop } from '../../../test/fixtures/dataset-findings.js'
import type { Catalogue } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'

describe('findings about a dataset', () => {
  test('a well described one has none', () => {
    expect(findings([shop({ customer })])).toEqual([])
  })

  test('empty_dataset: it describes no collection', () => {
    expect(places(findings([shop({})]))).toEqual(['warning empty_dataset shop'])
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

  test('are given only for the requested dataset, whatever its key', () => {
    const other = shop({ log: { text: { categories: ['unknown'] } } }, 'constructor')
    expect(findings([shop({ customer }), other])).toEqual([])
    const own = shop({ customer, ['__proto__']: { id: { meta: { identity: 'x' } } } })
    expect(findings([own])).toEqual([])
  })
})
