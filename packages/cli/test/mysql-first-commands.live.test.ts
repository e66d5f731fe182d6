import { afterAll, beforeAll, it } from 'vitest'
import { openDatabase, type TestDatabase } from '../../adapter-mysql/test/servers.js'
import { commandFolder } from './command-folder.js'
import { expectAnnErased, firstCommands } from './first-commands.js'
import { shopTables } from './shop.js'

let database: TestDatabase
const folder = commandFolder({}, () => ({ SHOP_DATABASE_URL: database.url }))

beforeAll(async () => {
  database = await openDatabase('mysql')
  await database.run(...shopTables)
})
afterAll(() => database?.close())

it('a newcomer with MySQL does the same', async () => {
  await firstCommands(folder, 'mysql')
  const rows = async (table: string) => {
    const [found] = await database.client.query({ sql: `select * from ${table} order by id`, rowsAsArray: false })
    return found
  }
  expectAnnErased(await rows('customer'), await rows('orders'), await rows('review'))
})
