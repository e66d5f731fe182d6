import { isPrivacyError, type PrivacyService } from '@habeas/core'
import type { ExpressRequest, PrivacyRouterOptions } from '@habeas/http-express'
import type { NextFunction, Request, Response } from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { openWorld } from '../../http/test/contract/world.js'
import { type AppOptions, hostApp, listening, versions } from './express-skin.js'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

describe.each(Object.entries(versions))("a host's own login behind %s", (_version, express) => {
  async function served(authorize: PrivacyRouterOptions['authorize'], options: Partial<AppOptions> = {}) {
    const { privacy } = await openWorld()
    const errors: unknown[] = []
    const { baseUrl, close } = await listening(
      hostApp(privacy, { express, errors, ...(authorize && { authorize }), ...options }),
    )
    closing.push(() => privacy.close(), close)
    const call = async (method: string, path: string, headers: Record<string, string> = {}, body = '{}') => {
      const sent = { 'content-type': 'application/json', ...headers }
      const response = await fetch(`${baseUrl}${path}`, { method, headers: sent, ...(method !== 'GET' && { body }) })
      return { status: response.status, text: await response.text() }
    }
    return { privacy, errors, call }
  }

  const tokenOf = async ({ clients, tokens }: PrivacyService, ...scopes: readonly string[]) => {
    const { clientId, clientSecret } = await clients.create(scopes)
    return `Bearer ${(await tokens.issue({ clientId, clientSecret })).accessToken}`
  }

  it.each([false, true])('is what the app has made of the request (body parsers in front: %s)', async (parsers) => {
    const { call, privacy } = await served(
      async ({ headers }: ExpressRequest) =>
        headers.cookie === undefined ? undefined : { scopes: ['legal-hold:create'], name: headers.cookie },
      { parsers },
    )
    const hold = '{"identity":{"email":"ann@example.com"},"reason":"r"}'
    const made = await call('POST', '/api/v1/legal-hold', { cookie: 'alice' }, hold)
    expect([made.status, JSON.parse(made.text)]).toMatchObject([201, { created_by: 'host:alice' }])
    expect((await call('GET', '/api/v1/legal-hold', { cookie: 'alice' })).status).toBe(403)
    expect((await call('GET', '/api/v1/legal-hold')).status).toBe(401)
    const authorization = await tokenOf(privacy, 'legal-hold:read')
    expect((await call('GET', '/api/v1/legal-hold', { authorization })).status).toBe(200)
    expect((await call('GET', '/api/v1/legal-hold', { authorization, cookie: 'alice' })).status).toBe(403)
  })

  it('takes a function of the types of Express', async () => {
    type WithSession = Request & { session?: { user?: { scopes: string[] } } }
    const { call } = await served((request: WithSession) => request.session?.user?.scopes)
    expect((await call('GET', '/api/v1/registry')).status).toBe(401)
  })

  it.each([
    ['an error', Object.assign(new Error('pa55word'), { status: 200, code: 'unauthenticated' })],
    ['no error', 'pa55word'],
  ])('%s that it throws becomes an error that says nothing', async (_what, thrown) => {
    const { call, errors, privacy } = await served(() => {
      throw thrown
    })
    const authorization = await tokenOf(privacy, 'registry:read')
    expect(await call('GET', '/api/v1/registry', { authorization })).toEqual({ status: 500, text: 'the host is sorry' })
    expect(errors).toMatchObject([{ code: 'internal', cause: thrown }])
    expect(String((errors[0] as Error).stack)).not.toContain('pa55word')
    expect(errors[0]).not.toHaveProperty('status')
  })

  it.each([[['registry:reed']], [['__proto__']], [null], [{ scopes: 'registry:read' }]])(
    'gives no rights for %j',
    async (login) => {
      const { call, errors } = await served(() => login as never)
      expect((await call('GET', '/api/v1/registry')).status).toBe(500)
      expect(errors[0]).toSatisfy((error) => isPrivacyError(error, 'misconfigured'))
    },
  )

  it('is not asked for calls that the app refuses', async () => {
    const { privacy } = await openWorld()
    const app = express()
    app.use(({ headers }: Request, response: Response, next: NextFunction) => {
      if (headers['sec-fetch-site'] === 'cross-site') response.sendStatus(403)
      else next()
    })
    app.use(hostApp(privacy, { express, authorize: () => ['registry:create'] }))
    const { baseUrl, close } = await listening(app)
    closing.push(() => privacy.close(), close)
    const statusFrom = async (site: string) => {
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': site }
      return (await fetch(`${baseUrl}/api/v1/registry`, { method: 'POST', headers, body: '{}' })).status
    }
    expect([await statusFrom('cross-site'), await statusFrom('same-origin')]).toEqual([403, 422])
  })
})
