import { afterEach, beforeEach, expect, it } from 'vitest'
import { servedService } from './service-calls.js'

let service: Awaited<ReturnType<typeof servedService>>
beforeEach(async () => {
  service = await servedService()
  await service.privacy.policies.put({ service_key: 'p', execution_timeframe: 'gdpr', rules: [] })
})
afterEach(() => service.privacy.close())

const submit = (input: object = {}) =>
  service.privacy.requests.submit({ policyKey: 'p', identities: [{ email: 'planted-marker@example.org' }], ...input })
const bearer = async (...scopes: string[]) => `Bearer ${await service.tokenFor(...scopes)}`
const csv = async (query: string, authorization?: string) => {
  const { handler } = service
  const headers = { authorization: authorization ?? (await bearer('privacy-request:read')) }
  const response = await handler(new Request(`https://example.org/api/v1/privacy-request?${query}`, { headers }))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

it('a list comes as CSV, with the identities for those who may see them', async () => {
  const { id } = await submit({ externalId: '=1+1' })
  const plain = await csv('download_csv=true')
  expect(plain.status).toBe(200)
  expect(plain.headers.get('content-type')).toMatch(/^text\/csv/)
  expect(plain.headers.get('content-disposition')).toMatch(
    /^attachment; filename=privacy_requests_download_\d{4}-\d\d-\d\d\.csv$/,
  )
  expect(plain.text.split('\n')[0]).toMatch(/^Time received,Policy key,Request status,/)
  expect(plain.text).toContain(id)
  expect(plain.text).toContain("'=1+1")
  expect(plain.text).not.toContain('planted-marker')
  const seeing = await bearer('privacy-request:read', 'privacy-request:view_data')
  expect((await csv('download_csv=true', seeing)).text).toContain('planted-marker')
  expect((await csv('download_csv=true&include_identities=false', seeing)).text).not.toContain('planted-marker')
  expect((await csv('download_csv=true&include_identities=true')).status).toBe(403)
  expect((await csv('download_csv=true&status=nothing')).status).toBe(422)
  expect((await csv('download_csv=true&created_lt=2020-01-01')).text.trimEnd().split('\n')).toHaveLength(1)
})

it('the deadline is shown, found when it has passed, and extended with a reason', async () => {
  const { id } = await submit({ requestedAt: '2020-01-01' })
  await submit()
  const overdue = await service.call<{ items: { id: string; days_left: number }[] }>(
    'GET /api/v1/privacy-request?overdue=true',
  )
  expect(overdue.body.items).toMatchObject([{ id, due_date: '2020-02-01T23:59:59.999Z' }])
  expect(overdue.body.items[0]?.days_left).toBeLessThan(0)
  expect((await service.call('GET /api/v1/privacy-request?overdue=false')).status).toBe(422)

  const late = await service.call(`POST /api/v1/privacy-request/${id}/extend`, { reason: 'Many systems.' })
  expect(late).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  const fresh = await submit()
  const path = `POST /api/v1/privacy-request/${fresh.id}/extend`
  for (const body of [{}, { reason: ' ' }, { reason: 5 }, { reason: 'x'.repeat(1_001) }]) {
    expect(await service.call(path, body)).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['body', 'reason'] }] },
    })
  }
  expect((await service.call(path, { reason: 'x' }, await bearer('privacy-request:read'))).status).toBe(403)
  const extended = await service.call(path, { reason: 'Many systems.' })
  expect(extended).toMatchObject({ status: 200, body: { extension_reason: 'Many systems.' } })
})
