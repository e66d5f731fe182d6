import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createPrivacyService,
  memoryMailer,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  systemRuntime,
} from '../../src/index.js'

const email = 'planted-marker@example.org'
let privacy: PrivacyService
let mailer: ReturnType<typeof memoryMailer>
let now = Date.parse('2026-01-31T12:00:00Z')
const days = (count: number) => count * 86_400_000

async function open(options: PrivacyServiceOptions = {}) {
  now = Date.parse('2026-01-31T12:00:00Z')
  mailer = memoryMailer()
  privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    runtime: { ...systemRuntime, now: () => new Date(now) },
    storage: memoryStorage(),
    mailer,
    ...options,
    execution: { immediate: false, ...options.execution },
  })
  for (const timeframe of ['gdpr', 'uk_gdpr', 'ccpa', 'lgpd', 10] as const) {
    await privacy.policies.put({ service_key: `policy_${timeframe}`, execution_timeframe: timeframe, rules: [] })
  }
}
const submit = (timeframe: string, input: object = {}) =>
  privacy.requests.submit({ policyKey: `policy_${timeframe}`, identities: [{ email }], ...input })

beforeEach(() => open())
afterEach(() => privacy.close())

describe('due_date and days_left', () => {
  it.each([
    ['gdpr', '2026-02-28T23:59:59.999Z', 28],
    ['ccpa', '2026-03-17T23:59:59.999Z', 45],
    ['lgpd', '2026-02-15T23:59:59.999Z', 15],
    ['10', '2026-02-10T23:59:59.999Z', 10],
  ])('follow from the timeframe %s of the policy', async (timeframe, dueDate, daysLeft) => {
    const { id } = await submit(timeframe)
    expect(await privacy.requests.get(id)).toMatchObject({ dueDate, daysLeft })
    now += days(50)
    expect((await privacy.requests.get(id)).daysLeft).toBe(daysLeft - 50)
    await privacy.requests.cancel(id)
    expect(await privacy.requests.get(id)).not.toHaveProperty('daysLeft')
  })

  it('are not there without a timeframe, and begin when the request was received', async () => {
    const none = await privacy.requests.submit({ policyKey: 'default_access_policy', identities: [{ email }] })
    expect(none).not.toHaveProperty('dueDate')
    expect(none).not.toHaveProperty('daysLeft')
    const early = await submit('10', { requestedAt: '2026-01-25' })
    expect(early).toMatchObject({ dueDate: '2026-02-04T23:59:59.999Z', daysLeft: 4 })
  })

  it('are those of a calendar in the time zone of the option', async () => {
    await privacy.close()
    await open({ timeZone: 'Pacific/Auckland' })
    expect((await submit('10')).dueDate).toBe('2026-02-11T10:59:59.999Z')
    expect(() => createPrivacyService({ timeZone: 'Nowhere/Land' })).toThrow(/'timeZone'/)
  })

  it('begin in the UK when the identity is proven', async () => {
    await privacy.close()
    await open({ execution: { subjectIdentityVerificationRequired: true } })
    const uk = await submit('uk_gdpr')
    const other = await submit('gdpr')
    for (const { dueDate } of [uk, other]) expect(dueDate).toBe('2026-02-28T23:59:59.999Z')
    await expect.poll(() => mailer.outbox.length).toBe(2)
    now += days(5)
    for (const [at, { id }] of [uk, other].entries()) {
      await privacy.requests.resend(id)
      await expect.poll(() => mailer.outbox.filter(({ text }) => text.includes(id)).length).toBe(2)
      const code = /^\d{6}$/m.exec(mailer.outbox.filter(({ text }) => text.includes(id))[1]?.text ?? '')?.[0]
      const { dueDate } = await privacy.requests.verify(id, { code: code as string })
      expect(dueDate).toBe(at === 0 ? '2026-03-05T23:59:59.999Z' : '2026-02-28T23:59:59.999Z')
    }
  })

  it('are mailed with the receipt', async () => {
    await submit('gdpr')
    await expect.poll(() => mailer.outbox[0]?.text).toContain('February 28, 2026')
  })

  it('overdue finds what has not ended in time', async () => {
    const late = await submit('10')
    const ended = await submit('10')
    await privacy.requests.cancel(ended.id)
    await submit('gdpr')
    const overdue = async (more: object = {}) =>
      (await privacy.requests.list({ overdue: true, ...more })).items.map(({ id }) => id)
    expect(await overdue()).toEqual([])
    now += days(11)
    expect(await overdue()).toEqual([late.id])
    expect(await overdue({ status: ['pending', 'canceled'] })).toEqual([late.id])
    expect(await overdue({ status: 'canceled' })).toEqual([])
    await expect(privacy.requests.list({ overdue: false as unknown as true })).rejects.toMatchObject({
      details: { issues: [{ loc: ['overdue'] }] },
    })
  })
})

describe('the extension of a deadline', () => {
  const extend = (id: string, reason = 'Very many systems.') =>
    privacy.requests.extendDeadline(id, { reason, caller: 'client-1' })

  it('moves the due date, once, and is written down, without its reason in the trail', async () => {
    const { id } = await submit('gdpr')
    const extended = await extend(id)
    expect(extended).toMatchObject({
      dueDate: '2026-04-30T23:59:59.999Z',
      extendedAt: '2026-01-31T12:00:00.000Z',
      extensionReason: 'Very many systems.',
      daysLeft: 89,
    })
    await expect(extend(id)).rejects.toMatchObject({ code: 'invalid_state', details: { event: 'extend' } })
    const { items } = await privacy.requests.auditTrail(id)
    expect(JSON.stringify(items)).not.toContain('Very many')
    const entry = items.find(({ action }) => action === 'deadline_extended')
    expect(entry).toMatchObject({ actor: 'client-1', subject: `privacy-request:${id}` })
    expect(entry?.detail).toEqual({ from: '2026-02-28T23:59:59.999Z', to: '2026-04-30T23:59:59.999Z' })
  })

  it('is mailed to the person, with the reason and the new date, in their language', async () => {
    await privacy.close()
    const text = 'Erst am {due_date}: {reason}'
    await open({ mailTexts: { de: { request_extension: { subject: 'Es dauert', text } } } })
    const [english, german] = [await submit('gdpr'), await submit('gdpr', { language: 'de' })]
    for (const { id } of [english, german]) await extend(id, 'Many <b>systems</b>.')
    const told = (id: string) =>
      mailer.outbox.find((mail) => mail.kind === 'request_extension' && mail.text.includes(id))
    await expect.poll(() => told(english.id)?.text).toMatch(/Reason: Many <b>systems<\/b>\.\s[\s\S]*April 30, 2026/)
    expect(told(english.id)).toMatchObject({ to: email, html: expect.stringContaining('&lt;b&gt;') })
    await expect
      .poll(() => mailer.outbox.map((mail) => mail.text))
      .toContain('Erst am 30. April 2026: Many <b>systems</b>.\n')
  })

  it('is mailed to nobody where the notification is switched off, or it was refused', async () => {
    await privacy.close()
    await open({ notifications: { sendRequestExtensionNotification: false } })
    const { id } = await submit('gdpr')
    expect((await extend(id)).mails?.map(({ kind }) => kind)).toEqual(['request_receipt'])
    await privacy.close()
    await open()
    const late = await submit('gdpr')
    now += days(40)
    await expect(extend(late.id)).rejects.toMatchObject({ code: 'invalid_state' })
    expect((await privacy.requests.get(late.id)).mails?.map(({ kind }) => kind)).toEqual(['request_receipt'])
  })

  it('succeeds for one of fifty callers', async () => {
    const { id } = await submit('ccpa')
    const attempts = await Promise.allSettled(Array.from({ length: 50 }, () => extend(id)))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { mails = [] } = await privacy.requests.get(id)
    expect(mails.filter(({ kind }) => kind === 'request_extension')).toHaveLength(1)
  })

  it('is refused when it is too late, without a reason, where there is none, and after the end', async () => {
    const [late, days10, lgpd, none, ended] = await Promise.all([
      submit('gdpr'),
      submit('10'),
      submit('lgpd'),
      privacy.requests.submit({ policyKey: 'default_access_policy', identities: [{ email }] }),
      submit('gdpr'),
    ])
    await expect(extend(ended.id, ' ')).rejects.toMatchObject({ details: { issues: [{ loc: ['reason'] }] } })
    await expect(privacy.requests.extendDeadline(late.id, {} as never)).rejects.toMatchObject({ code: 'invalid_input' })
    for (const each of [days10, lgpd, none])
      await expect(extend(each.id)).rejects.toMatchObject({ code: 'unsupported' })
    now += days(29)
    await expect(extend(late.id)).rejects.toMatchObject({ code: 'invalid_state' })
    await privacy.requests.cancel(late.id)
    await expect(extend(late.id)).rejects.toMatchObject({ code: 'invalid_state', details: { status: 'canceled' } })
    await expect(extend('pri_none')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a list as CSV', () => {
  const lines = async (options: Parameters<typeof privacy.requests.exportCsv>[0] = {}) => {
    let text = ''
    for await (const part of await privacy.requests.exportCsv(options)) text += part
    return text.trimEnd().split('\n')
  }

  it('has a line for each request, formulas neutralised, identities for those who may see them', async () => {
    const { id } = await submit('gdpr', { externalId: '=HYPERLINK("https://example.org")' })
    await privacy.requests.deny(id, { reason: '@SUM(1)' })
    const [head, line] = await lines({ identities: true })
    expect(head).toBe(
      'Time received,Subject identity,Policy key,Request status,Reviewer,Time approved/denied,Denial reason,Request ID,External ID,Deadline',
    )
    expect(line).toBe(
      [
        '2026-01-31T12:00:00.000Z',
        `"[{""email"":""${email}""}]"`,
        ...['policy_gdpr', 'denied', 'host', '2026-01-31T12:00:00.000Z', "'@SUM(1)", id],
        '"\'=HYPERLINK(""https://example.org"")"',
        '2026-02-28T23:59:59.999Z',
      ].join(','),
    )
    expect((await lines()).join()).not.toMatch(/planted-marker|Subject identity/)
  })

  it.each([
    ['by age, newest first', {}],
    ['by age', { sortDirection: 'asc' as const }],
    ['by another field', { sortField: 'policyKey' as const, sortDirection: 'asc' as const }],
  ])('has every request once, %s', async (_, options) => {
    for (let at = 0; at < 230; at++) await submit(at % 2 ? 'gdpr' : '10')
    const all = (await lines(options)).slice(1).map((line) => line.split(',')[6])
    expect(new Set(all).size).toBe(230)
    const pages = await Promise.all([1, 2, 3].map((page) => privacy.requests.list({ ...options, size: 100, page })))
    expect(all).toEqual(pages.flatMap(({ items }) => items.map(({ id }) => id)))
    expect((await lines({ ...options, policyKey: 'policy_10' })).length).toBe(116)
    expect((await lines({ ...options, identity: 'nobody' })).length).toBe(1)
    expect((await lines({ ...options, identity: email })).length).toBe(231)
  })

  it('is read as it is requested, and does not show what comes meanwhile', async () => {
    for (let at = 0; at < 150; at++) await submit('10')
    const csv = (await privacy.requests.exportCsv({ sortDirection: 'asc' }))[Symbol.asyncIterator]()
    await csv.next()
    await csv.next()
    now += 1
    await submit('10')
    const { value } = await csv.next()
    expect(value.trimEnd().split('\n')).toHaveLength(50)
    expect((await csv.next()).done).toBe(true)
  })

  it('is refused like a list', async () => {
    await expect(privacy.requests.exportCsv({ sortField: 'colour' as 'id' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: ['sortField'] }] },
    })
  })
})
