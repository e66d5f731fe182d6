import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'

const repository = resolve(import.meta.dirname, '../../..')

/** What this machine has set must not decide what an example does. */
const { PATH = '', HOME = '' } = process.env

let running: ChildProcessWithoutNullStreams | undefined

afterEach(() => {
  running?.kill('SIGKILL')
})

interface Started {
  readonly child: ChildProcessWithoutNullStreams
  /** Everything said so far, on both outputs. */
  said(): string
  readonly ended: Promise<number | null>
}

function start(file: string, env: Record<string, string> = {}): Started {
  return run(process.execPath, ['--conditions=@habeas/source', '--import', 'tsx', `examples/${file}`], env)
}

function run(command: string, parameters: readonly string[], env: Record<string, string> = {}): Started {
  const child = spawn(command, parameters, { cwd: repository, env: { PATH, HOME, PORT: '0', ...env } })
  running = child
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (said += text))
  return { child, said: () => said, ended: once(child, 'close').then(([code]) => code as number | null) }
}

/** The line that gets a token, once it is there. */
async function curlOf({ child, said }: Started): Promise<string> {
  for (;;) {
    const line = /^ *(curl .*)\n/m.exec(said())?.[1]
    if (line !== undefined) return line
    if (child.exitCode !== null) throw new Error(`It ended and said:\n${said()}`)
    await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
  }
}

/** Does what curl would do: a fresh machine may not have it. */
async function runCurl(line: string, client?: string) {
  const [, user = '', data = '', url = ''] = /^curl -u (\S+) -d (\S+) (\S+)$/.exec(line) ?? []
  const authorization = `Basic ${btoa(client ?? user)}`
  const response = await fetch(url, { method: 'POST', headers: { authorization }, body: new URLSearchParams(data) })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return { baseUrl: url.replace('/api/v1/oauth/token', ''), token }
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('npm run example', () => {
  it('gives a token for the printed line, serves the interface beside its own routes, and stops', async () => {
    const started = start('express-postgres/main.ts')
    const { baseUrl, token } = await runCurl(await curlOf(started))
    expect(started.said()).toContain(`listens on ${baseUrl},`)
    expect(started.said()).toContain('gone with this process')

    const list = await fetch(`${baseUrl}/api/v1/connection`, bearer(token))
    expect(await list.json()).toMatchObject({ items: [], total: 0 })
    const kinds = await fetch(`${baseUrl}/api/v1/connection_type?search=postgres`, bearer(token))
    expect(await kinds.json()).toMatchObject({ items: [{ identifier: 'postgres' }] })
    expect((await fetch(`${baseUrl}/api/v1/docs`)).status).toBe(200)
    expect(await (await fetch(`${new URL(baseUrl).origin}/products`)).json()).toHaveLength(1)
    expect((await fetch(`${baseUrl}/nothing`)).status).toBe(404)

    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(0)
    await expect(fetch(`${baseUrl}/health`)).rejects.toThrow()
  })

  it('answers bodies that cannot be read without logging them, takes large datasets, and prints mails', async () => {
    const started = start('express-postgres/main.ts')
    const { baseUrl, token } = await runCurl(await curlOf(started))
    const send = (path: string, body: string) => {
      const headers = { ...bearer(token).headers, 'content-type': 'application/json' }
      return fetch(`${baseUrl}${path}`, { method: 'POST', headers, body })
    }
    const malformed = '{"identities": [{"email": "planted@example.com"'
    for (const path of ['/api/v1/privacy-request', '/products', '/nothing'])
      expect.soft([path, (await send(path, malformed)).status]).toEqual([path, 400])
    expect((await send('/products', JSON.stringify({ text: 'planted'.repeat(20_000) }))).status).toBe(413)
    const collections = Array.from({ length: 10_000 }, (_, at) => ({ name: `c${at}`, description: 'x'.repeat(1_100) }))
    const dataset = JSON.stringify({ service_key: 'large', collections })
    expect(dataset.length).toBeGreaterThan(10 * 2 ** 20)
    expect((await send('/api/v1/dataset', dataset)).status).toBe(201)
    expect(started.said()).not.toContain('planted')

    const identities = [{ email: 'ann@example.com' }]
    expect(
      (await send('/api/v1/privacy-request', JSON.stringify({ policy_key: 'default_access_policy', identities })))
        .status,
    ).toBe(201)
    await expect.poll(() => started.said()).toContain('Mail (request_receipt) to ann@example.com')
    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(0)
  })

  it('ends with npm, whose shell passes no signal on', async () => {
    const started = run('npm', ['run', 'example'])
    const { baseUrl } = await runCurl(await curlOf(started))
    started.child.kill('SIGTERM')
    // Its outputs close when the last process that holds them has ended.
    await started.ended
    await expect(fetch(`${baseUrl}/health`)).rejects.toThrow()
  })

  it('takes its settings from the environment, and does not print them', async () => {
    const started = start('express-postgres/main.ts', {
      OAUTH_ROOT_CLIENT_ID: 'me',
      OAUTH_ROOT_CLIENT_SECRET: 'a short one',
      HABEAS_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    })
    const line = await curlOf(started)
    expect(line).toContain('"$OAUTH_ROOT_CLIENT_ID:$OAUTH_ROOT_CLIENT_SECRET"')
    const { baseUrl, token } = await runCurl(line, 'me:a short one')
    expect((await fetch(`${baseUrl}/api/v1/connection`, bearer(token))).status).toBe(200)
    expect(started.said()).not.toMatch(/a short one|made one/)
    started.child.kill('SIGINT')
    expect(await started.ended).toBe(0)
  })

  it('says in one line what keeps it from starting', async () => {
    const other = createServer().listen(0)
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const taken = start('express-postgres/main.ts', { PORT: String(port) })
    expect(await taken.ended).toBe(1)
    expect(taken.said()).toBe(
      `Habeas starts …\nPort ${port} is taken: set PORT to another one, or to 0 for a free one.\n`,
    )
    other.close()

    const wrong = start('express-postgres/main.ts', { HABEAS__EXECUTION__CONCURRENCY: 'many' })
    expect(await wrong.ended).toBe(1)
    expect(wrong.said()).toMatch(/^Habeas starts …\n.*HABEAS__EXECUTION__CONCURRENCY.*\n$/)
    const database = 'postgres://postgres:planted@127.0.0.1:1/none'
    const unsealed = start('express-postgres/main.ts', { DATABASE_URL: database })
    expect(await unsealed.ended).toBe(1)
    expect(unsealed.said()).toMatch(/^Habeas starts …\nDATABASE_URL is set, so HABEAS_ENCRYPTION_KEY .*\n$/)
    const key = Buffer.alloc(32, 7).toString('base64')
    const away = start('express-postgres/main.ts', { DATABASE_URL: database, HABEAS_ENCRYPTION_KEY: key })
    expect(await away.ended).toBe(1)
    expect(away.said()).toMatch(/^Habeas starts …\nThe storage in PostgreSQL: Nothing listens .*\n$/)
    const unusable = start('express-postgres/main.ts', { PORT: 'web' })
    expect(await unusable.ended).toBe(1)
    expect(unusable.said()).toMatch(/^Habeas starts …\nPORT must be .*\n$/)
  })
})

describe('the other examples', () => {
  it.each(['minimal/main.ts', 'fetch-handler/hono.ts', 'fetch-handler/node-http.ts'])('%s works', async (file) => {
    const started = start(file)
    const { baseUrl, token } = await runCurl(await curlOf(started))
    const created = await fetch(`${baseUrl}/api/v1/connection`, {
      method: 'POST',
      headers: { ...bearer(token).headers, 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'shop', connection_type: 'postgres' }),
    })
    expect(created.status).toBe(201)
    expect(await (await fetch(`${baseUrl}/health`)).json()).toMatchObject({ status: 'healthy' })
    expect((await fetch(`${baseUrl}/nothing`)).status).toBe(404)
    started.child.kill('SIGTERM')
    expect(await started.ended).toBe(0)
  })
})
