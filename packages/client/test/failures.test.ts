import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createPrivacyClient, type PrivacyClientOptions } from '../src/index.js'
import { listen, root } from './served.js'

const baseUrl = 'http://service.test/privacy'
const token = { access_token: 'a-token', token_type: 'Bearer', expires_in: 3600, scope: '' }
const page = { items: [], total: 0, page: 1, size: 50, pages: 0 }

type Answer = (request: Request) => Response | Promise<Response>

const refused: Answer = () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
}
const answering =
  (status: number, headers: Record<string, string> = { 'retry-after': '0' }, body = ''): Answer =>
  () =>
    new Response(body || null, { status, headers })
const found: Answer = () => Response.json(page)

/** A client of a service that answers one call after the other as the script says, the last for ever. */
function scripted(script: readonly Answer[], options: Partial<PrivacyClientOptions> = {}) {
  const sent: string[] = []
  const client = createPrivacyClient({
    ...root,
    baseUrl,
    async fetch(request) {
      if (request.url.endsWith('/oauth/token')) return Response.json(token)
      sent.push(request.method)
      return (script[sent.length - 1] ?? script.at(-1)!)(request)
    },
    ...options,
  })
  return { client, sent }
}

const post = 'POST /api/v1/privacy-request'
const body = { policy_key: 'default_access_policy', identity: { email: 'ann@example.com' } }

describe('a call is tried again', () => {
  it.each([429, 503])('after %i, whatever it does', async (status) => {
    const { client, sent } = scripted([answering(status), answering(status), found])
    await client.call(post, { body })
    expect(sent).toEqual(['POST', 'POST', 'POST'])
  })

  it('after a failure of the network, where that changes nothing', async () => {
    const reading = scripted([refused, found])
    expect(await reading.client.call('GET /api/v1/dataset')).toEqual(page)
    expect(reading.sent).toHaveLength(2)
    const removing = scripted([refused, answering(204)])
    const path = { service_key: 'shop' }
    const broken: Answer = () => new Response(new ReadableStream({ pull: (controller) => controller.error('cut') }))
    await removing.client.call('DELETE /api/v1/dataset/{service_key}', { path })
    expect(removing.sent).toHaveLength(2)
    const cut = scripted([broken, found])
    expect(await cut.client.call('GET /api/v1/dataset')).toEqual(page)
  })

  it('not where it might be done twice', async () => {
    for (const answer of [refused, answering(502), answering(504)]) {
      const { client, sent } = scripted([answer, found])
      await expect(client.call(post, { body })).rejects.toMatchObject({ code: 'unavailable' })
      expect(sent).toEqual(['POST'])
    }
  })

  it('not where the service does not know what became of it, which the error says', async () => {
    const { client } = scripted([answering(504)])
    await expect(client.call(post, { body })).rejects.toMatchObject({ details: { outcome: 'unknown' } })
  })

  it('no more often than the options say', async () => {
    const { client, sent } = scripted([answering(503)], { retries: 2 })
    const error = { code: 'unavailable', details: { retryAfterSeconds: 0 } }
    await expect(client.call('GET /api/v1/dataset')).rejects.toMatchObject(error)
    expect(sent).toHaveLength(3)
  })

  it('not when the service asks for more patience than a call has', async () => {
    const { client, sent } = scripted([answering(429, { 'retry-after': '3600' })])
    const error = { code: 'rate_limited', details: { retryAfterSeconds: 3600 } }
    await expect(client.call('GET /api/v1/dataset')).rejects.toMatchObject(error)
    const at = new Date(Date.now() + 600_000).toUTCString()
    const dated = scripted([answering(503, { 'retry-after': at })])
    const { details } = await dated.client.call('GET /api/v1/dataset').catch((error) => error)
    expect(details.retryAfterSeconds).toBeGreaterThan(590)
    expect([sent, dated.sent]).toEqual([['GET'], ['GET']])
  })

  it('after as long as the service asks', async () => {
    const { client } = scripted([answering(429, { 'retry-after': '1' }), found])
    const began = performance.now()
    await client.call('GET /api/v1/dataset')
    expect(performance.now() - began).toBeGreaterThan(990)
  })

  it('no longer once its signal has aborted', async () => {
    const leaving = new AbortController()
    const busy: Answer = () => {
      setTimeout(() => leaving.abort(new Error('gone')), 50)
      return new Response(null, { status: 429, headers: { 'retry-after': '50' } })
    }
    const { client, sent } = scripted([busy])
    await expect(client.call('GET /api/v1/dataset', { signal: leaving.signal })).rejects.toThrow('gone')
    expect(sent).toHaveLength(1)
  })
})

describe('an answer that is not of the interface', () => {
  it.each([
    [404, 'not_found'],
    [400, 'invalid_input'],
    [402, 'unsupported'],
    [500, 'internal'],
    [502, 'unavailable'],
  ])('with status %i is %s', async (status, code) => {
    const html = '<html>Mara Lindt, secret</html>'
    const { client } = scripted([answering(status, { 'content-type': 'text/html' }, html)], { retries: 0 })
    const error = await client.call('GET /api/v1/dataset').catch((error) => error)
    expect(error.code).toBe(code)
    expect(error.message).toContain("'baseUrl'")
    expect(inspect(error)).not.toContain('Mara')
  })

  it('does not decide what the error is', async () => {
    for (const answer of [
      { code: 'constructor', detail: 'x', errors: 'none' },
      { code: 'misconfigured', detail: 'x' },
      { error: 'constructor', error_description: 'x' },
    ]) {
      const { client } = scripted([() => Response.json(answer, { status: 500 })])
      await expect(client.call('GET /api/v1/dataset')).rejects.toMatchObject({ code: 'internal', details: {} })
    }
  })

  it('is not repeated when it cannot be read', async () => {
    const { client } = scripted([answering(200, { 'content-type': 'application/json' }, 'Mara Lindt')])
    const error = await client.call('GET /api/v1/dataset').catch((error) => error)
    expect(error.code).toBe('internal')
    expect(inspect(error)).not.toContain('Mara')
  })

  it('with a redirect is not followed', async () => {
    const { client, sent } = scripted([answering(301, { location: 'http://elsewhere.test/' })])
    await expect(client.call('GET /api/v1/dataset')).rejects.toMatchObject({ details: { option: 'baseUrl' } })
    expect(sent).toHaveLength(1)
    const elsewhere: unknown[] = []
    const other = await listen((request, response) => {
      elsewhere.push(request.headers)
      response.end()
    })
    const redirecting = await listen((_, response) => response.writeHead(307, { location: other.address }).end())
    const redirected = createPrivacyClient({ ...root, baseUrl: redirecting.address })
    await expect(redirected.call('GET /api/v1/dataset')).rejects.toMatchObject({ code: 'misconfigured' })
    await redirecting.close()
    await other.close()
    expect(elsewhere).toEqual([])
  })

  it('to the request for a token says where to look', async () => {
    const client = createPrivacyClient({ ...root, baseUrl, fetch: async () => new Response('It works!') })
    await expect(client.call('GET /api/v1/dataset')).rejects.toMatchObject({ details: { option: 'baseUrl' } })
  })
})

describe('a service that cannot be reached', () => {
  it('is unavailable, with the reason for the log alone', async () => {
    const { address, close } = await listen(() => {})
    await close()
    const client = createPrivacyClient({ ...root, baseUrl: address, retries: 0 })
    const query = { identity: 'ann@example.com' }
    const error = await client.call('GET /api/v1/privacy-request', { query }).catch((error) => error)
    expect(error).toMatchObject({ code: 'unavailable', cause: expect.any(TypeError) })
    const shown = `${inspect(error, { depth: 9 })}${JSON.stringify(error)}`
    for (const secret of ['ann', root.clientSecret, encodeURIComponent(root.clientSecret)])
      expect(shown).not.toContain(secret)
  })

  it('is given up when it stays silent', async () => {
    const silent = await listen(() => {})
    const client = createPrivacyClient({ ...root, baseUrl: silent.address, retries: 1, timeoutSeconds: 0.1 })
    await expect(client.call('GET /api/v1/dataset')).rejects.toThrow('silent for 0.1 seconds')
    await silent.close()
  })

  it('keeps no caller waiting who has aborted', async () => {
    const silent = await listen(() => {})
    const client = createPrivacyClient({ ...root, baseUrl: silent.address })
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(client.call('GET /api/v1/dataset', { signal: gone })).rejects.toThrow('gone')
    const going = AbortSignal.timeout(50)
    await expect(client.call('GET /health', { signal: going })).rejects.toMatchObject({ name: 'TimeoutError' })
    await silent.close()
  })
})

describe('a stream', () => {
  const download = 'GET /api/v1/privacy-request/{privacy_request_id}/download'
  const path = { privacy_request_id: 'pri_1' }
  const first = new TextEncoder().encode('first')

  async function serving(more: 'more for ever' | 'nothing more' | 'a broken line', timeoutSeconds = 60) {
    let left: () => void
    const wasLeft = new Promise<void>((resolve) => {
      left = resolve
    })
    const { address, close } = await listen((request, response) => {
      if (request.url === '/api/v1/oauth/token') {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token))
        return
      }
      response.once('close', left)
      response.write(first)
      if (more === 'a broken line') setTimeout(() => response.destroy(), 50)
      const timer = more === 'more for ever' && setInterval(() => response.write(first), 5)
      response.once('close', () => timer && clearInterval(timer))
    })
    const client = createPrivacyClient({ ...root, baseUrl: address, timeoutSeconds })
    return { client, close, wasLeft }
  }

  it('that the reader stops ends at the service too', async () => {
    const { client, close, wasLeft } = await serving('more for ever')
    const { stream } = await client.stream(download, { path })
    for await (const piece of stream) {
      expect(Buffer.from(piece).toString()).toContain('first')
      break
    }
    await wasLeft
    await close()
  })

  it('ends with its signal', async () => {
    const { client, close, wasLeft } = await serving('more for ever')
    const leaving = new AbortController()
    const { stream } = await client.stream(download, { path, signal: leaving.signal })
    const reading = (async () => {
      for await (const _ of stream) leaving.abort(new Error('gone'))
    })()
    await expect(reading).rejects.toThrow('gone')
    await wasLeft
    await close()
  })

  it.each(['nothing more', 'a broken line'] as const)('with %s is unavailable', async (more) => {
    const { client, close } = await serving(more, 1)
    const { stream } = await client.stream(download, { path })
    const reading = (async () => {
      for await (const _ of stream);
    })()
    await expect(reading).rejects.toMatchObject({ code: 'unavailable' })
    await close()
  })

  it('may be read as slowly as the reader likes', async () => {
    const { client, close } = await serving('more for ever', 3)
    const { stream } = await client.stream(download, { path })
    let read = 0
    for await (const _ of stream) {
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      if (++read === 3) break
    }
    await close()
  })
})

describe('options', () => {
  it.each([
    ['baseUrl', { baseUrl: 'example.com' }],
    ['baseUrl', { baseUrl: 'ftp://example.com' }],
    ['baseUrl', { baseUrl: 'https://user:hunter2@example.com' }],
    ['baseUrl', { baseUrl: 'https://example.com?a=b' }],
    ['clientId', { clientId: '' }],
    ['clientSecret', { clientSecret: undefined as never }],
    ['retries', { retries: -1 }],
    ['timeoutSeconds', { timeoutSeconds: 0 }],
  ])('%s must be right', (option, wrong) => {
    const make = () => createPrivacyClient({ ...root, baseUrl, ...wrong })
    expect(make).toThrow(expect.objectContaining({ code: 'misconfigured', details: { option } }))
    expect(make).not.toThrow('hunter2')
  })
})
