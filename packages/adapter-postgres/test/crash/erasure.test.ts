import { describe, expect, it } from 'vitest'
import { crashWorlds } from './crash-world.js'
import { onPostgres } from './on-postgres.js'

const email = 'ann@example.com'
const submission = { policyKey: 'forget', identities: [{ email }] }

/** Ann's orders take several batches, and so do their lines, which go with their rows. */
const tables = `
  create table customer (id int primary key, email text unique, name text);
  create table orders (id int primary key, customer_id int not null references customer, note text, gift text);
  create index on orders (customer_id);
  create table line (id int primary key, order_id int not null references orders, title text);
  create index on line (order_id);
  insert into customer values (1, '${email}', 'Ann'), (2, 'ben@example.com', 'Ben');
  insert into orders select number, 1 + number % 2, 'note ' || number, 'gift ' || number from generate_series(1, 440) as number;
  insert into line select number, number, 'line ' || number from generate_series(1, 260) as number
`

const user = ['user']
const key = { name: 'id', service_meta: { primary_key: true } }
const refers = (name: string, field: string) => ({
  name,
  service_meta: { references: [{ dataset: 'shop', field, direction: 'from' }] },
})
const to = (rewrite_value: string) => ({
  masking_strategy: { strategy: 'string_rewrite', configuration: { rewrite_value } },
})
const dataset = {
  service_key: 'shop',
  collections: [
    {
      name: 'customer',
      fields: [
        key,
        { name: 'email', data_categories: user, service_meta: { identity: 'email' } },
        { name: 'name', data_categories: user },
      ],
    },
    {
      name: 'orders',
      fields: [
        key,
        refers('customer_id', 'customer.id'),
        { name: 'note', data_categories: user, service_meta: to('erased') },
        { name: 'gift', data_categories: user },
      ],
    },
    {
      name: 'line',
      service_meta: { erase: 'delete' },
      fields: [key, refers('order_id', 'orders.id'), { name: 'title', data_categories: user }],
    },
  ],
}
const policy = {
  service_key: 'forget',
  rules: [{ service_key: 'all', action_type: 'erasure', data_categories: { matches: 'ANY', values: user } }],
}

/** Steps of the erasure itself; those of finding rows are killed at elsewhere. */
const ofErasing = (step: string) =>
  /eras|: read$/.test(step) || /^privacyRequest\.replace( \+ .*auditEntry\.insert)?: /.test(step)

const openWorld = crashWorlds({ ...onPostgres, tables, dataset, policy })
const outcomesOf = (results: readonly object[] = []) =>
  results.map((result) => ({ ...result, startedAt: undefined, finishedAt: undefined }))

describe('a process that is killed while it erases', () => {
  it('at any batch, noted or not, leaves an erasure that another process ends with the same counts', async () => {
    const quiet = await openWorld()
    const before = await quiet.rowsOf('customer', 'orders', 'line')
    const { trace } = await quiet.runChild({ submission })
    const [id] = await quiet.requests()
    const { request: whole } = await quiet.endingOf(id as string)
    const after = await quiet.rowsOf('customer', 'orders', 'line')
    await quiet.close()
    expect(whole.failure ?? whole.status).toBe('complete')
    const erased = Object.fromEntries(
      (whole.results ?? [])
        .filter(({ actionType }) => actionType === 'erasure')
        .map(({ collection, outcomes }) => [collection, outcomes]),
    )
    expect(erased).toEqual({
      customer: [{ outcome: 'masked', rowCount: 1 }],
      orders: [{ outcome: 'masked', rowCount: 220 }],
      line: [{ outcome: 'erased', rowCount: 130 }],
    })
    // Ben's rows are as they were.
    const others = (text: string) => {
      const { orders, line } = JSON.parse(text) as Record<'orders' | 'line', { id: number }[]>
      return [orders, line].map((rows) => rows.filter(({ id }) => id % 2 === 1))
    }
    expect(others(after)).toEqual(others(before))

    const seen = new Map<string, number>()
    const waiting = trace.flatMap((step) => {
      const time = (seen.get(step) ?? 0) + 1
      seen.set(step, time)
      return ofErasing(step) ? [{ step, time }] : []
    })
    const killedAt = new Set<string>()
    const attend = async () => {
      for (let kill = waiting.shift(); kill !== undefined; kill = waiting.shift()) {
        const world = await openWorld()
        const { killed } = await world.runChild({ submission, kill })
        if (killed) killedAt.add(kill.step)
        const [id] = await world.requests()
        const { request, doubts } = await world.endingOf(id as string)
        expect({ ...kill, status: request.failure ?? request.status, doubts }).toEqual({
          ...kill,
          ...{ status: 'complete', doubts: [] },
        })
        expect({ ...kill, same: (await world.rowsOf('customer', 'orders', 'line')) === after }).toEqual({
          ...kill,
          same: true,
        })
        expect({ ...kill, results: outcomesOf(request.results) }).toEqual({
          ...kill,
          results: outcomesOf(whole.results),
        })
        await world.close()
      }
    }
    await Promise.all([attend(), attend()])
    expect([...killedAt]).toEqual(
      expect.arrayContaining([
        'orders: before it is erased',
        'orders: erased',
        'line: before it is erased',
        'line: erased',
        'customer: erased',
        expect.stringMatching(/erasureProgress\..*: before the commit$/),
        expect.stringMatching(/erasureProgress\..*: committed$/),
        expect.stringMatching(/erasureReceipt\.put.*: before the commit$/),
        expect.stringMatching(/erasureReceipt\.put.*: committed$/),
      ]),
    )
  }, 900_000)
})
