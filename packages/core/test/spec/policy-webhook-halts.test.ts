import { describe, expect, it } from 'vitest'
import {
  again,
  define,
  dump,
  get,
  identities,
  openForEachTest,
  packageOf,
  policyKey,
  privacy,
  receiver,
  reopen,
  run,
  shop,
  statusOf,
  storage,
  tokenOf,
} from './webhook-service.js'

openForEachTest()

describe('halt', () => {
  it('pauses the request; its reply token lets it go on with the next webhook', async () => {
    await define('pre_execution', ['first'], ['halting'], ['last'])
    receiver.plan('/halting', { halt: true, derived_identity: { member: 7 } })
    const id = await run()
    const { status, pausedAt, resumeBy } = await get(id)
    expect(status).toBe('paused')
    expect(Date.parse(resumeBy ?? '') - Date.parse(pausedAt ?? '')).toBeGreaterThan(3_599 * 60_000)
    await privacy.requests.run()
    expect(receiver.paths()).toEqual(['/first', '/halting'])
    expect(shop.reads).toEqual([])
    expect(await dump()).not.toContain(tokenOf('/halting'))
    const resumed = await privacy.requests.resume(id, tokenOf('/halting'))
    expect(resumed).toMatchObject({ status: 'in_processing' })
    expect(resumed.resumeBy).toBeUndefined()
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('complete')
    expect(receiver.paths()).toEqual(['/first', '/halting', '/last'])
    expect(receiver.heard.at(-1)?.body.identities).toEqual([{ email: 'ann@example.org', member: 7 }])
    expect(Object.keys(await packageOf(id))).toContain('shop:club')
    const actions = (await privacy.requests.auditTrail(id)).items.map(({ action, actor }) => `${action} by ${actor}`)
    expect(actions).toContain('webhook_halted by system')
    expect(actions).toContain('request_paused by system')
    expect(actions).toContain('request_resumed by webhook:halting')
  })

  it('an identity that comes with the resume is searched for as well', async () => {
    await define('pre_execution', ['halting'])
    receiver.plan('/halting', { halt: true })
    const id = await run()
    await expect(
      privacy.requests.resume(id, tokenOf('/halting'), { derivedIdentity: { member: [7] as never } }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
    await privacy.requests.resume(id, tokenOf('/halting'), { derivedIdentity: { member: 7 } })
    await privacy.requests.run()
    expect(Object.keys(await packageOf(id))).toContain('shop:club')
  })

  it('after the run is ignored, and so is what it derives', async () => {
    await define('post_execution', ['halting'])
    receiver.plan('/halting', { halt: true, derived_identity: { member: 7 } })
    expect(await statusOf(await run())).toBe('complete')
  })

  it('fifty concurrent resumes: exactly one wins, and the token serves once', async () => {
    await define('pre_execution', ['halting'], ['again'])
    receiver.plan('/halting', { halt: true })
    receiver.plan('/again', { halt: true })
    const id = await run()
    const token = tokenOf('/halting')
    const resumes = await Promise.allSettled(Array.from({ length: 50 }, () => privacy.requests.resume(id, token)))
    expect(resumes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of resumes)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'invalid_state' })
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('paused')
    await expect(privacy.requests.resume(id, token)).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('used already'),
    })
    await privacy.requests.resume(id, tokenOf('/again'))
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('complete')
  })

  it('a token for another request, a made-up one, and none at all are refused alike', async () => {
    await define('pre_execution', ['halting'])
    receiver.plan('/halting', { halt: true })
    const id = await run()
    await run()
    for (const [request, token] of [
      [id, tokenOf('/halting')],
      [id, 'made-up'],
      [id, ''],
      ['pri_none', 'made-up'],
    ] as const) {
      await expect(privacy.requests.resume(request, token)).rejects.toMatchObject({ code: 'unauthenticated' })
    }
    await storage.table('requestKey').take(id)
    await expect(
      privacy.requests.resume(id, receiver.heard[0]?.headers['reply-to-token'] as string),
    ).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await statusOf(id)).toBe('paused')
  })

  it('a token is useless before the request is paused, after it was canceled, or when it goes on anyway', async () => {
    await define('pre_execution', ['first'], ['halting'])
    receiver.plan('/halting', 403)
    const id = await run()
    await expect(privacy.requests.resume(id, tokenOf('/first'))).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'error' },
    })
    receiver.plan('/halting', { halt: true })
    await again(id)
    await privacy.requests.cancel(id)
    await expect(privacy.requests.resume(id, tokenOf('/halting'))).rejects.toMatchObject({
      details: { status: 'canceled' },
    })
  })

  it('an expired token: the request fails, and retry asks again with another token', async () => {
    await privacy.close()
    reopen({ execution: { privacyRequestDelayTimeoutMinutes: 0.001 } })
    await define('pre_execution', ['first'], ['halting'])
    receiver.plan('/halting', { halt: true })
    const id = await run()
    await new Promise((resolve) => setTimeout(resolve, 80))
    const late = tokenOf('/halting')
    await expect(privacy.requests.resume(id, late)).rejects.toMatchObject({ code: 'token_expired' })
    const failed = await get(id)
    expect(failed).toMatchObject({ status: 'error', failure: expect.stringContaining('nobody resumed it') })
    expect(failed.resumeBy).toBeUndefined()
    await expect(privacy.requests.resume(id, late)).rejects.toMatchObject({ code: 'unauthenticated' })
    receiver.plan('/halting', {})
    expect(await again(id)).toMatchObject({ status: 'complete' })
    expect(receiver.paths()).toEqual(['/first', '/halting', '/halting'])
    expect(tokenOf('/halting')).not.toBe(late)
    expect(receiver.heard[2]?.headers['idempotency-key']).not.toBe(receiver.heard[1]?.headers['idempotency-key'])
  })

  it('an expired token is noticed without anybody using it', async () => {
    await privacy.close()
    reopen({
      execution: { privacyRequestDelayTimeoutMinutes: 0.001, immediate: true, sweepSeconds: 0.03 },
    })
    await define('pre_execution', ['halting'])
    receiver.plan('/halting', { halt: true })
    const { id } = await privacy.requests.submit({ policyKey, identities })
    expect(await privacy.requests.settled(id)).toMatchObject({ status: 'error' })
    expect((await privacy.requests.auditTrail(id)).items.at(-1)).toMatchObject({ action: 'request_expired' })
  })

  it('outlives the process, also one that ended between the answer and the pause', async () => {
    await define('pre_execution', ['halting'])
    receiver.plan('/halting', { halt: true })
    const id = await run()
    const { resumeBy: _, pausedAt: __, ...row } = (await storage.table('privacyRequest').get(id))!
    await storage.table('privacyRequest').replace({ ...row, status: 'in_processing', version: row.version + 1 })
    await expect(privacy.requests.resume(id, tokenOf('/halting'))).rejects.toMatchObject({ code: 'invalid_state' })
    await privacy.close()
    reopen()
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('paused')
    expect(receiver.heard).toHaveLength(1)
    await privacy.close()
    reopen()
    await privacy.requests.resume(id, tokenOf('/halting'))
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('complete')
  })
})
