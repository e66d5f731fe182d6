import { describe, expect, it } from 'vitest'
import { createPrivacyService, type Mail, type Mailer, PrivacyError, systemRuntime } from '../../src/index.js'
import {
  address,
  allTried,
  clock,
  inbox,
  mailsOf,
  open,
  openForEachTest,
  privacy,
  seen,
  settled,
  states,
  storage,
  submit,
} from './mail-world.js'

openForEachTest()

describe('a mailer that fails', () => {
  /** Fails as often as there are failures, each mail written down. */
  const failing = (failures: unknown[], before = false) => {
    const attempts: Mail[] = []
    const mailer: Mailer = {
      async send(mail) {
        attempts.push(mail)
        if (before && failures.length > 0) await inbox.send(mail)
        const failure = failures.shift()
        if (failure !== undefined) throw failure
        await inbox.send(mail)
      },
    }
    return { mailer, attempts }
  }
  const refused = () => new PrivacyError('unavailable', 'The mail server does not answer.', { reason: 'timeout' })

  it('changes nothing about the request, and gets the mail again when it is back, under one Message-ID', async () => {
    await privacy.close()
    const { mailer, attempts } = failing([refused(), refused(), new Error(`550 ${address}`)])
    open({ mailer })
    const { id } = await submit()
    await privacy.requests.run(id)
    expect((await privacy.requests.get(id)).status).toBe('complete')
    await expect.poll(() => attempts.length).toBeGreaterThanOrEqual(2)
    await expect
      .poll(async () => (await mailsOf(id)).map(({ lastError }) => lastError))
      .toContain('The mail server does not answer.')
    for (const seconds of [6, 60, 600, 3_600]) {
      clock.ahead += seconds
      await allTried()
    }
    expect(await states(id)).toEqual(['request_receipt sent', 'request_completion sent'])
    expect(attempts).toHaveLength(5)
    expect(new Set(attempts.map(({ messageId }) => messageId)).size).toBe(2)
    expect(await mailsOf(id)).toMatchObject([{ attempts: expect.any(Number) }, { attempts: expect.any(Number) }])
    expect(JSON.stringify([seen, await privacy.requests.get(id)])).not.toContain('planted-marker')
  })

  it('is not asked again at once, and then after ever longer pauses', async () => {
    await privacy.close()
    const { mailer, attempts } = failing(Array.from({ length: 20 }, refused))
    open({ mailer })
    await submit()
    const counts: number[] = []
    for (const seconds of [0, 4, 2, 14, 10, 60, 30]) {
      clock.ahead += seconds
      await allTried()
      counts.push(attempts.length)
    }
    expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4])
  })

  it('that refuses for good is not asked again', async () => {
    await privacy.close()
    const { mailer, attempts } = failing([
      new PrivacyError('unavailable', 'The mail server refused the recipient.', { permanent: true }),
    ])
    open({ mailer })
    const { id } = await submit()
    await settled(id)
    clock.ahead = 10_000
    await allTried()
    expect(attempts).toHaveLength(1)
    expect(await mailsOf(id)).toMatchObject([
      { status: 'failed', attempts: 1, lastError: 'The mail server refused the recipient.' },
    ])
    const { items } = await privacy.requests.auditTrail(id)
    expect(items.map(({ action }) => action)).toContain('mail_failed')
  })

  it('gets no mail again after three days', async () => {
    await privacy.close()
    const { mailer } = failing(Array.from({ length: 50 }, refused))
    open({ mailer })
    const { id } = await submit()
    clock.ahead = 3 * 86_400 + 10
    await settled(id)
    expect(await states(id)).toEqual(['request_receipt failed'])
  })

  it('does not get a code that has expired meanwhile', async () => {
    await privacy.close()
    const { mailer, attempts } = failing([refused()])
    open({ mailer, execution: { subjectIdentityVerificationRequired: true } })
    const { id } = await submit({ identities: [{ email: address }] })
    await expect.poll(async () => (await mailsOf(id))[0]?.attempts).toBe(1)
    clock.ahead = 601
    await settled(id)
    expect(attempts).toHaveLength(1)
    expect(await mailsOf(id)).toMatchObject([{ status: 'failed', lastError: expect.stringContaining('expired') }])
  })

  it('that accepts and dies is given the same mail again, under the same Message-ID', async () => {
    await privacy.close()
    const { mailer, attempts } = failing([new Error('The connection was lost.')], true)
    open({ mailer })
    const { id } = await submit()
    await expect.poll(() => attempts.length).toBe(1)
    clock.ahead = 6
    await settled(id)
    expect(attempts).toHaveLength(2)
    expect(inbox.outbox).toHaveLength(1)
  })

  it('gets a mail again when its worker died, and from one worker at a time', async () => {
    await privacy.close()
    let release = () => {}
    const dependents = new Promise<void>((resolve) => {
      release = resolve
    })
    const attempts: Mail[] = []
    const mailer: Mailer = {
      async send(mail) {
        attempts.push(mail)
        if (attempts.length === 1) await dependents
      },
    }
    open({ mailer })
    const { id } = await submit()
    await expect.poll(() => attempts.length).toBe(1)
    clock.ahead = 100
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(attempts).toHaveLength(1)
    const other = createPrivacyService({
      encryptionKey: Buffer.alloc(32, 3).toString('base64'),
      runtime: { ...systemRuntime, now: () => new Date(Date.now() + 200_000) },
      storage,
      mailer,
      execution: { immediate: false, sweepSeconds: 0.02 },
    })
    await expect.poll(() => attempts.length).toBe(2)
    expect(attempts[0]?.messageId).toBe(attempts[1]?.messageId)
    release()
    await settled(id)
    expect(await states(id)).toEqual(['request_receipt sent'])
    await other.close()
  })
})
