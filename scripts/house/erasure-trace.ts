import { randomBytes } from 'node:crypto'
import { postgresConnector } from '@habeas/adapter-postgres'
import { createPrivacyService } from '@habeas/core'
import { startPostgres } from '@habeas/testkit'
import pg from 'pg'
import { executedFunctions } from './executed-functions.js'

const orders = 200

/** What one erasure of a person in two tables takes. */
export interface ErasureTrace {
  /** Source files of packages of which a function ran. */
  readonly files: readonly string[]
  /** How often a row that was found is parsed, from when it is stored to the end. */
  readonly parsesPerRow: number
}

/** Erases one person from two tables of an embedded PostgreSQL, and counts what ran from `submit` to the end. */
export async function erasureTrace(): Promise<ErasureTrace> {
  const server = await startPostgres()
  try {
    await fill(server.url)
    const privacy = createPrivacyService({
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [postgresConnector()],
    })
    await privacy.connections.put({ key: 'shop', connectionType: 'postgres', access: 'write' })
    await privacy.connections.setSecrets('shop', { url: server.url })
    await privacy.connections.attachDataset('shop', dataset)
    const erase = async (email: string) => {
      const { id } = await privacy.requests.submit({ policyKey: 'default_erasure_policy', identities: [{ email }] })
      const { status, failure } = await privacy.requests.settled(id)
      if (status !== 'complete') throw new Error(`The erasure ended in ${status}: ${failure}`)
    }
    // The first one loads and prepares what every other one uses.
    await erase('ann@example.com')
    const executed = await executedFunctions(() => erase('bob@example.com'))
    const parses = [...executed].find(([path]) => path.endsWith('find/found-rows.ts'))?.[1].get('foundRow')
    if (parses === undefined) throw new Error(`No function 'foundRow' ran in execution/find/found-rows.ts.`)
    await privacy.close()
    return { files: [...executed.keys()].sort(), parsesPerRow: parses / (orders + 1) }
  } finally {
    await server.stop()
  }
}

async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    create table customer (id integer primary key, email text not null unique, name text);
    create table orders (id integer primary key, customer_id integer not null references customer, note text);
    create index on orders (customer_id);
    insert into customer values (1, 'ann@example.com', 'Ann'), (2, 'bob@example.com', 'Bob');
    insert into orders select i, 1 + i % 2, 'note ' || i from generate_series(1, ${2 * orders}) as i;
    analyze`)
  await client.end()
}

const dataset = {
  service_key: 'shop',
  name: 'Shop',
  collections: [
    {
      name: 'customer',
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
        { name: 'name', data_categories: ['user.name'] },
      ],
    },
    {
      name: 'orders',
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        {
          name: 'customer_id',
          service_meta: { references: [{ dataset: 'shop', field: 'customer.id', direction: 'from' as const }] },
        },
        { name: 'note', data_categories: ['user.content'] },
      ],
    },
  ],
}
