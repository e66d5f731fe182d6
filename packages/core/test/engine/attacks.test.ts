import { describe, expect, it } from 'vitest'
import { collection, documents, field, id, refer, shopOf, table, undirected } from './described.js'
import { accessOf, openService } from './service-run.js'

/** Each as somebody would try it, or as it would happen by itself. */
describe('attacks', () => {
  it.each([
    ['said to', { direction: 'to' }, [{ id: 7, name: 'ACME' }]],
    ['that says nothing', {}, undefined],
    ['said to lead nowhere', { direction: 'none' }, undefined],
  ])('a tenant key %s never leads to everybody in the tenant', async (_, direction, tenants) => {
    const tenant = undirected('tenant_id', 'tenant.id', direction)
    const shop = shopOf(
      [
        collection('customer', [id, field('email', { identity: 'email' }), tenant]),
        collection('tenant', [id, field('name')]),
        collection('orders', [id, refer('customer_id', 'customer.id'), tenant, field('note')]),
      ],
      {
        customer: table({ id: 'integer', email: 'string', tenant_id: 'integer' }, [
          [1, 'ann@example.com', 7],
          [2, 'ben@example.com', 7],
        ]),
        tenant: table({ id: 'integer', name: 'string' }, [[7, 'ACME']]),
        orders: table({ id: 'integer', customer_id: 'integer', tenant_id: 'integer', note: 'string' }, [
          [1, 1, 7, 'mine'],
          [2, 2, 7, "ben's"],
        ]),
      },
    )
    const { rows } = await accessOf([shop], [{ email: 'ann@example.com' }])
    expect(rows['shop:customer']).toEqual([{ id: 1, email: 'ann@example.com', tenant_id: 7 }])
    expect(rows['shop:orders']).toEqual([{ id: 1, customer_id: 1, tenant_id: 7, note: 'mine' }])
    expect(rows['shop:tenant']).toEqual(tenants)
  })

  it.each([[''], [' '], ['\t\n'], [null]])(
    '%j is not a link: nobody else with the same blank is found',
    async (blank) => {
      const shop = shopOf(
        [
          collection('customer', [id, field('email', { identity: 'email' }), field('code')]),
          collection('visits', [id, refer('customer_code', 'customer.code', { direction: 'from' }), field('place')]),
        ],
        {
          customer: table({ id: 'integer', email: 'string', code: 'string' }, [[1, 'ann@example.com', blank]]),
          visits: table({ id: 'integer', customer_code: 'string', place: 'string' }, [
            [1, blank, "somebody else's"],
            [2, '', "somebody else's"],
          ]),
        },
      )
      const { rows } = await accessOf([shop], [{ email: 'ann@example.com' }])
      expect(Object.keys(rows)).toEqual(['shop:customer'])
      expect(shop.connector.calls.some(({ read }) => read?.collection === 'visits')).toBe(false)
    },
  )

  it.each([['7'], [7]])(
    'a text column asked with %j gives the row "7", not "07", "7 " or "7.0", from a loose server too',
    async (asked) => {
      const member = collection('member', [id, field('number', { identity: 'member_number' })])
      const texts = ['7', '07', '7 ', '7.0', '٧']
      const shop = shopOf(
        [member],
        {
          member: table(
            { id: 'integer', number: 'string' },
            texts.map((text, at) => [at, text]),
          ),
        },
        { loose: true },
      )
      const { rows } = await accessOf([shop], [{ member_number: asked }])
      expect(rows['shop:member']).toEqual([{ id: 0, number: '7' }])
    },
  )

  it('a number column asked with text that begins with a number finds nothing', async () => {
    const shop = shopOf([collection('member', [id, field('number', { identity: 'member_number' })])], {
      member: table({ id: 'integer', number: 'integer' }, [[1, 7]]),
    })
    const { rows } = await accessOf([shop], [{ member_number: '7 OR 1=1' }])
    expect(Object.keys(rows).sort()).toEqual(['nothing_found', 'searched'])
    expect(shop.connector.calls.some(({ operation }) => operation === 'read')).toBe(false)
  })

  it('an array element of another person is neither delivered nor followed', async () => {
    const shop = shopOf(
      [
        collection('team', [
          id,
          field(
            'members',
            { data_type: 'object[]' },
            ['user'],
            [field('email', { identity: 'email' }), refer('badge', 'badge.id', { direction: 'to' })],
          ),
        ]),
        collection('badge', [id, field('colour')]),
      ],
      {
        team: documents([
          {
            id: 1,
            members: [
              { email: 'ann@example.com', badge: 10 },
              { email: 'ben@example.com', badge: 11 },
            ],
          },
          { id: 2, members: [{ email: 'ben@example.com', badge: 11 }] },
        ]),
        badge: documents([
          { id: 10, colour: 'red' },
          { id: 11, colour: 'blue' },
        ]),
      },
      { type: 'mongodb' },
    )
    const { rows, results } = await accessOf([shop], [{ email: 'ann@example.com' }])
    expect(rows).toEqual({
      'shop:badge': [{ id: 10, colour: 'red' }],
      'shop:team': [{ id: 1, members: [{ email: 'ann@example.com', badge: 10 }] }],
    })
    expect(results['shop:team']).toBe('delivered 1, left 1')
  })

  it('two properties of one identity must be met by the same array element', async () => {
    const members = field(
      'members',
      { data_type: 'object[]' },
      ['user'],
      [field('email', { identity: 'email' }), field('phone', { identity: 'phone_number' })],
    )
    const shop = shopOf(
      [collection('team', [id, members])],
      {
        team: documents([
          {
            id: 1,
            members: [
              { email: 'ann@example.com', phone: '2' },
              { email: 'ben@example.com', phone: '1' },
            ],
          },
        ]),
      },
      { type: 'mongodb' },
    )
    const { rows } = await accessOf([shop], [{ email: 'ann@example.com', phone_number: '1' }])
    expect(rows['shop:team']).toBeUndefined()
    expect(rows['not_searched']).toEqual([
      { collection: 'shop:team', reason: expect.stringMatching(/^1 row left out .* no element of its lists holds/) },
    ])
  })

  it.each([
    ['{ $ne: null }', { n: { $ne: null } }],
    ['a list', { n: ['ann', 'ben'] }],
    ['null', { n: null }],
    ['blank text', { n: '  ' }],
    ['NaN', { n: Number.NaN }],
    ['a number that is not exact', { n: 2 ** 60 }],
    ['__proto__', JSON.parse('{"__proto__": "x"}')],
    ['nothing', {}],
  ])('an identity that is %s is refused', async (_, identity) => {
    const service = await openService([
      shopOf(
        [collection('member', [id, field('n', { identity: 'n' })])],
        { member: documents([{ id: 1, n: 'ann' }]) },
        { type: 'mongodb' },
      ),
    ])
    await expect(service.submit(identity)).rejects.toMatchObject({ code: 'invalid_input' })
    await service.privacy.close()
  })

  it('a colleague that the subject refers to as their manager is not handed over as part of the subject', async () => {
    const shop = shopOf(
      [
        collection('staff', [
          id,
          field('email', { identity: 'email' }),
          refer('manager_id', 'staff.id', { direction: 'to' }),
        ]),
      ],
      {
        staff: table({ id: 'integer', email: 'string', manager_id: 'integer' }, [
          [1, 'ann@example.com', 2],
          [2, 'ben@example.com', null],
        ]),
      },
    )
    const { request, rows } = await accessOf([shop], [{ email: 'ann@example.com' }])
    expect(rows['shop:staff']).toEqual([{ id: 1, email: 'ann@example.com', manager_id: 2 }])
    expect(request.results?.[0]?.undecided).toEqual([
      {
        reference: 'shop:staff.id',
        rowCount: 1,
        reason: 'belongs to the person by id, or to somebody else by email',
      },
    ])
  })

  it('a composite key is never taken apart: part of one row and part of another find nothing', async () => {
    const part = (name: string, to: string) => refer(name, to, { direction: 'from', group: 'order' })
    const shop = shopOf(
      [
        collection('orders', [field('shop'), field('number'), field('email', { identity: 'email' })]),
        collection('parcels', [id, part('shop', 'orders.shop'), part('number', 'orders.number'), field('to')]),
      ],
      {
        orders: table(
          { shop: 'integer', number: 'integer', email: 'string' },
          [
            [1, 100, 'ann@example.com'],
            [2, 200, 'ann@example.com'],
            [1, 200, 'ben@example.com'],
          ],
          ['shop', 'number'],
        ),
        parcels: table({ id: 'integer', shop: 'integer', number: 'integer', to: 'string' }, [
          [1, 1, 100, 'ann'],
          [2, 1, 200, 'ben'],
          [3, 2, 100, 'nobody'],
          [4, 2, 200, 'ann'],
        ]),
      },
    )
    const { rows } = await accessOf([shop], [{ email: 'ann@example.com' }])
    expect(rows['shop:parcels']).toMatchObject([{ id: 1 }, { id: 4 }])
  })

  it("a polymorphic reference with `when` does not find another kind's row of the same number", async () => {
    const shop = shopOf(
      [
        collection('customer', [id, field('email', { identity: 'email' })]),
        collection('notes', [
          id,
          field('about'),
          refer('about_id', 'customer.id', { when: { about: 'customer' } }),
          field('text'),
        ]),
      ],
      {
        customer: table({ id: 'integer', email: 'string' }, [[1, 'ann@example.com']]),
        notes: table({ id: 'integer', about: 'string', about_id: 'integer', text: 'string' }, [
          [1, 'customer', 1, 'mine'],
          [2, 'supplier', 1, "a supplier's"],
          [3, null, 1, 'of nothing'],
        ]),
      },
    )
    const { rows } = await accessOf([shop], [{ email: 'ann@example.com' }])
    expect(rows['shop:notes']).toEqual([{ id: 1, about: 'customer', about_id: 1, text: 'mine' }])
  })

  it('a column no field describes, and a member no field describes, are never delivered', async () => {
    const shop = shopOf(
      [
        collection('team', [
          id,
          field('email', { identity: 'email' }),
          field('plan', {}, ['user'], [field('name'), field('cost', {}, [])]),
        ]),
      ],
      {
        team: documents([
          { id: 1, email: 'ann@example.com', secret: 'x', plan: { name: 'gold', cost: 3, secret: 'y' } },
        ]),
      },
      { type: 'mongodb' },
    )
    const { rows } = await accessOf([shop], [{ email: 'ann@example.com' }])
    expect(rows['shop:team']).toEqual([{ id: 1, email: 'ann@example.com', plan: { name: 'gold', cost: 3 } }])
    const columns = shop.connector.calls.flatMap(({ read }) => read?.columns ?? [])
    expect(columns).not.toContain('secret')
  })
})
