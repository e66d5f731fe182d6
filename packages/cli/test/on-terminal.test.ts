import { beforeAll, expect, it, vi } from 'vitest'
import { commandFolder } from './command-folder.js'
import { keys, onTerminal } from './key-presses.js'
import { postgresShop, shopFiles, shopTables } from './shop.js'

const shop = postgresShop(shopFiles)
const { folder, query } = shop
const names = () => query('select name from customer order by id')

beforeAll(() => query(...shopTables))

it('init asks what it has to know', async () => {
  const fresh = commandFolder()
  const { press, ended } = onTerminal(['init'], fresh.path, {})
  await press('Which kind of database is it?', keys.down, keys.enter)
  await press('What do you call it?', ...'crm', keys.enter)
  await press('Which environment variable has its URL?', keys.enter)
  await press('May requests erase there?', keys.down, keys.enter)
  await press('Which folder takes the datasets?', ...'data', keys.enter)
  const { exitCode, said } = await ended()
  expect(exitCode).toBe(0)
  expect(said).toContain('  export CRM_DATABASE_URL=mysql://user:password@localhost:3306/database\n  habeas draft\n')
  const written = fresh.read('habeas.config.ts')
  for (const part of [
    "type: 'mysql'",
    "access: 'write'",
    'url: process.env.CRM_DATABASE_URL,',
    'connectors: [mysqlConnector()]',
  ])
    expect(written).toContain(part)
})

it('a terminal that says no size shows questions in lines', async () => {
  const { press, ended } = onTerminal(['init'], commandFolder().path, {}, { columns: 0 })
  await press('Which kind of database is it?', keys.leave)
  expect((await ended()).exitCode).toBe(2)
})

it('an erasure is confirmed with the value of the person, and nothing else', async () => {
  vi.stubEnv('SHOP_DATABASE_URL', shop.url)
  const args = ['request', 'submit', '-p', 'default_erasure_policy', '-i', 'email=ann@example.com']
  const wrong = onTerminal(args, folder.path, {})
  await wrong.press('This erases data for good.', ...'bob@example.com', keys.enter)
  const { exitCode, said } = await wrong.ended()
  expect(said).toContain('masks email (random_string_rewrite)')
  expect(said).toContain('Nothing was erased: the value is another one.')
  expect(exitCode).toBe(2)
  expect(await names()).toEqual([{ name: 'Ann Lee' }, { name: 'Bob Ray' }])

  const right = onTerminal(args, folder.path, {})
  await right.press('This erases data for good.', ...'ann@example.com', keys.enter)
  expect(await right.ended()).toMatchObject({ exitCode: 0, given: expect.stringContaining('Rows: 3 masked.') })
  expect(await names()).toEqual([{ name: null }, { name: 'Bob Ray' }])
  vi.unstubAllEnvs()
})
