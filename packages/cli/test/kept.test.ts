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
