import { type PrivacyRequest, receiptHtml, receiptText, verifyEvidence } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { openDatabase, quoted, type TestDatabase } from './database.js'
import { countsOf, erased, erasedShop, key, plain, refer } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

/* Row-level security keeps rows from whoever searches. What comes of that may not be all, and says so. */

const server = sharedServer()

const ann = 'ann@example.com'
const clerk = `clerk_${process.pid}`

const tables = `
create table customer (id int primary key, email text, name text);
create table orders (id int primary key, customer_id int not null references customer, note text);
insert into customer values (1, '${ann}', 'Ann'), (2, 'bob@example.com', 'Bob');
insert into orders values (1, 1, 'seen'), (2, 1, 'hidden'), (3, 2, 'his, seen'), (4, 2, 'his, hidden');`
const clerks = `do $$ begin
  if not exists (select from pg_roles where rolname = '${clerk}') then create role ${clerk} login; end if; end $$;
  do $$ begin execute format('grant all on schema %I to ${clerk}', current_schema()); end $$;
  grant all on customer, orders to ${clerk};`
const policy = 'alter table orders enable row level security; create policy few on orders using (id in (1, 3));'
const left = (...notes: readonly (string | null)[]) => notes.map((note, at) => ({ id: at + 1, note }))
const untouched = left('seen', 'hidden', 'his, seen', 'his, hidden')

const collections = [
  { name: 'customer', fields: [key, plain('email', { identity: 'email' }), erased('name')] },
  { name: 'orders', fields: [key, refer('customer_id', 'customer.id', 'from'), erased('note')] },
]

type Shop = Awaited<ReturnType<typeof erasedShop>>

/** A shop in which somebody searches who is no superuser. */
async function asClerk(
  setUp: string,
  work: (shop: Shop, database: TestDatabase) => Promise<void>,
  described: readonly object[] = collections,
) {
  const database = await openDatabase(server.url, `${tables} ${clerks} ${setUp}`)
  await database.client.query(`grant all on all tables in schema ${quoted(database.schema)} to ${clerk}`)
  const url = new URL(server.url)
  url.username = clerk
  try {
    await using shop = await erasedShop({ database: { ...database, url: String(url) }, collections: described })
    await work(shop, database)
  } finally {
    await database.close()
  }
}

const notes = async ({ client }: TestDatabase) => (await client.query('select id, note from orders order by id')).rows

/** What a signed bundle says, once its signature and chain hold. */
async function evidenceOf({ privacy }: Shop, id: string) {
  const evidence = await privacy.requests.exportEvidence(id)
  expect(verifyEvidence(evidence, { key: await privacy.requests.evidenceKey() }).problems).toEqual([])
  return evidence
}

/** Hidden rows are left this time. */
const accepted = { acceptUnsearched: true }

const saysHidden = { incomplete: true, coverage: { hidden: ['shop:orders'] } }
const doubtsOf = ({ incomplete, coverage }: Pick<PrivacyRequest, 'incomplete' | 'coverage'>) => ({
  incomplete,
  coverage,
})

describe('an access from which rows are hidden', () => {
  it('says in record, package and evidence that it may be incomplete', async () => {
    await asClerk(policy, async (shop, database) => {
      const request = await shop.access({ email: ann })
      expect([request.status, doubtsOf(request)]).toEqual(['complete', saysHidden])
      expect(await shop.delivered(request.id)).toEqual({
        'shop:customer': [{ name: 'Ann' }],
        'shop:orders': [{ note: 'seen' }],
        incomplete: 'This may not be all: a database may have hidden records from the search.',
        coverage: { hidden: ['shop:orders'] },
      })
      const evidence = await evidenceOf(shop, request.id)
      expect(doubtsOf(evidence.request)).toEqual(saysHidden)
      expect(evidence.plan).toMatchObject({ coverage: { hidden: ['shop:orders'] } })
      expect(await notes(database)).toEqual(untouched)
    })
  })

  it('says nothing about it where no policy applies to the user who searches', async () => {
    const all = 'alter table orders enable row level security; alter table orders disable row level security'
    await asClerk(all, async (shop) => {
      const request = await shop.access({ email: ann })
      expect(doubtsOf(request)).toEqual({ incomplete: undefined, coverage: undefined })
      expect((await shop.delivered(request.id))['shop:orders']).toEqual([{ note: 'seen' }, { note: 'hidden' }])
    })
  })
})

describe('an erasure from which rows are hidden', () => {
  it('stops before its first write until that is mended or accepted', async () => {
    await asClerk(policy, async (shop, database) => {
      const paused = await shop.erase({ email: ann })
      expect(paused).toMatchObject({
        status: 'paused',
        actionRequired: {
          message: `Nothing was erased: the database may hide rows of 'shop:orders', or mask values in them. Correct that: let the user of the connection see every row and value. Or leave it this time: accept_unsearched: ["shop:orders"] (acceptUnsearched in TypeScript). Further questions may follow once rows were read.`,
          accept: { acceptUnsearched: ['shop:orders'] },
        },
      })
      expect(await notes(database)).toEqual(untouched)
      await database.client.query('alter table orders disable row level security')
      await shop.privacy.requests.accept(paused.id, {})
      const request = await shop.run(paused.id)
      expect([request.status, doubtsOf(request)]).toEqual(['complete', { incomplete: undefined, coverage: undefined }])
      expect(await notes(database)).toEqual(left(null, null, 'his, seen', 'his, hidden'))
    })
  })

  it('never deletes a row to which hidden rows may refer', async () => {
    const cascading = `${policy} alter table orders drop constraint orders_customer_id_fkey,
      add foreign key (customer_id) references customer on delete cascade`
    const [customer, orders] = collections
    const deleted = [{ ...customer, service_meta: { erase: 'delete' } }, orders as object]
    await asClerk(
      cascading,
      async (shop, database) => {
        const request = await shop.erase({ email: ann }, accepted)
        expect(request).toMatchObject({ status: 'error', failure: expect.stringContaining('may hide some of them') })
        expect(await notes(database)).toEqual(untouched)
      },
      deleted,
    )
  })

  it('says in record, receipt and evidence that rows may be left', async () => {
    await asClerk(policy, async (shop, database) => {
      const request = await shop.erase({ email: ann }, accepted)
      expect([request.status, doubtsOf(request)]).toEqual(['complete', saysHidden])
      expect(countsOf(request)).toEqual({ customer: { masked: 1 }, orders: { masked: 1 } })
      const receipt = await shop.privacy.requests.receipt(request.id)
      expect(receipt).toMatchObject({ status: 'complete', totals: { masked: 2 }, ...saysHidden })
      for (const told of [receiptText(receipt), receiptHtml(receipt)]) {
        expect(told).toContain('This may not be all: a database may have hidden rows.')
        expect(told).toContain('The server may have hidden rows of: shop:orders.')
      }
      const evidence = await evidenceOf(shop, request.id)
      expect(doubtsOf(evidence.request)).toEqual(saysHidden)
      expect(evidence.receipt).toEqual(receipt)
      expect(await notes(database)).toEqual(left(null, 'hidden', 'his, seen', 'his, hidden'))
    })
  })

  it('says so even where everything that it would find is hidden', async () => {
    const nothing = 'alter table customer enable row level security; create policy few on customer using (id = 2);'
    await asClerk(nothing, async (shop, database) => {
      const request = await shop.erase({ email: ann }, accepted)
      expect(request).toMatchObject({ status: 'complete', found: 'nothing', incomplete: true })
      expect(request.coverage?.hidden).toEqual(['shop:customer'])
      expect(await shop.privacy.requests.receipt(request.id)).toMatchObject({ foundNothing: true, incomplete: true })
      expect(await shop.privacy.isErased({ email: ann })).toBe(false)
      expect(await notes(database)).toEqual(untouched)
    })
  })

  it('is done in part where a row may be read but not written', async () => {
    const reading = `alter table orders enable row level security; create policy sees on orders for select using (true);
      create policy writes on orders for update using (id <> 2);`
    await asClerk(reading, async (shop, database) => {
      const request = await shop.erase({ email: ann }, accepted)
      expect(request).toMatchObject({ status: 'error', incomplete: true })
      expect(request.failure).toContain("1 row of 'shop:orders' still holds data that was to be erased (note)")
      const receipt = await shop.privacy.requests.receipt(request.id)
      expect(receipt).toMatchObject({ status: 'error', incomplete: true })
      expect(countsOf(request)['orders']).toEqual({ failed: 2 })
      expect(await notes(database)).toEqual(left(null, ...untouched.slice(1).map(({ note }) => note)))
    })
  })
})

describe('the rows that a view shows of a table with policies', () => {
  const seen = [{ ...collections[0] }, { ...collections[1], name: 'seen_orders' }]
  const view = (more: string) => `${policy} create view seen_orders ${more} as select * from orders`
  const invoker = 'with (security_invoker)'
  it.each([
    ['for the user who asks', view(invoker)],
    ['for an owner from whom rows are hidden', `${view('')}; alter view seen_orders owner to ${clerk}`],
    [
      'through a further view',
      `${view(invoker)}; alter view seen_orders rename to inner_orders;
       create view seen_orders ${invoker} as select * from inner_orders`,
    ],
  ])('may be incomplete %s', async (_, setUp) => {
    await asClerk(
      setUp,
      async (shop) => {
        const request = await shop.access({ email: ann })
        expect((await shop.delivered(request.id))['shop:seen_orders']).toEqual([{ note: 'seen' }])
        expect(request).toMatchObject({ incomplete: true, coverage: { hidden: ['shop:seen_orders'] } })
      },
      seen,
    )
  })

  it('are all there for its owner, from whom nothing is hidden', async () => {
    await asClerk(
      view(''),
      async (shop) => {
        const request = await shop.access({ email: ann })
        expect((await shop.delivered(request.id))['shop:seen_orders']).toEqual([{ note: 'seen' }, { note: 'hidden' }])
        expect(request.incomplete).toBeUndefined()
      },
      seen,
    )
  })
})
