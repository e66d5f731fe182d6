import { applyProposals, type PrivacyService } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cuttingProxy } from './cutting-proxy.js'
import { openService } from './open-service.js'
import { connectorOf, type Kind, openDatabase, type TestDatabase } from './servers.js'

const schema = [
  `create table customers (id bigint unsigned auto_increment primary key, email varchar(190) not null, name varchar(80),
    since datetime(6), settings json, active tinyint(1) default 1, key (email)) character set utf8mb4`,
  `create table orders (id int unsigned primary key, customer_id bigint unsigned not null, note varchar(200), total decimal(12, 2),
    constraint orders_customer foreign key (customer_id) references customers (id))`,
  `create table order_lines (order_id int unsigned, line int, gift varchar(80), primary key (order_id, line),
    constraint lines_order foreign key (order_id) references orders (id) on delete cascade) character set latin1`,
  'create table visits (id int primary key, email varchar(190), address varchar(45)) engine = MyISAM',
]
const rows = [
  `insert into customers (id, email, name, since, settings) values
    (18446744073709551000, 'ann@example.com', 'Ann Ä', '2024-01-02 03:04:05.678901', '{"theme": "dark"}'),
    (2, 'ANN@example.com.au', 'Other Ann', '2024-01-02', null), (3, 'bob@example.com', 'Bob', '0000-00-00', '{"a": 1}')`,
  `insert into orders values (1, 18446744073709551000, 'for Ann', 9.90), (2, 18446744073709551000, null, 5), (3, 3, 'for Bob', 1.00)`,
  `insert into order_lines values (1, 1, 'a gift of Ann'), (1, 2, null), (3, 1, 'a gift of Bob')`,
  `insert into visits values (1, 'Ann@Example.com', '10.0.0.1'), (2, 'bob@example.com', '10.0.0.2')`,
]
const tables = ['customers', 'orders', 'order_lines', 'visits']

const user = { data_categories: ['user'] }
const named = (name: string, service_meta: object) => ({ name, data_categories: [], service_meta })
const from = { references: [{ dataset: 'shop', field: 'people.id', direction: 'from' as const }] }
const key = named('id', { primary_key: true })

/** Columns of flags that hold numbers. */
function flagsSuite(kind: Kind): void {
  describe(`flags that are compared with numbers, on ${kind}`, () => {
    let database: TestDatabase
    let privacy: PrivacyService
    beforeAll(async () => {
      database = await openDatabase(kind)
      await database.run(
        'create table people (id int primary key, email varchar(190), `__proto__` varchar(20))',
        `insert into people values (0, 'zero@example.com', 'Zero'), (1, 'ann@example.com', 'Ann')`,
        'create table owned (id int primary key, owner tinyint(1), note varchar(20), unique (owner))',
        `insert into owned values (1, 1, 'Ann'), (2, 2, 'other'), (3, 0, 'Zero')`,
        'create table placed (id int primary key, owner tinyint(1), email varchar(190), note varchar(20))',
        `insert into placed values (1, 0, 'ann@example.com', 'Ann'), (2, 2, 'ann@example.com', 'other')`,
        'create table chosen (id int primary key, type tinyint(1), owner int, note varchar(20))',
        `insert into chosen values (1, 1, 1, 'Ann'), (2, 0, 1, 'other')`,
      )
      privacy = await openService(kind, database.url)
      const identity = { name: 'email', ...user, service_meta: { identity: 'email' } }
      await privacy.connections.attachDataset('shop', {
        service_key: 'shop',
        collections: [
          { name: 'people', fields: [key, identity, { name: '__proto__', ...user }] },
          { name: 'owned', fields: [key, named('owner', from), { name: 'note', ...user }] },
          {
            name: 'placed',
            service_meta: { owner: ['owner', 'email'] },
            fields: [key, named('owner', { ...from, placeholders: [0] }), identity, { name: 'note', ...user }],
          },
          {
            name: 'chosen',
            fields: [
              key,
              named('type', { reviewed: true }),
              named('owner', { references: [{ ...from.references[0]!, when: { type: '1' } }] }),
              { name: 'note', ...user },
            ],
          },
        ],
      })
    })
    afterAll(async () => {
      await privacy?.close()
      await database?.close()
    })

    it('are equal to 1 and 0, as owners, placeholders and types, and every name of a column is read', async () => {
      const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email: 'ann@example.com' }] })
      expect(await privacy.requests.settled(id)).toMatchObject({ status: 'complete' })
      const notes = async (table: string) => (await database.rows(`select note from ${table} order by id`)).flat()
      expect(await notes('owned')).toEqual([null, 'other', 'Zero'])
      expect(await notes('placed')).toEqual([null, 'other'])
      expect(await notes('chosen')).toEqual([null, 'other'])
      expect(await database.rows('select email, concat(`__proto__`) from people order by id')).toEqual([
        ['zero@example.com', 'Zero'],
        [null, null],
      ])
    })
  })
}

/** Requests over a small shop, from the draft to the receipt. */
export function serviceSuite(kind: Kind): void {
  flagsSuite(kind)

  describe(`requests over a shop, on ${kind}`, () => {
    let database: TestDatabase
    let proxy: Awaited<ReturnType<typeof cuttingProxy>>
    let privacy: PrivacyService
    beforeAll(async () => {
      database = await openDatabase(kind)
      proxy = await cuttingProxy(database.url)
      await database.run(...schema, ...rows)
      privacy = await opened()
    })
    afterAll(async () => {
      await privacy?.close()
      await proxy?.close()
      await database?.close()
    })

    async function opened(): Promise<PrivacyService> {
      const service = await openService(kind, proxy.url)
      const { dataset, proposals } = await service.connections.draftDataset('shop')
      const accept = [
        'customers.email:identity',
        'visits.email:identity',
        'orders.customer_id:from',
        'order_lines.order_id:from',
      ]
      const described = applyProposals(dataset, proposals, { accept })
      for (const collection of described.collections)
        for (const field of collection.fields) {
          const isKey = /(^id$|_id$|^line$|email)/.test(field.name)
          if (!isKey) Object.assign(field, { data_categories: ['user'] })
          if (field.name === 'email')
            Object.assign(field, {
              data_categories: ['user'],
              service_meta: { ...field.service_meta, masking_strategy: { strategy: 'random_string_rewrite' } },
            })
        }
      await service.connections.attachDataset('shop', described)
      return service
    }

    const stored = async () => {
      const found: Record<string, unknown[][]> = {}
      for (const table of tables) found[table] = await database.rows(`select * from ${table} order by 1, 2`)
      return found
    }
    const settled = async (policyKey: string, email: string) => {
      const { id } = await privacy.requests.submit({ policyKey, identities: [{ email }] })
      return privacy.requests.settled(id)
    }
    const reset = async () => {
      await database.run(
        'delete from order_lines',
        'delete from orders',
        'delete from customers',
        'delete from visits',
        ...rows,
      )
    }

    it('drafts foreign keys as references', async () => {
      const { dataset } = await privacy.connections.draftDataset('shop')
      const orders = dataset.collections.find(({ name }) => name === 'orders')
      const reference = orders?.fields.find(({ name }) => name === 'customer_id')?.service_meta?.references?.[0]
      expect(reference).toMatchObject({ dataset: 'shop', field: 'customers.id' })
    })

    it('hands over what is a person’s, and nothing of another', async () => {
      const request = await settled('access', 'ann@example.com')
      expect(request.failure).toBeUndefined()
      let text = ''
      for await (const part of privacy.requests.readPackage(request.id)) text += Buffer.from(part).toString()
      const found = JSON.parse(text)
      expect(found['shop:customers']).toEqual([
        {
          email: 'ann@example.com',
          name: 'Ann Ä',
          since: '2024-01-02T03:04:05.678901',
          settings: { theme: 'dark' },
          active: true,
        },
      ])
      expect(found['shop:orders']).toEqual(
        expect.arrayContaining([
          { note: 'for Ann', total: '9.90' },
          { total: '5.00', note: null },
        ]),
      )
      expect(found['shop:order_lines']).toEqual(expect.arrayContaining([{ gift: 'a gift of Ann' }]))
      expect(found['shop:visits']).toEqual([{ email: 'Ann@Example.com', address: '10.0.0.1' }])
      expect(text).not.toMatch(/Bob|Other Ann|10\.0\.0\.2/)
    })

    /** What must be there when Ann was erased: her values are gone, and nothing else has changed. */
    async function expectErased() {
      const after = await stored()
      const [bob, otherAnn] = [3, 2]
      const masked = expect.stringMatching(/^\w{30}$/)
      expect(after).toMatchObject({
        orders: [
          [1, '18446744073709551000', null, null],
          [2, '18446744073709551000', null, null],
          [3, bob, 'for Bob', '1.00'],
        ],
        order_lines: [
          [1, 1, null],
          [1, 2, null],
          [3, 1, 'a gift of Bob'],
        ],
        visits: [
          [1, masked, null],
          [2, 'bob@example.com', '10.0.0.2'],
        ],
      })
      const [first, second, third] = after['customers'] as unknown[][]
      expect(first?.slice(0, 4)).toEqual([otherAnn, 'ANN@example.com.au', 'Other Ann', '2024-01-02 00:00:00.000000'])
      expect(second?.slice(0, 4)).toEqual([bob, 'bob@example.com', 'Bob', '0000-00-00 00:00:00.000000'])
      expect(third).toEqual(['18446744073709551000', masked, null, null, null, null])
    }

    it('erases it, says what the table without transactions lacks, and leaves all else as it was', async () => {
      const request = await settled('erase', 'ann@example.com')
      expect(request.failure).toBeUndefined()
      expect(request.status).toBe('complete')
      await expectErased()
      const plan = await privacy.requests.plan(request.id)
      const limits = plan?.findings.filter(({ type }) => type === 'write_limits').map(({ loc }) => loc)
      expect(limits).toEqual([['shop', 'visits']])
      const receipt = await privacy.requests.receipt(request.id)
      const named = receipt.collections.map(({ collection, writeLimits }) => [collection, writeLimits])
      expect(Object.fromEntries(named)).toMatchObject({ visits: ['transactions', 'row_locks'] })
      expect(Object.fromEntries(named)['customers']).toBeUndefined()
    })

    it('a batch is written whole or not at all at whichever command the connection breaks off', async () => {
      const connector = connectorOf(kind)
      const connection = await connector.connect(connector.parseSecrets({ url: proxy.url }))
      const anyOf = [{ fields: [{ path: ['email'] }], values: [['bob@example.com', 'ANN@example.com.au']] }]
      const set = [{ column: 'name', to: 'x' }]
      const erase = () => connection.erase?.({ collection: 'customers', key: ['id'], keys: [[2, 3]], anyOf, set })
      await reset()
      proxy.begin()
      await erase()
      const commands = proxy.commands().length
      expect(commands).toBeGreaterThan(2)
      for (let command = 1; command <= commands; command++) {
        await reset()
        proxy.begin({ command, moment: command % 2 === 0 ? 'before' : 'after' })
        await erase()?.catch((error) => expect(error).toMatchObject({ code: 'connection_failed' }))
        const names = await database.rows('select name from customers where id < 10 order by id')
        expect([
          [['x'], ['x']],
          [['Other Ann'], ['Bob']],
        ]).toContainEqual(names)
        proxy.heal()
        await erase()
        expect(await database.rows(`select count(*) from customers where name = 'x'`)).toEqual([[2]])
      }
      await connection.close()
    })

    it('a read whose connection breaks off rejects, and the next one is answered', async () => {
      const connector = connectorOf(kind)
      const connection = await connector.connect(connector.parseSecrets({ url: proxy.url }))
      const read = async () => {
        let rows = 0
        const anyOf = [{ fields: [{ path: ['id'] }], values: [[2, 3]] }]
        for await (const batch of connection.read({ collection: 'customers', columns: ['id'], anyOf }))
          rows += batch.length
        return rows
      }
      for (const moment of ['before', 'after'] as const) {
        expect(await read()).toBe(2)
        proxy.begin({ command: 1, moment })
        await expect(read()).rejects.toMatchObject({ code: 'connection_failed' })
        proxy.heal()
      }
      await connection.close()
    })
  })
}
