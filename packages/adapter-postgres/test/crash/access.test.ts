import { describe, expect, it } from 'vitest'
import { crashWorlds } from './crash-world.js'
import { onPostgres } from './on-postgres.js'

const email = 'ann@example.com'
const submission = { policyKey: 'everything', identities: [{ email }] }

/** The rows of orders are more than a spool keeps in memory, so that they lie in a blob of several chunks. */
const tables = `
  create table customer (id int primary key, email text unique, name text);
  create table orders (id int primary key, customer_id int not null references customer, note text);
  create index on orders (customer_id);
  create table line (id int primary key, order_id int not null references orders, title text);
  create index on line (order_id);
  insert into customer values (1, '${email}', 'Ann'), (2, 'ben@example.com', 'Ben');
  insert into orders select number, 1 + number % 2, repeat('x', 150) || number from generate_series(1, 9000) as number;
  insert into line select number, number, 'line ' || number from generate_series(1, 300) as number
`

const user = { data_categories: ['user'] }
const key = { name: 'id', service_meta: { primary_key: true } }
const refers = (name: string, field: string) => ({
  name,
  service_meta: { references: [{ dataset: 'shop', field, direction: 'from' }] },
})
const dataset = {
  service_key: 'shop',
  collections: [
    {
      name: 'customer',
      fields: [key, { name: 'email', ...user, service_meta: { identity: 'email' } }, { name: 'name', ...user }],
    },
    { name: 'orders', fields: [key, refers('customer_id', 'customer.id'), { name: 'note', ...user }] },
    { name: 'line', fields: [key, refers('order_id', 'orders.id'), { name: 'title', ...user }] },
  ],
}
const policy = {
  service_key: 'everything',
  rules: [{ service_key: 'all', action_type: 'access', data_categories: { matches: 'ANY', values: ['user'] } }],
}

/** Without this, the run would be over before anything of it is saved for another one. */
const wait = { collection: 'line', step: 'privacyRequest.replace + checkpoint.put: committed' }

const openWorld = crashWorlds({ ...onPostgres, tables, dataset, policy })
const once = ['request_submitted', 'request_completed']

describe('a process that is killed while it runs an access request', () => {
  it('costs only a delay, at any step: another process hands over the same package and sends each mail once', async () => {
    const quiet = await openWorld()
    const { trace } = await quiet.runChild({ submission, wait })
    const [id] = await quiet.requests()
    const whole = await quiet.endingOf(id as string)
    await quiet.close()
    expect(whole.request.status).toBe('complete')
    expect(JSON.parse(whole.package)).toMatchObject({ 'shop:customer': [{ email, name: 'Ann' }] })
    expect(whole.blobs).toEqual(['requests/ID/1/package/all/json.json'])
    expect(whole.mails).toEqual({ request_receipt: 1, request_completion: 1 })

    const killedAt: string[] = []
    const waiting = [...new Set(trace)].map((step) => ({ step, time: 1 }))
    const attend = async () => {
      for (let kill = waiting.shift(); kill !== undefined; kill = waiting.shift()) {
        const world = await openWorld()
        const { killed } = await world.runChild({ submission, wait, kill })
        if (killed) killedAt.push(kill.step)
        const [id] = await world.requests()
        if (id === undefined) {
          // Nobody was told that it was taken.
          const left = Object.values(await world.left())
          expect({ ...kill, left: left.some((count) => count > 0) }).toEqual({ ...kill, left: false })
        } else {
          const { request, ...ending } = await world.endingOf(id)
          expect({ ...kill, status: request.status, package: ending.package === whole.package }).toEqual({
            ...kill,
            status: 'complete',
            package: true,
          })
          expect({ ...kill, results: request.results }).toEqual({ ...kill, results: whole.request.results })
          expect({ ...kill, mails: ending.mails }).toEqual({ ...kill, mails: whole.mails })
          expect({ ...kill, trail: ending.trail.filter((action) => once.includes(action)).sort() }).toEqual({
            ...kill,
            trail: [...once].sort(),
          })
          const [package_, ...others] = ending.blobs
          expect(package_).toMatch(/^requests\/ID\/\d+\/package\/all\/json\.json$/)
          expect({ ...kill, others, checkpoints: ending.checkpoints }).toEqual({ ...kill, others: [], checkpoints: 0 })
        }
        await world.close()
      }
    }
    await Promise.all([attend(), attend()])
    // The steps that have to be among them, whatever else a run does.
    expect(killedAt).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/privacyRequest\.insert.*: before the commit$/),
        expect.stringMatching(/privacyRequest\.insert.*: committed$/),
        'privacyRequest.replace + auditEntry.insert: committed',
        'privacyRequest.replace + requestPlan.put: committed',
        'customer: read',
        'orders: in the middle',
        expect.stringMatching(/^blob spool\/shop:orders.*: half written$/),
        expect.stringMatching(/^blob spool\/shop:orders.*: written$/),
        'privacyRequest.replace + checkpoint.put: before the commit',
        wait.step,
        'line: read',
        'blob package/all/json.json: half written',
        'blob package/all/json.json: written',
        'blob spool: deleted',
        expect.stringMatching(/^privacyRequest\.replace \+ .*outboxMail.*auditEntry\.insert: before the commit$/),
        expect.stringMatching(/^privacyRequest\.replace \+ .*outboxMail.*auditEntry\.insert: committed$/),
        'mail request_completion: before it is sent',
        'mail request_completion: sent',
      ]),
    )
  }, 600_000)
})
