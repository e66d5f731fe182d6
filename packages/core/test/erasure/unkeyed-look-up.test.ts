import { describe, expect, test } from 'vitest'
import { collection, field, type Said, shopOf, undirected } from '../engine/described.js'
import { openService } from '../engine/service-run.js'
import { accessTo } from '../engine/whose-access.js'
import { type ErasedShop, kept, key, plain, shopWorld, tableWith } from './described-erasure.js'
import { erasedOf } from './erasure-world.js'

const ann = { email: 'ann@example.com' }
const bob = 'bob@example.com'
const email = field('email', { identity: 'email' })
type Given = Required<Pick<ErasedShop, 'database' | 'collections'>>

const tenants = [field('tenant', { identity: 'email' }, [])]

/** Streets have no key at all. Number 7 is Ann's and Bob's, 8 Ann's twice; 9 belongs to somebody who is not Ann by its own e-mail. */
const given = (said: Said, how: 'mask' | 'delete' = 'mask', tenant: readonly object[] = tenants): Given => ({
  database: {
    customer: tableWith({ id: 'integer', email: 'string', street_no: 'integer' }, [
      [1, ann.email, 5],
      [2, bob, 6],
      [3, bob, 7],
      ...[7, 8, 9].map((no, at) => [4 + at, ann.email, no]),
    ]),
    street: tableWith(
      { no: 'integer', name: 'string', tenant: 'string' },
      [
        [5, 'hers', null],
        [6, 'his', null],
        [7, 'of both', null],
        [8, 'hers as well', null],
        [8, 'hers as well', null],
        [9, 'his by its e-mail', bob],
        [10, "nobody's", null],
      ],
      { keys: [] },
    ),
  },
  collections: [
    collection('customer', [key, email, kept(undirected('street_no', 'street.no', said))]),
    collection('street', [plain('no'), field('name'), ...tenant], { erase: how }),
  ],
})
const all = ['hers', 'his', 'of both', 'hers as well', 'hers as well', 'his by its e-mail', "nobody's"]

const namesOf = (rows: readonly object[] = []) => rows.map((row) => (row as { name: unknown }).name)

describe("a street that a customer's row names, in a table without a key", () => {
  test("is delivered where it is said to be the customer's, and not that of another", async () => {
    const { database, collections } = given({ direction: 'to' })
    const service = await openService([shopOf(collections, database)])
    const id = await service.submit(ann)
    const request = await service.rested(id)
    const rows = await service.read(id)
    await service.privacy.close()
    expect([request.status, request.incomplete]).toEqual(['complete', true])
    expect(namesOf(rows['shop:street'] as object[]).sort()).toEqual(['hers', 'hers as well', 'hers as well', 'of both'])
    const undecided = (request.results ?? []).flatMap((result) => result.undecided ?? [])
    expect(undecided).toMatchObject([{ reference: 'shop:street.no', rowCount: 1 }])
  })

  test.each(['mask', 'delete'] as const)('is erased as hers alone: %s', async (how) => {
    await using world = await shopWorld(given({ direction: 'to' }, how))
    const { requests } = world.privacy
    const { id } = await requests.submit({ policyKey: 'erase', identities: [ann] })
    const paused = await world.paused(id)
    expect([paused.actionRequired?.accept, world.rows()]).toEqual([
      { acceptUndecided: ['shop:street.no'] },
      world.before,
    ])
    await requests.accept(id, { acceptUndecided: ['shop:street.no'] })
    const end = await requests.settled(id)
    expect([end.status, end.failure]).toEqual(['complete', undefined])
    const word = how === 'mask' ? 'masked' : 'erased'
    expect(erasedOf(end)['shop:street']).toMatch(
      new RegExp(`^${word} 3, retained 1 \\(shared with 1 row of shop:customer\\), skipped 1 \\(undecided by`),
    )
    const left = [null, 'his', 'of both', null, null, 'his by its e-mail', "nobody's"]
    expect(namesOf(world.rows()['street'])).toEqual(how === 'mask' ? left : left.filter((name) => name !== null))
  })

  const others: readonly [string, Said][] = [
    ['says nothing', {}],
    ["says 'none'", { direction: 'none' }],
    ["says 'from'", { direction: 'from' }],
  ]
  test.each(others)('is neither delivered nor erased where the reference %s', async (_, said) => {
    // Also where nothing says of a street whom it belongs to.
    const cases = (['mask', 'delete'] as const).flatMap((how) => [given(said, how), given(said, how, [])])
    for (const each of cases) {
      expect((await accessTo([shopOf(each.collections, each.database)], ann)).got['street']).toBeUndefined()
      await using world = await shopWorld(each)
      const accepts = { acceptUndecided: true, acceptUnsearched: true }
      const { id } = await world.privacy.requests.submit({ policyKey: 'erase', identities: [ann], ...accepts })
      const end = await world.privacy.requests.settled(id)
      expect([end.status, end.failure, namesOf(world.rows()['street'])]).toEqual(['complete', undefined, all])
    }
  })
})
