import { type Mailer, parseMail } from '@habeas/core'
import { createTransport } from 'nodemailer'
import { closedFailure, smtpFailure } from './smtp-failure.js'
import { readOptions, type SmtpMailerOptions, type SmtpSettings } from './smtp-options.js'

export interface SmtpMailer extends Mailer {
  /** Waits for the mails that are being sent, and refuses later ones. */
  close(): Promise<void>
}

function openTransport({ host, port, secure, login, encryption, tls, timeoutSeconds }: SmtpSettings) {
  const { serverName, ...certificates } = tls
  const milliseconds = timeoutSeconds * 1_000
  return createTransport({
    host,
    port,
    secure,
    requireTLS: encryption === 'required',
    ignoreTLS: encryption === 'none',
    // the login is forced, because a server that offers none would otherwise get the mail without one
    ...(login && { auth: { user: login.user, pass: login.password }, forceAuth: true }),
    tls: { minVersion: 'TLSv1.2', ...certificates, ...(serverName !== undefined && { servername: serverName }) },
    dnsTimeout: milliseconds,
    connectionTimeout: milliseconds,
    greetingTimeout: milliseconds,
    socketTimeout: milliseconds,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/**
 * Sends mails over SMTP, each over its own connection. `send` resolves when the server has accepted the mail for its
 * recipient. It rejects with `unavailable` otherwise, and sets `permanent` when the server refused the recipient or the mail
 * for good. When the connection breaks before the server's answer, the mail is sent again under the same Message-ID.
 * Throws `misconfigured` when an option is wrong.
 */
export function smtpMailer(options: SmtpMailerOptions): SmtpMailer {
  const settings = readOptions(options)
  const { from, replyTo, timeoutSeconds } = settings
  const transport = openTransport(settings)
  const sending = new Set<Promise<unknown>>()
  let isClosed = false

  return {
    async send(mail) {
      const { messageId, to, subject, text, html } = parseMail(mail)
      if (isClosed) throw closedFailure()
      const sent = transport.sendMail({
        envelope: { from: from.address, to: [to] },
        from: { ...from },
        to: { name: '', address: to },
        ...(replyTo && { replyTo: { ...replyTo } }),
        subject,
        text,
        ...(html !== undefined && { html }),
        messageId,
        // this header keeps automatic answers from coming back
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.timeout(timeoutSeconds * 1_000),
      })
      sending.add(sent)
      try {
        await sent
      } catch (error) {
        throw smtpFailure(error)
      } finally {
        sending.delete(sent)
      }
    },
    async close() {
      isClosed = true
      await Promise.allSettled(sending)
      transport.close()
    },
  }
}
