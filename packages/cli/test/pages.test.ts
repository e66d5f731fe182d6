import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { postgresShop, shopFiles, shopTables } from './shop.js'

const shop = postgresShop(shopFiles)
const { folder, query } = shop

beforeAll(() => query(...shopTables))

const run = (...args: string[]) => folder.run(args, { env: { SHOP_DATABASE_URL: shop.url } })
const plan = ['plan', '--identity', 'email=ann@example.com', '--format', 'html']

it.each([
  ['the data map', ['datamap', '--format', 'html'], 'Data map'],
  ['the plan of a request', plan, 'Plan of default_access_policy by email, '],
])('%s is written as one page, which names its tables and no person', async (_, args, title) => {
  const { exitCode, stdout, stderr } = await run(...args, '--output', 'page.html')
  expect(exitCode, stderr).toBe(0)
  expect([stdout, stderr]).toEqual(['', expect.stringContaining('Written: page.html')])
  const page = await readFile(join(folder.path, 'page.html'), 'utf8')
  expect(page).toMatch(/^<!doctype html>/)
  expect(page).toContain(`<title>${title}`)
  expect(page).toContain('customer')
  expect(page).not.toContain('ann@example.com')
})

it('the page of the data map shows all of it, and that of a plan is drawn from files', async () => {
  const part = await run('datamap', '--format', 'html', '--view', 'controller')
  expect([part.exitCode, part.stderr]).toEqual([2, expect.stringContaining('leave --view and --organization out')])
  const env = { HABEAS_CLIENT_ID: 'a', HABEAS_CLIENT_SECRET: 'b' }
  const remote = await folder.run([...plan, '--url', 'http://127.0.0.1:1'], { env })
  expect([remote.exitCode, remote.stderr]).toEqual([2, expect.stringContaining('leave --url out')])
})
