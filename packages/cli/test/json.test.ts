import { beforeAll, expect, it } from 'vitest'
import { postgresShop, shopFiles, shopTables } from './shop.js'

const shop = postgresShop(shopFiles)
const { folder, query } = shop
const ann = ['--identity', 'email=ann@example.com']
const password = 'planted-password'

beforeAll(() => query(...shopTables))

/** The server trusts everybody, so that any password will do. */
const run = (args: readonly string[], input = '') =>
  folder.run(args, { env: { SHOP_DATABASE_URL: shop.url.replace('//postgres', `//postgres:${password}`) }, input })

it.each([
  [['check'], { problems: [] }],
  [['draft'], { drafts: [{ connection: 'shop', dataset: 'shop', file: null, removed: [], bare: [], skipped: [] }] }],
  [['answer'], { datasets: [{ dataset: 'shop', proposals: [], open: [] }] }],
  [['plan', ...ann], { plan: expect.anything(), text: expect.any(String), mermaid: expect.any(String) }],
  [['evaluate'], { evaluations: [] }],
  [['push', '--dry-run'], { problems: [] }],
  [['request', 'submit', ...ann], { status: 'complete', results: expect.anything() }],
])('%j gives JSON and nothing else on the standard output, and no password anywhere', async (args, expected) => {
  const { exitCode, stdout, stderr } = await run([...args, '--json'])
  expect(stderr).not.toContain('error')
  expect(JSON.parse(stdout)).toMatchObject(expected)
  expect(stdout + stderr).not.toContain(password)
  expect(exitCode).toBe(0)
})

it('the data map as JSON is JSON', async () => {
  const { exitCode, stdout, stderr } = await run(['datamap', '--format', 'json', '--view', 'controller'])
  expect(JSON.parse(stdout)).toEqual({ view: 'controller', rows: [], blanks: [] })
  expect(stderr).toContain('No system')
  expect(exitCode).toBe(0)
  // nothing is recorded, which is less than a record needs
  expect(await run(['datamap', '--view', 'controller', '--strict'])).toMatchObject({ exitCode: 1 })
})

it('an erasure gives one document with its receipt, and takes the identities from the standard input', async () => {
  const args = ['request', 'submit', '--identities', '-', '-p', 'default_erasure_policy', '--yes', '--json']
  const { exitCode, stdout, stderr } = await run(args, '[{"email": "bob@example.com"}]')
  expect(exitCode, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ status: 'complete', receipt: { status: 'complete' } })
  expect(await query('select name from customer order by id')).toEqual([{ name: 'Ann Lee' }, { name: null }])
  expect(stdout + stderr).not.toContain('bob@example.com')
})

it('names that are accepted and misspelt are told', async () => {
  const accepted = [
    '--accept-unsearched',
    'shop',
    '--accept-undecided',
    'shop:review.bodi',
    '--accept-unconfirmed',
    'mail',
  ]
  const { stderr } = await run(['request', 'submit', ...ann, '-p', 'default_erasure_policy', '--yes', ...accepted])
  expect(stderr).toContain("'shop' names no described collection")
  expect(stderr).toContain("'mail' names no property of the identities")
  expect(stderr).toContain("'shop:review.bodi' was accepted, but it names no described field or reference.")
})

it('an access by a property that no dataset declares says by what field it goes on', async () => {
  const { exitCode, stderr } = await run(['request', 'submit', '--identity', 'name=Ann Lee'])
  expect(exitCode).toBe(0)
  expect(stderr).toContain(
    "No dataset declares the identity 'name', so 'shop:customer.name' is taken for it by its name",
  )
})
