import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { eraseShop, key, plain, tableWith } from './described-erasure.js'

const ann = 'ann@example.com'
const email = field('email', { identity: 'email' })

/** Rows that go, unless their invoice has to stay. */
const invoices = (retain: object) => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string', invoice: 'string', since: 'date' }, [
      [0, ann, 'INV-1', '2001-02-03'],
      [1, ann, 'INV-2', '2999-01-01'],
      [2, ann, null, '2999-01-01'],
      [3, ann, 'INV-4', null],
    ]),
  },
  collections: [
    collection('customer', [key, email, plain('invoice', { retain }), plain('since')], { erase: 'delete' }),
  ],
})

test('a row is deleted once the reason to keep a field of it is over', async () => {
  const { erased, rows } = await eraseShop(invoices({ reason: 'tax law', until: '2020-01-01' }))
  expect(erased).toEqual({ 'shop:customer': 'erased 4' })
  expect(rows['customer']).toEqual([])
})

test('each row is deleted at its own time where a date of the row decides', async () => {
  const until = { after: 'since', period: 'P1Y' }
  const { erased, rows } = await eraseShop(invoices({ reason: 'tax law', until }))
  expect(erased).toEqual({
    'shop:customer': "masked 2 (masked instead of deleted: its 'invoice' is kept), erased 2",
  })
  expect(rows['customer']).toEqual([
    { id: 1, email: null, invoice: 'INV-2', since: '2999-01-01' },
    { id: 3, email: null, invoice: 'INV-4', since: null },
  ])
})

type Meta = Readonly<Record<string, unknown>>

/** A row with a document, and one without. */
const document = (meta: Meta, members: readonly object[], more: Meta = {}) => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string', about: 'object' }, [
      [0, ann, { a: 'x', deep: { b: 'y' } }],
      [1, ann, null],
    ]),
  },
  collections: [
    collection('customer', [key, plain('email', { identity: 'email' }), field('about', meta, [], members)], more),
  ],
})
const named = (strategy: string) => ({ masking_strategy: { strategy } })
const deep = (meta: Meta = {}) => field('deep', {}, [], [field('b', meta)])
const about = ({ rows }: { readonly rows: Readonly<Record<string, readonly object[]>> }) =>
  (rows['customer'] as { readonly about: unknown }[])[0]?.about

describe('the settings of an object apply to its members', () => {
  test.each([
    ['retain', { retain: { reason: 'tax law' } }, 'tax law'],
    ['retain for a while', { retain: { reason: 'tax law', until: '2999-01-01' } }, 'tax law'],
    ['read_only', { read_only: true }, 'read_only'],
    ['preserve', named('preserve'), 'preserve'],
  ])('%s keeps them, and the row they lie in', async (_, meta, reason) => {
    const masked = await eraseShop(document(meta, [field('a'), deep()]))
    expect([masked.erased, masked.rows]).toEqual([
      { 'shop:customer': `retained 1 (${reason}), unchanged 1` },
      masked.before,
    ])
    const deleted = await eraseShop(document(meta, [field('a'), deep()], { erase: 'delete' }))
    expect([deleted.erased, about(deleted)]).toEqual([
      { 'shop:customer': `retained 1 (${reason}), unchanged 1` },
      { a: 'x', deep: { b: 'y' } },
    ])
  })

  test('a strategy replaces each of them, unless one nearer names another', async () => {
    const rewrite = { masking_strategy: { strategy: 'string_rewrite', configuration: { rewrite_value: 'z' } } }
    expect(about(await eraseShop(document(rewrite, [field('a'), deep()])))).toEqual({ a: 'z', deep: { b: 'z' } })
    const nearer = [field('a', named('null_rewrite')), deep(named('preserve'))]
    expect(about(await eraseShop(document(rewrite, nearer)))).toEqual({ a: null, deep: { b: 'y' } })
  })

  test('it does so even where its own categories ask for the whole of it', async () => {
    const { database } = document({}, [])
    const asked = (meta: Meta) =>
      eraseShop({
        database: structuredClone(database),
        collections: [collection('customer', [key, email, field('about', meta, ['user'], [plain('a'), deep()])])],
      })
    expect(about(await asked({}))).toBeNull()
    expect(about(await asked({ read_only: true }))).toEqual({ a: 'x', deep: { b: 'y' } })
    expect(about(await asked(named('preserve')))).toEqual({ a: 'x', deep: { b: 'y' } })
    expect(about(await asked(named('hash')))).toEqual({
      a: expect.stringMatching(/^[0-9a-f]{64}$/),
      deep: expect.anything(),
    })
  })

  test('a reason to keep it outweighs the strategy of a member', async () => {
    const { rows, before } = await eraseShop(
      document({ retain: { reason: 'tax law' } }, [field('a', named('hash')), deep()]),
    )
    expect(rows).toEqual(before)
  })

  test('the time of a member is its own, but the row stays for the object', async () => {
    const past = { retain: { reason: 'an old law', until: '2020-01-01' } }
    const { erased, rows } = await eraseShop(
      document({ retain: { reason: 'tax law' } }, [field('a', past), deep()], { erase: 'delete' }),
    )
    expect(erased['shop:customer']).toContain("masked 1 (masked instead of deleted: its 'about' is kept)")
    expect(about({ rows })).toEqual({ a: null, deep: { b: 'y' } })
  })
})

describe("'read_only' keeps a row that would be deleted", () => {
  const codes = (meta: object, more: object = {}) => ({
    database: {
      customer: {
        ...tableWith({ id: 'integer', email: 'string', code: 'string' }, [
          [0, ann, 'A'],
          [1, ann, null],
        ]),
        ...more,
      },
    },
    collections: [collection('customer', [key, email, { ...field('code'), ...meta }], { erase: 'delete' })],
  })

  test.each([
    ['asked for', ['user']],
    ['asked for by nobody', []],
  ])('while the field holds something, %s', async (_, data_categories) => {
    const { erased, rows } = await eraseShop(codes({ data_categories, service_meta: { read_only: true } }))
    expect(erased).toEqual({
      'shop:customer': "masked 1 (masked instead of deleted: its 'code' is kept), erased 1",
    })
    expect(rows['customer']).toEqual([{ id: 0, email: null, code: 'A' }])
  })

  test('not where the database computes it', async () => {
    const columns = codes({}).database.customer.columns?.map((each) =>
      each.name === 'code' ? { ...each, generated: true } : each,
    )
    const { erased } = await eraseShop(codes({ service_meta: { read_only: true } }, { columns }))
    expect(erased).toEqual({ 'shop:customer': 'erased 2' })
  })
})
