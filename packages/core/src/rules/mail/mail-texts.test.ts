import { readFileSync } from 'node:fs'
import { URL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../../errors.js'
import { parseMail } from '../../model/mail.js'
import { languageTag, type MailTexts, mailTextsSchema } from '../../model/mail-texts.js'
import { mailPlaceholders, mailTexts } from './mail-texts.js'
import type { MailContent } from './mail-values.js'

const requestId = 'pri_0198'
const link = 'https://privacy.example.com/api/v1/privacy-request/pri_0198/download?token=aB3&x=1'
const contents: Readonly<Record<string, MailContent>> = {
  receipt: { kind: 'request_receipt', requestId },
  'receipt with a due date': {
    kind: 'request_receipt',
    requestId,
    dueAt: '2024-04-05T21:59:59.999Z',
    timeZone: 'Europe/Berlin',
  },
  verification: { kind: 'identity_verification', requestId, code: '042917', minutes: 10 },
  access: { kind: 'request_completion', action: 'access', requestId, links: [{ url: link }], lifetimeSeconds: 86_400 },
  erasure: { kind: 'request_completion', action: 'erasure', requestId },
  approved: { kind: 'request_review', decision: 'approved', requestId },
  denied: { kind: 'request_review', decision: 'denied', requestId, reason: 'We do not know you.' },
  'denied without a reason': { kind: 'request_review', decision: 'denied', requestId },
}
const content = (name: string): MailContent => contents[name] as MailContent

describe('the built-in texts', () => {
  it.each<[string, string, string[], string[]]>([
    ['receipt', 'We have received your request', [requestId], ['We will answer']],
    ['receipt with a due date', 'We have received your request', ['by April 5, 2024 at the latest'], []],
    ['verification', 'Please confirm your request', ['\n\n042917\n\n', '10 minutes'], []],
    ['access', 'Your data is ready', [`\n\n${link}\n\n`, 'once, within 24 hours'], []],
    ['erasure', 'Your request for erasure is complete', ['We have erased'], []],
    ['approved', 'Your request has been accepted', ['working on it'], []],
    ['denied', 'Your request has been declined', ['Reason: We do not know you.', 'complain'], []],
    ['denied without a reason', 'Your request has been declined', ['complain'], ['Reason']],
  ])('of a %s: %s', (name, subject, present, absent) => {
    const mail = mailTexts()(content(name))
    expect(mail.subject).toBe(subject)
    for (const words of present) expect(mail.text).toContain(words)
    for (const words of absent) expect(mail.text + mail.html).not.toContain(words)
    expect(mail.text).toContain(`Your reference: ${requestId}`)
    expect(mail.text + mail.html).not.toMatch(/[{}]|\n\n\n|undefined|<p><\/p>/)
    expect(() =>
      parseMail({ kind: content(name).kind, messageId: '<1@x>', to: 'jane@example.org', ...mail }),
    ).not.toThrow()
  })

  it('are simple html without external resources, with the same words', () => {
    for (const each of Object.values(contents)) {
      const { subject, text, html } = mailTexts()(each)
      expect(html).toMatch(/^<!doctype html>\n<html lang="en" dir="auto">/)
      expect(html).toContain(`<title>${subject}</title>`)
      expect(html.match(/<main>/g)).toHaveLength(1)
      expect(html).not.toMatch(/<(?:img|script|link|iframe|object|form|style)\b|@import|url\(|\son\w+=/i)
      const words = html
        .replace(/[\s\S]*<main>|<\/main>[\s\S]*/g, '')
        .replaceAll('<br>', ' ')
        .replace(/<[^>]*>/g, '')
        .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
        .replaceAll('&amp;', '&')
      expect(words.split(/\s+/).filter(Boolean)).toEqual(text.split(/\s+/).filter(Boolean))
    }
  })

  it('have no links except those to the packages', () => {
    for (const [name, each] of Object.entries(contents)) {
      const links = [...mailTexts()(each).html.matchAll(/<a\s[^>]*>/g)].map(([tag]) => tag)
      expect(links).toEqual(name === 'access' ? [`<a href="${link.replace('&', '&amp;')}">`] : [])
    }
  })

  it('name the links where there are several', () => {
    const links = [
      { url: 'https://x.example/a', name: 'profile.json' },
      { url: 'https://x.example/b', name: 'orders <b>&\r\nx.zip' },
    ]
    const { text, html } = mailTexts()({ ...content('access'), links } as MailContent)
    expect(text).toContain('\n\nprofile.json: https://x.example/a\norders <b>& x.zip: https://x.example/b\n\n')
    expect(html).toContain(
      '<p><a href="https://x.example/a">profile.json</a><br><a href="https://x.example/b">orders &lt;b&gt;&amp; x.zip</a></p>',
    )
  })

  it.each([
    [86_400, '24 hours'],
    [172_800, '2 days'],
    [200_000, '2 days'],
    [3_600, '1 hour'],
    [5_400, '90 minutes'],
    [9_000, '2 hours'],
    [60, '1 minute'],
    [90, '90 seconds'],
  ])('say %i seconds as %s, rounded down', (lifetimeSeconds, words) => {
    expect(mailTexts()({ ...content('access'), lifetimeSeconds } as MailContent).text).toContain(`within ${words}.`)
  })
})

describe('hostile values', () => {
  const reasons = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</p></main></body></html><!--',
    'a\r\nBcc: evil@example.net\r\n\r\n<b>body</b>',
    '{code} {links} {#reason}{/reason}',
    '&lt;b&gt;&#60;',
    '\u0000\u001b[2J\u2028<b>',
  ]
  it.each(reasons)('%j stays text', (reason) => {
    const render = mailTexts({
      en: {
        request_review_denied: {
          subject: 'No{#reason}: {reason}{/reason}',
          text: 'No.{#reason}\n\n{reason}{/reason}',
          html: '<p>No. {#reason}<b>{reason}</b>{/reason}</p>',
        },
      },
    })
    for (const renderer of [mailTexts(), render]) {
      const plain = renderer({ ...content('denied'), reason: 'x' } as MailContent)
      const { subject, text, html } = renderer({ ...content('denied'), reason } as MailContent)
      const tags = (source: string) =>
        source
          .replaceAll('<br>', '')
          .match(/<[^>]*>/g)
          ?.map((tag) => tag.split(' ')[0])
      expect(tags(html.replace(/<title>.*<\/title>/, ''))).toEqual(tags(plain.html.replace(/<title>.*<\/title>/, '')))
      expect(html.match(/<title>(.*)<\/title>/)?.[1]).not.toMatch(/[<>]/)
      expect(subject).not.toMatch(/[\r\n\u2028\0]/)
      expect(text).not.toMatch(/(?!\n)\p{Cc}|\u2028/u)
      expect(() =>
        parseMail({ kind: 'request_review', messageId: '<1@x>', to: 'j@x.example', subject, text, html }),
      ).not.toThrow()
    }
  })

  it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'ftp://x.example/'])(
    'a link is never %s',
    (url) => {
      expect(() => mailTexts()({ ...content('access'), links: [{ url }] } as MailContent)).toThrow('https://')
    },
  )

  it('a link cannot leave its attribute', () => {
    const links = [{ url: 'https://x.example/"><script>\r\n\'?a=<b>' }]
    const { html, text } = mailTexts()({ ...content('access'), links } as MailContent)
    expect(html).toContain('<a href="https://x.example/%22%3E%3Cscript%3E&#39;?a=%3Cb%3E">')
    expect(text).toContain("https://x.example/%22%3E%3Cscript%3E'?a=%3Cb%3E\n")
  })
})

describe("the host's texts", () => {
  const german = { subject: 'Ihr Code', text: 'Ihr Code: {code}\n\nGültig {lifetime} ({minutes}).' }
  const texts: MailTexts = {
    de: {
      identity_verification: german,
      request_receipt: { subject: 'Eingang', text: 'Bis {#due_date}{due_date}{/due_date}' },
    },
    'de-AT': { identity_verification: { ...german, subject: 'Ihr Code, bitte' } },
    'zh-Hant': { identity_verification: { subject: '驗證碼', text: '{code}' } },
    ar: { identity_verification: { subject: 'رمزك', text: '{code}' } },
  }
  const render = mailTexts(texts)

  it.each([
    ['de', 'Ihr Code'],
    ['DE', 'Ihr Code'],
    ['de-CH', 'Ihr Code'],
    ['de_CH', 'Ihr Code'],
    ['de-AT', 'Ihr Code, bitte'],
    ['de-at-1996', 'Ihr Code, bitte'],
    ['zh-Hant-TW', '驗證碼'],
    ['zh-Hant-x-private', '驗證碼'],
    ['zh-Hans', 'Please confirm your request'],
    ['ar-EG', 'رمزك'],
    ['fr', 'Please confirm your request'],
    ['not a language', 'Please confirm your request'],
    ['', 'Please confirm your request'],
    [undefined, 'Please confirm your request'],
  ])('in %s: %s', (language, subject) => {
    expect(render(content('verification'), language).subject).toBe(subject)
  })

  it('format numbers, dates and durations in their language, and name the language', () => {
    const { text, html } = render(content('verification'), 'de-CH')
    expect(text).toBe('Ihr Code: 042917\n\nGültig 10 Minuten (10).\n')
    expect(html).toContain('<html lang="de" dir="auto">')
    expect(html).toContain('<p>Ihr Code: 042917</p>\n<p>Gültig')
    expect(render(content('receipt with a due date'), 'de').text).toBe('Bis 5. April 2024\n')
  })

  it('of another default language come before the English ones', () => {
    const germanFirst = mailTexts(texts, { defaultLanguage: 'de-DE' })
    expect(germanFirst(content('verification'), 'fr').subject).toBe('Ihr Code')
    expect(germanFirst(content('verification')).subject).toBe('Ihr Code')
    expect(germanFirst(content('denied'), 'de').subject).toBe('Your request has been declined')
    expect(germanFirst(content('denied'), 'de').html).toContain('<html lang="en"')
  })

  it('may replace the English ones', () => {
    const replaced = mailTexts({ en: { request_receipt: { subject: 'Hi', text: 'Got {request_id}' } } })
    expect(replaced(content('receipt'), 'en-GB')).toMatchObject({ subject: 'Hi', text: 'Got pri_0198\n' })
    expect(replaced(content('denied')).subject).toBe('Your request has been declined')
  })

  it('may have their own html, a part or a whole document', () => {
    const withHtml = (html: string) =>
      mailTexts({ en: { identity_verification: { ...german, html } } })(content('verification')).html
    expect(withHtml('<h1>{code}</h1>')).toMatch(/<main>\n<h1>042917<\/h1>\n<\/main>/)
    expect(withHtml('<!DOCTYPE html><html lang="en"><p>{code}</p></html>')).toBe(
      '<!DOCTYPE html><html lang="en"><p>042917</p></html>',
    )
  })

  it.each<[MailTexts, string]>([
    [{ de: { request_receipt: { subject: 's', text: '{code}' } } }, 'mailTexts.de.request_receipt.text'],
    [{ de: { request_receipt: { subject: '{links}', text: 't' } } }, 'mailTexts.de.request_receipt.subject'],
    [{ de: { identity_verification: { subject: 's', text: 't' } } }, 'mailTexts.de.identity_verification.text'],
    [
      { fr: { request_completion_access: { subject: 's', text: '{links}', html: '<a href="{links}">x</a>' } } },
      'mailTexts.fr.request_completion_access.html',
    ],
    [{ fr: { request_review_denied: { subject: 's', text: 'Non.' } } }, 'mailTexts.fr.request_review_denied.text'],
  ])('are misconfigured: %j', (given, option) => {
    try {
      mailTexts(given)
      expect.unreachable()
    } catch (error) {
      expect(isPrivacyError(error, 'misconfigured') && error.details.option).toBe(option)
    }
  })
})

describe('the shape of the option', () => {
  const template = { subject: 's', text: 't' }
  it.each<[unknown, boolean]>([
    [{}, true],
    [{ 'de-AT': { request_receipt: template } }, true],
    [{ de: {} }, true],
    [{ 'no language': { request_receipt: template } }, false],
    [{ de: { request_receit: template } }, false],
    [{ de: { request_receipt: { subject: 's' } } }, false],
    [{ de: { request_receipt: { ...template, subject: 'a\nb' } } }, false],
    [{ de: { request_receipt: { ...template, text: ' ' } } }, false],
    [{ de: { request_receipt: { ...template, body: 'x' } } }, false],
  ])('%j: %s', (given, valid) => expect(mailTextsSchema.safeParse(given).success).toBe(valid))

  it.each([
    ['de_at', 'de-AT'],
    ['ZH-hant-tw', 'zh-Hant-TW'],
    ['english', 'english'],
    ['e', undefined],
    ['de\n', undefined],
  ])('languageTag(%j) is %s', (text, tag) => expect(languageTag(text)).toBe(tag))
})

describe('docs/mail-texts.md', () => {
  const page = readFileSync(new URL('../../../../../docs/mail-texts.md', import.meta.url), 'utf8')

  it('has an example that compiles', () => {
    const example = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    const texts = mailTextsSchema.parse(new Function(`${example}; return mailTexts`)())
    expect(mailTexts(texts)(content('denied without a reason'), 'de').html).toContain('<h1>Abgelehnt</h1>\n</main>')
  })

  it('lists the known, required and optional placeholders of each kind', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \|(.*)\|(.*)\|(.*)\|$/gm)]
    const listed = rows.map(([, kind, ...cells]) => {
      const [known = [], required = [], optional = []] = cells.map((cell) => cell.match(/(?<=\{)\w+(?=\})/g) ?? [])
      return [kind, { required: [...required], known: [...known], optional: [...optional] }]
    })
    expect(Object.fromEntries(listed)).toEqual(mailPlaceholders)
  })
})
