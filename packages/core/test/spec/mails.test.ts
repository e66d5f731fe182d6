import { describe, expect, it } from 'vitest'
import {
  address,
  inbox,
  mailsOf,
  open,
  openForEachTest,
  privacy,
  received,
  seen,
  settled,
  states,
  storage,
  submit,
} from './mail-world.js'

openForEachTest()

describe('mails', () => {
  it('report receipt, decision and completion, to the email of the first identity that has one', async () => {
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
    expect(JSON.parse(Buffer.concat(parts).toString())).toEqual({
      nothing_found: 'No place was searched, so no data about you was found.',
      searched: [],
    })
    await expect(privacy.requests.download(id, { token })).rejects.toMatchObject({ code: 'gone' })
  })

  it('without publicUrl say who can send a link', async () => {
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
      'The email of the request is not a valid mail address.',
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
