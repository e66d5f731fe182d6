import { it } from 'vitest'
import { expectAnnErased, firstCommands } from './first-commands.js'
import { postgresShop, shopTables } from './shop.js'

const { folder, query } = postgresShop()

it('a newcomer describes a database, delivers and erases a person, and writes the data map in eight commands', async () => {
  await query(...shopTables)
  await firstCommands(folder, 'postgres')
  expectAnnErased(
    await query('select * from customer order by id'),
    await query('select * from orders order by id'),
    await query('select * from review order by id'),
  )
})
