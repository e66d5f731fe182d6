import { type MailerUnderTest, mailerContract, selfSignedCertificate } from '@habeas/testkit'
import { describe, it } from 'vitest'
import { type SmtpMailerOptions, smtpMailer } from '../src/index.js'
import { type MailServer, refusedAddress, startMailServer } from './mail-server.js'

const underTest = (server: MailServer, options: Partial<SmtpMailerOptions>): MailerUnderTest => {
  const mailer = smtpMailer({
    host: 'localhost',
    port: server.port,
    from: 'Habeas <privacy@example.com>',
    timeoutSeconds: 5,
    ...options,
  })
  return {
    mailer,
    refusedAddress,
    delivered: async () =>
      server.received.map(({ recipients, mail }) => ({
        messageId: mail.messageId ?? '',
        recipients,
        subject: mail.subject ?? '',
        text: mail.text ?? '',
        ...(mail.html !== undefined && { html: mail.html }),
      })),
    interrupt: async () => {
      await server.stop()
      return server.start
    },
    close: async () => {
      await mailer.close()
      await server.stop()
    },
  }
}

describe('smtpMailer', () => mailerContract(it, async () => underTest(await startMailServer(), {})))

describe('smtpMailer with STARTTLS and a login', () => {
  const { key, certificate } = selfSignedCertificate('localhost')
  mailerContract(it, async () => {
    const server = await startMailServer({
      key,
      cert: certificate,
      onAuth: ({ username }, _session, done) => done(null, { user: username ?? '' }),
    })
    return underTest(server, { user: 'habeas', password: 'secret', tls: { ca: certificate } })
  })
})
