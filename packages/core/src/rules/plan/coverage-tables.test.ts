import { describe, expect, it } from 'vitest'
import { covered, customer, id, live, referencing, types } from '../../../test/fixtures/covered-shop.js'
import type { CatalogueCollection } from '../../model/catalogue.js'

describe('tables', () => {
  it('that no dataset describes are named where they refer to rows with an owner', () => {
    const tables = [
      live('customer', ['id'], {
        incomingForeignKeys: [
          { name: 'far', schema: 'crm', collection: 'lead', columns: ['c'], references: ['id'], onDelete: 'cascade' },
        ],
      }),
      live('country', ['id']),
      live('visits', ['id', 'other'], { foreignKeys: [referencing('customer')] }),
      live('towns', ['id', 'other'], { foreignKeys: [referencing('country')] }),
      live('abroad', ['id', 'other'], { foreignKeys: [referencing('customer', 'elsewhere')] }),
      live('wishes', ['id', 'other'], { foreignKeys: [referencing('customer')] }),
    ]
    const found = covered({
      collections: [customer(), { name: 'country', fields: [id] }],
      beside: [{ name: 'wishes', fields: [id] }],
      tables,
    })
    expect(found.tables).toEqual([
      { dataset: 'shop', table: 'visits', foreignKey: 'to_customer', into: 'shop:customer' },
      { dataset: 'shop', table: 'crm.lead', foreignKey: 'far', into: 'shop:customer' },
    ])
    expect(types(found)).toEqual([
      ['undescribed_table', 'shop', 'visits'],
      ['undescribed_table', 'shop', 'crm.lead'],
      ['undescribed_reference', 'more', 'wishes', 'other'],
    ])
  })

  it('that a dataset of another connection describes are not named', () => {
    const key = { name: 'far', schema: 'crm', collection: 'lead', columns: ['other'], references: ['id'] }
    const tables = [live('customer', ['id'], { incomingForeignKeys: [{ ...key, onDelete: 'cascade' }] })]
    const lead = live('lead', ['id', 'other'], { foreignKeys: [referencing('customer', 'public')] })
    const named = (collections: object[], tableOf = lead) =>
      covered({ collections: [customer()], tables, elsewhere: { collections, tables: [tableOf] } }).tables.map(
        ({ table }) => table,
      )
    expect(named([{ name: 'lead', fields: [id, { name: 'other' }] }])).toEqual([])
    expect(named([])).toEqual(['crm.lead'])
    // a table of the same name that has no such key is another one
    expect(named([{ name: 'lead', fields: [id] }], live('lead', ['id']))).toEqual(['crm.lead'])
  })

  it('of other schemas that inherit from rows with an owner are named, unless they are waived', () => {
    const tables = [
      live('customer', ['id'], {
        heldIn: [
          { schema: 'crm', collection: 'kid', as: 'child' },
          { schema: 'crm', collection: 'report', as: 'materialized view' },
        ],
      }),
    ]
    const found = covered({ collections: [customer()], tables })
    expect(found.tables).toEqual([{ dataset: 'shop', table: 'crm.kid', into: 'shop:customer' }])
    expect(found.findings.map(({ message }) => message)).toEqual([
      "The table 'crm.kid' inherits from 'shop:customer', and no dataset describes it: its data about people is neither found nor erased.",
    ])
    const waived = { name: 'crm.kid', service_meta: { waived: { reason: 'it is emptied every night' } } }
    expect(covered({ collections: [customer(), waived], tables }).tables).toEqual([])
  })

  it('that are named like the history of a searched one are named, once', () => {
    const tables = ['customer', 'customer_history', 'audit_customers', 'order_history', 'customer_groups', 'log'].map(
      (name) => live(name, ['id']),
    )
    const pointed = live('customers_log', ['id', 'other'], { foreignKeys: [referencing('customer')] })
    const view = live('customer_archive', ['id'], { view: { writable: false, shows: ['customer'] } })
    const found = covered({ collections: [customer()], tables: [...tables, pointed, view] })
    expect(found.histories).toEqual([
      { dataset: 'shop', table: 'customer_history', of: 'shop:customer' },
      { dataset: 'shop', table: 'audit_customers', of: 'shop:customer' },
    ])
    expect(found.tables.map(({ table }) => table)).toEqual(['customers_log'])
  })

  it('in which the server may hide rows are named', () => {
    const tables = [live('customer', ['id'], { hidesRows: true }), live('orders', ['id'], { hidesRows: true })]
    const found = covered({ collections: [customer(), { name: 'orders', fields: [id] }], tables })
    expect(found.hidden).toEqual(['shop:customer'])
  })
})

describe('tables that no dataset describes, without a foreign key,', () => {
  const described = [customer({ name: 'email', service_meta: { identity: 'email' } })]
  const tablesOf = (...tables: CatalogueCollection[]) =>
    covered({ collections: described, tables: [live('customer', ['id', 'email']), ...tables] })

  it('are named where a column or a member is named like the key of rows with an owner, or like an e-mail address', () => {
    const members = [{ name: 'customerId', type: '', nullable: true }]
    const reviews = { ...live('reviews', ['id']), columns: [{ name: 'by', type: '', nullable: true, members }] }
    const found = tablesOf(live('posts', ['id', 'customer_id']), live('letters', ['id', 'sent_to_email']), reviews)
    expect(found.tables).toEqual([
      { dataset: 'shop', table: 'posts', column: 'customer_id', into: 'shop:customer' },
      { dataset: 'shop', table: 'letters', column: 'sent_to_email' },
      { dataset: 'shop', table: 'reviews', column: 'by.customerId', into: 'shop:customer' },
    ])
    expect(found.findings.map(({ message }) => message)).toContain(
      "The table 'posts' has 'customer_id', which is named like a key of 'shop:customer', and no dataset describes it: its data about people is neither found nor erased.",
    )
  })

  it('are named where a column is an e-mail address in a table of mails', () => {
    const { tables } = tablesOf(live('email_log', ['id', 'to_address']), live('parcels', ['id', 'to_address']))
    expect(tables).toEqual([{ dataset: 'shop', table: 'email_log', column: 'to_address' }])
  })

  it('are named where a DBRef is named like people, not where it may lead to anything', () => {
    const member = (name: string) => ({ name, type: '', kind: 'string' as const, nullable: true })
    const of = (table: string, name: string): CatalogueCollection => {
      const members = [member('$ref'), member('$id')]
      return { ...live(table, []), columns: [{ ...member(name), kind: 'object', members }, member('customer_id')] }
    }
    const named = (...found: CatalogueCollection[]) => tablesOf(...found).tables.map(({ column }) => column)
    expect(named(of('carts', 'customer'))).toEqual(['customer.$id'])
    expect(named(of('products', 'category'))).toEqual(['customer_id'])
    const { columns, ...more } = of('products', 'category')
    expect(named({ ...more, columns: columns.slice(0, 1) })).toEqual([])
    expect(named(live('notes', ['id', 'owner_id', 'owner_type']))).toEqual(['owner_id'])
    expect(named(live('tags', ['id', 'subject_id', 'subject_type']))).toEqual([])
  })

  it('are named where a sample shows that a column holds e-mail addresses', () => {
    const column = { name: 'id', type: '', kind: 'string' as const, nullable: false, holds: 'email' as const }
    const found = tablesOf({ ...live('newsletter', []), columns: [column] })
    expect(found.tables).toEqual([{ dataset: 'shop', table: 'newsletter', column: 'id' }])
    expect(found.findings.map(({ message }) => message)).toContain(
      "The table 'newsletter' has 'id', which looks like an e-mail address, and no dataset describes it: its data about people is neither found nor erased.",
    )
  })

  it('are named where they show rows of other servers or schemas, and not those of known tables', () => {
    const view = (name: string, shows?: string[]) =>
      live(name, ['id', 'email'], { view: { writable: false, ...(shows && { shows }) } })
    const found = tablesOf(view('known', ['customer']), view('far', ['crm.person']), view('distant'))
    expect(found.tables.map(({ table }) => table)).toEqual(['far', 'distant'])
  })

  it('are not named otherwise, nor where nothing that is described has an owner', () => {
    expect(tablesOf(live('countries', ['id', 'name'])).tables).toEqual([])
    const tables = [live('customer', ['id']), live('posts', ['id', 'customer_id'])]
    expect(covered({ collections: described, tables, owned: [] }).tables).toEqual([])
  })
})
