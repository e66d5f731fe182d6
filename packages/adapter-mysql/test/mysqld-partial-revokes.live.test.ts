import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OwnServer, startServer } from './own-server.js'
import { openDatabase, type TestDatabase } from './servers.js'

let server: OwnServer
let database: TestDatabase
let other: TestDatabase
beforeAll(async () => {
  server = await startServer('mysql', '--partial-revokes=ON')
  database = await openDatabase('mysql', server.url)
  other = await openDatabase('mysql', server.url)
  await database.run(
    'create table person (id int primary key)',
    `create table ${other.name}.card (id int primary key, person_id int, constraint card_person
      foreign key (person_id) references ${database.name}.person (id) on delete cascade)`,
    `create user few identified by 'few'`,
    'grant select, update, delete on *.* to few',
    `revoke select, update, delete on ${other.name}.* from few`,
  )
})
afterAll(async () => {
  await other?.close()
  await database?.close()
  await server?.stop()
})

it('a right on all databases but one does not make every foreign key known', async () => {
  const described = async () => {
    const connection = await database.connect({}, { user: 'few', password: 'few' })
    const { collections } = await connection.describe()
    const person = collections.find(({ name }) => name === 'person')
    return { keys: person?.incomingForeignKeys?.map(({ name }) => name), unknown: person?.referencesUnknown }
  }
  expect(await described()).toEqual({ keys: undefined, unknown: expect.stringContaining('PROCESS') })
  await database.run('grant process on *.* to few')
  expect(await described()).toEqual({ keys: ['card_person'], unknown: undefined })
})
