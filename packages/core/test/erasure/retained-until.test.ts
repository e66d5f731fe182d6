import { fakeRuntime } from '@habeas/testkit'
import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { eraseShop, key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = 'ann@example.com'
const reason = 'tax law'
const email = plain('email', { identity: 'email' })
const invoices = () => ({
  invoice: tableWith({ id: 'integer', email: 'string', payer: 'string', paid: 'date' }, [
    [1, ann, 'Ann', '2015-12-31'],
    [2, ann, 'Ann', '2016-01-01'],
    [3, ann, 'Ann', null],
    [4, 'bob@example.com', 'Bob', '2000-01-01'],
  ]),
})
const payers = (rows: Readonly<Record<string, readonly object[]>>) =>
  (rows['invoice'] as { id: number; payer: string | null }[]).map(({ id, payer }) => [id, payer])

/** What becomes of the invoices on a day. */
const on = (start: string, field: object, meta: Readonly<Record<string, unknown>> = {}) =>
  eraseShop({
    database: invoices(),
    runtime: fakeRuntime({ start }),
    collections: [collection('invoice', [key, email, field, plain('paid')], meta)],
  })

describe("a field with 'retain'", () => {
  test('until a day stays on that day, and is erased on the next', async () => {
    const kept = field('payer', { retain: { reason, until: '2025-12-31' } })
    const before = await on('2025-12-31T23:00:00Z', kept)
    expect(before.erased['shop:invoice']).toBe(`retained 3 (${reason})`)
    expect(before.rows).toEqual(before.before)
    const past = await on('2026-01-01T00:00:00Z', kept)
    expect(past.erased['shop:invoice']).toBe('masked 3')
    expect(payers(past.rows)).toEqual([
      [1, null],
      [2, null],
      [3, null],
      [4, 'Bob'],
    ])
  })

  test('for a period stays in each row as its own date says, and where a row has none', async () => {
    const kept = field('payer', { retain: { reason, until: { after: 'paid', period: 'P10Y' } } })
    const { erased, rows } = await on('2025-12-31T12:00:00Z', kept)
    expect(erased['shop:invoice']).toBe(`masked 1, retained 2 (${reason})`)
    expect(payers(rows)).toEqual([
      [1, null],
      [2, 'Ann'],
      [3, 'Ann'],
      [4, 'Bob'],
    ])
  })
})

describe('the receipt of a row in which another field is masked', () => {
  const erased = async (until: string | object) => {
    await using world = await shopWorld({
      database: invoices(),
      runtime: fakeRuntime({ start: '2025-12-31T12:00:00Z' }),
      collections: [
        collection('invoice', [
          ...[key, field('email', { identity: 'email', retain: { reason, until } }), field('payer'), plain('paid')],
        ]),
      ],
    })
    const end = await world.erase({ email: ann })
    const { collections } = await world.privacy.requests.receipt(end.id)
    const fields = Object.fromEntries((collections[0]?.fields ?? []).map(({ field: of, ...each }) => [of, each]))
    const emails = world.rows()['invoice']?.map((row) => row['email'])
    expect([end.status, payers(world.rows()).slice(0, 3)]).toEqual(['complete', [1, 2, 3].map((id) => [id, null])])
    return {
      emails,
      email: fields['email'],
      remains: end.identityRemains,
      isErased: await world.privacy.isErased({ email: ann }),
    }
  }
  const bob = 'bob@example.com'
  const masked = { outcome: 'masked', strategy: 'null_rewrite' }

  test('does not say that a field was masked which stays until a day', async () => {
    expect(await erased('2025-12-31')).toEqual({
      emails: [ann, ann, ann, bob],
      email: { outcome: 'retained', reason },
      remains: ['shop:invoice.email'],
      isErased: false,
    })
    expect(await erased('2025-12-30')).toEqual({
      emails: [null, null, null, bob],
      email: masked,
      remains: undefined,
      isErased: true,
    })
  })

  test('says that a field stays in rows whose period is not over', async () => {
    expect(await erased({ after: 'paid', period: 'P10Y' })).toEqual({
      emails: [null, ann, ann, bob],
      email: { ...masked, reason: `stays in rows where this still applies: ${reason}` },
      remains: ['shop:invoice.email'],
      isErased: false,
    })
  })
})

test("a collection with 'retain' for a period deletes the rows whose time is over, and keeps the others whole", async () => {
  const meta = { erase: 'delete', retain: { reason, until: { after: 'paid', period: 'P10Y' } } }
  const { erased, rows } = await on('2025-12-31T12:00:00Z', field('payer'), meta)
  expect(erased['shop:invoice']).toBe(`erased 1, retained 2 (${reason})`)
  expect(payers(rows)).toEqual([
    [2, 'Ann'],
    [3, 'Ann'],
    [4, 'Bob'],
  ])
})

test('a retry on a later day decides as on the first', async () => {
  const runtime = fakeRuntime({ start: '2025-12-31T23:00:00Z' })
  await using world = await shopWorld({
    database: invoices(),
    runtime,
    collections: [
      collection('invoice', [
        key,
        email,
        field('payer', { retain: { reason, until: '2025-12-31' } }),
        field('paid', { masking_strategy: { strategy: 'null_rewrite' } }),
      ]),
    ],
  })
  world.connector.failNext({ operation: 'erase', rollBack: false })
  const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [{ email: ann }] })
  expect((await world.privacy.requests.settled(id)).status).toBe('error')
  runtime.advance(7_200_000)
  await world.privacy.requests.retry(id)
  const end = await world.privacy.requests.settled(id)
  expect([end.failure, erasedOf(end)['shop:invoice']]).toEqual([undefined, `masked 2, retained 1 (${reason})`])
  expect(payers(world.rows()).slice(0, 3)).toEqual([1, 2, 3].map((id) => [id, 'Ann']))
})
