import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { type ErasedShop, eraseShop, foreignKey, from, key, plain, shopWorld, tableWith } from './described-erasure.js'

const ann = 'ann@example.com'
const email = plain('email', { identity: 'email' })
const customers = collection('customers', [key, email])

interface Given {
  readonly meta?: object
  readonly column?: object
  readonly categories?: readonly string[]
  readonly table?: Parameters<typeof tableWith>[2]
  readonly value?: string | number
  readonly name?: string
  readonly rules?: readonly object[]
}

/** Logins of a customer, of which no column has a category. */
function shop({ meta, column, categories = [], table, value = 'x1', name = 'api_key', rules }: Given): ErasedShop {
  const made = tableWith(
    { id: 'integer', customer_id: 'integer', [name]: 'string' },
    [
      [1, 1, value],
      [2, 2, 'x2'],
    ],
    table,
  )
  const columns = (made.columns ?? []).map((each) => (each.name === name ? { ...each, ...column } : each))
  return {
    database: {
      customers: tableWith({ id: 'integer', email: 'string' }, [
        [1, ann],
        [2, 'bob@example.com'],
      ]),
      logins: { ...made, columns },
      codes: tableWith({ id: 'string' }, [['x1'], ['x2']]),
    },
    collections: [
      customers,
      collection('logins', [key, from('customer_id', 'customers.id'), field(name, { ...meta }, categories)]),
    ],
    ...(rules && { rules }),
  }
}

const rule = (value: string, more: object = {}) => ({
  service_key: 'all',
  action_type: 'erasure',
  data_categories: { matches: 'ANY', values: [value] },
  ...more,
})
const strategy = (name: string, configuration: object = {}) => ({ masking_strategy: { strategy: name, configuration } })

describe('credentials that nobody has given a category', () => {
  test.each<[string, Given, unknown]>([
    ['become NULL', {}, null],
    [
      'become other text where the column is NOT NULL',
      { column: { nullable: false } },
      expect.stringMatching(/^[a-z0-9]{30}$/),
    ],
    [
      'become other text where it is unique as well',
      { column: { nullable: false, length: 12 }, table: { uniqueKeys: [['api_key']] } },
      expect.stringMatching(/^[a-z0-9]{12}$/),
    ],
    ['are covered by a rule for credentials', { rules: [rule('user.credentials')] }, null],
    ['are replaced whatever the rule says', { rules: [rule('user', strategy('hash'))] }, null],
    ['do not take their row along', { rules: [rule('user', strategy('delete'))] }, null],
    ['go where the field names a strategy', { meta: strategy('string_rewrite', { rewrite_value: 'gone' }) }, 'gone'],
    ['are covered under a German name', { name: 'passwort_hash' }, null],
    ['stay where no rule asks for them', { rules: [rule('user.contact')] }, 'x1'],
    ['stay where a person has looked', { meta: { reviewed: true } }, 'x1'],
    ['stay where they have another category', { categories: ['system.operations'] }, 'x1'],
    ['stay where they are kept', { meta: { retain: { reason: 'tax law' } } }, 'x1'],
    ['stay where they are read_only', { meta: { read_only: true } }, 'x1'],
    ['stay where the rule preserves', { rules: [rule('user.credentials', strategy('preserve'))] }, 'x1'],
    ['stay where they are a foreign key', { table: { foreignKeys: [foreignKey('api_key', 'codes')] } }, 'x1'],
    ['stay where they are the key', { table: { keys: ['api_key'] } }, 'x1'],
    ['stay where the database computes them', { column: { generated: true } }, 'x1'],
    ['are none by a doubtful name', { name: 'pin_code' }, 'x1'],
  ])('%s', async (_, given, becomes) => {
    const { request, rows } = await eraseShop(shop(given))
    expect([request.status, request.failure]).toEqual(['complete', undefined])
    const name = given.name ?? 'api_key'
    expect(rows['logins']).toEqual([
      expect.objectContaining({ id: 1, [name]: becomes }),
      expect.objectContaining({ id: 2, [name]: 'x2' }),
    ])
  })

  test('that cannot be replaced stop everything, and the plan names both ways out', async () => {
    const { request, rows, before } = await eraseShop(
      shop({ name: 'token', value: 7, column: { kind: 'uuid', type: 'uuid', nullable: false } }),
    )
    expect(request.status).toBe('error')
    expect(request.failure).toContain("'shop:logins.token' cannot become NULL, since its column is NOT NULL")
    expect(request.failure).toContain("say 'reviewed' on the field if it holds none")
    expect(rows).toEqual(before)
  })

  test('are named with what they are taken for, in plan, log and receipt, and in no gap', async () => {
    await using world = await shopWorld(shop({}))
    const { privacy } = world
    const asked = { policyKey: 'erase', identities: [{ email: ann }] }
    const { plan, text } = await privacy.requests.preview(asked)
    const logins = plan.collections.find(({ address }) => address === 'shop:logins')
    expect(logins?.erasure?.masks).toMatchObject([
      {
        field: 'api_key',
        inferred: true,
        dataCategories: ['user.credentials'],
        strategy: { strategy: 'null_rewrite' },
      },
    ])
    expect(plan.findings).toContainEqual(
      expect.objectContaining({ type: 'credentials_inferred', severity: 'info', loc: ['shop', 'logins', 'api_key'] }),
    )
    expect(plan.coverage.columns ?? []).not.toContain('shop:logins.api_key')
    expect(text).toContain('api_key (null_rewrite, taken for user.credentials by its name)')
    const { id } = await privacy.requests.submit(asked)
    await privacy.requests.settled(id)
    const receipt = await privacy.requests.receipt(id)
    expect(receipt.collections.find((each) => each.collection === 'logins')?.fields).toEqual([
      {
        field: 'api_key',
        strategy: 'null_rewrite',
        outcome: 'masked',
        reason: 'taken for user.credentials by its name',
      },
    ])
  })

  test('that are the key are named as kept', async () => {
    await using world = await shopWorld(shop({ table: { keys: ['api_key'] } }))
    const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
    await world.privacy.requests.settled(id)
    const { collections } = await world.privacy.requests.receipt(id)
    expect(collections.find((each) => each.collection === 'logins')?.fields).toEqual([
      { field: 'api_key', outcome: 'retained', reason: 'key' },
    ])
  })

  test.each<[string, object]>([
    ['whose rows are nobody’s', collection('clients', [key, field('client_secret', {}, [])])],
    [
      'that is left out',
      collection('clients', [key, email, field('client_secret', {}, [])], { skip_processing: true }),
    ],
  ])('of a collection %s do not make an erasure wait', async (_, clients) => {
    const { database, collections } = shop({})
    const secrets = tableWith({ id: 'integer', email: 'string', client_secret: 'string' }, [[1, ann, 's']])
    const { request, rows } = await eraseShop({
      database: { ...database, clients: secrets },
      collections: [...collections, clients],
    })
    expect(request.status).toBe('complete')
    expect(rows['clients']?.[0]).toMatchObject({ client_secret: 's' })
  })
})
