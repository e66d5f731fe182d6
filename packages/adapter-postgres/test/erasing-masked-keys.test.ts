import { describe, expect, it } from 'vitest'
import { ann, customers, eraseAnns, onServer } from './anns-rows.js'
import { erased, key, refer } from './erased-shop.js'

onServer()

describe('masked keys that a foreign key carries on', () => {
  const hashed = { masking_strategy: { strategy: 'hash' } }
  const named = [
    { name: 'customer', fields: [erased('email', { ...{ identity: 'email', primary_key: true }, ...hashed })] },
  ]
  const customer = (
    rule: string,
  ) => `create table customer (email text primary key); insert into customer values ('${ann}');
    create table orders (id int primary key, email text references customer on update ${rule}, who text);`
  const order = (who: string) => `insert into orders values (7, '${ann}', '${who}');`

  it.each([
    ['cascade', 'would be changed with it'],
    ['set null', 'would lose their reference'],
    ['set default', 'would refer to something else'],
  ])('stop everything where they reach rows of others on update %s', async (rule, why) => {
    const end = await eraseAnns(customer(rule) + order('bob'), named)
    expect(end.failure).toContain(`The key 'shop:customer.email' cannot be masked: 1 row of 'orders' ${why}.`)
    expect([end.customer, end.orders]).toEqual([[{ email: ann }], [{ id: 7, email: ann, who: 'bob' }]])
  })

  it('stop nothing where no row refers to them', async () => {
    const end = await eraseAnns(customer('cascade'), named)
    expect([end.failure, end.counts]).toEqual([undefined, { customer: { masked: 1 } }])
  })

  it('may cascade to rows of the request', async () => {
    const theirs = { name: 'orders', fields: [key, refer('email', 'customer.email', 'from'), erased('who')] }
    const end = await eraseAnns(customer('cascade') + order('ann'), [...named, theirs])
    expect([end.failure, end.counts]).toEqual([undefined, { customer: { masked: 1 }, orders: { masked: 1 } }])
    expect(end.orders).toEqual([{ id: 7, email: end.customer[0].email, who: null }])
  })

  it('stop everything through a view whose table others refer to', async () => {
    const view = customer('cascade').replace('table customer', 'table people').replace('into customer', 'into people')
    const end = await eraseAnns(
      `${view.replace('references customer', 'references people')} create view customer as select * from people; ${order('bob')}`,
      named,
    )
    expect(end.failure).toContain("The key 'shop:customer' cannot be masked: Rows of 'orders' that refer to these rows")
    expect(end.orders).toEqual([{ id: 7, email: ann, who: 'bob' }])
  })
})

it.each([
  ['a document', 'jsonb', `'{"a": 1}'`, `'{"a": 1.0}'`],
  ['an empty list', 'int[]', `'{}'`, `'{}'`],
  ['a far date', 'date', `'4713-01-01 BC'`, `'4713-01-01 BC'`],
])('rows that refer to %s are counted before it is deleted', async (_, type, value, spelled) => {
  const setUp = `create table customer (id ${type} primary key, email text, name text);
    create table orders (id int, customer_id ${type} references customer on delete cascade, who text);
    insert into customer values (${value}, '${ann}', 'Ann'); insert into orders values (7, ${spelled}, 'bob');`
  const { failure, orders } = await eraseAnns(setUp, customers)
  expect(failure).toContain("1 row of 'orders' that this request does not delete would be deleted with them")
  expect(orders).toHaveLength(1)
})
