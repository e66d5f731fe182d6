import { createHash } from 'node:crypto'
import { type Connection, type Connector, memoryStorage, PrivacyError, type Storage } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { callSample, pathOf, targetOf, targets } from './attack/calls.js'
import { attackedWorld, origin, planted } from './attack/world.js'

afterEach(() => vi.restoreAllMocks())

const textOf = async (response: Response) => `${JSON.stringify([...response.headers])}\n${await response.text()}`

/** Every form in which a secret could come to light. */
function formsOf(secret: string): string[] {
  const sha = createHash('sha256').update(secret)
  const digest = sha.digest()
  return [
    secret,
    Buffer.from(secret).toString('base64'),
    encodeURIComponent(secret),
    digest.toString('base64'),
    digest.toString('hex'),
  ]
}

describe('no secret is in any answer', () => {
  it('of any endpoint, whether the call is right, wrong or forbidden', async () => {
    const world = await attackedWorld()
    const secrets = [planted.password, planted.keyfile, ...world.clientSecrets].flatMap(formsOf)
    const people = [planted.identity, planted.phone].flatMap(formsOf)
    for (const target of targets) {
      const other = { authorization: `Bearer ${world.client.token}` }
      const variations = [
        {},
        { body: undefined },
        { body: [] },
        { body: { a: 1 } },
        { query: 'size=100' },
        { headers: other },
        { query: 'size=0&verbose=x' },
      ]
      for (const variation of variations) {
        const text = await textOf(await callSample(target, world, variation))
        const told = secrets.filter((secret) => text.includes(secret))
        expect([target.key, told]).toEqual([target.key, []])
        // Who asks with the right scope may see whom a request is about.
        const isShown = text.includes('"identities":[{')
        if (!isShown) expect([target.key, people.filter((each) => text.includes(each))]).toEqual([target.key, []])
        await world.restore()
      }
    }
    expect(world.unforeseen).toEqual([])
    await world.close()
  })

  it('and none is stored in the clear', async () => {
    const world = await attackedWorld()
    const stored = JSON.stringify([...(await world.rows())])
    for (const secret of [planted.password, planted.keyfile, planted.identity, planted.phone, ...world.clientSecrets]) {
      expect(stored.includes(secret) || stored.includes(Buffer.from(secret).toString('base64'))).toBe(false)
    }
    await world.close()
  })

  it('and identities are shown only to callers who may view personal data and ask for them', async () => {
    const world = await attackedWorld()
    const reader = await world.privacy.clients.create(['privacy-request:read'])
    const { accessToken } = await world.privacy.tokens.issue(reader)
    for (const key of ['GET /api/v1/privacy-request', 'GET /api/v1/privacy-request/{privacy_request_id}'] as const) {
      const target = targetOf(key)
      const ask = (token: string, query: string) =>
        callSample(target, world, { query, headers: { authorization: `Bearer ${token}` } })
      const refused = await ask(accessToken, 'include_identities=true')
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        403,
        expect.stringContaining('privacy-request:view_data'),
      ])
      for (const [token, query] of [
        [accessToken, ''],
        [accessToken, 'include_identities=false'],
        [world.token, ''],
      ] as const) {
        const response = await ask(token, query)
        expect(response.status).toBe(200)
        expect(await response.text()).not.toContain(planted.identity)
      }
      const shown = await ask(world.token, 'include_identities=true')
      expect(await shown.text()).toContain(planted.identity)
    }
    await world.close()
  })
})

describe('a value in the wrong place', () => {
  it('is not repeated by an endpoint that finds nothing under it', async () => {
    const world = await attackedWorld()
    for (const target of targets.filter(({ template }) => template.includes('{'))) {
      for (const text of [planted.identity, `${planted.password} of us`]) {
        const path = target.template.replaceAll(/\{.+?\}/g, encodeURIComponent(text))
        const response = await callSample(target, world, { path })
        // Who has no reply token for a request is not told whether there is one.
        expect([target.key, response.status]).toEqual([target.key, target.sample.bearer ? 401 : 404])
        expect(await textOf(response)).not.toMatch(/planted/)
      }
    }
    await world.close()
  })

  it('is not repeated for items of a list that were refused', async () => {
    const world = await attackedWorld()
    const identity = { email: planted.identity }
    const lists: [Parameters<typeof targetOf>[0], unknown][] = [
      ['POST /api/v1/privacy-request', [{ policy_key: 'nothing', identities: [identity] }]],
      ['POST /api/v1/privacy-request', [{ external_id: identity, policy_key: [identity], requested_at: identity }]],
      ['POST /api/v1/privacy-request', [planted.identity, [identity], { email: planted.identity }]],
      ['POST /api/v1/privacy-request/bulk/retry', [planted.identity]],
      [
        'PATCH /api/v1/privacy-request/administrate/cancel',
        { request_ids: [planted.identity], reason: planted.identity },
      ],
      ['POST /api/v1/connection', [{ connection_type: 'postgres', password: planted.identity, secrets: identity }]],
      ['PATCH /api/v1/connection', [{ key: identity, name: identity, description: [planted.identity] }]],
    ]
    for (const [key, body] of lists) {
      const text = await textOf(await callSample(targetOf(key), world, { body }))
      expect(text).toContain('"succeeded":[]')
      expect(text).not.toMatch(/planted/)
    }
    await world.close()
  })
})

describe("a client's secret is shown once", () => {
  it('when it is made and when it is renewed', async () => {
    const world = await attackedWorld()
    const post = async (path: string) => {
      const response = await world.call(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' },
        ...(path.endsWith('/client') && { body: '["policy:read"]' }),
      })
      expect(response.headers.get('cache-control')).toBe('no-store')
      return (await response.json()) as { client_id: string; client_secret: string }
    }
    const made = await post('/api/v1/oauth/client')
    const renewed = await post(`/api/v1/oauth/client/${made.client_id}/secret`)
    expect(renewed.client_secret).not.toBe(made.client_secret)
    for (const target of targets.filter(({ template, verb }) => template.includes('/client') && verb !== 'DELETE')) {
      const path = pathOf(target, world, { client_id: made.client_id })
      const text = await textOf(await callSample(target, world, { path }))
      for (const { client_secret: secret } of [made, renewed])
        expect(formsOf(secret).filter((form) => text.includes(form))).toEqual([])
    }
    await world.close()
  })
})

/** Says all it knows, as an error of ours or as any other, at one of its doors. */
function talkativeConnector(door: 'connect' | 'ping' | 'describe' | 'read', ours: boolean): Connector {
  const fail = (secrets: unknown): never => {
    const message = `cannot use ${JSON.stringify(secrets)}`
    throw ours ? new PrivacyError('connection_failed', message, { reason: 'talkative' }) : new Error(message)
  }
  return {
    type: 'postgres',
    category: 'database',
    capabilities: { maxKeys: 100, nestedFields: false },
    parseSecrets: (input) => input,
    async connect(secrets): Promise<Connection> {
      const at = (here: typeof door) => here === door && fail(secrets)
      at('connect')
      const columns = ['id', 'email'].map((name) => ({ name, type: 'text', kind: 'string' as const, nullable: true }))
      const customers = { name: 'customers', columns, primaryKey: ['id'], uniqueKeys: [], foreignKeys: [], indexes: [] }
      return {
        concurrency: 1,
        ping: async () => void at('ping'),
        async describe() {
          at('describe')
          return { collections: [customers] }
        },
        // biome-ignore lint/correctness/useYield: it fails before there is a row
        async *read() {
          at('read')
        },
        count: async (counts) => counts.map(() => 0),
        close: async () => {},
      }
    },
  }
}

describe('a connector whose errors say too much', () => {
  const doors = (['connect', 'ping', 'describe', 'read'] as const).flatMap((door) =>
    [true, false].map((ours) => [door, ours] as const),
  )
  it.each(doors)('at %s (an error of ours: %s)', async (door, ours) => {
    const world = await attackedWorld({ connectors: [talkativeConnector(door, ours)] })
    const answers: string[] = []
    const keep = async (response: Response) => {
      answers.push(await textOf(response))
      expect(response.status).not.toBe(500)
    }
    const pending = { privacy_request_id: world.requests.pending }
    await keep(await callSample(targetOf('POST /api/v1/connection/{connection_key}/test'), world))
    await keep(
      await callSample(targetOf('PUT /api/v1/connection/{connection_key}/secret'), world, { query: 'verify=true' }),
    )
    await keep(await callSample(targetOf('PUT /api/v1/privacy-request/preview'), world))
    await keep(await callSample(targetOf('POST /api/v1/privacy-request/{privacy_request_id}/run'), world))
    for (const key of [
      'GET /api/v1/privacy-request/{privacy_request_id}',
      'GET /api/v1/privacy-request/{privacy_request_id}/log',
    ] as const) {
      await keep(await callSample(targetOf(key), world, { path: pathOf(targetOf(key), world, pending), query: '' }))
    }
    await keep(await callSample(targetOf('GET /api/v1/dataset/{service_key}/findings'), world))
    await keep(await callSample(targetOf('PUT /api/v1/connection/{connection_key}/validate_dataset'), world))
    expect(answers.filter((text) => text.includes(planted.password))).toEqual([])
    await world.close()
  })
})

describe('an unexpected error', () => {
  const breaking = () => {
    const storage = memoryStorage()
    const state = { isBroken: false }
    const fail = () => Promise.reject(new Error(`lost in ${planted.password}`))
    const table = ((kind) => {
      const rows = storage.table(kind)
      return { ...rows, find: (query) => (state.isBroken ? fail() : rows.find(query)) }
    }) as Storage['table']
    return { state, storage: { ...storage, table } }
  }

  it('is reported to the operator, and not to the caller', async () => {
    const { state, storage } = breaking()
    const world = await attackedWorld({ storage })
    state.isBroken = true
    const response = await callSample(targetOf('GET /api/v1/registry'), world, { query: '' })
    const text = await textOf(response)
    expect(response.status).toBe(500)
    expect(JSON.parse(text.split('\n')[1] as string)).toMatchObject({ code: 'internal', status: 500 })
    expect(text).not.toContain(planted.password)
    expect(text).not.toMatch(/\.ts|lost in/)
    expect(world.unforeseen).toHaveLength(1)
    await world.close()
  })

  it('is reported without its message where the operator has no handler', async () => {
    const { state, storage } = breaking()
    const world = await attackedWorld({ storage })
    state.isBroken = true
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const handler = createHttpHandler(world.privacy)
    const response = await handler(
      new Request(`${origin}/api/v1/registry`, { headers: { authorization: `Bearer ${world.token}` } }),
    )
    const lines = written.mock.calls.map(([line]) => String(line)).join('')
    expect(response.status).toBe(500)
    expect(lines).toContain('    at ')
    expect(lines).not.toContain(planted.password)
    expect(lines).not.toContain(world.token)
    await world.close()
  })
})
