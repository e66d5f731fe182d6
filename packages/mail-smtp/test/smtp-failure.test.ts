import { isPrivacyError, type Mail } from '@habeas/core'
import { afterEach, describe, expect, it } from 'vitest'
import { type SmtpMailerOptions, smtpMailer } from '../src/index.js'
import { type Answer, type ScriptedServer, scriptedServer } from './scripted-server.js'

const mail: Mail = {
  kind: 'request_receipt',
  messageId: '<1@habeas.example>',
  to: 'jane.roe@example.org',
  subject: 'Received',
  text: 'We have it.',
}

let server: ScriptedServer | undefined
afterEach(() => server?.stop())

const sendTo = async (script: Record<string, Answer>, options: Partial<SmtpMailerOptions> = {}): Promise<unknown> => {
  server = await scriptedServer(script)
  const mailer = smtpMailer({
    host: '127.0.0.1',
    port: server.port,
    from: 'privacy@example.com',
    timeoutSeconds: 5,
    ...options,
  })
  const error = await mailer.send(mail).then(
    () => 'sent',
    (thrown: unknown) => thrown,
  )
  if (!isPrivacyError(error, 'unavailable')) return error
  expect(JSON.stringify(error) + (error.cause as Error).stack).not.toMatch(/jane|secret/)
  return error.details
}

const forGood = (reason: string) => ({ reason, permanent: true })
const later = (reason: string) => ({ reason })

describe('what a server answers', () => {
  it('counts as an acceptance only after the whole mail', async () => {
    expect(await sendTo({})).toBe('sent')
    expect(server?.commands.map((line) => line.split(' ')[0])).toEqual(expect.arrayContaining(['MAIL', 'RCPT', 'DATA']))
  })

  it.each<[string, Answer, object]>([
    ['greeting', '554 5.7.1 not you, jane', later('other')],
    ['greeting', '421 4.3.2 too many', later('other')],
    ['greeting', 'HTTP/1.1 400 Bad Request', later('other')],
    ['EHLO', '421 4.3.2 shutting down', later('other')],
    ['MAIL', '451 4.7.1 later', later('deferred')],
    ['MAIL', '530 5.7.0 log in first', later('authentication')],
    ['MAIL', '530 5.7.0 Must issue a STARTTLS command first', later('authentication')],
    ['MAIL', '553 5.7.1 not your address', later('sender_refused')],
    ['MAIL', '552 5.3.4 too large', forGood('mail_refused')],
    ['RCPT', '450 4.2.0 greylisted', later('deferred')],
    ['RCPT', '421 4.7.0 goodbye', later('deferred')],
    ['RCPT', '550 5.1.1 <jane.roe@example.org> unknown', forGood('recipient_refused')],
    ['RCPT', '550-5.1.1 two lines\r\n550 5.1.1 of it', forGood('recipient_refused')],
    ['RCPT', '554 5.7.1 relay denied', forGood('recipient_refused')],
    ['DATA', '451 4.3.0 later', later('deferred')],
    ['DATA', '554 5.5.1 no', forGood('mail_refused')],
    ['.', '452 4.3.1 disk full', later('deferred')],
    ['.', '554 5.7.1 looks like spam: secret words', forGood('mail_refused')],
  ])('to %s: %s', async (command, answer, details) => {
    expect(await sendTo({ [command]: answer })).toEqual(details)
  })

  it.each(['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', '.'])('may be nothing: silence after %s', async (command) => {
    const begun = Date.now()
    expect(await sendTo({ [command]: 'silence' }, { timeoutSeconds: 0.4 })).toEqual(later('timeout'))
    // Without the limit it would be half a minute at least.
    expect(Date.now() - begun).toBeLessThan(25_000)
  })

  it.each(['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', '.'])('may be to hang up after %s', async (command) => {
    expect(await sendTo({ [command]: 'hang up' })).toEqual(later('other'))
  })

  it('may never end, and send still rejects in time', async () => {
    expect(await sendTo({ EHLO: 'dribble' }, { timeoutSeconds: 0.4 })).toEqual(later('timeout'))
  })
})

describe('a password', () => {
  it('does not leave unencrypted, whatever the server offers', async () => {
    const script = { EHLO: '250-scripted\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN', STARTTLS: '454 not now' }
    expect(await sendTo(script, { user: 'habeas', password: 'secret', tls: true })).toEqual(later('tls'))
    expect(server?.commands.some((line) => line.startsWith('AUTH'))).toBe(false)
  })

  it('is deferred with the mail when the server cannot check it at the moment', async () => {
    const script = { EHLO: '250-scripted\r\n250 AUTH PLAIN', AUTH: '454 4.7.0 directory is away' }
    expect(await sendTo(script, { user: 'habeas', password: 'secret' })).toEqual(later('deferred'))
  })
})
