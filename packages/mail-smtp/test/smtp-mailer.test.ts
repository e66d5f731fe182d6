import { isPrivacyError, type Mail, type PrivacyError } from '@habeas/core'
import { selfSignedCertificate } from '@habeas/testkit'
import type { SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import { type SmtpMailerOptions, smtpMailer } from '../src/index.js'
import { type MailServer, startMailServer } from './mail-server.js'

const mail: Mail = {
  kind: 'request_completion',
  messageId: '<0198-a@habeas.example>',
  to: 'jane.roe@example.org',
  subject: 'Ihre Daten – fertig',
  text: 'Grüße\n',
}

const password = 'Pa55-würd'
const started: MailServer[] = []
const start = async (options: SMTPServerOptions = {}): Promise<MailServer> => {
  const server = await startMailServer(options)
  started.push(server)
  return server
}
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop()
})

const mailerFor = ({ port }: { port: number }, options: Partial<SmtpMailerOptions> = {}) =>
  smtpMailer({ host: 'localhost', port, from: 'privacy@example.com', timeoutSeconds: 5, ...options })

const failureOf = async (sending: Promise<void>): Promise<PrivacyError<'unavailable'>> => {
  const error = await sending.catch((thrown: unknown) => thrown)
  if (!isPrivacyError(error, 'unavailable')) throw new Error('expected unavailable', { cause: error })
  return error as PrivacyError<'unavailable'>
}

const { key, certificate } = selfSignedCertificate('localhost')
const other = selfSignedCertificate('mail.example.com')
const encrypted = { key, cert: certificate }
const login: SMTPServerOptions = {
  onAuth: ({ username, password: given }, _session, done) =>
    given === password
      ? done(null, { user: username ?? '' })
      : done(new Error(`no entry for ${username} with ${given}`)),
}

describe('a mail', () => {
  it('has the sender and the reply address of the options, and asks for no automatic answer', async () => {
    const server = await start()
    await mailerFor(server, {
      from: 'Datenschutz, Müller & Söhne <privacy@example.com>',
      replyTo: 'dpo@example.com',
    }).send(mail)
    const [received] = server.received
    expect(received?.from).toBe('privacy@example.com')
    expect(received?.mail.from).toEqual({ name: 'Datenschutz, Müller & Söhne', address: 'privacy@example.com' })
    expect(received?.mail.replyTo).toEqual([{ name: '', address: 'dpo@example.com' }])
    expect(received?.mail.to).toEqual([{ name: '', address: 'jane.roe@example.org' }])
    const header = (name: string) => received?.mail.headers.find((each) => each.key === name)?.value
    expect(header('auto-submitted')).toBe('auto-generated')
    expect(header('x-mailer')).toBeUndefined()
    expect(Date.parse(header('date') ?? '')).toBeGreaterThan(Date.now() - 60_000)
  })

  it('shows its html to readers of html, and its text to others', async () => {
    const server = await start()
    await mailerFor(server).send({ ...mail, html: '<p>Grüße</p>' })
    const { raw = '', mail: read } = server.received[0] ?? {}
    expect(raw).toMatch(/^Content-Type: multipart\/alternative/m)
    expect(raw.indexOf('text/plain')).toBeLessThan(raw.indexOf('text/html'))
    expect(read?.attachments).toEqual([])
  })

  it('travels in short lines of ASCII, ended as SMTP requires', async () => {
    const server = await start()
    await mailerFor(server).send({ ...mail, text: `${'ä'.repeat(5_000)}\n${'x'.repeat(5_000)}\n` })
    const raw = server.received[0]?.raw ?? ''
    expect(raw).toMatch(/^[\t\r\n -~]*$/)
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998)
  })
})

describe('encryption', () => {
  it.each<[string, SMTPServerOptions, Partial<SmtpMailerOptions>]>([
    ['by STARTTLS, its authority given', encrypted, { tls: { ca: certificate } }],
    ['from the start', { ...encrypted, secure: true }, { secure: true, tls: { ca: certificate } }],
    [
      'for another name',
      { key: other.key, cert: other.certificate },
      { tls: { ca: other.certificate, serverName: 'mail.example.com' } },
    ],
    ['of any server, when asked for', encrypted, { tls: { rejectUnauthorized: false } }],
  ])('%s', async (_, serverOptions, options) => {
    const server = await start(serverOptions)
    await mailerFor(server, options).send(mail)
    expect(server.received.map(({ secure }) => secure)).toEqual([true])
  })

  it.each<[string, SMTPServerOptions, Partial<SmtpMailerOptions>]>([
    ['an unknown authority, by STARTTLS', encrypted, {}],
    ['an unknown authority, from the start', { ...encrypted, secure: true }, { secure: true }],
    ['another name', { key: other.key, cert: other.certificate }, { tls: { ca: other.certificate } }],
    ['a server that does not offer it', {}, { tls: true }],
    ['a server that does not speak TLS', {}, { secure: true }],
  ])('is not given up for %s', async (_, serverOptions, options) => {
    const server = await start(serverOptions)
    const { details, message } = await failureOf(mailerFor(server, options).send(mail))
    expect(details).toEqual({ reason: 'tls' })
    expect(message).toContain('tls.ca')
    expect(server.received).toEqual([])
  })

  it('is left out when that was asked for', async () => {
    const server = await start(encrypted)
    await mailerFor(server, { tls: false }).send(mail)
    expect(server.received.map(({ secure }) => secure)).toEqual([false])
  })
})

describe('a login', () => {
  it('uses user and password, however they are given', async () => {
    const server = await start({ ...encrypted, ...login })
    await mailerFor(server, { user: 'habeas', password, tls: { ca: certificate } }).send(mail)
    const url = `smtp://ha%40beas:${encodeURIComponent(password)}@localhost:${server.port}`
    await smtpMailer({ url, from: 'privacy@example.com', tls: { ca: certificate } }).send(mail)
    expect(server.received.map(({ user }) => user)).toEqual(['habeas', 'ha@beas'])
  })

  it('that fails may be tried again, and no error holds the password, even where the server repeats it', async () => {
    const server = await start({ ...encrypted, ...login })
    const error = await failureOf(
      mailerFor(server, { user: 'habeas', password: 'wr0ng-pass', tls: { ca: certificate } }).send(mail),
    )
    expect(error.details).toEqual({ reason: 'authentication' })
    expect(error.message).toBe('The mail server did not accept the user and password: check both.')
    expect(everythingIn(error)).not.toMatch(/wr0ng-pass|d3IwbmctcGFzcw|jane/)
    expect(server.received).toEqual([])
  })

  it('is not left out where the server offers none', async () => {
    const server = await start(encrypted)
    const mailer = mailerFor(server, { user: 'habeas', password, tls: { ca: certificate } })
    expect((await failureOf(mailer.send(mail))).details).toEqual({ reason: 'authentication' })
    expect(server.received).toEqual([])
  })
})

/** An error with all its content, as a careless log would write it. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? ''
  const own = Object.getOwnPropertyNames(error).map((name) => [
    name,
    (error as unknown as Record<string, unknown>)[name],
  ])
  return own
    .map(([name, value]) => `${name}: ${value instanceof Error ? everythingIn(value) : JSON.stringify(value)}`)
    .join('\n')
}

describe('a refusal', () => {
  it('of the recipient is for good, and neither the error nor its cause names the recipient', async () => {
    const server = await start()
    const error = await failureOf(mailerFor(server).send({ ...mail, to: 'nobody@example.org' }))
    expect(error.details).toEqual({ reason: 'recipient_refused', permanent: true })
    expect((error.cause as Error).message).toBe('SMTP RCPT TO answered 550 5.1.1 EENVELOPE')
    expect(everythingIn(error)).not.toContain('nobody')
  })

  it('of a mail that is larger than the server takes is for good', async () => {
    const server = await start({ size: 2_000 })
    const error = await failureOf(mailerFor(server).send({ ...mail, text: 'x'.repeat(10_000) }))
    expect(error.details).toEqual({ reason: 'mail_refused', permanent: true })
  })
})

describe('a server that cannot be reached', () => {
  it('gets the mail, under the same Message-ID, when it is back', async () => {
    const server = await start()
    const mailer = mailerFor(server)
    await mailer.send(mail)
    await server.stop()
    expect((await failureOf(mailer.send({ ...mail, messageId: '<2@x>' }))).details).toEqual({ reason: 'refused' })
    await server.start()
    await mailer.send({ ...mail, messageId: '<2@x>' })
    expect(server.received.map((each) => each.mail.messageId)).toEqual(['<0198-a@habeas.example>', '<2@x>'])
  })

  it('has a name that must be known', async () => {
    const mailer = smtpMailer({ host: 'mail.invalid', from: 'privacy@example.com', timeoutSeconds: 5 })
    expect((await failureOf(mailer.send(mail))).details).toEqual({ reason: 'name_not_resolved' })
  })
})

describe('close', () => {
  it('waits for the mails that are being sent, and refuses later ones', async () => {
    let letThrough = () => {}
    const held = new Promise<void>((resolve) => {
      letThrough = resolve
    })
    const server = await start({ onMailFrom: (_address, _session, done) => void held.then(() => done()) })
    const mailer = mailerFor(server)
    const sending = mailer.send(mail)
    let isClosed = false
    const closing = mailer.close().then(() => {
      isClosed = true
    })
    const { message, details } = await failureOf(mailer.send(mail))
    expect([message, details]).toEqual(['The mailer was closed: create a new one.', { reason: 'closed' }])
    expect(isClosed).toBe(false)
    letThrough()
    await sending
    await closing
    await mailer.close()
    expect(server.received).toHaveLength(1)
  })
})
