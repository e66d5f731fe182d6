import { inspect } from 'node:util'
import { createHttpHandler } from '@habeas/http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPrivacyClient, type PrivacyClientOptions } from '../src/index.js'
import { openService, root } from './served.js'

const tokenPath = '/api/v1/oauth/token'

let privacy: ReturnType<typeof openService>
/** Paths of what was sent. */
let paths: string[]
let bearers: string[]

beforeEach(() => {
  privacy = openService()
  paths = []
  bearers = []
})
afterEach(async () => {
  vi.restoreAllMocks()
  await privacy.close()
})

/** A client that goes through `before`, which may answer instead of the service. */
function clientOf(
  options: Partial<PrivacyClientOptions> = {},
  before?: (request: Request) => Promise<Response | undefined>,
) {
  const handler = createHttpHandler(privacy)
  return createPrivacyClient({
    ...root,
    baseUrl: 'http://service.test',
    async fetch(request) {
      paths.push(new URL(request.url).pathname)
      const bearer = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1]
      if (bearer) bearers.push(bearer)
      return (await before?.(request)) ?? handler(request)
    },
    ...options,
  })
}

const tokenRequests = () => paths.filter((path) => path === tokenPath).length

/** What a person or a log could see of an error. */
const shown = (error: unknown) => `${inspect(error, { depth: 9 })}${JSON.stringify(error)}`

describe('the token', () => {
  it('is asked for once, however many calls are made at the same time', async () => {
    const client = clientOf()
    const lists = await Promise.all(Array.from({ length: 20 }, () => client.call('GET /api/v1/dataset')))
    await client.call('GET /api/v1/connection')
    expect(lists).toHaveLength(20)
    expect(tokenRequests()).toBe(1)
    expect(new Set(bearers).size).toBe(1)
  })

  it('is renewed before it expires', async () => {
    const now = performance.now.bind(performance)
    let later = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now() + later)
    await privacy.close()
    privacy = openService({ security: { oauthAccessTokenExpireMinutes: 60 } })
    const client = clientOf()
    const minute = 60_000
    for (const [minutes, asked] of [
      [0, 1],
      [57, 1],
      [59.5, 2],
      [60, 2],
    ] as const) {
      later = minutes * minute
      await client.call('GET /api/v1/dataset')
      expect(tokenRequests(), `after ${minutes} minutes`).toBe(asked)
    }
  })

  it('is renewed once when the service no longer takes it, however many calls fail with it', async () => {
    const client = clientOf()
    await client.call('GET /api/v1/dataset')
    await privacy.tokens.revoke(bearers[0] as string, root)
    await Promise.all(Array.from({ length: 5 }, () => client.call('GET /api/v1/dataset')))
    expect(tokenRequests()).toBe(2)
    expect(new Set(bearers).size).toBe(2)
  })

  it('is not asked for again and again when the service takes no token', async () => {
    const client = clientOf({}, async ({ url }) =>
      url.endsWith(tokenPath) ? undefined : new Response(null, { status: 401 }),
    )
    await expect(client.call('POST /api/v1/connection', { body: {} })).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    expect(paths).toHaveLength(4)
  })

  it('is asked for again by the next call when the first attempt failed', async () => {
    let isDown = true
    const client = clientOf({ retries: 0 }, async () => {
      if (isDown) throw new TypeError('fetch failed')
      return undefined
    })
    const failed = await Promise.allSettled([client.call('GET /api/v1/dataset'), client.call('GET /api/v1/system')])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(paths).toEqual([tokenPath])
    isDown = false
    expect((await client.call('GET /api/v1/dataset')).total).toBe(0)
  })

  it('reaches the other calls when one that waited for it was aborted', async () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const client = clientOf({}, async ({ url }) => {
      if (url.endsWith(tokenPath)) await gate
      return undefined
    })
    const leaving = new AbortController()
    const left = client.call('GET /api/v1/dataset', { signal: leaving.signal })
    const stays = client.call('GET /api/v1/dataset')
    leaving.abort(new Error('no longer needed'))
    await expect(left).rejects.toThrow('no longer needed')
    go()
    expect((await stays).total).toBe(0)
    expect(tokenRequests()).toBe(1)
  })
})

describe('a wrong secret', () => {
  it('is reported, not tried again, and not shown', async () => {
    const client = clientOf({ clientSecret: 'the-wrong-one' })
    const error = await client.call('GET /api/v1/dataset').catch((error) => error)
    expect(error).toMatchObject({ code: 'unauthenticated', details: { reason: 'invalid_client' } })
    expect(paths).toEqual([tokenPath])
    expect(shown(error)).not.toContain('the-wrong-one')
    expect(shown(error)).not.toContain(btoa('root:the-wrong-one'))
  })

  it('is told apart from a scope that the client does not have', async () => {
    const created = await privacy.clients.create(['dataset:read'])
    const client = clientOf({ ...created, scope: ['connection:read'] })
    await expect(client.call('GET /api/v1/dataset')).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ type: 'invalid_scope' }] },
    })
  })
})
