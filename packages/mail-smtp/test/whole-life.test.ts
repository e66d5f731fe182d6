import { type PrivacyServiceOptions, systemRuntime } from '@habeas/core'
import { memoryConnector } from '@habeas/testkit'
import type { Email } from 'postal-mime'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { servedService } from '../../http/test/service-calls.js'
import { type SmtpMailer, smtpMailer } from '../src/index.js'
import { type MailServer, startMailServer } from './mail-server.js'

const email = 'ann@example.org'
const requests = '/api/v1/privacy-request'
/** For a machine that has much else to do. */
let server: MailServer
let mailer: SmtpMailer
let service: Awaited<ReturnType<typeof servedService>>
let ahead: number

/** A shop of one table behind its HTTP interface, whose mails leave over SMTP. */
async function open(execution: PrivacyServiceOptions['execution'] = {}) {
  ahead = 0
  server = await startMailServer()
  mailer = smtpMailer({ host: 'localhost', port: server.port, from: 'Shop <privacy@example.com>', timeoutSeconds: 5 })
  const customer = {
    columns: [
      { name: 'id', kind: 'integer' as const },
      { name: 'email', kind: 'string' as const },
    ],
    primaryKey: ['id'],
    rows: [
      { id: 1, email },
      { id: 2, email: 'ben@example.org' },
    ],
  }
  service = await servedService({
    mailer,
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + ahead * 1_000) },
    connectors: [memoryConnector({ type: 'postgres', database: { customer } })],
    publicUrl: 'https://example.org',
    execution: { sweepSeconds: 0.05, ...execution },
  })
  const { connections, policies } = service.privacy
  const identity = { name: 'email', data_categories: ['user'], service_meta: { identity: 'email' } }
  await connections.put({ key: 'shop', connectionType: 'postgres' })
  await connections.setSecrets('shop', { host: 'shop.example' }, { verify: false })
  await connections.attachDataset('shop', {
    service_key: 'shop',
    collections: [{ name: 'customer', fields: [{ name: 'id', service_meta: { primary_key: true } }, identity] }],
  })
  await policies.put({
    service_key: 'timed',
    execution_timeframe: 'gdpr',
    rules: [{ service_key: 'all', action_type: 'access', data_categories: { matches: 'ANY', values: ['user'] } }],
  })
}

beforeEach(() => open())
afterEach(async () => {
  await service.privacy.close()
  await mailer.close()
  await server.stop()
})

async function submit(): Promise<string> {
  const submission = { policy_key: 'timed', identities: [{ email }] }
  const { status, body } = await service.call<{ id: string }>(`POST ${requests}`, submission)
  expect(status).toBe(201)
  return body.id
}

/** The mail of a request that has this subject, as its reader sees it, once it has come. */
async function mailOf(id: string, subject: string): Promise<Email> {
  const found = () => server.received.find(({ mail }) => mail.subject === subject && mail.text?.includes(id))
  await expect.poll(found, { message: `a mail '${subject}'` }).toBeDefined()
  return found()?.mail as Email
}
const codeIn = ({ text = '' }: Email) => /^\d{6}$/m.exec(text)?.[0] as string
const linkIn = (text: string | undefined) => /https:[^\s"<]+/.exec(text ?? '')?.[0]?.replaceAll('&amp;', '&') as string
const post = (id: string, verb: string, body?: object) => service.call(`POST ${requests}/${id}/${verb}`, body)
const review = (verb: string, body: object) => service.call(`PATCH ${requests}/administrate/${verb}`, body)
const download = (link: string) => service.handler(new Request(link))

interface Shown {
  readonly status: string
  readonly mails: readonly { readonly kind: string; readonly status: string; readonly last_error: string | null }[]
}
const shown = async (id: string) => (await service.call<Shown>(`GET ${requests}/${id}`)).body
const states = async (id: string) => (await shown(id)).mails.map(({ kind, status }) => `${kind} ${status}`)

it('each kind of mail arrives; the code verifies, and the link downloads once and then answers 410', async () => {
  await service.privacy.close()
  await mailer.close()
  await server.stop()
  await open({ immediate: true, subjectIdentityVerificationRequired: true, requireManualRequestApproval: true })
  const id = await submit()

  const code = codeIn(await mailOf(id, 'Please confirm your request'))
  expect((await post(id, 'verify', { code: code === '000000' ? '000001' : '000000' })).status).toBe(400)
  expect(await post(id, 'verify', { code })).toMatchObject({ status: 200, body: { status: 'pending' } })
  expect((await post(id, 'verify', { code })).status).toBe(409)
  await mailOf(id, 'We have received your request')

  expect((await post(id, 'extend', { reason: 'Three <systems> are slow.' })).status).toBe(200)
  const extension = await mailOf(id, 'We need more time for your request')
  expect(extension.text).toContain('Reason: Three <systems> are slow.')
  expect(extension.html).not.toContain('<systems>')

  expect((await review('approve', { request_ids: [id] })).body).toMatchObject({ succeeded: [{ id }] })
  await mailOf(id, 'Your request has been accepted')

  const { text, html } = await mailOf(id, 'Your data is ready')
  const link = linkIn(text)
  expect(linkIn(html)).toBe(link)
  const answer = await download(link)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(await answer.json()).toEqual({ 'shop:customer': [{ email }] })
  for (let time = 0; time < 2; time++) expect((await download(link)).status).toBe(410)

  const denied = await submit()
  const second = codeIn(await mailOf(denied, 'Please confirm your request'))
  await post(denied, 'verify', { code: second })
  await review('deny', { request_ids: [denied], reason: 'It is not yours.' })
  expect((await mailOf(denied, 'Your request has been declined')).text).toContain('Reason: It is not yours.')

  expect(await states(id)).toEqual(
    ['identity_verification', 'request_receipt', 'request_extension', 'request_review', 'request_completion'].map(
      (kind) => `${kind} sent`,
    ),
  )
  const ids = server.received.map(({ mail }) => mail.messageId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { from, recipients, mail } of server.received) {
    expect([from, ...recipients, mail.from?.name]).toEqual(['privacy@example.com', email, 'Shop'])
    expect(mail.messageId).toMatch(/^<[0-9a-f-]{36}@example\.org>$/)
  }
})

it.each([
  ['puts every mail off', () => server.defer(true), () => server.defer(false)],
  ['is not there', () => server.stop(), () => server.start()],
])('a server that %s leaves the request untouched, and has each mail once when it is back', async (_, away, back) => {
  await away()
  const id = await submit()
  await service.privacy.requests.approve(id)
  await service.privacy.requests.run(id)
  await expect
    .poll(async () => (await shown(id)).mails.map(({ status, last_error }) => [status, last_error !== null]))
    .toEqual(Array.from({ length: 3 }, () => ['waiting', true]))
  expect((await shown(id)).status).toBe('complete')
  expect((await service.privacy.requests.packages(id)).length).toBe(1)
  expect(server.received).toEqual([])

  await back()
  ahead = 60
  await expect.poll(() => server.received.length).toBe(3)
  await expect
    .poll(() => states(id))
    .toEqual(['request_receipt sent', 'request_review sent', 'request_completion sent'])
  const taken = new Set(server.received.map(({ mail }) => mail.messageId))
  expect(taken.size).toBe(3)
  for (const { mail } of server.deferred) expect(taken).toContain(mail.messageId)
  const link = linkIn((await mailOf(id, 'Your data is ready')).text)
  expect(await (await download(link)).json()).toEqual({ 'shop:customer': [{ email }] })
  expect((await download(link)).status).toBe(410)
})

it('a code that a server put off verifies when it comes', async () => {
  await service.privacy.close()
  await mailer.close()
  await server.stop()
  await open({ subjectIdentityVerificationRequired: true })
  server.defer(true)
  const id = await submit()
  await expect.poll(() => server.deferred.length).toBe(1)
  expect((await shown(id)).status).toBe('identity_unverified')
  server.defer(false)
  ahead = 60
  const mail = await mailOf(id, 'Please confirm your request')
  expect(mail.messageId).toBe(server.deferred[0]?.mail.messageId)
  expect(await post(id, 'verify', { code: codeIn(mail) })).toMatchObject({ status: 200, body: { status: 'pending' } })
})
