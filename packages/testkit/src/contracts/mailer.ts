import assert from 'node:assert/strict'
import type { Mail, Mailer } from '@habeas/core'
import type { Test } from '../test.js'
import { type Open, openedCases } from './opened-case.js'
import { rejection } from './rejection.js'
import { writtenOutput } from './written-output.js'

/** A mail as the other side received it, decoded. */
export interface DeliveredMail {
  readonly messageId: string
  /** All recipients it was delivered to. */
  readonly recipients: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html?: string
}

export interface MailerUnderTest {
  readonly mailer: Mailer
  /** The mails that have arrived so far. A mail that was sent twice may stand there twice. */
  delivered(): Promise<readonly DeliveredMail[]>
  /**
   * Makes delivery impossible, as when the server is away, until the returned function is called. Left out by a mailer
   * that depends on no server: it then has to deliver at any time.
   */
  interrupt?(): Promise<() => Promise<void>>
  /** An address that the other side refuses for good. Left out where there is none. */
  readonly refusedAddress?: string
  close?(): Promise<void>
}

const mail: Mail = {
  kind: 'identity_verification',
  messageId: '<0198-first@habeas.example>',
  to: 'jane.roe@example.org',
  subject: 'Your code',
  text: 'Your code is 042917.\n',
}

// Transports end a text with a line break and spell line breaks their own way.
const lines = (text: string): string[] => text.trimEnd().split(/\r?\n/)

const awkwardText = [
  'Grüße, 你好, مرحبا, 🧿',
  '.',
  '..two dots',
  'From somebody: not a header',
  'x'.repeat(3_000),
  'equals =3D =',
  'trailing blank ',
  '\ttab',
  '',
  'end',
].join('\n')

const heads: readonly [string, Partial<Mail>][] = [
  ['a line break in its subject', { subject: 'Code\r\nBcc: other@example.net' }],
  ['a line feed in its subject', { subject: 'Code\nBcc: other@example.net' }],
  ['a line break in its address', { to: 'jane.roe@example.org\r\nBcc: other@example.net' }],
  ['a line break in its Message-ID', { messageId: '<1@x>\r\nBcc: other@example.net' }],
  ['several addresses', { to: 'jane.roe@example.org, other@example.net' }],
  ['a name next to its address', { to: 'other@example.net <jane.roe@example.org>' }],
]

/** Declares a test for each promise of the `Mailer` port. `open` gives a mailer that no other case uses. */
export const mailerContract = (test: Test, open: Open<MailerUnderTest>): void => {
  const given = openedCases(test, open, async ({ close }) => close?.())
  const only = async ({ delivered }: MailerUnderTest): Promise<DeliveredMail> => {
    const [first, ...others] = await delivered()
    assert.ok(first, 'a mail has arrived')
    assert.equal(others.length, 0, 'no other mail has arrived')
    return first
  }

  given('when send resolves, the mail has arrived, for its recipient alone', async (under) => {
    await under.mailer.send(mail)
    const { messageId, recipients, subject, text, html } = await only(under)
    assert.equal(messageId, mail.messageId)
    assert.deepEqual(recipients, [mail.to])
    assert.equal(subject, mail.subject)
    assert.deepEqual(lines(text), lines(mail.text))
    assert.equal(html, undefined)
  })

  given('text arrives as it was given, whatever it holds', async (under) => {
    await under.mailer.send({ ...mail, text: awkwardText })
    assert.deepEqual(lines((await only(under)).text), lines(awkwardText))
  })

  given('a subject arrives as it was given, in any script and of any length', async (under) => {
    const subject = `Größe – 你好 🧿 =?utf-8?q?=20?= ${'long '.repeat(60)}end`
    await under.mailer.send({ ...mail, subject })
    assert.equal((await only(under)).subject, subject)
  })

  given('html arrives together with the text', async (under) => {
    const html =
      '<!doctype html><html lang="de"><body><p title="ä">Grüße &amp; <a href="https://x.example/?a=1&amp;b=2">mehr</a></p></body></html>'
    await under.mailer.send({ ...mail, html })
    const found = await only(under)
    assert.equal(found.html?.trim(), html)
    assert.deepEqual(lines(found.text), lines(mail.text))
  })

  given('a mail that is sent again has the same Message-ID', async ({ mailer, delivered }) => {
    await mailer.send(mail)
    await mailer.send(mail)
    const arrived = await delivered()
    assert.ok(arrived.length > 0)
    for (const { messageId } of arrived) assert.equal(messageId, mail.messageId)
  })

  given('mails sent at the same time arrive, each for its own recipient', async ({ mailer, delivered }) => {
    const mails = Array.from({ length: 12 }, (_, index) => ({
      ...mail,
      messageId: `<${index}@habeas.example>`,
      to: `person-${index}@example.org`,
      text: `Code ${index}`,
    }))
    await Promise.all(mails.map((each) => mailer.send(each)))
    const arrived = new Map((await delivered()).map((each) => [each.messageId, each]))
    for (const { messageId, to, text } of mails) {
      assert.deepEqual(arrived.get(messageId)?.recipients, [to])
      assert.deepEqual(lines(arrived.get(messageId)?.text ?? ''), [text])
    }
  })

  for (const [fault, head] of heads) {
    given(`a mail with ${fault} is refused with invalid_input, and nothing arrives`, async ({ mailer, delivered }) => {
      await rejection(mailer.send({ ...mail, ...head }), 'invalid_input')
      assert.deepEqual(await delivered(), [])
    })
  }

  given('while nothing can be delivered send rejects with unavailable, and delivers afterwards', async (under) => {
    const { mailer, delivered, interrupt } = under
    const restore = await interrupt?.()
    if (restore) {
      const { details, message } = await rejection(mailer.send(mail), 'unavailable')
      assert.notEqual(details.permanent, true)
      assert.ok(!message.includes(mail.to), 'the message does not name the recipient')
      assert.deepEqual(await delivered(), [])
      await restore()
    }
    await mailer.send(mail)
    assert.equal((await only(under)).messageId, mail.messageId)
  })

  given('a mail that is refused for good is unavailable and permanent, and no other suffers', async (under) => {
    const { mailer, refusedAddress } = under
    if (refusedAddress !== undefined) {
      const refused = { ...mail, messageId: '<refused@habeas.example>', to: refusedAddress }
      const { details, message } = await rejection(mailer.send(refused), 'unavailable')
      assert.equal(details.permanent, true)
      assert.ok(!message.includes(refusedAddress), 'the message does not name the recipient')
    }
    await mailer.send(mail)
    assert.equal((await only(under)).messageId, mail.messageId)
  })

  given('send prints neither the content nor the recipient of a mail', async ({ mailer, refusedAddress }) => {
    const to = 'printed.person@example.org'
    const marked: Mail = { ...mail, to, subject: 'A printed subject', text: 'A printed text' }
    const written = await writtenOutput(async () => {
      await mailer.send(marked)
      if (refusedAddress !== undefined) await mailer.send({ ...marked, to: refusedAddress }).catch(() => {})
      await mailer.send({ ...marked, to: `${to}\n` }).catch(() => {})
    })
    for (const secret of [to, 'A printed', refusedAddress ?? to]) {
      assert.ok(!written.includes(secret), 'the output reveals the mail')
    }
  })
}
