import { describe, expect, it } from 'vitest'
import { covered, customer, id, live, types } from '../../../test/fixtures/covered-shop.js'
import { email } from '../../../test/fixtures/judged-rows.js'
import { collection, field, key, planned, wanted } from '../../../test/fixtures/planned-shop.js'

describe('columns', () => {
  it('that no field describes are named with the category their name suggests, only in searched tables', () => {
    const tables = [live('customer', ['id', 'email', 'size']), live('orders', ['id', 'phone'])]
    const found = covered({ collections: [customer(), { name: 'orders', fields: [id] }], tables })
    expect(found.columns).toEqual([
      { address: 'shop:customer', column: 'email', described: false, proposal: 'user.contact.email' },
      { address: 'shop:customer', column: 'size', described: false },
    ])
    expect(found.findings).toEqual([])
  })

  it('with an open proposal are named, others are not', () => {
    const fields = [
      { name: 'phone' },
      { name: 'size' },
      { name: 'city', data_categories: ['user.contact.address.city'] },
      { name: 'street', service_meta: { reviewed: true } },
      { name: 'email', service_meta: { identity: 'email' } },
      { name: 'customer_id', service_meta: { references: [{ dataset: 'shop', field: 'customer.id' }] } },
      { name: 'address', fields: [{ name: 'zip', data_categories: ['user.contact.address'] }] },
    ]
    const columns = ['id', ...fields.map(({ name }) => name)]
    const found = covered({ collections: [customer(...fields)], tables: [live('customer', columns)] })
    expect(found.columns).toEqual([
      { address: 'shop:customer', column: 'phone', described: true, proposal: 'user.contact.phone_number' },
    ])
    expect(types(found)).toEqual([['undecided_category', 'shop', 'customer', 'phone']])
  })

  it('that hold documents of which nobody says the content are named, in rows with an owner', () => {
    const document = (name: string) => ({ name, type: 'jsonb', kind: 'object' as const, nullable: true })
    const members = [{ name: 'plan', type: '', kind: 'string' as const, nullable: true }]
    const columns = [
      ...live('customer', ['id']).columns,
      document('settings'),
      document('before'),
      document('after'),
      { ...document('known'), members },
    ]
    const described = customer(
      { name: 'settings' },
      { name: 'before', data_categories: ['user'] },
      { name: 'after', service_meta: { reviewed: true } },
      { name: 'known', fields: [{ name: 'plan' }] },
    )
    const found = covered({ collections: [described], tables: [{ ...live('customer', ['id']), columns }] })
    expect(found.columns).toEqual([{ address: 'shop:customer', column: 'settings', described: true }])
    expect(found.findings.map(({ message }) => message)).toEqual([
      "Nobody has said what 'settings' of 'shop:customer' holds, and no rule asks for it: describe its members, give it a category, or say 'reviewed'.",
    ])
  })

  it('that hold e-mail addresses in a sample are named, members as well', () => {
    const holding = (name: string) => ({
      name,
      type: '',
      kind: 'string' as const,
      nullable: true,
      holds: 'email' as const,
    })
    const to = { name: 'to', type: '', kind: 'object' as const, nullable: true, members: [holding('at')] }
    const table = { ...live('customer', ['id']), columns: [holding('id'), holding('who'), to] }
    const fields = [{ name: 'who' }, { name: 'to', fields: [{ name: 'at' }] }]
    const found = covered({ collections: [customer(...fields)], tables: [table] })
    expect(found.columns.map(({ column, proposal }) => [column, proposal])).toEqual([
      ['id', 'user.contact.email'],
      ['who', 'user.contact.email'],
      ['to.at', 'user.contact.email'],
    ])
  })

  it('with a dot in the name of a member are named, also where it reads as the path of another', () => {
    const text = (name: string) => ({ name, type: '', kind: 'string' as const, nullable: true })
    const members = [
      text('q'),
      text('x.y'),
      { ...text('b'), kind: 'object' as const, members: [text('t')] },
      text('b.t'),
    ]
    const contact = { name: 'a', type: '', kind: 'object' as const, nullable: true, members }
    const only = { ...contact, name: 'c', members: [text('x.email')] }
    const table = { ...live('customer', ['id']), columns: [{ ...text('id') }, contact, only] }
    const described = { name: 'a', fields: [{ name: 'b', fields: [{ name: 't' }] }] }
    const namedIn = (...fields: object[]) =>
      covered({ collections: [customer(...fields)], tables: [table] })
        .columns.filter(({ described }) => !described)
        .map(({ column, proposal }) => [column, proposal])
    expect(namedIn(described, { name: 'c' })).toEqual([
      ['a.q', undefined],
      ['a.x.y', undefined],
      ['a.b.t', undefined],
      ['c.x.email', 'user.contact.email'],
    ])
    const whole = { name: 'c', service_meta: { reviewed: true } }
    const dotted = { ...described, fields: [...described.fields, { name: 'x.y' }, { name: 'q' }] }
    expect(namedIn(dotted, whole)).toEqual([['a.b.t', undefined]])
  })

  it('that are named for another person are named with what an access would do', () => {
    const fields = [{ name: 'spouse_email' }, { name: 'phone' }, { name: 'size', service_meta: { reviewed: true } }]
    const tables = [live('customer', ['id', 'spouse_email', 'phone', 'size'])]
    const { findings } = covered({ collections: [customer(...fields)], tables })
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^'spouse_email' .* say 'reviewed'\. It is named for somebody other than the row's person/),
      expect.stringMatching(/^'phone' .* say 'reviewed'\.$/),
    ])
  })

  it('of free text are named where the rows have an owner', () => {
    const named = ['customer', 'orders', 'product']
    const collections = named.map((name) => ({ name, fields: [id, { name: 'note' }, { name: 'comment' }] }))
    const listed = { name: 'comment', type: '', nullable: true, kind: 'string' as const, values: ['good', 'bad'] }
    const tables = named.map((name) => {
      const table = live(name, ['id', 'note', 'comment'])
      return { ...table, columns: [...table.columns.slice(0, 2), listed] }
    })
    const found = covered({ collections, tables, searched: named, owned: ['customer', 'orders'] })
    expect(found.columns).toEqual(
      ['customer', 'orders'].map((name) => {
        return { address: `shop:${name}`, column: 'note', described: true, proposal: 'user' }
      }),
    )
  })

  it('are decided where the collection has a category', () => {
    const collections = [{ ...customer({ name: 'phone' }), data_categories: ['user'] }]
    expect(covered({ collections, tables: [live('customer', ['id', 'phone'])] }).columns).toEqual([])
  })

  it('mean a person’s name only in a table of people', () => {
    const collections = [customer({ name: 'name' }), { name: 'product', fields: [id, { name: 'name' }] }]
    const tables = [live('customer', ['id', 'name']), live('product', ['id', 'name'])]
    const { columns } = covered({ collections, tables, searched: ['customer', 'product'] })
    expect(columns.map(({ address }) => address)).toEqual(['shop:customer'])
  })

  it('mean a person’s name where rows have an identity or look like people, but not in a group', () => {
    const named = ['agents', 'pilots', 'plans', 'companies']
    const phone = { name: 'phone', data_categories: ['user.contact.phone_number'] }
    const first = { name: 'first_name', data_categories: ['user.name'] }
    const columns = (name: string) => [{ name: 'name' }, ...(name === 'pilots' ? [phone, first] : [])]
    const collections = named.map((name) => ({ name, fields: [id, ...columns(name)] }))
    const tables = named.map((name) => live(name, ['id', ...columns(name).map((column) => column.name)]))
    const of = (people: string[]) =>
      covered({ collections, tables, searched: named, owned: named, people }).columns.map(({ address }) => address)
    expect(of(['agents', 'companies'])).toEqual(['shop:agents', 'shop:pilots'])
    expect(of([])).toEqual(['shop:pilots'])
  })

  it('mean a person’s name among vendors where an identity is declared, not where it is inferred', () => {
    const of = (service_meta: object) => {
      const mail = { name: 'email', data_categories: ['user.contact.email'], service_meta }
      const collections = [{ name: 'vendors', fields: [id, { name: 'name' }, mail] }]
      const tables = [live('vendors', ['id', 'name', 'email'])]
      return covered({ collections, tables, searched: ['vendors'], people: ['vendors'] }).columns
    }
    expect(of({ identity: 'email' })).toMatchObject([{ column: 'name', proposal: 'user.name' }])
    expect(of({})).toEqual([])
  })
})

describe('columns named like keys of rows with an owner', () => {
  const tables = [
    live('app_customer', ['id'], { primaryKey: ['id'] }),
    live('app_note', ['id', 'customer_id', 'maker_id']),
  ]
  tables.push(live('app_team', ['id'], { primaryKey: ['id'] }), live('app_log', ['owner_id', 'owner_type', 'team_id']))
  const named = (name: string, ...fields: object[]) => ({ name, fields: [id, ...fields] })
  const beside = [named('app_customer'), named('app_team'), named('app_log')]
  const references = (field: object) =>
    covered({ collections: [...beside, named('app_note', field)], tables, owned: ['app_customer', 'app_log'] })

  it('are named where no reference is described, whatever the prefix of tables', () => {
    const found = references({ name: 'customer_id' })
    expect(found.references.map(({ node, field, to }) => [node.address, field, to])).toEqual([
      ['shop:app_note', 'customer_id', 'shop:app_customer'],
    ])
    expect(types(found)).toContainEqual(['undescribed_reference', 'shop', 'app_note', 'customer_id'])
  })

  it.each([
    { reviewed: true },
    { identity: 'customer' },
    { references: [{ dataset: 'shop', field: 'app_customer.id', direction: 'none' }] },
  ])('are not named where somebody has reviewed them: %j', (service_meta) => {
    expect(references({ name: 'customer_id', service_meta }).references).toEqual([])
  })
})

describe('columns that refer to other rows', () => {
  const tables = [live('people', ['id', 'login', 'email']), live('talk', ['id', 'contact'])]
  const contact = (field: string) => ({
    name: 'contact',
    service_meta: { references: [{ dataset: 'shop', field, direction: 'from' }] },
  })
  const of = (target: object, field = `people.${(target as { name: string }).name}`) => {
    const collections = [
      { name: 'people', fields: [id, target] },
      { name: 'talk', fields: [id, contact(field)] },
    ]
    return covered({ collections, tables, searched: ['talk'] }).columns.map(({ column }) => column)
  }

  it('are named where what they refer to is about a person', () => {
    expect(of({ name: 'email' })).toEqual(['contact'])
    expect(of({ name: 'login', data_categories: ['user.unique_id'] })).toEqual(['contact'])
    expect(of({ name: 'login', service_meta: { identity: 'login' } })).toEqual(['contact'])
  })

  it('are not named where they hold keys, whatever they are called', () => {
    expect(of({ name: 'login' }, 'people.id')).toEqual([])
  })
})

describe('members of described columns', () => {
  const text = (name: string) => ({ name, type: '', kind: 'string' as const, nullable: true })
  const object = (name: string, ...members: string[]) => ({
    ...{ name, type: '', kind: 'object' as const, nullable: true },
    members: members.map(text),
  })
  const table = () => ({
    ...live('customer', ['id']),
    columns: [text('id'), object('name', 'first', 'last'), object('shipTo', 'name', 'floor')],
  })
  const named = (...fields: object[]) => covered({ collections: [customer(...fields)], tables: [table()] }).columns

  it('that no field describes are named, with the category that their names suggest', () => {
    const shipTo = { name: 'shipTo', fields: [{ name: 'name' }] }
    expect(named({ name: 'name' }, shipTo)).toEqual([
      { address: 'shop:customer', column: 'shipTo.name', described: true, proposal: 'user.name' },
      { address: 'shop:customer', column: 'name.first', described: false, proposal: 'user.name' },
      { address: 'shop:customer', column: 'name.last', described: false, proposal: 'user.name' },
      { address: 'shop:customer', column: 'shipTo.floor', described: false },
    ])
  })

  it('are not named where the column is decided as a whole, or each of them is', () => {
    const given = { data_categories: ['user.name'] }
    const reviewed = { service_meta: { reviewed: true } }
    const shipTo = { name: 'shipTo', fields: [{ name: 'name', ...given }, { name: 'floor' }] }
    expect(named({ name: 'name', ...given }, shipTo)).toEqual([])
    expect(named({ name: 'name', ...reviewed }, { name: 'shipTo', ...reviewed })).toEqual([])
  })
})

it('a plan names a column called name beside an identity', () => {
  const agents = collection('agents', [key(), email, field('name'), wanted('text')])
  const catalogue = { collections: [live('agents', ['id', 'email', 'name', 'text'])] }
  expect(planned({ collections: [agents], catalogue }).coverage.columns).toEqual(['shop:agents.name'])
})
