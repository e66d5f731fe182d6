import { applyProposals, type DatasetInput, type PrivacyService } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openService } from './open-service.js'
import { type OwnServer, startServer } from './own-server.js'
import { type Kind, openDatabase, type TestDatabase } from './servers.js'

const identities = [{ email: 'ann@example.com' }]

/** A server that writes every name of a table in small letters, whatever a statement says. */
export function namesSuite(kind: Kind): void {
  describe(`lower_case_table_names = 1, on ${kind}`, () => {
    let server: OwnServer
    let database: TestDatabase
    let privacy: PrivacyService
    beforeAll(async () => {
      server = await startServer(kind, '--lower-case-table-names=1')
      database = await openDatabase(kind, server.url)
      await database.run(
        'create table Users (Id int primary key, Email varchar(190), Name varchar(80), key (Email))',
        `create table Orders (Id int primary key, UserId int not null, Note varchar(80),
          constraint OrdersUsers foreign key (UserId) references Users (Id))`,
        'create view Names as select Id, Name from Users',
      )
      privacy = await openService(kind, database.url)
    })
    afterAll(async () => {
      await privacy?.close()
      await database?.close()
      await server?.stop()
    })

    /** The drafted dataset, in which notes and names are the person's. */
    async function drafted(): Promise<DatasetInput> {
      const { dataset, proposals } = await privacy.connections.draftDataset('shop')
      const described = applyProposals(dataset, proposals, { accept: ['users.Email:identity', 'orders.UserId:from'] })
      const collections = described.collections.filter(({ name }) => name !== 'names')
      for (const { fields } of collections)
        for (const field of fields)
          if (['Note', 'Name'].includes(field.name)) Object.assign(field, { data_categories: ['user'] })
      return { ...described, collections }
    }
    async function settled(policyKey: string) {
      await database.run(
        'delete from Orders',
        'delete from Users',
        `insert into Users values (1, 'ann@example.com', 'Ann'), (2, 'bob@example.com', 'Bob')`,
        `insert into Orders values (1, 1, 'of Ann'), (2, 2, 'of Bob')`,
      )
      const { id } = await privacy.requests.submit({ policyKey, identities })
      return privacy.requests.settled(id)
    }
    const stored = async () => [
      await database.rows('select * from users order by 1'),
      await database.rows('select * from orders order by 1'),
    ]

    it('tables are described as the server writes them, with what they refer to and show', async () => {
      const { collections } = await (await database.connect()).describe()
      expect(collections).toMatchObject([
        { name: 'names', view: { writable: true, shows: ['users'] } },
        {
          name: 'orders',
          columns: [{ name: 'Id' }, { name: 'UserId' }, { name: 'Note' }],
          foreignKeys: [{ columns: ['UserId'], references: { collection: 'users', columns: ['Id'] } }],
        },
        { name: 'users', columns: [{ name: 'Id' }, { name: 'Email' }, { name: 'Name' }] },
      ])
    })

    it('a person’s rows are handed over and erased, and nobody else’s', async () => {
      await privacy.connections.attachDataset('shop', await drafted())
      const access = await settled('access')
      let text = ''
      for await (const part of privacy.requests.readPackage(access.id)) text += Buffer.from(part).toString()
      expect(JSON.parse(text)).toMatchObject({ 'shop:users': [{ Name: 'Ann' }], 'shop:orders': [{ Note: 'of Ann' }] })
      expect(text).not.toMatch(/Bob|bob/)
      const erasure = await settled('erase')
      expect(erasure.failure ?? erasure.status).toBe('complete')
      expect(await stored()).toEqual([
        [
          [1, null, null],
          [2, 'bob@example.com', 'Bob'],
        ],
        [
          [1, 1, null],
          [2, 2, 'of Bob'],
        ],
      ])
    })

    it.each([
      ['one table', ['orders'], /The schema .* has no table "Orders"/],
      ['all tables', ['orders', 'users'], /No described collection can be searched/],
    ])(
      'a dataset that names %s otherwise is told the names of the server, and nothing is erased',
      async (_, names, why) => {
        let text = JSON.stringify(await drafted())
        for (const name of names) text = text.replaceAll(`"${name}`, `"${capital(name)}`)
        const { findings } = await privacy.connections.attachDataset('shop', JSON.parse(text))
        const missing = findings.flatMap(({ type, message }) => (type === 'missing_collection' ? [message] : []))
        expect(missing).toEqual(
          names.map((name) =>
            expect.stringContaining(
              `'shop:${capital(name)}' is described, but its database has no such table: correct the name, such as to '${name}'`,
            ),
          ),
        )
        const { status, failure } = await settled('erase')
        expect([status, failure]).toEqual(['error', expect.stringMatching(why)])
        expect(await stored()).toEqual([
          [
            [1, 'ann@example.com', 'Ann'],
            [2, 'bob@example.com', 'Bob'],
          ],
          [
            [1, 1, 'of Ann'],
            [2, 2, 'of Bob'],
          ],
        ])
      },
    )

    it('a database that the secrets write otherwise is told as the server writes it', async () => {
      const url = `${server.url}/${database.name.toUpperCase()}`
      const connection = await database.connect({}, { url })
      const failure = { details: { reason: 'database_missing' }, message: expect.stringContaining(database.name) }
      await expect(connection.describe()).rejects.toMatchObject(failure)
      const read = { collection: 'users', anyOf: [{ fields: [{ path: ['Id'] }], values: [[1]] }] }
      await expect(connection.count([read])).rejects.toMatchObject(failure)
    })
  })
}

const capital = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`
