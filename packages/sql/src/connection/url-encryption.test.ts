import { expect, it } from 'vitest'
import { urlEncryption } from './url-encryption.js'

const words = { names: ['ssl-mode', 'sslmode'], values: ['disabled', 'required', 'verify-identity'] } as const
const said = (parameters: string) => urlEncryption(`mysql://u:hunter2@h/d?${parameters}`, words)

it('gives what a URL says, however it is written', () => {
  expect(urlEncryption(undefined, words)).toBeUndefined()
  expect(['charset=utf8', 'ssl-mode=VERIFY_IDENTITY', 'SSL-MODE=Required', 'sslmode=disabled'].map(said)).toEqual([
    ...[undefined, 'verify-identity', 'required', 'disabled'],
  ])
})

it('takes nothing that is misspelt for a connection that everybody may read', () => {
  expect(() => said('ssl-mode=VERIFY_IDENTTIY')).toThrow("'ssl-mode' with a value that is not known here: say one of")
  for (const elsewhere of ['ssl=true', 'tls=true', 'useSSL=true', 'sslMode_=x', 'requireSSL=1'])
    expect(() => said(elsewhere)).toThrow('say ssl-mode=verify-identity, or give the secret ssl')
  try {
    said('ssl=hunter2')
  } catch (error) {
    expect(String(error)).not.toContain('hunter2')
  }
})
