import { describe, expect, it } from 'vitest'
import { type Collection, customer, email } from '../../../test/fixtures/decided-owners.js'
import { collection, field, from, graphOf, key, references, to } from '../../../test/fixtures/planned-shop.js'
import { identityEntries } from '../plan/identity-entries.js'
import { ownership } from '../plan/ownership.js'
import { referenceFindings } from './reference-findings.js'

const found = (...collections: Collection[]) => foundIn({ collections })

function foundIn(given: Parameters<typeof graphOf>[0]) {
  const graph = graphOf(given)
  const { fields } = identityEntries(graph, [['email']], { inferIdentities: false })
  return referenceFindings(graph, ownership(graph, { identities: fields }))
}

const told = (...collections: Collection[]) =>
  found(...collections).map(({ type, severity, loc }) => `${severity} ${type} ${loc.join('/')}`)

describe('person_as_part', () => {
  const employee = (...more: unknown[]) => collection('employee', [key(), email, ...more])
  const buyer = (...more: unknown[]) => collection('buyer', [key(), email, ...more])

  it('reports a reference that makes people parts of others', () => {
    const [finding, ...others] = found(employee(), buyer(to('support_rep_id', 'employee.id')))
    expect(others).toEqual([])
    expect(finding).toEqual({
      type: 'person_as_part',
      severity: 'warning',
      loc: ['shop', 'buyer', 'support_rep_id'],
      message: `The direction 'to' of 'shop:buyer.support_rep_id' says that rows of 'shop:employee' belong to the owner of the row that refers to them, but 'shop:employee' holds people: say 'none' where these are different people, or 'both' where the row refers to its own person there.`,
    })
  })

  it('also reports one that is described at the key, or by rows without an owner', () => {
    const described = collection('employee', [
      field('id', {
        primary_key: true,
        references: [{ dataset: 'shop', field: 'buyer.support_rep_id', direction: 'from' }],
      }),
      email,
    ])
    expect(told(described, buyer(field('support_rep_id')))).toEqual([
      'warning person_as_part shop/buyer/support_rep_id',
    ])
    const visit = collection('visit', [key(), from('buyer_id', 'buyer.id'), to('guide_id', 'employee.id')])
    expect(told(employee(), buyer(), visit)).toEqual(['warning person_as_part shop/visit/guide_id'])
  })

  it.each(['to', 'from'] as const)(
    'reports a reference to the collection itself with the direction %s',
    (direction) => {
      const [finding, ...others] = found(employee(references('manager_id', 'employee.id', direction)))
      expect(others).toEqual([])
      expect(finding).toMatchObject({ type: 'person_as_part', loc: ['shop', 'employee', 'manager_id'] })
      expect(finding?.message).toContain('rows of the same collection belong to each other')
    },
  )

  it.each<[string, readonly Collection[]]>([
    ['that names the person', [employee(), buyer(references('account_id', 'employee.id', 'both'))]],
    ['that makes no statement', [employee(references('manager_id', 'employee.id', 'none'))]],
    ['by which rows belong to people', [customer, collection('orders', [key(), from('c', 'customer.id')])]],
    ['to a collection without people', [buyer(to('address_id', 'address.id')), collection('address', [key()])]],
    [
      'of a collection without people to itself',
      [customer, collection('folder', [key(), from('c', 'customer.id'), from('parent_id', 'folder.id')])],
    ],
  ])('does not report one %s', (_, collections) => {
    expect(told(...collections)).toEqual([])
  })
})

describe('uncovered_types', () => {
  const typed = (direction: string, subjectType: string | boolean, to: string) => ({
    dataset: 'shop',
    field: `${to}.id`,
    direction,
    when: { subject_type: subjectType },
  })
  const note = (given: readonly object[], type: { reviewed?: true } = {}, meta?: { owner: string[] }) =>
    collection('note', [key(), field('subject_id', { references: given }), field('subject_type', type)], meta)
  const orders = collection('orders', [key(), from('customer_id', 'customer.id')])
  const both = [typed('from', 'Order', 'orders'), typed('from', 'Customer', 'customer')]

  it('says which types are followed, and that others are not', () => {
    const [finding, ...others] = found(customer, orders, note(both))
    expect(others).toEqual([])
    expect(finding).toMatchObject({
      type: 'uncovered_types',
      severity: 'warning',
      loc: ['shop', 'note', 'subject_id'],
      message: expect.stringContaining(
        `'shop:note.subject_id' is followed only in rows whose 'subject_type' is 'Customer' or 'Order'`,
      ),
    })
  })

  it('counts a type whose reference says none', () => {
    const [finding] = found(customer, orders, note([...both, typed('none', 'Team', 'orders')]))
    expect(finding?.message).toContain(`'Customer' or 'Order' or 'Team'`)
  })

  it('names the listed value that is near, and is silent where each has a reference', () => {
    const withValues = (values: readonly string[]) => {
      const type = { name: 'subject_type', type: 'enum', nullable: false, values }
      const lists = { name: 'note', primaryKey: ['id'], uniqueKeys: [], foreignKeys: [], indexes: [], columns: [type] }
      return foundIn({ collections: [customer, orders, note(both)], catalogue: { collections: [lists] } })
    }
    const [finding] = withValues(['customer', 'Order', 'team'])
    expect(finding?.message).toContain(
      " 'Customer' is none of the values that 'subject_type' lists: the nearest known name is 'customer'. Describe",
    )
    expect(withValues(['Customer', 'Order'])).toEqual([])
  })

  const untyped = { dataset: 'shop', field: 'customer.id', direction: 'from' }
  it.each<[string, Collection]>([
    ['somebody has reviewed the type column', note(both, { reviewed: true })],
    ['a reference holds for every type', note([typed('from', 'Order', 'orders'), untyped])],
    ['there are no other types', note([typed('from', true, 'orders'), typed('from', false, 'customer')])],
    ['none of them is followed', note([typed('none', 'Order', 'orders')])],
    ['rows belong to nobody', note(both, {}, { owner: [] })],
  ])('is not reported where %s', (_, given) => {
    expect(told(customer, orders, given)).toEqual([])
  })
})
