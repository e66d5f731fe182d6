import { strict as assert } from 'node:assert'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { URL } from 'node:url'
import * as core from '@habeas/core'
import * as testkit from '@habeas/testkit'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { postgresConnector } from '../src/index.js'

const [inMemory = '', migrated = '', time = ''] = await readmeExamples(
  new URL('../../../docs/testing.md', import.meta.url),
)

/** Runs an example, and then each test that it has declared. */
async function runTests(code: string, given: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
  const declared = new Map<string, () => Promise<void>>()
  const test = (name: string, body: () => Promise<void>) => declared.set(name, body)
  await runExample(code, { ...core, ...testkit, assert, randomBytes, test, postgresConnector, ...given })
  for (const body of declared.values()) await body()
  return [...declared.keys()]
}

const tables = 'create table customer (id int primary key, email text not null unique)'
const shopDataset = {
  service_key: 'shop',
  collections: [
    {
      name: 'customer',
      fields: [
        { name: 'id' },
        { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email', reviewed: true } },
      ],
    },
  ],
}

async function migrate(url: string, more = ''): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(tables + more)
  await client.end()
}

describe('docs/testing.md', () => {
  it('has tests over tables in memory', async () => {
    expect(await runTests(inMemory)).toHaveLength(2)
  })

  it('has a test that compares a dataset with migrations', async () => {
    expect(await runTests(migrated, { migrate, shopDataset })).toHaveLength(1)
    const further = '; create table visit (id int primary key, customer_id int not null references customer, page text)'
    const more = (url: string) => migrate(url, further)
    await expect(runTests(migrated, { migrate: more, shopDataset })).rejects.toThrow(/deep/i)
  })

  it('passes over the tables of the README, and says first what was not described', async () => {
    const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8')
    const [, made = ''] = /^```sql\n([\s\S]*?)^```$/m.exec(readme) ?? []
    const create =
      (more = '') =>
      async (url: string) => {
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        await client.query(made + more)
        await client.end()
      }
    const field = (name: string, service_meta: object, ...data_categories: string[]) => ({
      name,
      service_meta,
      ...(data_categories.length > 0 && { data_categories }),
    })
    const customer = { dataset: 'shop', field: 'customer.id', direction: 'from' }
    const id = field('id', {})
    const belongs = field('customer_id', { references: [customer] })
    const described = {
      service_key: 'shop',
      collections: [
        {
          name: 'customer',
          fields: [
            id,
            field('email', { identity: 'email', reviewed: true }, 'user.contact.email'),
            field('name', {}, 'user.name'),
            field('street', {}, 'user.contact.address.street'),
          ],
        },
        { name: 'orders', fields: [id, belongs, field('phone_number', {}, 'user.contact.phone_number')] },
        { name: 'review', fields: [id, belongs, field('body', {}, 'user')] },
      ],
    }
    expect(await runTests(migrated, { migrate: create(), shopDataset: described })).toHaveLength(1)
    const visits = create('; create table visit (id int primary key, customer_id int not null references customer)')
    const failed = await runTests(migrated, { migrate: visits, shopDataset: described }).catch((error) => error)
    expect(failed.actual).toEqual({ tables: ['shop:visit'] })
  })

  it('moves the clock', async () => {
    const days: number[] = []
    await runTests(`${time}\ndays.push(daysLeft); await privacy.close()`, {
      encryptionKey: randomBytes(32).toString('base64'),
      days,
    })
    expect(days).toEqual([25])
  })
})
