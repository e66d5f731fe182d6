import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type PostgresServer, startPostgres } from '@habeas/testkit'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

const repository = resolve(import.meta.dirname, '../../..')
const root = { OAUTH_ROOT_CLIENT_ID: 'me', OAUTH_ROOT_CLIENT_SECRET: 'the root secret of this test, 0123456789' }
const running = new Set<ChildProcessWithoutNullStreams>()

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres({ password: 'planted' })
})
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
})
afterAll(() => server.stop())

/** Starts the example and waits until it can be asked. */
async function start(more: Readonly<Record<string, string>> = {}) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(
    process.execPath,
    ['--conditions=@habeas/source', '--import', 'tsx', 'examples/express-postgres/main.ts'],
    {
      cwd: repository,
      env: {
        ...{ PATH, HOME, PORT: '0', ...root, DATABASE_URL: server.url },
        HABEAS_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
        ...more,
      },
    },
  )
  running.add(child)
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (said += text))
  let address: string | undefined
  for (;;) {
    address = /(http:\S+)\/api\/v1\/oauth\/token/.exec(said)?.[1]
    if (address !== undefined) break
    if (child.exitCode !== null) throw new Error(`It ended and said:\n${said}`)
    await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
  }
  const user = `${root.OAUTH_ROOT_CLIENT_ID}:${root.OAUTH_ROOT_CLIENT_SECRET}`
  const answer = await fetch(`${address}/api/v1/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(user)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  const call = (path: string, body?: object) =>
    fetch(`${address}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  return { child, said: () => said, ended: once(child, 'close').then(([code]) => code as number | null), call }
}

it('the example keeps its state in PostgreSQL, for processes that come later or run beside it', async () => {
  const first = await start()
  const created = await first.call('connection', { key: 'shop', connection_type: 'postgres' })
  expect(created.status).toBe(201)
  first.child.kill('SIGKILL')
  await first.ended
  const [second, third] = await Promise.all([start(), start()])
  const submitted = await second.call('privacy-request', {
    ...{ policy_key: 'default_access_policy', identities: [{ email: 'ann@example.com' }] },
  })
  const { id } = (await submitted.json()) as { id: string }
  const statusIn = async ({ call }: typeof third) =>
    ((await (await call(`privacy-request/${id}`)).json()) as { status: string }).status
  await expect.poll(() => statusIn(third)).toBe('complete')
  const list = await third.call('connection')
  expect(await list.json()).toMatchObject({ items: [{ key: 'shop' }], total: 1 })
  for (const { child, ended, said } of [second, third]) {
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(said()).toContain('kept in the database of DATABASE_URL')
    expect(said()).not.toContain('planted')
  }
})

it('the example does not start with another key over the same state', async () => {
  const first = await start()
  first.child.kill('SIGKILL')
  await first.ended
  const other = { HABEAS_ENCRYPTION_KEY: Buffer.alloc(32, 8).toString('base64') }
  await expect(start(other)).rejects.toThrow(/\nencryptionKey must be the key that this storage was begun with/)
})

it('the example searches another database than the one in which it keeps its state', async () => {
  const readme = await readFile(join(repository, 'README.md'), 'utf8')
  const [, tables = ''] = /```sql\n([\s\S]*?)```/.exec(readme) ?? []
  const shop = server.url.replace(/[^/]*$/, 'searched')
  await query(server.url, 'create database searched')
  await query(shop, tables)
  const { call, child, ended, said } = await start({ SHOP_DATABASE_URL: shop })
  expect(said()).toContain('The database of SHOP_DATABASE_URL is searched')
  const identities = [{ email: 'ann@example.com' }]
  const submitted = await call('privacy-request', { policy_key: 'default_access_policy', identities })
  const { id } = (await submitted.json()) as { id: string }
  const status = async () => ((await (await call(`privacy-request/${id}`)).json()) as { status: string }).status
  await expect.poll(status).toBe('complete')
  expect(await (await call(`privacy-request/${id}/download`)).json()).toEqual({
    'shop:customer': [{ email: 'ann@example.com', name: 'Ann Lee', street: 'Main Street 1' }],
    'shop:orders': [{ phone_number: '555-0101' }],
    'shop:review': [{ body: 'Arrived early.' }],
  })
  const schemas = `select 1 from pg_namespace where nspname = 'habeas'`
  expect([(await query(shop, schemas)).length, (await query(server.url, schemas)).length]).toEqual([0, 1])
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(said()).not.toContain('planted')
})

async function query(connectionString: string, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}
