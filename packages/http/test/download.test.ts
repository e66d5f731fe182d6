import { createPrivacyService, memoryStorage, systemRuntime } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let ahead = 0
const open = () => {
  ahead = 0
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 5).toString('base64'),
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + ahead * 1_000) },
    storage: memoryStorage(),
    publicUrl: 'https://example.org',
    execution: { immediate: false },
  })
  return { privacy, handler: createHttpHandler(privacy) }
}
/** What the package of a person is of whom nothing is stored. */
const text = `{
"nothing_found": "No place was searched, so no data about you was found.",
"searched": []
}
`
const size = text.length
let service: ReturnType<typeof open>
let id: string
beforeEach(async () => {
  service = open()
  const submission = { policyKey: 'default_access_policy', identities: [{ email: 'a@example.org' }] }
  id = (await service.privacy.requests.submit(submission)).id
  await service.privacy.requests.run(id)
})
afterEach(() => service.privacy.close())

const link = async () => (await service.privacy.requests.createDownloadLink(id)).path
const call = (path: string, { method = 'GET', ...headers }: Record<string, string> = {}) =>
  service.handler(new Request(`https://example.org${path}`, { method, headers }))
const bearerOf = async (...scopes: string[]) => {
  const client = await service.privacy.clients.create({ scopes })
  return { authorization: `Bearer ${(await service.privacy.tokens.issue(client)).accessToken}` }
}
const actions = async () => (await service.privacy.requests.auditTrail(id)).items.map(({ action }) => action)

describe('a download link', () => {
  it('hands the package over once, with nothing that lets it be kept', async () => {
    const path = await link()
    const first = await call(path)
    expect(first.status).toBe(200)
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${id}.json"`,
      'content-length': String(size),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    })
    expect(await first.text()).toBe(text)
    expect((await call(path)).status).toBe(410)
    expect(await actions()).toContain('package_downloaded')
  })

  it('is not used up by HEAD, which answers the same', async () => {
    const path = await link()
    const head = await call(path, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(size), ''])
    expect((await call(path)).status).toBe(200)
    expect((await call(path, { method: 'HEAD' })).status).toBe(410)
  })

  it('serves one of fifty downloads', async () => {
    const path = await link()
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(path)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 49 }, () => 410)])
    expect((await actions()).filter((action) => action === 'package_downloaded')).toHaveLength(1)
  })

  it('is used up by a reader that stops early', async () => {
    const path = await link()
    const reader = (await call(path)).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    ahead = 16 * 60
    expect((await call(path)).status).toBe(410)
  })

  it('works again where the process died before the download ended, once it has been silent for a quarter of an hour', async () => {
    const path = await link()
    // Nobody takes its bytes, as if the process had ended.
    expect((await call(path)).status).toBe(200)
    ahead = 14 * 60
    expect((await call(path)).status).toBe(410)
    ahead = 16 * 60
    const again = await call(path)
    expect([again.status, await again.text()]).toEqual([200, text])
    ahead = 32 * 60
    expect((await call(path)).status).toBe(410)
  })

  it('goes on for a quarter of an hour where it was cut off, for the caller that has begun', async () => {
    const path = await link()
    const etag = (await call(path)).headers.get('etag') as string
    const rest = await call(path, { range: 'bytes=1-', 'if-range': etag })
    expect(rest.status).toBe(206)
    expect(rest.headers.get('content-range')).toBe(`bytes 1-${size - 1}/${size}`)
    expect(rest.headers.get('content-length')).toBe(String(size - 1))
    expect(await rest.text()).toBe(text.slice(1))
    expect(await (await call(path, { range: `bytes=${size - 1}-`, 'if-range': etag })).text()).toBe('\n')
    const end = await call(path, { range: `bytes=${size}-`, 'if-range': etag })
    expect([end.status, end.headers.get('content-range')]).toEqual([416, `bytes */${size}`])
    const others: Record<string, string>[] = [
      { range: 'bytes=1-' },
      { range: 'bytes=0-', 'if-range': etag },
      { range: 'bytes=1-1', 'if-range': etag },
      { range: 'bytes=-1', 'if-range': etag },
      { range: 'bytes=1-,2-', 'if-range': etag },
      { range: 'bytes=1-', 'if-range': '"another-one"' },
      { range: 'bytes=1-', 'if-range': `W/${etag}` },
      { 'if-range': etag },
    ]
    for (const headers of others) expect((await call(path, headers)).status).toBe(410)
    ahead = 899
    expect((await call(path, { range: 'bytes=1-', 'if-range': etag })).status).toBe(206)
    ahead = 901
    expect((await call(path, { range: 'bytes=1-', 'if-range': etag })).status).toBe(410)
  })

  it('that was not used yet gives everything, whatever range is asked for', async () => {
    const answer = await call(await link(), { range: 'bytes=1-' })
    expect([answer.status, await answer.text()]).toEqual([200, text])
  })

  it('expires after a day, and one that is wrong looks the same', async () => {
    const path = await link()
    ahead = 86_401
    const expired = await call(path)
    ahead = 0
    const wrong = await call(`/api/v1/privacy-request/${id}/download?token=nonsense`)
    expect([expired.status, wrong.status]).toEqual([410, 410])
    expect(await expired.text()).toBe(await wrong.text())
    const other = await service.privacy.requests.submit({
      policyKey: 'default_access_policy',
      identities: [{ email: 'b@example.org' }],
    })
    expect((await call(path.replace(id, other.id))).status).toBe(410)
    expect((await call(path)).status).toBe(200)
  })
})

describe('without a link', () => {
  const path = () => `/api/v1/privacy-request/${id}/download`

  it('a bearer with privacy-request:download gets the package as often as it likes, which is audited', async () => {
    const bearer = await bearerOf('privacy-request:download')
    for (let time = 0; time < 2; time++) {
      const answer = await call(path(), bearer)
      expect([answer.status, await answer.text()]).toEqual([200, text])
    }
    await call(path(), { ...bearer, method: 'HEAD' })
    expect((await actions()).filter((action) => action === 'package_downloaded')).toHaveLength(2)
    expect((await call(path())).status).toBe(401)
    expect((await call(path(), await bearerOf('privacy-request:read'))).status).toBe(403)
  })

  it('the bearer makes a fresh link', async () => {
    const made = await call(`${path()}-link`, { ...(await bearerOf('privacy-request:download')), method: 'POST' })
    expect(made.status).toBe(201)
    const body = (await made.json()) as { url: string; download_url: string }
    expect(body).toMatchObject({ name: `${id}.json`, expires_at: expect.stringMatching(/Z$/) })
    expect(body.url).toBe(`https://example.org${body.download_url}`)
    expect((await call(body.download_url)).status).toBe(200)
    expect((await call(`${path()}-link`, { ...(await bearerOf('privacy-request:read')), method: 'POST' })).status).toBe(
      403,
    )
    expect(await actions()).toContain('download_link_created')
    const unknown = `/api/v1/privacy-request/pri_none/download-link`
    expect((await call(unknown, { ...(await bearerOf('privacy-request:download')), method: 'POST' })).status).toBe(404)
  })
})
