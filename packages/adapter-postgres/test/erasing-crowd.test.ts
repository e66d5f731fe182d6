import { setTimeout as delay } from 'node:timers/promises'
import type { PrivacyRequest } from '@habeas/core'
import pg from 'pg'
import { expect, it } from 'vitest'
import { application, asked, collections, erasedCustomers, setUp } from './crowded-shop.js'
import { openDatabase } from './database.js'
import { countsOf, erasedShop } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer({ deadlock_timeout: '10ms' })

/** What is left of a person's rows, by collection, and whose it is. */
const leftOf: Readonly<Record<string, string>> = {
  customer: 'select xmin::text, id, id as owner from customer where name is not null',
  orders: 'select xmin::text, id, customer_id as owner from orders',
  payment:
    'select payment.xmin::text, payment.id, customer_id as owner from payment join orders on orders.id = order_id',
  message: 'select xmin::text, id, customer_id as owner from message where body is not null',
}

const maskedColumn: Readonly<Record<string, string>> = { customer: 'name', message: 'body' }

/** What an application that writes at the same time may bring about; everything else is no reason to end in `error`. */
const races = new RegExp(
  [
    "appeared in 'shop:\\w+' while it was erased",
    'that (was|were) erased holds? data again \\([\\w, ]+\\): the application or a trigger has put it back',
    "(is|are) no longer the person's, so rows of '[^']+' may belong to somebody else now",
    "now refers? to rows of 'shop:address'",
    'still holds? data that was to be erased',
    "rows? of 'shop:payment' that this request does not delete keep them",
    '[\'"]orders[\'"] refuses',
  ].join('|'),
)

const maxErased = 3

/**
 * By collection whose rows were found anew, how many were written by then and may be counted only when they are found: those
 * of a batch to which the application wrote before it was read again, and those that it put back.
 */
async function foundAnew(shop: Shop, id: string): Promise<ReadonlyMap<string, number>> {
  const written = new Map<string, number>()
  for (let page = 1, pages = 1; page <= pages; page++) {
    const part = await shop.privacy.requests.log(id, { page, size: 100 })
    for (const { collection, message } of part.items) {
      const back = Number(/(\d+) rows? of '[^']+' that (was|were) erased holds? data again/.exec(message)?.[1] ?? 0)
      const rows = /still holds? data that was to be erased/.test(message) ? maxErased : back
      if (rows > 0 || message === 'retrying') written.set(collection, (written.get(collection) ?? 0) + rows)
    }
    pages = part.pages
  }
  return written
}

type Shop = Awaited<ReturnType<typeof erasedShop>>

async function crowd() {
  const database = await openDatabase(server.url, setUp)
  const { client } = database
  const looking = new pg.Pool({ connectionString: database.url })
  /** What the last read of a collection could see, by process. */
  const seen = new Map<string, string>()
  const shop = await erasedShop({
    ...{ database, collections, maxErased, processes: asked.length },
    async reads(collection, process) {
      const { rows } = await looking.query('select pg_current_snapshot()::text as snapshot')
      seen.set(`${process} ${collection}`, rows[0].snapshot)
    },
  })
  const stop = new AbortController()
  const applications = [1, 2, 3].map(() => application(database, stop.signal))
  const ids = await Promise.all(asked.map(({ identity }) => shop.submit(identity)))
  const failures: string[] = []
  const run = async (id: string, at: number): Promise<PrivacyRequest> => {
    const request = await shop.run(id, at)
    if (request.failure !== undefined) failures.push(request.failure)
    return request
  }
  const again = async (id: string, at: number) => {
    let request = await run(id, at)
    for (let attempt = 0; attempt < 2 && request.status === 'error'; attempt++) request = await run(id, at)
    return request
  }
  const first = Promise.all(ids.map(again))
  first.catch(() => {})
  await Promise.race([first, delay(20_000)])
  stop.abort()
  const ended = await Promise.all(applications)
  let requests = await first
  for (let attempt = 0; attempt < 4 && requests.some(({ status }) => status === 'error'); attempt++) {
    requests = await Promise.all(
      requests.map((request, at) => (request.status === 'error' ? run(request.id, at) : request)),
    )
  }
  try {
    expect(requests.map(({ status, failure }) => [status, failure])).toEqual(ids.map(() => ['complete', undefined]))
    for (const failure of failures) expect(failure).toMatch(races)
    expect(failures.filter((failure) => /deadlock/i.test(failure))).toEqual([])

    // Nothing of a third person was written, by whose it was when it was written.
    const { rows: foreign } = await client.query(
      `select * from written where who like 'habeas%' and (owner is null or not owner = any($1))`,
      [erasedCustomers],
    )
    expect(foreign).toEqual([])
    for (const [at, { customers }] of asked.entries()) {
      const { rows } = await client.query(
        `select * from written where who = $1 and collection <> 'address' and not owner = any($2)`,
        [`habeas ${at}`, customers],
      )
      expect(rows).toEqual([])
    }

    // Whatever is left came after the request had looked for it the last time, or was written to after it was erased.
    for (const [collection, what] of Object.entries(leftOf)) {
      for (const [at, { customers }] of asked.entries()) {
        const { rows } = await client.query(
          `select * from (${what}) as row where owner = any($1) and pg_visible_in_snapshot(xmin::xid8, $2::pg_snapshot)
             and not exists (select from written where who = $3 and collection = $4 and was->>'id' = row.id::text)`,
          [customers, seen.get(`${at} ${collection}`), `habeas ${at}`, collection],
        )
        expect([collection, at, rows]).toEqual([collection, at, []])
      }
    }

    // The receipt agrees with the server's account: it tells of every row that the request wrote to, and claims no other.
    for (const [at, request] of requests.entries()) {
      const anew = await foundAnew(shop, request.id)
      for (const [collection, counts] of Object.entries(countsOf(request))) {
        const { erased = 0, masked = 0, gone = 0, changed = 0, unchanged = 0 } = counts
        const { rows } = await client.query(
          `select count(distinct was->>'id') filter (where who = $1 and operation = 'DELETE')::int as removed,
             count(distinct was->>'id') filter (where who = $1 and operation = 'UPDATE' and was->>$4 is not null)::int as rewritten,
             count(distinct was->>'id') filter (where operation = 'DELETE')::int as left,
             count(*) filter (where operation = 'UPDATE')::int as updates,
             count(distinct was->>'id') filter (where who = $1 and operation = 'UPDATE' and exists (
               select from written as later where later.collection = $2 and later.at > written.at and later.who <> $1
                 and later.was->>'id' = written.was->>'id' and (later.operation = 'DELETE'
                   or later.now->>'id' <> later.was->>'id' or later.now->>'customer_id' <> later.was->>'customer_id')
             ))::int as "since left"
           from written where collection = $2 and owner = any($3)`,
          [`habeas ${at}`, collection, asked[at]?.customers, maskedColumn[collection] ?? ''],
        )
        const { removed, rewritten, left, updates, 'since left': sinceLeft } = rows[0]
        // Where rows are found anew, those that are gone or somebody else's by then are not counted.
        const found = anew.get(collection)
        const lost = found === undefined ? 0 : found + sinceLeft
        const told = { collection, erased, masked, gone, changed, unchanged, removed, rewritten, left, updates, lost }
        // What went, or got another key, between being masked and being read again is told as such.
        expect(told, 'tells of all').toSatisfy(
          () => removed <= erased && rewritten <= masked + gone + changed + unchanged + lost,
        )
        if (collection !== 'address')
          expect(told, 'claims no other').toSatisfy(() => erased <= left && masked <= updates)
      }
    }
  } catch (error) {
    console.log(
      requests.map((each) => [each.status, each.failure, countsOf(each)]),
      failures,
    )
    throw error
  } finally {
    await shop[Symbol.asyncDispose]()
    await looking.end()
    await database.close()
  }
  return { ended, failures }
}

it('erasures beside an application that writes to the same rows lose nothing, touch nobody else and never fail by a deadlock', {
  timeout: 3_600_000,
}, async () => {
  const seconds = Number(process.env['HABEAS_SECONDS'] ?? 0)
  const until = Date.now() + seconds * 1000
  let rounds = 0
  do {
    const { ended, failures } = await crowd()
    rounds++
    if (seconds > 0) console.log(rounds, ended, failures.length)
  } while (rounds < 3 || Date.now() < until)
})
