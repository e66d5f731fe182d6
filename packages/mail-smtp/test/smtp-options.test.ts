import { isPrivacyError } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { type SmtpMailerOptions, smtpMailer } from '../src/index.js'
import { readOptions } from '../src/smtp-options.js'

const from = 'privacy@example.com'

describe('smtpMailer', () => {
  it.each<[object, string, string]>([
    [{ host: 'mail.example.com' }, 'from', ''],
    [{ from }, 'host', 'url'],
    [{ from, host: '' }, 'host', 'name or IP address'],
    [{ from, host: 'smtp://secret@mail.example.com' }, 'host', 'name or IP address'],
    [{ from, url: 'secret' }, 'url', 'smtp://user:password@host:587'],
    [{ from, url: 'http://u:secret@mail.example.com' }, 'url', ''],
    [{ from, url: 'smtp://u:%E0%A4%A@mail.example.com' }, 'url', '%XX'],
    [{ from, url: 'smtp://mail.example.com/?secret=1' }, 'url', ''],
    [{ from, host: 'h', port: 0 }, 'port', ''],
    [{ from, host: 'h', port: 70_000 }, 'port', ''],
    [{ from, host: 'h', port: '25' }, 'port', ''],
    [{ from, host: 'h', user: 'u' }, 'password', 'neither'],
    [{ from, host: 'h', password: 'secret' }, 'user', 'neither'],
    [{ from, url: 'smtp://u@h' }, 'password', 'neither'],
    [{ from: 'secret', host: 'h' }, 'from', 'privacy@example.com'],
    [{ from: 'a@x.example, b@x.example', host: 'h' }, 'from', ''],
    [{ from: 'Name\r\nBcc: secret <a@x.example>', host: 'h' }, 'from', ''],
    [{ from, host: 'h', replyTo: 'secret' }, 'replyTo', ''],
    [{ from, host: 'h', timeoutSeconds: 0 }, 'timeoutSeconds', ''],
    [{ from, host: 'h', tls: 'yes' }, 'tls', ''],
    [{ from, host: 'h', tls: { ca: 'secret' } }, 'tls.ca', 'PEM'],
    [{ from, host: 'h', tls: { servername: 'x' } }, 'tls.servername', ''],
    [{ from, host: 'h', tls: false, secure: true }, 'tls', ''],
    [{ from, url: 'smtps://h', tls: false }, 'tls', ''],
    [{ from, host: 'h', port: 465, tls: false }, 'tls', ''],
    [{ from, host: 'h', pool: true }, 'pool', ''],
  ])('refuses %j, naming %s and no value', (options, option, words) => {
    const thrown = (() => {
      try {
        return smtpMailer(options as SmtpMailerOptions)
      } catch (error) {
        return error
      }
    })()
    if (!isPrivacyError(thrown, 'misconfigured')) throw new Error('expected misconfigured', { cause: thrown })
    expect(thrown.details.option).toBe(option)
    expect(thrown.message).toContain(`Option '${option}' of smtpMailer`)
    expect(thrown.message).toContain(words)
    expect(JSON.stringify(thrown)).not.toContain('secret')
  })
})

describe('what the options mean', () => {
  it.each<[object, object]>([
    [{ host: 'mail.example.com' }, { port: 587, secure: false, encryption: 'required' }],
    [
      { host: 'mail.example.com', port: 465 },
      { port: 465, secure: true },
    ],
    [
      { host: 'mail.example.com', secure: true },
      { port: 465, secure: true },
    ],
    [
      { host: 'mail.example.com', port: 465, secure: false },
      { port: 465, secure: false },
    ],
    [{ host: 'mail.example.com', tls: false }, { encryption: 'none' }],
    [
      { host: 'localhost', port: 1025 },
      { port: 1025, encryption: 'if offered' },
    ],
    [{ host: '127.0.0.2' }, { encryption: 'if offered' }],
    [{ host: '127.0.0.1.example.com' }, { encryption: 'required' }],
    [{ host: 'localhost', tls: true }, { encryption: 'required' }],
    [{ host: 'localhost', tls: {} }, { encryption: 'required' }],
    [{ url: 'smtp://mail.example.com' }, { host: 'mail.example.com', port: 587, secure: false }],
    [{ url: 'smtps://mail.example.com' }, { port: 465, secure: true }],
    [{ url: 'smtp://mail.example.com:465' }, { port: 465, secure: false }],
    [{ url: 'smtp://[::1]:1025' }, { host: '::1', port: 1025, encryption: 'if offered' }],
    [{ url: 'smtp://a%40b:p%3A%2F@h' }, { login: { user: 'a@b', password: 'p:/' } }],
    [
      { url: 'smtp://a:b@h:25', password: 'c', port: 26 },
      { login: { user: 'a', password: 'c' }, port: 26 },
    ],
    [{ host: 'h', from: '"Example, Ltd." <privacy@example.com>' }, { from: { name: 'Example, Ltd.', address: from } }],
    [{ host: 'h', from: '<privacy@example.com>' }, { from: { name: '', address: from } }],
    [{ host: 'h', replyTo: 'Dpo <dpo@example.com>' }, { replyTo: { name: 'Dpo', address: 'dpo@example.com' } }],
  ])('%j', (options, meaning) => {
    expect(readOptions({ from, ...options } as SmtpMailerOptions)).toMatchObject(meaning)
  })
})
