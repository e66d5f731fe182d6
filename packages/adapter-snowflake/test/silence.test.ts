import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { peopleAccount } from './people-account.js'
import { openDouble, type ServiceDouble } from './service-double.js'

let double: ServiceDouble
beforeAll(async () => {
  double = await openDouble(peopleAccount())
})
afterAll(() => double.close())

const script = (url: string, source: string) => `
  import { snowflakeConnector } from ${JSON.stringify(source)}
  const connector = snowflakeConnector()
  for (const password of ['right', 'wrong']) {
    const secrets = { url: ${JSON.stringify(url)}, user: 'reader', password, database: 'shop', warehouse_name: 'small' }
    const connection = await connector.connect(connector.parseSecrets(secrets))
    await connection.ping().catch(() => {})
    await connection.close()
  }
`

it('keeps the driver from writing to the console, and to files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'habeas-snowflake-'))
  const source = fileURLToPath(new URL('../src/index.ts', import.meta.url))
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const child = spawn(
    process.execPath,
    [
      '--conditions=@habeas/source',
      '--import',
      join(root, 'node_modules/tsx/dist/loader.mjs'),
      '--input-type=module',
      '-e',
      script(double.url, source),
    ],
    { cwd: folder, env: { ...process.env, HOME: folder } },
  )
  let shown = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (shown += text))
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect([code, shown]).toEqual([0, ''])
  expect(readdirSync(folder).filter((name) => name.endsWith('.log'))).toEqual([])
  expect(double.statements.some(({ sql }) => sql === 'select 1')).toBe(true)
})
