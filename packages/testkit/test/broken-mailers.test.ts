import { setTimeout as pause } from 'node:timers/promises'
import { type Mail, type Mailer, memoryMailer, PrivacyError, parseMail } from '@habeas/core'
import { type DeliveredMail, type MailerUnderTest, mailerContract } from '@habeas/testkit'
import { beforeAll, describe, it, vi } from 'vitest'
import { foundOut } from './failing-cases.js'

const refusedAddress = 'nobody@example.org'

/** A mailer with a post office of its own, which can be closed and knows an address it refuses. */
const office = () => {
  const arrived: DeliveredMail[] = []
  let open = true
  const take = ({ to, ...mail }: Mail): void => {
    if (!open) throw new PrivacyError('unavailable', 'The post office is closed: try again.')
    if (to === refusedAddress) {
      throw new PrivacyError('unavailable', 'The recipient is not known.', { permanent: true })
    }
    arrived.push({ ...mail, recipients: [to] })
  }
  const interrupt = async () => {
    open = false
    return async () => {
      open = true
    }
  }
  const mailer: Mailer = { send: async (mail) => take(parseMail(mail)) }
  return { arrived, take, under: { mailer, delivered: async () => arrived, interrupt, refusedAddress } }
}

const faulty =
  (send: (mail: Mail, sound: Mailer, take: (mail: Mail) => void) => Promise<void>) => (): MailerUnderTest => {
    const { under, take } = office()
    return { ...under, mailer: { send: (mail) => send(mail, under.mailer, take) } }
  }

const changes = (change: (mail: Mail) => Mail) => faulty((mail, sound) => sound.send(change(mail)))
const prints = (print: (mail: Mail) => void) =>
  faulty((mail, sound) => {
    print(mail)
    return sound.send(mail)
  })

const first = 'when send resolves, the mail has arrived, for its recipient alone'
const refusals = (fault: string) => `a mail with ${fault} is refused with invalid_input, and nothing arrives`

describe('a sound mailer', () => mailerContract(it, () => office().under))

describe('mailerContract', () => {
  beforeAll(() => {
    for (const name of ['info', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  })

  foundOut(mailerContract, [
    ['keeps the mail to itself', faulty(async () => {}), first],
    [
      'resolves before the mail has arrived',
      faulty(async (mail, sound) => {
        void pause(50).then(() => sound.send(mail))
      }),
      first,
    ],
    [
      'sends a copy to somebody else',
      () => {
        const { under, arrived } = office()
        const copied = (mail: DeliveredMail) => ({ ...mail, recipients: [...mail.recipients, 'archive@example.net'] })
        return { ...under, delivered: async () => arrived.map(copied) }
      },
      first,
    ],
    ['makes html of text', changes((mail) => ({ ...mail, html: mail.html ?? `<p>${mail.text}</p>` })), first],
    ['drops the html', changes(({ html: _, ...mail }) => mail), 'html arrives together with the text'],
    [
      'escapes the html',
      changes((mail) => (mail.html ? { ...mail, html: mail.html.replaceAll('&', '&amp;') } : mail)),
      'html arrives together with the text',
    ],
    [
      'knows ASCII only',
      changes((mail) => ({
        ...mail,
        text: mail.text.replace(/[^\0-\x7f]/g, '?'),
        subject: mail.subject.replace(/[^\0-\x7f]/g, '?'),
      })),
      'text arrives as it was given, whatever it holds',
      'a subject arrives as it was given, in any script and of any length',
    ],
    [
      'ends at a line with a dot',
      changes((mail) => ({ ...mail, text: mail.text.split('\n.\n')[0] as string })),
      'text arrives as it was given, whatever it holds',
    ],
    [
      'cuts long lines',
      changes((mail) => ({ ...mail, text: mail.text.replace(/(.{998}).+/g, '$1') })),
      'text arrives as it was given, whatever it holds',
    ],
    [
      'cuts the subject',
      changes((mail) => ({ ...mail, subject: mail.subject.slice(0, 78) })),
      'a subject arrives as it was given, in any script and of any length',
    ],
    [
      'makes a Message-ID of its own for each attempt',
      changes((mail) => ({ ...mail, messageId: `<${Math.random()}@mailer>` })),
      first,
      'a mail that is sent again has the same Message-ID',
    ],
    [
      'mixes mails up that are sent at the same time',
      () => {
        const { under } = office()
        let last: Mail | undefined
        const send = async (mail: Mail) => {
          last = mail
          await pause(5)
          await under.mailer.send({ ...mail, text: last.text })
        }
        return { ...under, mailer: { send } }
      },
      'mails sent at the same time arrive, each for its own recipient',
    ],
    [
      'takes whatever stands in the head',
      faulty(async (mail, _, take) => take(mail)),
      refusals('a line break in its subject'),
      refusals('a line feed in its subject'),
      refusals('a line break in its address'),
      refusals('a line break in its Message-ID'),
      refusals('several addresses'),
      refusals('a name next to its address'),
    ],
    [
      'mends heads instead of refusing them',
      changes((mail) => ({
        ...mail,
        subject: mail.subject.replace(/\s+/g, ' '),
        to: mail.to.split(/[\s,]/)[0] as string,
      })),
      refusals('a line break in its subject'),
      refusals('several addresses'),
    ],
    [
      'delivers before it refuses',
      faulty(async (mail, sound, take) => {
        take({ ...mail, to: mail.to.split(',')[0] as string })
        await sound.send(mail)
      }),
      refusals('several addresses'),
    ],
    [
      'swallows failures',
      faulty((mail, sound) => sound.send(mail).catch(() => {})),
      'while nothing can be delivered send rejects with unavailable, and delivers afterwards',
      'a mail that is refused for good is unavailable and permanent, and no other suffers',
      refusals('several addresses'),
    ],
    [
      'fails with errors of its library',
      faulty((mail, sound) =>
        sound.send(mail).catch(() => {
          throw new Error('ECONNREFUSED')
        }),
      ),
      'while nothing can be delivered send rejects with unavailable, and delivers afterwards',
      'a mail that is refused for good is unavailable and permanent, and no other suffers',
    ],
    [
      'takes every failure for the last word',
      faulty((mail, sound) =>
        sound.send(mail).catch(() => {
          throw new PrivacyError('unavailable', 'No.', { permanent: true })
        }),
      ),
      'while nothing can be delivered send rejects with unavailable, and delivers afterwards',
    ],
    [
      'takes no failure for the last word',
      faulty((mail, sound) =>
        sound.send(mail).catch(() => {
          throw new PrivacyError('unavailable', 'Later.')
        }),
      ),
      'a mail that is refused for good is unavailable and permanent, and no other suffers',
    ],
    [
      'says in its error to whom',
      faulty((mail, sound) =>
        sound.send(mail).catch((error) => {
          throw new PrivacyError('unavailable', `${mail.to} was refused.`, error.details)
        }),
      ),
      'while nothing can be delivered send rejects with unavailable, and delivers afterwards',
      'a mail that is refused for good is unavailable and permanent, and no other suffers',
    ],
    [
      'never gets over a failure',
      () => {
        const { under } = office()
        let broken = false
        const send = async (mail: Mail) => {
          if (broken) throw new PrivacyError('unavailable', 'Broken.')
          await under.mailer.send(mail).catch((error) => {
            broken = true
            throw error
          })
        }
        return { ...under, mailer: { send } }
      },
      'while nothing can be delivered send rejects with unavailable, and delivers afterwards',
    ],
    [
      'fails at times although it needs nobody',
      () => {
        const mailer = memoryMailer()
        const send = () => Promise.reject(new PrivacyError('unavailable', 'No.'))
        return { mailer: { ...mailer, send }, delivered: async () => [] }
      },
      'while nothing can be delivered send rejects with unavailable, and delivers afterwards',
    ],
    [
      'logs recipients on the console',
      prints(({ to }) => console.info('mail to', to)),
      'send prints neither the content nor the recipient of a mail',
    ],
    [
      'prints what it sends',
      prints(({ text }) => process.stderr.write(`${text}\n`)),
      'send prints neither the content nor the recipient of a mail',
    ],
    [
      'prints whom it could not reach',
      faulty((mail, sound) =>
        sound.send(mail).catch((error) => {
          console.error(mail.to)
          throw error
        }),
      ),
      'send prints neither the content nor the recipient of a mail',
    ],
  ])
})
