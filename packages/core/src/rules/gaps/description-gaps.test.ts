import { describe, expect, it } from 'vitest'
import { id, live, referencing } from '../../../test/fixtures/covered-shop.js'
import { atOnce } from '../../model/at-once.js'
import type { CatalogueCollection, ForeignKey } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'
import type { DescriptionGap } from './description-gap.js'
import { descriptionGaps } from './description-gaps.js'

const email = { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } }
const contact = { data_categories: ['user.contact.email'] }
const customer = { name: 'customer', fields: [id, email] }
const customerTable = live('customer', ['id', 'email'])
const over = (column: string, collection: string): ForeignKey => ({ ...referencing(collection), columns: [column] })

interface Case {
  readonly collections?: object[]
  readonly tables?: CatalogueCollection[]
  readonly today?: string
}

function gapsOf({ collections = [customer], tables = [customerTable], today = '2026-01-01' }: Case): DescriptionGap[] {
  const { value: dataset } = parseDataset({ service_key: 'shop', collections })
  const source = { dataset, connection: { key: 'db', disabled: false }, catalogue: { collections: tables } }
  return atOnce(descriptionGaps({ described: [source], today, inferIdentities: true }))
}
const told = (gaps: readonly DescriptionGap[]) =>
  gaps.map(({ kind, collection, field, path }) => [kind, field ? `${collection}.${field}` : collection, path])

describe('tables that nobody has described', () => {
  it('are none where everything that leads to a person is described', () => {
    const tables = [customerTable, live('country', ['id', 'name'])]
    expect(gapsOf({ tables })).toEqual([])
  })

  it('are found over any number of foreign keys, with the path', () => {
    const tables = [
      customerTable,
      live('invoice', ['id', 'customer_id'], { foreignKeys: [over('customer_id', 'customer')] }),
      live('line', ['id', 'invoice_id'], { foreignKeys: [over('invoice_id', 'invoice')] }),
      live('country', ['id']),
    ]
    const gaps = gapsOf({ tables })
    expect(told(gaps)).toEqual([
      ['table', 'invoice', 'invoice.customer_id → shop:customer'],
      ['table', 'line', 'line.invoice_id → invoice.customer_id → shop:customer'],
    ])
    expect(gaps[1]?.message).toBe(
      "Nobody has described 'line', and its rows lead to a person: describe it in the dataset 'shop', or waive it there with a reason (service_meta: {waived: {reason: …}}).",
    )
  })

  it('are found behind described ones, whose path goes on', () => {
    const references = [{ dataset: 'shop', field: 'customer.id', direction: 'from' }]
    const invoice = { name: 'invoice', fields: [id, { name: 'customer_id', service_meta: { references } }] }
    const tables = [
      customerTable,
      live('invoice', ['id', 'customer_id'], { foreignKeys: [over('customer_id', 'customer')] }),
      live('line', ['id', 'invoice_id'], { foreignKeys: [over('invoice_id', 'invoice')] }),
    ]
    expect(told(gapsOf({ collections: [customer, invoice], tables }))).toEqual([
      ['table', 'line', 'line.invoice_id → shop:invoice.customer_id → shop:customer'],
    ])
  })

  it('are views over tables of people, and tables that inherit from them', () => {
    const view = live('people', ['id', 'email'], { view: { writable: false, shows: ['customer'] } })
    const child = live('vip', ['id', 'email'], { inheritsFrom: ['customer'] })
    expect(told(gapsOf({ tables: [customerTable, view, child] }))).toEqual([
      ['table', 'people', 'people shows shop:customer'],
      ['table', 'vip', 'vip inherits from shop:customer'],
    ])
  })

  it('are those that refer to rows of any table', () => {
    const kinds = live('kinds', ['id', 'customer_type', 'record_id'])
    const named = live('orders', ['id', 'customer_type', 'note_id', 'note_type'])
    const tables = [
      customerTable,
      live('changes', ['id', 'table_name', 'record_id', 'before']),
      kinds,
      live('note', ['id']),
      named,
    ]
    expect(told(gapsOf({ tables }))).toEqual([
      ['table', 'changes', "changes.record_id is a key of rows of any table, and 'table_name' says of which"],
    ])
  })

  it('are tables of other schemas, and those whose columns speak of people', () => {
    const far = { name: 'far', schema: 'crm', collection: 'lead', columns: ['c'], references: ['id'] }
    const pointed = { ...customerTable, incomingForeignKeys: [{ ...far, onDelete: 'cascade' as const }] }
    const tables = [pointed, live('posts', ['id', 'customer_id']), live('letters', ['id', 'sent_to_email'])]
    expect(told(gapsOf({ tables }))).toEqual([
      ['table', 'crm.lead', 'crm.lead.c → shop:customer'],
      ['table', 'posts', 'posts.customer_id is named like a key of shop:customer'],
      ['table', 'letters', 'letters.sent_to_email looks like an e-mail address'],
    ])
    const waived = { name: 'crm.lead', service_meta: { waived: { reason: 'another team answers for it' } } }
    expect(told(gapsOf({ collections: [customer, waived], tables: [pointed] }))).toEqual([])
  })

  it('are tables that rows of people refer to, where they hold personal data', () => {
    const tables = [
      live('customer', ['id', 'email', 'address_id', 'country_id'], {
        foreignKeys: [over('address_id', 'address'), over('country_id', 'country')],
      }),
      live('address', ['id', 'street']),
      live('country', ['id', 'label']),
    ]
    const fields = [id, email, { name: 'address_id' }, { name: 'country_id' }]
    expect(told(gapsOf({ collections: [{ name: 'customer', fields }], tables }))).toEqual([
      [
        'table',
        'address',
        expect.stringMatching(/^address ← shop:customer.address_id, and 'street' looks like user\./),
      ],
    ])
  })

  it('are found where nothing personal is described yet, with those that lead to them', () => {
    const country = { name: 'country', fields: [id] }
    const orders = live('orders', ['id', 'customer'], { foreignKeys: [over('customer', 'customer')] })
    const found = [
      ['table', 'customer', 'customer.email looks like an e-mail address'],
      ['table', 'orders', 'orders.customer → customer.email looks like an e-mail address'],
    ]
    const tables = [live('country', ['id']), customerTable, orders]
    expect(told(gapsOf({ collections: [country], tables }))).toEqual(found)
    expect(told(gapsOf({ collections: [], tables }))).toEqual(found)
  })

  it('are those whose columns identify people by themselves, with those that lead to them', () => {
    const tables = [
      customerTable,
      live('leads', ['id', 'first_name', 'phone']),
      live('calls', ['id', 'lead'], { foreignKeys: [over('lead', 'leads')] }),
      live('products', ['id', 'name']),
      live('settings', ['key', 'value']),
      live('companies', ['id', 'name', 'phone']),
    ]
    expect(told(gapsOf({ tables }))).toEqual([
      ['table', 'leads', 'leads.first_name looks like user.name'],
      ['table', 'calls', 'calls.lead → leads.first_name looks like user.name'],
    ])
  })

  it('are addresses, though what refers to an address need not be a person’s', () => {
    const hall = live('hall', ['id', 'address_id'], { foreignKeys: [over('address_id', 'address')] })
    expect(told(gapsOf({ tables: [customerTable, live('address', ['id', 'street']), hall] }))).toEqual([
      ['table', 'address', 'address.street looks like user.contact.address.street'],
    ])
  })

  it('are those that are named like the history of a described one that leads to a person', () => {
    const country = { name: 'country', fields: [id] }
    const names = ['customer_history', 'country_history', 'archive']
    const tables = [customerTable, live('country', ['id']), ...names.map((name) => live(name, ['at', 'change']))]
    expect(told(gapsOf({ collections: [customer, country], tables }))).toEqual([
      ['table', 'customer_history', 'customer_history is named like a history of shop:customer'],
    ])
  })

  it('are tables of other servers and views whose rows nobody asks for otherwise', () => {
    const people = (name: string, shows?: string[]) =>
      live(name, ['id', 'first_name'], { view: { writable: false, ...(shows && { shows }) } })
    const mails = live('mails', ['id', 'email'], { view: { writable: true } })
    const views = [people('distant'), people('far', ['crm.person']), people('near', ['country']), mails]
    expect(told(gapsOf({ tables: [customerTable, live('country', ['id']), ...views] }))).toEqual([
      ['table', 'mails', 'mails.email looks like an e-mail address'],
      ['table', 'distant', 'distant.first_name looks like user.name'],
      ['table', 'far', 'far.first_name looks like user.name'],
    ])
  })

  it('are not waived ones, as long as the reason counts, and those behind them are', () => {
    const tables = [
      customerTable,
      live('invoice', ['id', 'customer_id'], { foreignKeys: [over('customer_id', 'customer')] }),
      live('line', ['id', 'invoice_id'], { foreignKeys: [over('invoice_id', 'invoice')] }),
    ]
    const waived = { reason: 'it is emptied every night', until: '2026-06-30' }
    const collections = [customer, { name: 'invoice', service_meta: { waived } }]
    const behind = ['table', 'line', 'line.invoice_id → invoice.customer_id → shop:customer']
    expect(told(gapsOf({ collections, tables, today: '2026-06-30' }))).toEqual([behind])
    expect(told(gapsOf({ collections, tables, today: '2026-07-01' }))).toEqual([
      behind,
      ['expired', 'invoice', undefined],
    ])
  })
})

describe('columns', () => {
  const tables = [live('customer', ['id', 'email', 'nick', 'street', 'shoe'])]
  const withFields = (...fields: object[]) =>
    told(gapsOf({ collections: [{ name: 'customer', fields: [id, email, ...fields] }], tables }))

  it('that no field describes are found, and those that look like a category that nobody has given', () => {
    expect(withFields({ name: 'nick', data_categories: ['user.name'] }, { name: 'street' })).toEqual([
      ['category', 'customer.street', 'shop:customer'],
      ['column', 'customer.shoe', 'shop:customer'],
    ])
  })

  it('that are waived are not, and what is only reviewed lacks its reason', () => {
    const waived = { reason: 'the office’s own' }
    const nick = { name: 'nick', data_categories: ['user.name'] }
    const shoe = { name: 'shoe', service_meta: { waived: { reason: 'a size', until: '2025-12-31' } } }
    expect(withFields(nick, shoe, { name: 'street', service_meta: { waived } })).toEqual([
      ['expired', 'customer.shoe', undefined],
    ])
    expect(
      withFields(
        nick,
        { name: 'shoe', service_meta: { waived } },
        { name: 'street', service_meta: { reviewed: true } },
      ),
    ).toEqual([['reason', 'customer.street', 'shop:customer']])
  })

  it('whose values name what another field refers to need no reason once they are reviewed', () => {
    const references = [{ dataset: 'shop', field: 'customer.id', direction: 'from', when: { owner_type: 'customer' } }]
    const fields = [
      id,
      { name: 'owner_type', service_meta: { reviewed: true } },
      { name: 'owner_id', service_meta: { references } },
      { name: 'body', data_categories: ['user'] },
    ]
    const tables = [customerTable, live('note', ['id', 'owner_type', 'owner_id', 'body'])]
    expect(told(gapsOf({ collections: [customer, { name: 'note', fields }], tables }))).toEqual([])
  })

  it('called name in tables of organizations are the names of these, unless an identity is declared there', () => {
    const ofSuppliers = (service_meta: object) => {
      const address = { name: 'contact_email', ...contact, service_meta }
      const supplier = { name: 'supplier', fields: [id, { name: 'name' }, address] }
      const tables = [customerTable, live('supplier', ['id', 'name', 'contact_email'])]
      return told(gapsOf({ collections: [customer, supplier], tables }))
    }
    expect(ofSuppliers({})).toEqual([])
    expect(ofSuppliers({ identity: 'email' })).toEqual([['category', 'supplier.name', 'shop:supplier']])
  })

  it('and views that are not searched, and that the database has no longer, are missing', () => {
    const names = { name: 'names', service_meta: { skip_processing: true } }
    const view = live('names', ['id'], { view: { writable: false, shows: ['customer'] } })
    expect(told(gapsOf({ collections: [customer, names], tables: [customerTable, view] }))).toEqual([])
    const gaps = gapsOf({ collections: [customer, names] })
    expect(told(gaps)).toEqual([['missing', 'names', undefined]])
    expect(gaps[0]?.message).toContain('has no such table or view: remove it')
    const waived = { name: 'names', service_meta: { waived: { reason: 'only the other server has it' } } }
    expect(told(gapsOf({ collections: [customer, waived] }))).toEqual([])
  })

  it('and tables that the database does not have are missing', () => {
    const gone = { name: 'gone', fields: [id] }
    const gaps = gapsOf({ collections: [{ ...customer, fields: [id, email, { name: 'fax' }] }, gone] })
    expect(told(gaps)).toEqual([
      ['missing', 'customer.fax', undefined],
      ['missing', 'gone', undefined],
    ])
  })

  it('of tables that lead to no person do not matter', () => {
    const country = { name: 'country', fields: [id] }
    expect(
      gapsOf({ collections: [customer, country], tables: [customerTable, live('country', ['id', 'size'])] }),
    ).toEqual([])
  })

  it('of such tables do where they identify a person by themselves', () => {
    const columns = ['id', 'first_name', 'phone', 'score', 'email', 'surname']
    const ofLeads = (service_meta: object, ...fields: object[]) =>
      told(
        gapsOf({
          collections: [customer, { name: 'leads', fields: [id, ...fields], service_meta }],
          tables: [customerTable, live('leads', columns)],
        }),
      )
    const fields = [
      { name: 'first_name' },
      { name: 'score', service_meta: { reviewed: true } },
      { name: 'email', service_meta: { reviewed: true } },
      { name: 'surname', service_meta: { waived: { reason: 'made up' } } },
    ]
    expect(ofLeads({}, ...fields)).toEqual([
      ['reason', 'leads.email', undefined],
      ['category', 'leads.first_name', undefined],
      ['column', 'leads.phone', undefined],
    ])
    expect(ofLeads({ owner: [] }, ...fields)).toEqual([['column', 'leads.phone', undefined]])
    expect(ofLeads({ waived: { reason: 'made up' } }, ...fields)).toEqual([])
  })

  it('that hold documents are ones where nobody has said what lies in them', () => {
    const member = { name: 'floor', type: 'text', kind: 'string' as const, nullable: true }
    const document = (name: string, members: (typeof member)[] = []) => {
      return { name, type: 'jsonb', kind: 'object' as const, nullable: true, ...(members.length > 0 && { members }) }
    }
    const withDocuments = (name: string) => {
      const documents = [document('extra'), document('known', [member])]
      return { ...live(name, []), columns: [...live(name, ['id', 'email']).columns, ...documents] }
    }
    const ofExtra = (extra: object) => {
      const known = { name: 'known', fields: [{ name: 'floor' }] }
      const person = { name: 'customer', fields: [id, email, { name: 'extra', ...extra }, known] }
      const thing = { name: 'country', fields: [id, { name: 'email', data_categories: ['user'] }, { name: 'extra' }] }
      return gapsOf({ collections: [person, thing], tables: [withDocuments('customer'), withDocuments('country')] })
    }
    const [gap, ...others] = ofExtra({})
    expect(others).toEqual([])
    expect(gap).toMatchObject({ kind: 'category', collection: 'customer', field: 'extra', path: 'shop:customer' })
    expect(gap?.message).toContain('describe its members (fields: […]), give it a category, or waive it')
    expect(ofExtra({ fields: [{ name: 'note', data_categories: ['user'] }] })).toEqual([])
    expect(ofExtra({ data_categories: ['user'] })).toEqual([])
    expect(ofExtra({ service_meta: { waived: { reason: 'layout of the page' } } })).toEqual([])
    expect(told(ofExtra({ service_meta: { reviewed: true } }))).toEqual([['reason', 'customer.extra', 'shop:customer']])
  })
})

it('a collection of a person in which no field has a category is one', () => {
  const tables = [
    customerTable,
    live('ticket', ['id', 'customer_id', 'engraving'], { foreignKeys: [over('customer_id', 'customer')] }),
  ]
  const owner = { references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' }] }
  const ticket = (service_meta: object = {}) => ({
    name: 'ticket',
    fields: [id, { name: 'customer_id', service_meta: owner }, { name: 'engraving', service_meta }],
  })
  const ofTicket = (service_meta?: object) => told(gapsOf({ collections: [customer, ticket(service_meta)], tables }))
  expect(ofTicket()).toEqual([['category', 'ticket', 'shop:ticket.customer_id → shop:customer']])
  expect(ofTicket({ waived: { reason: 'two initials' } })).toEqual([])
})

it('a collection that is never searched needs a reason, unless it is a view', () => {
  const skipped = (name: string) => ({ name, fields: [id, email], service_meta: { skip_processing: true } })
  const tables = [
    customerTable,
    live('old', ['id', 'email']),
    live('lead', ['id', 'phone']),
    live('seen', ['id', 'email'], { view: { writable: false, shows: ['customer'] } }),
  ]
  const lead = { name: 'lead', service_meta: { skip_processing: true } }
  expect(told(gapsOf({ collections: [customer, skipped('old'), skipped('seen'), lead], tables }))).toEqual([
    ['reason', 'old', 'shop:old'],
    ['reason', 'lead', undefined],
  ])
  const waived = { ...lead, service_meta: { skip_processing: true, waived: { reason: 'it is emptied every night' } } }
  expect(
    told(gapsOf({ collections: [customer, waived], tables: [customerTable, live('lead', ['id', 'phone'])] })),
  ).toEqual([])
})

describe('a foreign key of a described table that leads to a person', () => {
  const parcelTable = live('parcel', ['id', 'weight', 'taker', 'door'], {
    foreignKeys: [over('taker', 'customer')],
  })
  const ofParcel = (parcel: object, ...more: CatalogueCollection[]) =>
    told(
      gapsOf({ collections: [customer, { name: 'parcel', ...parcel }], tables: [customerTable, parcelTable, ...more] }),
    )
  const weight = { name: 'weight', data_categories: ['user'] }
  const door = { name: 'door', data_categories: ['user'] }
  const path = 'shop:parcel.taker → shop:customer'
  const taker = (service_meta: object) => ({ name: 'taker', service_meta })
  const referring = (direction: string) => taker({ references: [{ dataset: 'shop', field: 'customer.id', direction }] })

  it('makes its new columns ones of a person', () => {
    expect(ofParcel({ fields: [id, weight] })).toEqual([
      ['column', 'parcel.taker', path],
      ['column', 'parcel.door', path],
    ])
    expect(ofParcel({})).toEqual(['id', 'weight', 'taker', 'door'].map((name) => ['column', `parcel.${name}`, path]))
  })

  it('needs a reference, or a reason why it has none', () => {
    const fields = [id, weight, door]
    expect(ofParcel({ fields: [...fields, taker({})] })).toEqual([['reference', 'parcel.taker', path]])
    for (const direction of ['from', 'both', 'none'])
      expect(ofParcel({ fields: [...fields, referring(direction)] })).toEqual([])
    expect(ofParcel({ fields: [...fields, taker({ waived: { reason: 'a depot' } })] })).toEqual([])
    expect(ofParcel({ fields: [...fields, taker({})], service_meta: { owner: [] } })).toEqual([])
  })

  it('lacks a reason where it is only reviewed, with or without a reference', () => {
    const fields = [id, weight, door]
    const reviewed = { reviewed: true }
    expect(ofParcel({ fields: [...fields, taker(reviewed)] })).toEqual([['reason', 'parcel.taker', undefined]])
    const references = [{ dataset: 'shop', field: 'customer.id' }]
    expect(ofParcel({ fields: [...fields, taker({ ...reviewed, references })] })).toEqual([
      ['reason', 'parcel.taker', path],
    ])
    const decided = [{ ...references[0], direction: 'none' }]
    expect(ofParcel({ fields: [...fields, taker({ ...reviewed, references: decided })] })).toEqual([])
    const waived = { reason: 'a depot' }
    expect(ofParcel({ fields: [...fields, taker({ ...reviewed, references, waived })] })).toEqual([])
  })

  it('is one of a person only where it leads to one', () => {
    const door = { name: 'door', service_meta: { reviewed: true, references: [{ dataset: 'shop', field: 'gate.id' }] } }
    const collections = [customer, { name: 'gate', fields: [id] }, { name: 'parcel', fields: [id, door] }]
    const tables = [customerTable, live('gate', ['id']), live('parcel', ['id', 'door'])]
    expect(told(gapsOf({ collections, tables }))).toEqual([])
  })

  it('may be described at the other end', () => {
    const references = [{ dataset: 'shop', field: 'parcel.taker', direction: 'to' }]
    const known = { name: 'customer', fields: [{ name: 'id', service_meta: { primary_key: true, references } }, email] }
    const parcel = { name: 'parcel', fields: [id, weight, door, { name: 'taker' }] }
    expect(told(gapsOf({ collections: [known, parcel], tables: [customerTable, parcelTable] }))).toEqual([])
  })

  it('is a path for the tables behind it, and also where the table is never searched', () => {
    const scan = live('scan', ['id', 'parcel_id'], { foreignKeys: [over('parcel_id', 'parcel')] })
    const behind = ['table', 'scan', `scan.parcel_id → ${path}`]
    expect(ofParcel({ fields: [id, weight, door, taker({})] }, scan)).toEqual([
      behind,
      ['reference', 'parcel.taker', path],
    ])
    expect(ofParcel({ service_meta: { skip_processing: true } }, scan)[0]).toEqual([
      'table',
      'scan',
      'scan.parcel_id → parcel.taker → shop:customer',
    ])
    expect(ofParcel({ fields: [id, weight, door, referring('none')] }, scan)).toEqual([])
  })

  it('to its own table makes no path', () => {
    const tree = live('tree', ['id', 'parent', 'size'], { foreignKeys: [over('parent', 'tree')] })
    expect(
      told(gapsOf({ collections: [customer, { name: 'tree', fields: [id] }], tables: [customerTable, tree] })),
    ).toEqual([])
    const person = live('customer', ['id', 'email', 'parent'], { foreignKeys: [over('parent', 'customer')] })
    const fields = [id, email, { name: 'parent' }]
    expect(told(gapsOf({ collections: [{ name: 'customer', fields }], tables: [person] }))).toEqual([])
  })
})

describe('a table of another schema that has a connection of its own', () => {
  const far = { name: 'far', schema: 'crm', collection: 'lead', columns: ['by'], references: ['id'] }
  const pointed = { ...customerTable, incomingForeignKeys: [{ ...far, onDelete: 'cascade' as const }] }
  const lead = live('lead', ['id', 'by'], { foreignKeys: [{ ...referencing('customer', 'public'), columns: ['by'] }] })
  const call = live('call', ['id', 'lead_id'], { foreignKeys: [over('lead_id', 'lead')] })
  const source = (key: string, collections: object[], tables: CatalogueCollection[]) => {
    const { value: dataset } = parseDataset({ service_key: key, collections })
    return { dataset, connection: { key, disabled: false }, catalogue: { collections: tables } }
  }
  const ofCrm = (...collections: object[]) => {
    const described = [source('shop', [customer], [pointed]), source('crm', collections, [lead, call])]
    const gaps = atOnce(descriptionGaps({ described, today: '2026-01-01', inferIdentities: true }))
    return gaps.map(({ dataset, kind, collection, field = '', path }) => [dataset, kind, collection, field, path])
  }
  const by = (dataset: string) => {
    return { name: 'by', service_meta: { references: [{ dataset, field: 'customer.id', direction: 'from' }] } }
  }
  const calls = { name: 'call', service_meta: { waived: { reason: 'it is emptied every night' } } }

  it('is described there', () => {
    const called = {
      name: 'lead_id',
      service_meta: { references: [{ dataset: 'crm', field: 'lead.id', direction: 'from' }] },
    }
    expect(ofCrm({ name: 'lead', fields: [id, by('shop')] }, { name: 'call', fields: [id, called] })).toEqual([])
  })

  it('is described there, although a view of the table it refers to has the key as well', () => {
    const directory = live('directory', ['id'], {
      view: { writable: false, shows: ['customer'] },
      incomingForeignKeys: pointed.incomingForeignKeys,
    })
    const shop = source(
      'shop',
      [customer, { name: 'directory', service_meta: { skip_processing: true } }],
      [pointed, directory],
    )
    const crm = source('crm', [{ name: 'lead', fields: [id, by('shop')] }, calls], [lead, call])
    const gaps = atOnce(descriptionGaps({ described: [shop, crm], today: '2026-01-01', inferIdentities: true }))
    expect(gaps.map(({ message }) => message)).toEqual([])
  })

  it('is asked for there, with the tables behind it, and so is what its foreign key means', () => {
    const path = 'lead.by → shop:customer'
    expect(ofCrm()).toEqual([
      ['crm', 'table', 'lead', '', path],
      ['crm', 'table', 'call', '', `call.lead_id → ${path}`],
    ])
    expect(ofCrm({ name: 'lead', fields: [id, { name: 'by' }] }, calls)).toEqual([
      ['crm', 'reference', 'lead', 'by', `crm:${path}`],
    ])
  })

  it('is the one to which a key leads, though nobody has described either', () => {
    const person = live('person', ['id', 'email'], {
      incomingForeignKeys: [{ ...far, collection: 'deal', onDelete: 'cascade' }],
    })
    const deal = live('deal', ['id', 'by'], {
      foreignKeys: [{ ...referencing('person', 'public'), columns: ['by'] }],
    })
    const described = [
      source('shop', [{ name: 'gate', fields: [id] }], [person, live('gate', ['id'])]),
      source('crm', [], [deal]),
    ]
    const gaps = atOnce(descriptionGaps({ described, today: '2026-01-01', inferIdentities: true }))
    expect(gaps.map(({ dataset, collection, path }) => [dataset, collection, path])).toEqual([
      ['shop', 'person', 'person.email looks like an e-mail address'],
      ['crm', 'deal', 'deal.by → person.email looks like an e-mail address'],
    ])
  })

  it('is described there, though it is told to a view of another schema that shows what it refers to', () => {
    const call = live('call', ['id', 'customer_id'], { foreignKeys: [over('customer_id', 'customer')] })
    const seen = live('seen', ['id'], {
      view: { writable: false, shows: ['public.customer'], stored: true },
      incomingForeignKeys: [
        {
          name: 'behind',
          schema: 'public',
          collection: 'call',
          columns: ['customer_id'],
          references: [],
          onDelete: 'cascade',
        },
      ],
    })
    const called = (meta: object) => ({ name: 'call', fields: [id, { name: 'customer_id', service_meta: meta }] })
    const gapsWith = (meta: object) => {
      const shop = source('shop', [customer, called(meta)], [customerTable, call])
      const report = source('report', [{ name: 'seen', service_meta: { skip_processing: true } }], [seen])
      const gaps = atOnce(descriptionGaps({ described: [shop, report], today: '2026-01-01', inferIdentities: true }))
      return gaps.map(({ dataset, kind, collection, field = '' }) => [dataset, kind, collection, field])
    }
    const references = [{ dataset: 'shop', field: 'customer.id', direction: 'from' }]
    expect(gapsWith({ references })).toEqual([])
    // several ways lead from one key, and it is told once
    expect(gapsWith({}).filter(([, kind]) => kind !== 'category')).toEqual([
      ['shop', 'reference', 'call', 'customer_id'],
    ])
  })

  it('is what a view of its schema shows, unless several have its name', () => {
    const view = live('seen', ['a', 'b'], { view: { writable: false, shows: ['public.customer'] } })
    const shop = source('shop', [customer], [customerTable])
    const pathsOf = (...more: (typeof shop)[]) =>
      atOnce(
        descriptionGaps({
          described: [shop, source('crm', [], [view]), ...more],
          today: '2026-01-01',
          inferIdentities: true,
        }),
      ).map(({ dataset, collection, path }) => [dataset, collection, path])
    expect(pathsOf()).toEqual([['crm', 'seen', 'seen shows shop:customer']])
    expect(pathsOf(source('old', [customer], [customerTable]))).toEqual([])
  })

  it('is another one where its key is said to lead elsewhere', () => {
    const other = { name: 'customer', fields: [id] }
    expect(ofCrm({ name: 'lead', fields: [id, by('crm')] }, other, calls)).toContainEqual([
      ...['shop', 'table', 'crm.lead', ''],
      'crm.lead.by → shop:customer',
    ])
  })
})
