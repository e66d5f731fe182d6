import type { Dataset } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { erasedAnn, openService } from './open-service.js'
import { type Kind, openDatabase, type TestDatabase } from './servers.js'

const key = (name: string) => ({ name, service_meta: { primary_key: true } })
const address = {
  name: 'address',
  fields: [key('code'), { name: 'street', data_categories: ['user'] }],
}

function customers(...references: object[]) {
  const code = { name: 'address_code', service_meta: { references } }
  const email = { name: 'email', data_categories: ['user'], service_meta: { identity: 'email' } }
  return { name: 'customer', fields: [key('id'), email, code, { name: 'kind' }] }
}

/** An application joins by the texts of its collations. Rows of others that point in another spelling count as pointing. */
export function loosePointersSuite(kind: Kind): void {
  // the collations that MySQL begins with do not ignore blanks
  const padded = (text: string) => (kind === 'mysql' ? [] : [`${text}  `])
  describe(`addresses that others share in another spelling, on ${kind}`, () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(kind)
    })
    afterAll(() => database?.close())

    async function streetsAfter(reference: object, rows: string): Promise<unknown> {
      await database.run(
        'drop table if exists customer, address',
        'create table address (code varchar(20) primary key, street varchar(99))',
        'create table customer (id int primary key, email varchar(99), address_code varchar(20), kind varchar(20))',
        `insert into address values ('A1', 'Main St 1'), ('B2', 'Side St 2')`,
        `insert into customer values ${rows}`,
      )
      return streetsErased(reference)
    }

    async function streetsErased(reference: object): Promise<unknown> {
      const pointing = customers({ dataset: 'shop', field: 'address.code', direction: 'to', ...reference })
      const { status, failure } = await erasedAnn(kind, database.url, [address, pointing])
      expect([status, failure]).toEqual(['complete', undefined])
      return (await database.rows('select street from address order by code')).flat()
    }

    it.each(['01', ' 1', '1.0', '1x'])('a text of another person points to the number 1 with "%s"', async (pointer) => {
      await database.run(
        'drop table if exists customer, address',
        'create table address (code int primary key, street varchar(99))',
        'create table customer (id int primary key, email varchar(99), address_code varchar(20), kind varchar(20))',
        `insert into address values (1, 'Main St 1'), (2, 'Side St 2')`,
        `insert into customer values (1, 'ann@x.com', '1', 'x'), (2, 'bob@x.com', '${pointer}', 'x'), (3, 'ann@x.com', '2', 'x')`,
      )
      expect(await streetsErased({})).toEqual(['Main St 1', null])
    })

    it('rows that spell a key differently are told', async () => {
      await database.run(
        'drop table if exists customer, address',
        'create table address (code varchar(20) primary key, street varchar(99))',
        'create table customer (id int primary key, email varchar(99), address_code varchar(20), kind varchar(20))',
        `insert into address values ('A1', 'Main St 1'), ('a2', 'Side St 2')`,
        `insert into customer values (1, 'ann@x.com', 'A1', 'x'), (2, 'ann@x.com', 'Á2', 'x')`,
      )
      const privacy = await openService(kind, database.url)
      try {
        const collections = [address, customers({ dataset: 'shop', field: 'address.code', direction: 'to' })]
        await privacy.connections.attachDataset('shop', { service_key: 'shop', collections } as unknown as Dataset)
        const { id } = await privacy.requests.submit({ policyKey: 'access', identities: [{ email: 'ann@x.com' }] })
        const { results = [] } = await privacy.requests.settled(id)
        expect(results.find(({ collection }) => collection === 'address')).toMatchObject({
          outcomes: [{ outcome: 'delivered', rowCount: 1 }, { outcome: 'skipped' }],
          undecided: [{ reference: 'shop:address.code', rowCount: 1 }],
        })
      } finally {
        await privacy.close()
      }
    })

    it.each(['A1', 'a1', ...padded('A1'), 'á1'])('another person points with "%s"', async (pointer) => {
      const rows = `(1, 'ann@x.com', 'A1', 'x'), (2, 'bob@x.com', '${pointer}', 'x'), (3, 'ann@x.com', 'B2', 'x')`
      expect(await streetsAfter({}, rows)).toEqual(['Main St 1', null])
    })

    it.each(['home', 'Home', ...padded('HOME')])('the type of their pointer is "%s"', async (type) => {
      const rows = `(1, 'ann@x.com', 'A1', 'home'), (2, 'bob@x.com', 'A1', '${type}'), (3, 'bob@x.com', 'B2', 'other'),
        (4, 'ann@x.com', 'B2', 'home')`
      expect(await streetsAfter({ when: { kind: 'home' } }, rows)).toEqual(['Main St 1', null])
    })
  })
}
