import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createPrivacyService,
  type Mail,
  type Mailer,
  memoryMailer,
  memoryStorage,
  PrivacyError,
  type PrivacyEvent,
  type PrivacyService,
  type PrivacyServiceOptions,
  systemRuntime,
} from '../../src/index.js'

const address = 'planted-marker@example.org'
const identities = [{ phone: '1' }, { email: address }, { email: 'second@example.org' }]
const policyKey = 'default_access_policy'
let privacy: PrivacyService
let storage: ReturnType<typeof memoryStorage>
let inbox: ReturnType<typeof memoryMailer>
let seen: PrivacyEvent[]
let ahead = 0

function open({ execution, ...options }: PrivacyServiceOptions = {}, without?: 'mailer' | 'publicUrl') {
  ahead = 0
  storage = memoryStorage()
  inbox = memoryMailer()
  privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + ahead * 1_000) },
    storage,
    ...(without !== 'mailer' && { mailer: inbox }),
    ...(without !== 'publicUrl' && { publicUrl: 'https://privacy.example.org/dsr/' }),
    execution: { immediate: false, sweepSeconds: 0.02, ...execution },
    ...options,
  })
  seen = []
  privacy.on((event) => seen.push(event))
}
const submit = (input: object = {}) => privacy.requests.submit({ policyKey, identities, ...input })
const mailsOf = async (id: string) => (await privacy.requests.get(id)).mails ?? []
const states = async (id: string) => (await mailsOf(id)).map(({ kind, status }) => `${kind} ${status}`)
const settled = (id: string) =>
  expect.poll(async () => (await mailsOf(id)).every(({ status }) => status !== 'waiting')).toBe(true)
const received = (kind: Mail['kind']) => inbox.outbox.filter((mail) => mail.kind === kind)

beforeEach(() => open())
afterEach(() => privacy.close())

describe('mails', () => {
  it('tell of receipt, decision and completion, to the email of the first identity that has one', async () => {
    const { id } = await submit()
    await privacy.requests.approve(id)
    await privacy.requests.run(id)
    await settled(id)
    expect(await states(id)).toEqual(['request_receipt sent', 'request_review sent', 'request_completion sent'])
    expect(inbox.outbox.map(({ kind, to }) => `${kind} ${to}`)).toEqual([
      `request_receipt ${address}`,
      `request_review ${address}`,
      `request_completion ${address}`,
    ])
    for (const { messageId, text } of inbox.outbox) {
      expect(messageId).toMatch(/^<[0-9a-f-]{36}@privacy\.example\.org>$/)
      expect(text).toContain(id)
    }
    const { items } = await privacy.requests.auditTrail(id)
    expect(items.filter(({ action }) => action === 'mail_sent')).toHaveLength(3)
    expect(JSON.stringify([seen, items, await privacy.requests.get(id)])).not.toContain('planted-marker')
    expect(JSON.stringify(await storage.table('outboxMail').find())).not.toMatch(/planted-marker|sealed/)
  })

  it('of a denial give the reason, escaped', async () => {
    const { id } = await submit()
    await privacy.requests.deny(id, { reason: 'Not <b>yours</b>.' })
    await settled(id)
    const [mail] = received('request_review')
    expect(mail?.text).toContain('Not <b>yours</b>.')
    expect(mail?.html).not.toContain('<b>')
  })

  it('carry a link that downloads once', async () => {
    const { id } = await submit()
    await privacy.requests.run(id)
    await settled(id)
    const url = new URL(/https:\S+/.exec(received('request_completion')[0]?.text ?? '')?.[0] ?? '')
    expect(`${url.origin}${url.pathname}`).toBe(`https://privacy.example.org/dsr/api/v1/privacy-request/${id}/download`)
    const token = url.searchParams.get('token') as string
    expect(JSON.stringify(await storage.table('downloadLink').find())).not.toContain(token)
    const { name, stream } = await privacy.requests.download(id, { token })
    expect(name).toBe(`${id}.json`)
    const parts: Uint8Array[] = []
    for await (const part of stream) parts.push(part)
    expect(JSON.parse(Buffer.concat(parts).toString())).toEqual({})
    await expect(privacy.requests.download(id, { token })).rejects.toMatchObject({ code: 'gone' })
  })

  it('without publicUrl say whom to ask for a link', async () => {
    await privacy.close()
    open({}, 'publicUrl')
    const { id } = await submit()
    await privacy.requests.run(id)
    await settled(id)
    const [mail] = received('request_completion')
    expect(mail?.text).not.toMatch(/http|can be used once/)
    expect(mail?.text).toContain('contact us')
    expect(mail?.messageId).toMatch(/@habeas\.invalid>$/)
    expect(await storage.table('downloadLink').count()).toBe(0)
  })

  it.each([
    ['sendRequestReceiptNotification', 'request_receipt'],
    ['sendRequestReviewNotification', 'request_review'],
    ['sendRequestCompletionNotification', 'request_completion'],
  ] as const)('are left out where %s is false', async (option, kind) => {
    await privacy.close()
    open({ notifications: { [option]: false } })
    const { id } = await submit()
    await privacy.requests.approve(id)
    await privacy.requests.run(id)
    await settled(id)
    expect((await mailsOf(id)).length).toBe(2)
    expect((await mailsOf(id)).map((mail) => mail.kind)).not.toContain(kind)
  })

  it('are in the language of the request, in the texts of the host', async () => {
    await privacy.close()
    const texts = { subject: 'Eingang', text: 'Wir haben Ihre Anfrage {request_id}.' }
    open({ mailTexts: { de: { request_receipt: texts } } })
    await submit({ language: 'de-AT' })
    await submit()
    await expect
      .poll(() => inbox.outbox.map(({ subject }) => subject).sort())
      .toEqual(['Eingang', 'We have received your request'])
    await expect(submit({ language: 'not a language!' })).rejects.toMatchObject({
      details: { issues: [{ loc: ['language'] }] },
    })
    expect(() => open({ mailTexts: { de: { identity_verification: texts } } })).toThrow(/mailTexts\.de/)
  })

  it.each<[string, object, string]>([
    ['has no email', { identities: [{ phone: '1' }] }, 'No identity of the request has an email.'],
    [
      'has none that is an address',
      { identities: [{ email: 'nobody' }] },
      'The email of the request is no mail address.',
    ],
  ])('are shown as not sent for a request that %s', async (_, input, lastError) => {
    const { id } = await submit(input)
    await privacy.requests.run(id)
    expect(await mailsOf(id)).toMatchObject([
      { kind: 'request_receipt', status: 'not_sent', attempts: 0, lastError },
      { kind: 'request_completion', status: 'not_sent', attempts: 0, lastError },
    ])
  })

  it('are shown as not sent where there is no mailer', async () => {
    await privacy.close()
    open({}, 'mailer')
    const submitted = await submit()
    expect(submitted.mails).toMatchObject([{ kind: 'request_receipt', status: 'not_sent' }])
    expect((await privacy.requests.list()).items[0]?.mails).toEqual(submitted.mails)
    await privacy.requests.run()
    expect((await privacy.requests.get(submitted.id)).status).toBe('complete')
  })
})

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
      ahead += seconds
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(await states(id)).toEqual(['request_receipt sent', 'request_completion sent'])
    expect(attempts).toHaveLength(5)
    expect(new Set(attempts.map(({ messageId }) => messageId)).size).toBe(2)
    expect(await mailsOf(id)).toMatchObject([{ attempts: expect.any(Number) }, { attempts: expect.any(Number) }])
    expect(JSON.stringify([seen, await privacy.requests.get(id)])).not.toContain('planted-marker')
  })

  it('is not asked again at once, and later and later', async () => {
    await privacy.close()
    const { mailer, attempts } = failing(Array.from({ length: 20 }, refused))
    open({ mailer })
    await submit()
    const counts: number[] = []
    for (const seconds of [0, 4, 2, 14, 10, 60, 30]) {
      ahead += seconds
      await new Promise((resolve) => setTimeout(resolve, 100))
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
    ahead = 10_000
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(attempts).toHaveLength(1)
    expect(await mailsOf(id)).toMatchObject([
      { status: 'failed', attempts: 1, lastError: 'The mail server refused the recipient.' },
    ])
    const { items } = await privacy.requests.auditTrail(id)
    expect(items.map(({ action }) => action)).toContain('mail_failed')
  })

  it('is given up after three days', async () => {
    await privacy.close()
    const { mailer } = failing(Array.from({ length: 50 }, refused))
    open({ mailer })
    const { id } = await submit()
    ahead = 3 * 86_400 + 10
    await settled(id)
    expect(await states(id)).toEqual(['request_receipt failed'])
  })

  it('does not get a code that has expired meanwhile', async () => {
    await privacy.close()
    const { mailer, attempts } = failing([refused()])
    open({ mailer, execution: { subjectIdentityVerificationRequired: true } })
    const { id } = await submit({ identities: [{ email: address }] })
    await expect.poll(async () => (await mailsOf(id))[0]?.attempts).toBe(1)
    ahead = 601
    await settled(id)
    expect(attempts).toHaveLength(1)
    expect(await mailsOf(id)).toMatchObject([{ status: 'failed', lastError: expect.stringContaining('of no use') }])
  })

  it('that accepts and dies is given the same mail again, under the same Message-ID', async () => {
    await privacy.close()
    const { mailer, attempts } = failing([new Error('The connection was lost.')], true)
    open({ mailer })
    const { id } = await submit()
    await expect.poll(() => attempts.length).toBe(1)
    ahead = 6
    await settled(id)
    expect(attempts).toHaveLength(2)
    expect(inbox.outbox).toHaveLength(1)
  })

  it('is given a mail again whose worker died, and by one worker at a time', async () => {
    await privacy.close()
    let release = () => {}
    const hanging = new Promise<void>((resolve) => {
      release = resolve
    })
    const attempts: Mail[] = []
    const mailer: Mailer = {
      async send(mail) {
        attempts.push(mail)
        if (attempts.length === 1) await hanging
      },
    }
    open({ mailer })
    const { id } = await submit()
    await expect.poll(() => attempts.length).toBe(1)
    ahead = 100
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(attempts).toHaveLength(1)
    const other = createPrivacyService({
      encryptionKey: Buffer.alloc(32, 3).toString('base64'),
      runtime: { ...systemRuntime, now: () => new Date(Date.now() + 200_000) },
      ...{ storage, mailer },
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
