import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPrivacyService, memoryStorage, type PrivacyService } from '../../src/index.js'

const identities = [{ email: 'planted-marker@example.org', member: 7 }]
let privacy: PrivacyService

beforeEach(() => {
  privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    storage: memoryStorage(),
    execution: { immediate: false },
  })
})
afterEach(() => privacy.close())

const submit = (members: object = {}) =>
  privacy.requests.submit({ policyKey: 'default_access_policy', identities, ...members })

describe('requests without a database', () => {
  it('ids are pri_ and a UUIDv7; requestedAt defaults to createdAt', async () => {
    const request = await submit()
    expect(request.id).toMatch(/^pri_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/)
    expect(request.requestedAt).toBe(request.createdAt)
    expect(await submit({ requestedAt: '2026-01-02' })).toMatchObject({ requestedAt: '2026-01-02T00:00:00.000Z' })
  })

  it('with no dataset connected a request completes with a package that says so', async () => {
    const { id } = await submit()
    await privacy.requests.run()
    const request = await privacy.requests.get(id)
    expect(request).toMatchObject({ status: 'complete', packages: [{ mediaType: 'application/json' }] })
    expect(JSON.stringify(request)).not.toMatch(/lease|version/)
  })

  it('request_id and external_id match exactly, and with a trailing * by a prefix', async () => {
    const { id } = await submit({ externalId: 'case-1' })
    await submit({ externalId: 'case-12' })
    const totalOf = async (options: object) => (await privacy.requests.list(options)).total
    expect(await totalOf({ requestId: id })).toBe(1)
    expect(await totalOf({ requestId: id.slice(0, 20) })).toBe(0)
    expect(await totalOf({ requestId: 'pri_*' })).toBe(2)
    expect(await totalOf({ externalId: 'case-1' })).toBe(1)
    expect(await totalOf({ externalId: 'case-1*' })).toBe(2)
  })

  it('a request is found by an identity, also one that has ended, and by nobody without the key of the service', async () => {
    const { id } = await submit()
    await privacy.requests.cancel(id)
    const found = await privacy.requests.list({ identity: 'planted-marker@example.org' })
    expect(found.items.map((each) => each.id)).toEqual([id])
    expect((await privacy.requests.list({ identity: '7' })).total).toBe(1)
    expect(JSON.stringify(found)).not.toContain('planted-marker')
  })

  it('any but complete, denied, canceled: cancel -> canceled; canceled is the end', async () => {
    const { id } = await submit()
    expect(await privacy.requests.cancel(id, { reason: 'asked twice' })).toMatchObject({ status: 'canceled' })
    for (const attempt of [privacy.requests.cancel, privacy.requests.retry, privacy.requests.run]) {
      await expect(attempt(id)).rejects.toMatchObject({ code: 'invalid_state', details: { status: 'canceled' } })
    }
    expect(await privacy.requests.settled(id)).toMatchObject({ status: 'canceled', cancelReason: 'asked twice' })
  })

  it('identities are shown only where a caller asks for them', async () => {
    const { id } = await submit()
    const seen: unknown[] = []
    privacy.on((event) => seen.push(event))
    await privacy.requests.run(id)
    expect(await privacy.requests.identities(id)).toEqual(identities)
    const { requests } = privacy
    const all = [seen, await requests.get(id), await requests.list(), await requests.log(id), await requests.plan(id)]
    expect(JSON.stringify(all)).not.toContain('planted-marker')
  })
})
