import { randomBytes } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { postgresShop, shopFiles, shopTables } from './shop.js'

const config = shopFiles['habeas.config.ts']
  .replace('{ postgresConnector }', '{ postgresBlobs, postgresConnector, postgresStorage }')
  .replace(
    'service: {',
    `service: {
    encryptionKey: process.env.HABEAS_ENCRYPTION_KEY,
    storage: postgresStorage({ connectionString: process.env.SHOP_DATABASE_URL }),
    blobs: postgresBlobs({ connectionString: process.env.SHOP_DATABASE_URL }),
   `,
  )
const { folder, query } = postgresShop(
  { ...shopFiles, 'habeas.config.ts': config },
  { HABEAS_ENCRYPTION_KEY: randomBytes(32).toString('base64') },
)
const ann = ['-i', 'email=ann@example.com']

beforeAll(() => query(...shopTables))

it('commands share the storage of the configuration, and those that only read leave it alone', async () => {
  expect(await folder.run(['check'])).toMatchObject({ exitCode: 0 })
  expect(await query("select 1 from information_schema.schemata where schema_name = 'habeas'")).toEqual([])

  for (const policy of ['default_access_policy', 'default_erasure_policy']) {
    const early = await folder.run(['request', 'submit', ...ann, '-p', policy, '--yes'])
    expect(early.stderr).toContain("holds no dataset and no connection: run 'habeas push' first.")
    expect(early).toMatchObject({ exitCode: 2, stdout: '' })
  }
  expect(await folder.run(['push'])).toEqual({ exitCode: 0, stdout: '', stderr: 'Sent: 1 dataset.\n' })
  const held = await folder.run(['holds', 'create', ...ann, '--reason', 'Case 12'])
  expect(held.exitCode, held.stderr).toBe(0)
  const hold = held.stdout.trim()
  const refused = await folder.run(['request', 'submit', ...ann, '-p', 'default_erasure_policy', '--yes'])
  expect(refused.exitCode, refused.stderr).toBe(1)
  expect(await query('select name from customer where id = 1')).toEqual([{ name: 'Ann Lee' }])
  expect(await folder.run(['holds', 'release', hold])).toMatchObject({ exitCode: 0 })

  const found = await folder.run(['request', 'submit', ...ann, '--output', 'ann.json'])
  expect(found.exitCode, found.stderr).toBe(0)
  const id = /Request (\S+)/.exec(found.stderr)?.[1] ?? ''
  expect(await folder.run(['request', 'watch', id, '--output', 'again.json'])).toMatchObject({ exitCode: 0 })
  expect(folder.read('again.json')).toBe(folder.read('ann.json'))
  expect(await folder.run(['pull'])).toMatchObject({ exitCode: 0, stderr: 'The files say what the service holds.\n' })
})

it('an erasure does nothing but what the files say, and an access says that it uses what was pushed', async () => {
  const file = 'habeas/shop.yml'
  const before = folder.read(file)
  const bob = ['-i', 'email=bob@example.com']
  const erase = ['request', 'submit', ...bob, '-p', 'default_erasure_policy', '--yes']
  expect((await folder.run(['push'])).exitCode).toBe(0)
  folder.replace(file, 'data_categories: [user.contact.address.street]', 'service_meta: { waived: { reason: public } }')
  const refused = await folder.run(erase)
  expect(refused.stderr).toBe(
    "error The storage does not hold what the configuration says of dataset 'shop': 'habeas push' sends it, and 'habeas pull' writes what the storage holds into the files.\n",
  )
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
  const found = await folder.run(['request', 'submit', ...bob, '--output', 'bob.json'])
  expect(found.stderr).toContain("uses what was pushed last: dataset 'shop' has changed since. 'habeas push' sends it.")
  expect(found.exitCode).toBe(0)

  expect((await folder.run(['push'])).exitCode).toBe(0)
  expect(await folder.run(erase)).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('push') })
  expect(await query('select name, street from customer where id = 2')).toEqual([
    { name: null, street: 'Side Street 2' },
  ])
  folder.write(file, before)
})

it.each([[['holds', 'list']], [['request', 'watch', 'pri_1']], [['pull']]])(
  '%j says that the key is another one',
  async (args) => {
    const env = { HABEAS_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
    const { exitCode, stdout, stderr } = await folder.run(args, { env })
    expect(stderr).toMatch(/^error encryptionKey must be the key that this storage was begun with[^\n]*\n$/)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  },
)
