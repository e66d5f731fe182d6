import type { Value } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { collection, documents, field, id, refer, type ShopOptions, shopOf, table } from './described.js'
import { accessOf } from './service-run.js'

const ann = { email: 'ann@example.com' }
const email = field('email', { identity: 'email' })

/** A customer whose `code` leads to visits. */
function visitsOf(code: Value, rows: readonly (readonly Value[])[], meta: object = {}, options: ShopOptions = {}) {
  const kind =
    typeof code === 'boolean'
      ? ('boolean' as const)
      : typeof code === 'number'
        ? ('integer' as const)
        : ('string' as const)
  return shopOf(
    [
      collection('customer', [id, email, field('code', { ...meta })]),
      collection('visits', [
        id,
        refer('code', 'customer.code', { direction: 'from', meta: meta as never }),
        field('place'),
      ]),
    ],
    {
      customer: table({ id: 'integer', email: 'string', code: kind }, [[1, 'ann@example.com', code]]),
      visits: table({ id: 'integer', code: kind, place: 'string' }, rows),
    },
    options,
  )
}

describe('values', () => {
  it.each([[0], [false]])('%j is a link like any other value', async (value) => {
    const other = typeof value === 'number' ? 1 : true
    const { rows } = await accessOf(
      [
        visitsOf(value, [
          [1, value, 'mine'],
          [2, other, 'not mine'],
          [3, null, 'nobody'],
        ]),
      ],
      [ann],
    )
    expect(rows['shop:visits']).toEqual([{ id: 1, code: value, place: 'mine' }])
  })

  it('0 as an identity is asked for', async () => {
    const shop = shopOf([collection('account', [id, field('number', { identity: 'account_number' })])], {
      account: table({ id: 'integer', number: 'integer' }, [
        [1, 0],
        [2, null],
      ]),
    })
    expect((await accessOf([shop], [{ account_number: 0 }])).rows).toEqual({ 'shop:account': [{ id: 1, number: 0 }] })
  })

  it.each([
    ['none', ['none', 'n/a']],
    [-1, [-1]],
    [0, [0]],
  ])('a placeholder (%j) leads nowhere', async (value, placeholders) => {
    const shop = visitsOf(value, [[1, value, "somebody else's"]], { placeholders })
    const { rows } = await accessOf([shop], [ann])
    expect(Object.keys(rows)).toEqual(['shop:customer'])
  })

  it("a placeholder held in another entry field does not make a row somebody else's", async () => {
    const shop = shopOf(
      [
        collection('customer', [id, email, refer('card_id', 'card.id', { direction: 'to' })]),
        collection('card', [id, refer('owner_id', 'customer.id', { meta: { placeholders: [0] } }), field('number')]),
      ],
      {
        customer: table({ id: 'integer', email: 'string', card_id: 'integer' }, [[1, 'ann@example.com', 5]]),
        card: table({ id: 'integer', owner_id: 'integer', number: 'string' }, [[5, 0, '**** 5']]),
      },
    )
    const { rows } = await accessOf([shop], [ann])
    expect(rows['shop:card']).toEqual([{ id: 5, owner_id: 0, number: '**** 5' }])
  })

  it.each([true, false])('case_insensitive: %s', async (caseInsensitive) => {
    const rows = ['ANN@example.com', 'ann@example.com', 'Ann@Example.com'].map((text, at) => [at, text])
    const shop = shopOf(
      [collection('customer', [id, field('email', { identity: 'email', case_insensitive: caseInsensitive })])],
      {
        customer: table({ id: 'integer', email: 'string' }, rows),
      },
    )
    const found = (await accessOf([shop], [{ email: 'aNN@example.com' }])).rows['shop:customer']
    expect(found?.map((row) => (row as { email: string }).email)).toEqual(
      caseInsensitive ? rows.map(([, text]) => text) : undefined,
    )
  })

  it.each([
    ['as the person gives it', ' Ann@example.com\n', 'ann@example.com'],
    ['as the database holds it', 'ann@example.com', '\tANN@example.com \r\n'],
  ])('an e-mail address is the same with blanks around it, %s', async (_, asked, held) => {
    const rows = [
      [1, held],
      [2, 'joann@example.com'],
      [3, 'ann@example.com.au'],
      [4, 'ann @example.com'],
    ]
    const shopWith = (meta: object) =>
      shopOf([collection('customer', [id, field('email', { identity: 'email', ...meta })])], {
        customer: table({ id: 'integer', email: 'string' }, rows),
      })
    const found = async (meta: object) => (await accessOf([shopWith(meta)], [{ email: asked }])).rows['shop:customer']
    expect(await found({})).toMatchObject([{ email: held }])
    expect(await found({ case_insensitive: false })).toBeUndefined()
  })

  it('case_insensitive keys of one collection find the other spelling in the next', async () => {
    const shop = visitsOf(
      'Ab-1',
      [
        [1, 'aB-1', 'mine'],
        [2, 'ab-2', 'not mine'],
      ],
      { case_insensitive: true },
    )
    expect((await accessOf([shop], [ann])).rows['shop:visits']).toEqual([{ id: 1, code: 'aB-1', place: 'mine' }])
  })

  it.each([
    [10002, 'string', '10002', true],
    ['10002', 'integer', 10002, true],
    ['10002.0', 'integer', 10002, false],
    [1.5, 'integer', 1, false],
    ['2024-05-01', 'date', '2024-05-01', true],
    ['2024-05-01T00:00:00Z', 'date', '2024-05-01', false],
  ] as const)('a key %j meets a %s column holding %j: %s', async (key, kind, value, meets) => {
    const shop = shopOf(
      [collection('a', [id, email, refer('key', 'b.key', { direction: 'to' })]), collection('b', [id, field('key')])],
      {
        a: documents([{ id: 1, email: 'ann@example.com', key }]),
        b: {
          columns: [
            { name: 'id', kind: 'integer' },
            { name: 'key', kind },
          ],
          primaryKey: ['id'],
          rows: [{ id: 1, key: value }],
        },
      },
    )
    expect(Object.hasOwn((await accessOf([shop], [ann])).rows, 'shop:b')).toBe(meets)
  })

  it.each<['integer' | 'decimal', Value]>([
    ['integer', '9007199254740993'],
    ['integer', 5],
    ['decimal', '5.00'],
    ['decimal', '5.25'],
  ])('%s %j leads to documents that hold it as a number, and to those that hold it as text', async (kind, value) => {
    const shop = shopOf([collection('customer', [id, email, field('code')])], {
      customer: table({ id: 'integer', email: 'string', code: kind }, [[1, 'ann@example.com', value]]),
    })
    const text = String(value).replace(/\.00$/, '')
    const number = Number.isSafeInteger(Number(text)) || text.includes('.') ? Number(text) : BigInt(text)
    const reference = refer('code', 'customer.code', { direction: 'from' })
    const notes = shopOf(
      [collection('notes', [id, reference, field('note')])],
      {
        notes: documents([
          { id: 1, code: number, note: 'mine' },
          { id: 2, code: text, note: 'mine' },
          { id: 3, code: `${text} `, note: 'not mine' },
          { id: 4, code: 6, note: 'not mine' },
        ]),
      },
      { key: 'notes', type: 'mongodb' },
    )
    const { rows } = await accessOf([shop, notes], [ann])
    expect(rows['notes:notes']?.map((row) => (row as { id: number }).id)).toEqual([1, 2])
  })

  it('a loose server gives more than was asked, and nothing of it is taken', async () => {
    const rows = ['ab', 'AB', ' ab ', 'ab\t', 'b'].map((text, at) => [at, text, `place ${at}`])
    const { rows: found, results } = await accessOf([visitsOf('ab', rows, {}, { loose: true })], [ann])
    expect(found['shop:visits']).toEqual([{ id: 0, code: 'ab', place: 'place 0' }])
    expect(results['shop:visits']).toBe('delivered 1')
  })
})

describe('rows met more than once', () => {
  const orders = collection('orders', [
    id,
    refer('customer_id', 'customer.id'),
    refer('payer_id', 'customer.id'),
    field('note'),
  ])
  const customers = [1, 2, 3, 4, 5, 6, 7].map((number) => [number, 'ann@example.com'])
  const columns = { id: 'integer', customer_id: 'integer', payer_id: 'integer', note: 'string' } as const

  it.each([
    [2, 1],
    [3, 2],
    [1000, 1],
  ])('appear once, however keys are divided into statements (%i keys, batches of %i)', async (maxKeys, batchSize) => {
    const rows = customers.flatMap(([number]) =>
      customers.map(([payer]) => [Number(number) * 10 + Number(payer), number as number, payer as number, 'x']),
    )
    const shop = shopOf(
      [collection('customer', [id, email]), orders],
      {
        customer: table({ id: 'integer', email: 'string' }, customers),
        orders: table(columns, [...rows, [999, 8, 9, 'not mine']]),
      },
      { batchSize, capabilities: { maxKeys } },
    )
    const { rows: found, results } = await accessOf([shop], [ann])
    const ids = found['shop:orders']?.map((row) => (row as { id: number }).id) ?? []
    expect(ids.sort((a, b) => a - b)).toEqual(rows.map(([number]) => number))
    expect(results['shop:orders']).toBe('delivered 49')
  })

  it('identical rows of a table without a key appear as often as they exist', async () => {
    const shop = shopOf(
      [
        collection('customer', [id, email]),
        collection('log', [refer('customer_id', 'customer.id'), refer('by_id', 'customer.id'), field('did')]),
      ],
      {
        customer: table({ id: 'integer', email: 'string' }, customers),
        log: table(
          { customer_id: 'integer', by_id: 'integer', did: 'string' },
          [
            [1, 2, 'x'],
            [1, 2, 'x'],
            [2, 7, 'x'],
            [1, 2, 'x'],
            [8, 8, 'x'],
          ],
          [],
        ),
      },
      { batchSize: 1, capabilities: { maxKeys: 2 } },
    )
    const { rows } = await accessOf([shop], [ann])
    const same = { customer_id: 1, by_id: 2, did: 'x' }
    expect(rows['shop:log']).toHaveLength(4)
    expect(rows['shop:log']).toEqual(expect.arrayContaining([same, same, same, { customer_id: 2, by_id: 7, did: 'x' }]))
    expect(rows['shop:log']?.filter((row) => JSON.stringify(row) === JSON.stringify(same))).toHaveLength(3)
  })
})
