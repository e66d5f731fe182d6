import { randomBytes } from 'node:crypto'
import { createPrivacyService } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
import { afterAll, describe, expect, it } from 'vitest'

const privacy = createPrivacyService({ encryptionKey: randomBytes(32).toString('base64') })
afterAll(() => privacy.close())

const origin = 'https://example.test'

describe.each(['', '/privacy'])("the documentation page below '%s'", (basePath) => {
  const handler = createHttpHandler(privacy, { basePath })
  const get = (path: string, init: RequestInit = {}) => handler(new Request(`${origin}${path}`, init))
  const page = `${basePath}/api/v1/docs`

  it('loads everything from here', async () => {
    const response = await get(page)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const html = await response.text()
    expect(html).not.toMatch(/https?:|\/\/[a-z]/)
    const loaded = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path as string)
    expect(loaded.map((path) => path.replace(`${page}/`, ''))).toEqual([
      'swagger-ui.css',
      'swagger-ui-bundle.js',
      'start.js',
    ])
    for (const path of loaded) {
      const file = await get(path)
      expect(file.status, path).toBe(200)
      expect(file.headers.get('content-type'), path).toMatch(path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
      expect((await file.text()).length, path).toBeGreaterThan(100)
    }
  })

  it('forbids what would come from elsewhere, and scripts in the page', async () => {
    const { headers } = await get(`${page}/`)
    const policy = headers.get('content-security-policy') ?? ''
    const directives = new Map(policy.split('; ').map((part) => part.split(/ (.*)/, 2) as [string, string]))
    expect(directives.get('default-src')).toBe("'none'")
    expect(directives.get('script-src')).toBe("'self'")
    expect(directives.get('connect-src')).toBe("'self'")
    expect(directives.get('frame-ancestors')).toBe("'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
  })

  it('asks for the document beside it', async () => {
    const start = await (await get(`${page}/start.js`)).text()
    const [, relative = ''] = /new URL\('([^']*)'/.exec(start) ?? []
    const document = await get(new URL(relative, `${origin}${page}/start.js`).pathname)
    expect(await document.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: `${origin}${basePath}` }] })
    expect(start).toContain('validatorUrl: null')
  })

  it('sends a file once to a browser that keeps it', async () => {
    const first = await get(`${page}/swagger-ui.css`)
    const again = await get(`${page}/swagger-ui.css`, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })

  it.each(['package.json', '..%2fpackage.json', '__proto__', 'constructor', 'swagger-ui.css.map', 'LICENSE'])(
    'has no file %s',
    async (file) => {
      const response = await get(`${page}/${file}`)
      expect(response.status).toBe(404)
      expect(response.headers.get('content-type')).toBe('application/problem+json')
    },
  )
})
