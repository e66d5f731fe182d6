import { describe, expect, it } from 'vitest'
import { collection, field, filled, id, refer, type Said, shopOf, table, undirected } from './described.js'
import { accessTo, email, name, plainEmail } from './whose-access.js'

const ann = { email: 'ann@example.com' }
const rep = { email: 'rep@example.com' }
const both: Said = { direction: 'both' }

describe('guest orders with an e-mail address, beside a column that nobody has described as a reference', () => {
  const mails = ['ann@example.com', 'ann.old@example.com', 'ann@example.com', 'ann@example.com']
  const database = () => ({
    shop_users: table({ id: 'integer', email: 'string' }, [
      [1, 'ann@example.com'],
      [2, 'ben@example.com'],
    ]),
    shop_products: table({ id: 'integer' }, [[1]]),
    shop_orders: table(
      { id: 'integer', user_id: 'integer', email: 'string' },
      mails.map((mail, at) => [10 + at, [1, 1, 2, null][at] as number, mail]),
    ),
  })
  const orders = (meta: Record<string, unknown>) => collection('shop_orders', [id, field('user_id', meta, []), email])
  const got = async (meta: Record<string, unknown>) => {
    const others = [collection('shop_users', [id, email]), collection('shop_products', [id])]
    return accessTo([shopOf([...others, orders(meta)], database())], ann)
  }

  it('are undecided where it holds something, and the package names it', async () => {
    const { got: found, undecided, request } = await got({})
    expect(found).toMatchObject({ shop_orders: [13] })
    expect(undecided).toEqual({ 'shop:shop_orders.email': 2 })
    expect(request.coverage).toMatchObject({ references: ['shop:shop_orders.user_id'] })
  })

  it('are theirs by the address once somebody has looked, and by the column where that is described', async () => {
    expect((await got({ reviewed: true })).got).toMatchObject({ shop_orders: [10, 12, 13] })
    const from = await got({ references: [{ dataset: 'shop', field: 'shop_users.id', direction: 'from' }] })
    expect(from.got).toMatchObject({ shop_orders: [10, 12, 13] })
    expect(from.undecided).toEqual({ 'shop:shop_orders.user_id': 1 })
  })
})

describe('customers and their sales rep', () => {
  const customers = (supportRep: object) => collection('customer', [id, name, email, supportRep])
  const employees = (mail: object) => collection('employee', [id, name, mail])
  const database = () => ({
    employee: table({ id: 'integer', name: 'string', email: 'string' }, [
      [7, 'Rep', 'rep@example.com'],
      [8, 'Another', 'another@example.com'],
    ]),
    customer: filled(
      table({ id: 'integer', name: 'string', email: 'string', support_rep_id: 'integer' }, [
        [1, 'Ann', 'ann@example.com', 7],
        [2, 'Ben', 'ben@example.com', 7],
        [3, 'Cem', 'cem@example.com', 8],
      ]),
      'support_rep_id',
    ),
  })
  const undecidedRep = undirected('support_rep_id', 'employee.id')

  it('identity on customers only: the package holds nothing of the rep, whom the record names as open', async () => {
    const shop = shopOf([customers(undecidedRep), employees(plainEmail)], database())
    const { request, got, undecided } = await accessTo([shop], ann)
    expect(got).toEqual({ customer: [1] })
    expect(undecided).toEqual({ 'shop:customer.support_rep_id': 1 })
    expect(request).toMatchObject({ status: 'complete', incomplete: true })
  })

  it("identity on both: an employee's package holds no customer, and they are undecided", async () => {
    const shop = shopOf([customers(undecidedRep), employees(email)], database())
    const { got, undecided, request } = await accessTo([shop], rep)
    expect(got).toEqual({ employee: [7] })
    expect(undecided).toEqual({ 'shop:customer.support_rep_id': 2 })
    expect(request.incomplete).toBe(true)
  })

  it("identity on both, and the reference says 'from': the customers are named by nobody but themselves", async () => {
    const shop = shopOf([customers(refer('support_rep_id', 'employee.id')), employees(email)], database())
    const { got, undecided } = await accessTo([shop], rep)
    expect(got).toEqual({ employee: [7] })
    expect(undecided).toEqual({ 'shop:customer.support_rep_id': 2 })
  })

  it("identity on both: a customer's own row is undecided while it may be the rep's, unless nobody else can have her e-mail", async () => {
    const open = await accessTo([shopOf([customers(undecidedRep), employees(email)], database())], ann)
    expect(open.got).toEqual({})
    expect(open.undecided).toMatchObject({ 'shop:customer.email': 1 })
    const { customer, ...others } = database()
    const unique = { ...others, customer: { ...customer, uniqueKeys: [['email']] } }
    const own = await accessTo([shopOf([customers(undecidedRep), employees(email)], unique)], ann)
    expect(own.got).toEqual({ customer: [1] })
  })

  it("an employee's customers have e-mails of their own: somebody else's once the reference says 'none'", async () => {
    const none = undirected('support_rep_id', 'employee.id', { direction: 'none' })
    const shop = shopOf([customers(none), employees(email)], database())
    const { request, got, undecided } = await accessTo([shop], rep)
    expect(got).toEqual({ employee: [7] })
    expect(undecided).toEqual({})
    expect(request.incomplete).toBeUndefined()
    expect(shop.connector.calls.filter(({ read }) => read?.collection === 'customer')).toHaveLength(1)
  })
})

describe('comments on an article', () => {
  const database = () => ({
    users: table({ id: 'integer', name: 'string', email: 'string' }, [
      [1, 'Jane', 'ann@example.com'],
      [2, 'Bob', 'bob@example.com'],
    ]),
    articles: filled(
      table({ id: 'integer', author_id: 'integer', title: 'string' }, [
        [10, 1, "Jane's"],
        [20, 2, "Bob's"],
      ]),
      'author_id',
    ),
    comments: filled(
      table({ id: 'integer', author_id: 'integer', article_id: 'integer', body: 'string' }, [
        [100, 2, 10, "Bob's on Jane's"],
        [101, 1, 20, "Jane's on Bob's"],
        [102, 1, 10, "Jane's on her own"],
        [103, 2, 20, "Bob's on his own"],
      ]),
      'author_id',
      'article_id',
    ),
  })
  const described = (author: object, article: object, meta = {}) =>
    shopOf(
      [
        collection('users', [id, name, email]),
        collection('articles', [id, refer('author_id', 'users.id'), field('title')]),
        collection('comments', [id, author, article, field('body')], meta),
      ],
      database(),
    )
  const [author, article] = [undirected('author_id', 'users.id'), undirected('article_id', 'articles.id')]

  it("where nothing is described, no comment is anybody's: all that touch Jane are counted once", async () => {
    const { got, undecided } = await accessTo([described(author, article)], ann)
    expect(got).toEqual({ users: [1], articles: [10] })
    expect(Object.keys(undecided).sort()).toEqual(['shop:comments.article_id', 'shop:comments.author_id'])
    expect(Object.values(undecided).reduce<number>((sum, rows) => sum + (rows ?? 0), 0)).toBe(3)
  })

  it("Bob's comment on Jane's article is not Jane's: undecided while nobody says what the article means", async () => {
    const { got, undecided } = await accessTo([described(refer('author_id', 'users.id'), article)], ann)
    expect(got).toEqual({ users: [1], articles: [10], comments: [101, 102] })
    expect(undecided).toEqual({ 'shop:comments.article_id': 1 })
  })

  it.each([
    [
      "the article says 'none'",
      described(refer('author_id', 'users.id'), undirected('article_id', 'articles.id', { direction: 'none' })),
    ],
    ["'owner' names the author", described(author, article, { owner: ['author_id'] })],
  ])("Bob's comment on Jane's article is Bob's once %s", async (_, shop) => {
    const { request, got, undecided } = await accessTo([shop], ann)
    expect(got).toEqual({ users: [1], articles: [10], comments: [101, 102] })
    expect(undecided).toEqual({})
    expect(request.incomplete).toBeUndefined()
  })
})

describe('orders', () => {
  const database = () => ({
    customer: table({ id: 'integer', name: 'string', email: 'string' }, [
      [1, 'Ann', 'ann@example.com'],
      [2, 'Ben', 'ben@example.com'],
    ]),
    orders: filled(
      table({ id: 'integer', customer_id: 'integer', email: 'string' }, [
        [10, 1, 'ann@old.example'],
        [11, 1, 'ann@example.com'],
        [12, 2, 'ben@example.com'],
        [13, 2, 'ann@example.com'],
      ]),
      'customer_id',
    ),
  })
  const described = (meta = {}) =>
    shopOf(
      [
        collection('customer', [id, name, email]),
        collection('orders', [id, refer('customer_id', 'customer.id'), email], meta),
      ],
      database(),
    )

  it('an order with her customer_id and her old e-mail is undecided, one of another with her e-mail is shared', async () => {
    const { got, undecided } = await accessTo([described()], ann)
    expect(got).toEqual({ customer: [1], orders: [11, 13] })
    expect(undecided).toEqual({ 'shop:orders.customer_id': 1 })
  })

  it('an order with her customer_id and her old e-mail is hers once the owner is the customer', async () => {
    const { got, undecided, others } = await accessTo([described({ owner: ['customer_id'] })], ann)
    expect(got).toEqual({ customer: [1], orders: [10, 11] })
    expect(undecided).toEqual({})
    expect(others).toEqual({ orders: 1 })
  })
})

describe('tickets', () => {
  const database = () => ({
    employee: table({ id: 'integer', name: 'string', email: 'string' }, [[7, 'Rep', 'rep@example.com']]),
    customer: table({ id: 'integer', name: 'string', email: 'string' }, [[1, 'Ann', 'ann@example.com']]),
    ticket: filled(
      table({ id: 'integer', customer_id: 'integer', email: 'string', employee_id: 'integer' }, [
        [10, 1, 'ann@example.com', 7],
        [11, 2, 'ben@example.com', 7],
      ]),
      'customer_id',
      'employee_id',
    ),
  })
  const described = (fields: readonly object[], meta = {}) =>
    shopOf(
      [
        collection('employee', [id, name, email]),
        collection('customer', [id, name, email]),
        collection('ticket', [id, ...fields, field('subject')], meta),
      ],
      {
        ...database(),
        ticket: { ...database().ticket, columns: [...database().ticket.columns, { name: 'subject', kind: 'string' }] },
      },
    )
  const handler = (direction: Said) => undirected('employee_id', 'employee.id', direction)

  it("one she wrote that another handles is shared while that says 'from', and hers once it says 'none'", async () => {
    const shared = await accessTo([described([email, handler({ direction: 'from' })])], ann)
    expect(shared.got).toEqual({ customer: [1], ticket: [10] })
    expect(shared.told['ticket']).toContain('1 shared with other people')
    const own = await accessTo([described([email, handler({ direction: 'none' })])], ann)
    expect(own.got).toEqual({ customer: [1], ticket: [10] })
    expect(own.told['ticket']).toBe('found 1 row')
  })

  it.each([
    ['beside a reference to the customer', [refer('customer_id', 'customer.id'), handler({})]],
    ['beside an e-mail', [email, handler({})]],
    ["beside either, saying 'none'", [refer('customer_id', 'customer.id'), handler({ direction: 'none' })]],
  ])("that are merely handled, %s, are not the handler's", async (_, fields) => {
    const { got } = await accessTo([described(fields)], rep)
    expect(got).toEqual({ employee: [7] })
  })

  it('that are merely handled, by a column named like an agent, stay undecided even by that reference alone', async () => {
    const shop = shopOf(
      [collection('employee', [id, name, email]), collection('ticket', [id, undirected('assignee_id', 'employee.id')])],
      {
        employee: database().employee,
        ticket: filled(table({ id: 'integer', assignee_id: 'integer' }, [[10, 7]]), 'assignee_id'),
      },
    )
    const { got, undecided } = await accessTo([shop], rep)
    expect(got).toEqual({ employee: [7] })
    expect(undecided).toEqual({ 'shop:ticket.assignee_id': 1 })
  })
})

describe('addresses of accounts', () => {
  it("are hers where they name her account by a reference that says 'both', whatever they say themselves", async () => {
    const shop = shopOf(
      [
        collection('account', [id, name]),
        collection('mail', [field('address', { identity: 'email' }), undirected('account_id', 'account.id', both)]),
        collection('login', [id, refer('account_id', 'account.id')]),
      ],
      {
        account: table({ id: 'integer', name: 'string' }, [
          [1, 'Ann'],
          [2, 'Ben'],
        ]),
        mail: table({ address: 'string', account_id: 'integer' }, [
          ['ann@example.com', 1],
          ['ann@old.example', 1],
          ['ben@example.com', 2],
        ]),
        login: table({ id: 'integer', account_id: 'integer' }, [
          [10, 1],
          [11, 2],
        ]),
      },
    )
    const { got, request } = await accessTo([shop], ann)
    expect(got).toEqual({ account: [1], login: [10], mail: ['ann@example.com', 'ann@old.example'] })
    expect(request.incomplete).toBeUndefined()
  })
})
