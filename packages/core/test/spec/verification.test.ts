import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createPrivacyService,
  type Mail,
  memoryMailer,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  systemRuntime,
} from '../../src/index.js'

const address = 'planted-marker@example.org'
const identities = [{ email: address }]
const policyKey = 'default_access_policy'
let privacy: PrivacyService
let storage: ReturnType<typeof memoryStorage>
let mailer: ReturnType<typeof memoryMailer>
let ahead = 0

function open({ execution, ...options }: PrivacyServiceOptions = {}) {
  ahead = 0
  storage = memoryStorage()
  mailer = memoryMailer()
  privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + ahead * 1_000) },
    storage,
    mailer,
    execution: { immediate: false, subjectIdentityVerificationRequired: true, ...execution },
    ...options,
  })
}
const submit = (input: object = { identities }) => privacy.requests.submit({ policyKey, ...input })
const codeOf = (mail: Mail | undefined) => /^\d{6}$/m.exec(mail?.text ?? '')?.[0] as string
const codes = () => mailer.outbox.filter(({ kind }) => kind === 'identity_verification').map(codeOf)
const kinds = () => mailer.outbox.map(({ kind }) => kind)
const mailed = (count: number) => expect.poll(() => mailer.outbox.length).toBe(count)
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
async function submitted() {
  const { id } = await submit()
  await mailed(1)
  return { id, code: codes()[0] as string }
}
const fiftyAtOnce = <Result>(attempt: (at: number) => Promise<Result>) =>
  Promise.allSettled(Array.from({ length: 50 }, (_, at) => attempt(at)))
const won = (attempts: PromiseSettledResult<unknown>[]) => attempts.filter(({ status }) => status === 'fulfilled')
const refusal = (reason: string) => ({ code: 'verification_failed', details: { reason } })

beforeEach(() => open())
afterEach(() => privacy.close())

describe('a request whose address has to be verified', () => {
  it('waits until the code that was mailed comes back, and then goes on', async () => {
    const { id, code } = await submitted()
    expect(mailer.outbox[0]).toMatchObject({ kind: 'identity_verification', to: address })
    await expect(privacy.requests.run(id)).rejects.toMatchObject({ code: 'invalid_state' })
    await privacy.requests.run()
    expect(await privacy.requests.get(id)).toMatchObject({ status: 'identity_unverified' })
    const verified = await privacy.requests.verify(id, { code })
    expect(verified).toMatchObject({ status: 'pending', identityVerifiedAt: expect.any(String) })
    await mailed(2)
    expect(kinds()).toEqual(['identity_verification', 'request_receipt'])
    await privacy.requests.run(id)
    expect((await privacy.requests.get(id)).status).toBe('complete')
    const { items } = await privacy.requests.auditTrail(id)
    expect(items.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['request_submitted', 'identity_verified']),
    )
  })

  it('runs by itself once it is verified, and waits for its approval where one is required', async () => {
    await privacy.close()
    open({ execution: { immediate: true, requireManualRequestApproval: true } })
    const { id, code } = await submitted()
    expect(await privacy.requests.verify(id, { code, caller: 'subject' })).toMatchObject({ status: 'pending' })
    await privacy.requests.approve(id)
    expect((await privacy.requests.settled(id)).status).toBe('complete')
    const { items } = await privacy.requests.auditTrail(id)
    expect(items.find(({ action }) => action === 'identity_verified')).toMatchObject({ actor: 'subject' })
  })

  it.each<[string, object, unknown[]]>([
    ['no address', { identities: [{ phone_number: '1' }] }, ['identities', 0, 'email']],
    ['another address', { identities: [{ email: 'a@x' }, { email: 'b@x' }] }, ['identities', 1, 'email']],
    ['an address in one only', { identities: [{ email: 'a@x' }, { phone: '1' }] }, ['identities', 1, 'email']],
    ['what is no address', { identity: { email: 'planted-marker' } }, ['identity', 'email']],
    ['two addresses in one', { identities: [{ email: 'a@x, b@x' }] }, ['identities', 0, 'email']],
    ['a number', { identities: [{ email: 5 }] }, ['identities', 0, 'email']],
  ])('is refused with %s', async (_, input, loc) => {
    const error = await submit(input).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'invalid_input', details: { issues: [{ loc }] } })
    expect(JSON.stringify([error, error.message])).not.toContain('planted-marker')
    expect((await privacy.requests.list()).total).toBe(0)
  })

  it('keeps neither code nor address in the clear', async () => {
    const { code } = await submitted()
    const { id } = await submit()
    const kindsOfRows = [
      'privacyRequest',
      'requestKey',
      'requestIdentity',
      'verificationCode',
      'outboxMail',
      'auditEntry',
    ]
    const rows = await Promise.all(kindsOfRows.map((kind) => storage.table(kind as 'outboxMail').find()))
    expect(rows.every((each) => each.length > 0)).toBe(true)
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`planted-marker|"${code}"`))
    expect(JSON.stringify(await privacy.requests.get(id))).not.toContain('planted-marker')
  })
})

describe('the code', () => {
  it('is taken with its zeros, as text or as a number', async () => {
    // Bytes that give a code with zeros in front.
    await privacy.close()
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(42)
    const randomBytes = (length: number) => (length === 4 ? bytes : systemRuntime.randomBytes(length))
    open({ runtime: { ...systemRuntime, randomBytes } })
    const { id } = await submit()
    await mailed(1)
    expect(codes()).toEqual(['000042'])
    for (const code of ['42', 'abcdef', '0000042', -1, 1_000_000, 4.2, null]) {
      await expect(privacy.requests.verify(id, { code: code as string })).rejects.toMatchObject({
        code: 'invalid_input',
        details: { issues: [{ loc: ['code'] }] },
      })
    }
    expect(await privacy.requests.verify(id, { code: 42 })).toMatchObject({ status: 'pending' })
    const second = await submit()
    expect(await privacy.requests.verify(second.id, { code: ' 000042 ' })).toMatchObject({ status: 'pending' })
  })

  it('may be wrong three times, and is then invalid', async () => {
    const { id, code } = await submitted()
    const wrong = otherThan(code)
    const messages: string[] = []
    for (let at = 0; at < 3; at++) {
      const error = await privacy.requests.verify(id, { code: wrong }).catch((thrown) => thrown)
      expect(error).toMatchObject(refusal('wrong_code'))
      messages.push(error.message)
    }
    expect(messages).toEqual([
      expect.stringContaining('2 more tries'),
      expect.stringContaining('one more try'),
      expect.stringContaining('ask for a new one'),
    ])
    await expect(privacy.requests.verify(id, { code })).rejects.toMatchObject(refusal('no_code'))
    expect((await privacy.requests.get(id)).status).toBe('identity_unverified')
  })

  it('is valid for ten minutes, or as long as the option says', async () => {
    const first = await submitted()
    ahead = 599
    const second = await submit()
    ahead = 601
    await expect(privacy.requests.verify(first.id, first)).rejects.toMatchObject(refusal('no_code'))
    await mailed(2)
    expect(await privacy.requests.verify(second.id, { code: codes()[1] as string })).toMatchObject({
      status: 'pending',
    })
    await privacy.close()
    open({ security: { identityVerificationCodeTtlSeconds: 60 } })
    const short = await submitted()
    ahead = 61
    await expect(privacy.requests.verify(short.id, short)).rejects.toMatchObject(refusal('no_code'))
  })

  it('verifies for one of fifty who have it, and is compared for three of fifty who guess', async () => {
    const right = await submitted()
    const attempts = await fiftyAtOnce(() => privacy.requests.verify(right.id, right))
    expect(won(attempts)).toHaveLength(1)
    for (const each of attempts) {
      if (each.status === 'rejected') expect(['verification_failed', 'invalid_state']).toContain(each.reason.code)
    }
    const { items } = await privacy.requests.auditTrail(right.id)
    expect(items.filter(({ action }) => action === 'identity_verified')).toHaveLength(1)

    const { id } = await submit()
    await mailed(3)
    const code = codes()[1] as string
    const guesses = await fiftyAtOnce((at) => privacy.requests.verify(id, { code: at === 49 ? code : otherThan(code) }))
    expect(won(guesses)).toHaveLength(0)
    const reasons = guesses.map((each) => (each.status === 'rejected' ? each.reason.details.reason : ''))
    expect(reasons.filter((reason) => reason === 'wrong_code')).toHaveLength(3)
    expect(reasons.filter((reason) => reason === 'no_code')).toHaveLength(47)
  })

  it('is used up once it was right, and is another one for another request', async () => {
    const { id, code } = await submitted()
    await privacy.requests.verify(id, { code })
    await expect(privacy.requests.verify(id, { code })).rejects.toMatchObject({ code: 'invalid_state' })
    const other = await submit()
    await expect(privacy.requests.verify(other.id, { code: otherThan(code) })).rejects.toMatchObject({
      code: 'verification_failed',
    })
    await expect(privacy.requests.verify('pri_none', { code })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is sent again on request, not within a minute and five times at most, and the last one counts', async () => {
    const { id, code } = await submitted()
    await expect(privacy.requests.resend(id)).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retryAfterSeconds: 60 },
    })
    const wrong = otherThan(code)
    for (let at = 0; at < 3; at++) await privacy.requests.verify(id, { code: wrong }).catch(() => {})
    ahead = 61
    expect(await privacy.requests.resend(id)).toMatchObject({ id, status: 'identity_unverified' })
    await mailed(2)
    await expect(privacy.requests.verify(id, { code: codes()[0] as string })).rejects.toMatchObject(
      codes()[0] === codes()[1] ? {} : refusal('wrong_code'),
    )
    for (const times of [2, 3, 4]) {
      ahead = 61 * times
      await privacy.requests.resend(id)
    }
    ahead = 61 * 5
    await expect(privacy.requests.resend(id)).rejects.toMatchObject({ code: 'rate_limited', details: {} })
    await mailed(5)
    await privacy.requests.verify(id, { code: codes()[4] as string })
    await expect(privacy.requests.resend(id)).rejects.toMatchObject({ code: 'invalid_state' })
    const { items } = await privacy.requests.auditTrail(id)
    expect(items.filter(({ action }) => action === 'code_resent')).toHaveLength(4)
  })

  it('is sent again to one of fifty who ask for a new one', async () => {
    const { id } = await submitted()
    ahead = 61
    expect(won(await fiftyAtOnce(() => privacy.requests.resend(id)))).toHaveLength(1)
    await mailed(2)
  })

  it('is not mailed more than ten times an hour to one address', async () => {
    for (let at = 0; at < 10; at++) await submit()
    await expect(submit({ identities: [{ email: address.toUpperCase() }] })).rejects.toMatchObject({
      code: 'rate_limited',
    })
    await submit({ identities: [{ email: 'other@example.org' }] })
    ahead = 3_601
    await submit()
    expect((await privacy.requests.list()).total).toBe(12)
  })

  it('is as likely to be any number, the smallest and the largest included', async () => {
    await privacy.close()
    const draws = [0xffffffff, 4_294_000_000, 4_293_999_999, 0]
    const randomBytes = (length: number) => {
      if (length !== 4) return systemRuntime.randomBytes(length)
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(draws.shift() as number)
      return bytes
    }
    open({ runtime: { ...systemRuntime, randomBytes } })
    await submit()
    await submit()
    await mailed(2)
    // Numbers beyond the last whole million are drawn again, since they would make some codes likelier.
    expect(codes().sort()).toEqual(['000000', '999999'])
  })
})
