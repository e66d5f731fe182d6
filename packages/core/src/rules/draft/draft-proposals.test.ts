import { describe, expect, it } from 'vitest'
import { catalogue, drafted, proposed, staff, users } from '../../../test/fixtures/drafted-tables.js'
import { applyProposals } from './apply-proposals.js'
import { draftDataset } from './draft-dataset.js'

describe('identities', () => {
  it('are contact data and keys of people, with more confidence where they are unique', () => {
    const found = proposed('users(id!, email*, old_email, first_name, phone?, username*)', 'subscriptions(id!, email)')
    expect(found).toMatchObject({
      'users.email:identity': 0.9,
      'users.old_email:identity': 0.4,
      'users.phone:identity': 0.5,
      'users.username:identity': 0.6,
      'users.id:identity': 0.5,
      'subscriptions.email:identity': 0.7,
    })
    const names = drafted(users).flatMap((each) => (each.kind === 'identity' ? [each.identity] : []))
    expect(names).toEqual(['user_id', 'email', 'phone_number'])
  })

  it('have little confidence where a row names its person otherwise, and never occur in addresses or organizations', () => {
    const found = proposed(
      users,
      'orders(id!, user_id>users, email)',
      'addresses(id!, email, phone)',
      'companies(id!, email)',
    )
    expect(Object.entries(found).filter(([id]) => id.endsWith(':identity') && !id.startsWith('users'))).toEqual([
      ['orders.email:identity', 0.2],
    ])
  })

  it('never occur where a name points to somebody else', () => {
    const found = drafted(
      'students(id!, first_name, last_name, guardian_email*, mother_phone, emergency_contact_phone, teacher_email, spouse_ssn)',
      'employees(id!, last_name, employee_email, supervisor_email, work_phone1, primaryEmail)',
      'trips(id!, parent_email, guide_name)',
      'pets(id!, keeper_email)',
    )
    const of = (kind: string) => found.flatMap((each) => (each.kind === kind && 'field' in each ? [each.field] : []))
    expect(of('identity')).toEqual(['id', 'id', 'employee_email', 'work_phone1', 'primaryEmail', 'keeper_email'])
    expect(of('category')).toEqual(expect.arrayContaining(['guardian_email', 'mother_phone', 'supervisor_email']))
  })

  it('come after a key that may be null, and the owner says so', () => {
    const found = drafted(users, 'orders(id!, user_id?>users, email)')
    expect(found).toContainEqual(
      expect.objectContaining({ id: 'orders:owner', owner: ['user_id', 'email'], confidence: 0.6 }),
    )
  })
})

describe('a column called name', () => {
  const names = (...tables: string[]) =>
    drafted(...tables).flatMap((each) =>
      each.kind === 'category' && each.category === 'user.name' ? [[each.id, each.confidence]] : [],
    )

  it('is proposed with little confidence beside an e-mail address of the row, whatever the table is named after', () => {
    expect(names('agents(id!, name, email)', 'speakers(id!, display_name, speaker_email)')).toEqual([
      ['agents.name:category', 0.5],
      ['speakers.display_name:category', 0.5],
    ])
    expect(names('pilots(id!, name, first_name, phone)')).toEqual([
      ['pilots.first_name:category', 0.95],
      ['pilots.name:category', 0.5],
    ])
    expect(names('users(id!, name, email)')).toEqual([['users.name:category', 0.7]])
    expect(names('vendors(id!, name, email)')).toEqual([['vendors.name:category', 0.5]])
  })

  it('is not proposed for things and for groups, nor confidently for accounts', () => {
    const groups = ['companies', 'organizations', 'teams'].map((name) => `${name}(id!, name, contact_email, email)`)
    const things = ['plans(id!, name)', 'countries(id!, name)', 'products(id!, name, support_email)']
    expect(names(...groups, ...things, 'events(id!, name, contact_email)')).toEqual([])
    expect(names('accounts(id!, name, contact_email)')).toEqual([['accounts.name:category', 0.5]])
  })
})

it('free text has a category for a person to accept, where rows have an owner', () => {
  const texts = 'note, remarks, description, Bemerkung, customer_comment'
  const found = drafted(users, `orders(id!, user_id>users, ${texts})`, `products(id!, ${texts})`)
  const categories = found.filter((each) => each.kind === 'category' && each.category === 'user')
  expect(categories.map(({ id }) => id)).toEqual(texts.split(', ').map((name) => `orders.${name}:category`))
  for (const each of categories) expect(each).toMatchObject({ category: 'user', confidence: 0.6 })
})

it('placeholders are proposed for contact data and for keys without a foreign key', () => {
  const found = drafted('users(id!, email, first_name)', 'codes(code!, id)', 'orders(id!, code_key)').filter(
    ({ kind }) => kind === 'placeholders',
  )
  expect(found).toMatchObject([
    { id: 'users.email:placeholders', placeholders: expect.arrayContaining(['N/A', '-', 'noreply@example.com']) },
    { id: 'orders.code_key:placeholders', placeholders: expect.arrayContaining(['N/A', '0', 'unknown']) },
  ])
})

describe('in bulk, at any confidence', () => {
  const all = catalogue(
    'people(id!, first_name, address_id?>addresses)',
    'addresses(id!, street, city)',
    'emails(id!, email*, user_id>>people)',
    'users(id!, email*, first_name, phone?)',
    'orders(id!, user_id?>users, email, approved_by?>users, customer_id)',
    'comments(id!, user_id>users, commentable_type, commentable_id)',
    'teams(id!, owner_id>users)',
  )
  const { dataset, proposals } = draftDataset(all, { key: 'shop' })
  const directionsOf = (described: typeof dataset) =>
    described.collections
      .flatMap(({ fields }) => fields.flatMap((field) => field.service_meta?.references ?? []))
      .flatMap(({ direction }) => direction ?? [])

  it('no applied proposal gives a row an owner', () => {
    const kinds = new Set(proposals.map((each) => (each.kind === 'direction' ? each.direction : each.kind)))
    expect([...kinds]).toEqual(expect.arrayContaining(['from', 'to', 'both', 'none', 'identity', 'owner', 'reference']))
    const bulk = applyProposals(dataset, proposals, { atLeast: 0 })
    expect(new Set(directionsOf(bulk))).toEqual(new Set(['none']))
    const fields = bulk.collections.flatMap((each) => each.fields)
    expect(fields.filter(({ service_meta }) => service_meta?.identity !== undefined)).toEqual([])
    expect(bulk.collections.flatMap(({ service_meta }) => service_meta?.owner ?? [])).toEqual([])
    const count = (described: typeof dataset) =>
      described.collections.flatMap((each) => each.fields.flatMap((field) => field.service_meta?.references ?? []))
        .length
    expect(count(bulk)).toBe(count(dataset))
  })

  it('everything is applied by choice', () => {
    const chosen = applyProposals(dataset, proposals, { accept: () => true })
    expect(new Set(directionsOf(chosen))).toEqual(new Set(['none', 'from', 'to', 'both']))
  })
})

it('a group whose rows have e-mail addresses of their own may be people, and is asked about', () => {
  const owners = drafted('tenants(id!, email*, name)', 'leases(id!, tenant_id>tenants)').filter(
    ({ kind }) => kind === 'owner',
  )
  expect(owners).toMatchObject([{ collection: 'tenants', owner: [], confidence: 0.6 }])
  const others = drafted('tenants(id!, name)', 'leases(id!, tenant_id>tenants)').filter(({ kind }) => kind === 'owner')
  expect(others).toMatchObject([{ collection: 'tenants', confidence: 0.95 }])
})

it('a column that refers to a row is not asked as personal data as well', () => {
  const ids = drafted('users(id!, email*)', 'visits(id!, user_id)').map(({ id }) => id)
  expect(ids).toContain('visits.user_id:reference')
  expect(ids).not.toContain('visits.user_id:category')
})

it('every proposal has its own id', () => {
  const ids = drafted(
    users,
    staff,
    'teams(id!, owner_id>users)',
    'orders(id!, user_id?>users, email, team_id>teams, owner_type, owner_id)',
  ).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBeGreaterThan(10)
})
