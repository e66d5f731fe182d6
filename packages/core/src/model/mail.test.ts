import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../errors.js'
import { isMailAddress, type Mail, parseMail } from './mail.js'

const mail: Mail = {
  kind: 'request_receipt',
  messageId: '<1@habeas.example>',
  to: 'jane@example.org',
  subject: 'Ihre Anfrage – Größe ✓',
  text: 'one\r\ntwo\n',
}

const faultsOf = (given: object): readonly (string | number)[] => {
  try {
    parseMail({ ...mail, ...given })
    return []
  } catch (error) {
    if (!isPrivacyError(error, 'invalid_input')) throw error
    expect(JSON.stringify(error)).not.toMatch(/evil/)
    return error.details.issues.map(({ loc }) => loc.join('.'))
  }
}

describe('isMailAddress', () => {
  it.each([
    'jane@example.org',
    "o'brien+tag=1@mail.example.co.uk",
    'jörg@exämple.de',
    'يوزر@مثال.السعودية',
    'root@localhost',
  ])('takes %s', (address) => expect(isMailAddress(address)).toBe(true))

  it.each([
    ['', 'nothing'],
    ['jane', 'no host'],
    ['@example.org', 'no name'],
    ['jane@', 'no host'],
    ['jane@example.org, evil@example.net', 'a list'],
    ['jane@example.org;evil@example.net', 'a list'],
    ['jane@example.org evil@example.net', 'a blank'],
    ['jane@evil@example.org', 'two hosts'],
    ['Jane <jane@example.org>', 'a name'],
    ['<jane@example.org>', 'brackets'],
    ['jane@example.org\r\nBcc:evil@example.net', 'a line break'],
    ['jane\u2028@example.org', 'a line separator'],
    ['jane\u0000@example.org', 'a control character'],
    ['jane\ud800@example.org', 'half a character'],
    ['"evil@example.net> x"@example.org', 'a quoted name'],
    ['jane(evil)@example.org', 'a comment'],
    ['group:jane@example.org', 'a group'],
    ['jane@[127.0.0.1]', 'a literal'],
    [`${'j'.repeat(243)}@example.org`, 'too much'],
  ])('refuses %j: %s', (address) => expect(isMailAddress(address)).toBe(false))
})

describe('parseMail', () => {
  it('gives the mail', () => {
    expect(parseMail(mail)).toEqual(mail)
    expect(parseMail({ ...mail, html: '<p>one</p>' })).toEqual({ ...mail, html: '<p>one</p>' })
  })

  it.each<[object, string]>([
    [{ to: 'jane@example.org\nBcc: evil@example.net' }, 'to'],
    [{ to: ['evil@example.net'] }, 'to'],
    [{ subject: 'x\r\nBcc: evil@example.net' }, 'subject'],
    [{ subject: 'x\nBcc: evil@example.net' }, 'subject'],
    [{ subject: 'x\u2028evil' }, 'subject'],
    [{ subject: '' }, 'subject'],
    [{ messageId: '<1@x>\r\nBcc: evil@example.net' }, 'messageId'],
    [{ messageId: '1@x' }, 'messageId'],
    [{ messageId: '<a@b@c>' }, 'messageId'],
    [{ messageId: '<é@x>' }, 'messageId'],
    [{ kind: 'evil' }, 'kind'],
    [{ text: '' }, 'text'],
    [{ html: '' }, 'html'],
    [{ bcc: 'evil@example.net' }, 'bcc'],
  ])('refuses %j, naming %s and repeating nothing', (given, place) => expect(faultsOf(given)).toEqual([place]))
})
