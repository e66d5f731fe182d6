import { describe, expect, test, vi } from 'vitest'
import { encryptionKey, load, makeFolder, refusal } from '../test/fixtures/loaded-options.js'
import { loadOptions } from './load-options.js'
import { settings } from './settings.js'

makeFolder()

describe('the environment', () => {
  test.each(
    settings.flatMap(({ option, variables, kind }) => variables.map((variable) => [variable, option, kind] as const)),
  )('%s is read for %s', (variable, option, kind) => {
    const examples: Record<string, string> = {
      encryptionKey,
      taxonomy: 'strict',
      evaluateWrites: 'findings',
      ownership: 'declared',
      coverage: 'strict',
      mailLanguage: 'de-AT',
      publicUrl: 'https://example.org/privacy',
      timeZone: 'Europe/Berlin',
    }
    const text = examples[option] ?? { flag: 'false', number: '1', text: 'x'.repeat(32) }[kind]
    const [section = '', name = ''] = option.split('.')
    const value = kind === 'text' ? text : JSON.parse(text)
    const other = { OAUTH_ROOT_CLIENT_ID: 'x'.repeat(32), OAUTH_ROOT_CLIENT_SECRET: 'x'.repeat(32) }
    const options = loadOptions({ env: { ...(section === 'security' && other), [variable]: text } }) as Record<
      string,
      Record<string, unknown>
    >
    expect(name ? options[section]?.[name] : options[section]).toBe(value)
  })

  test('the bare names are those of the specification', () => {
    expect(settings.flatMap(({ variables }) => variables.filter((name) => !name.startsWith('HABEAS')))).toEqual([
      'OAUTH_ROOT_CLIENT_ID',
      'OAUTH_ROOT_CLIENT_SECRET',
      'OAUTH_ACCESS_TOKEN_EXPIRE_MINUTES',
      'SUBJECT_REQUEST_DOWNLOAD_LINK_TTL_SECONDS',
      'SUBJECT_IDENTITY_VERIFICATION_REQUIRED',
      'REQUIRE_MANUAL_REQUEST_APPROVAL',
      'IMMEDIATE',
      'SEND_REQUEST_RECEIPT_NOTIFICATION',
      'SEND_REQUEST_COMPLETION_NOTIFICATION',
      'SEND_REQUEST_REVIEW_NOTIFICATION',
    ])
  })

  test.each<[string, boolean]>([
    ...['true', 'TRUE', 'True', '1', 'yes', 'YES', 'on'].map((word) => [word, true] as [string, boolean]),
    ...['false', 'FALSE', '0', 'no', 'No', 'off', 'OFF'].map((word) => [word, false] as [string, boolean]),
  ])('%s is a flag', (word, value) => {
    expect(load(undefined, { IMMEDIATE: word })).toEqual({ execution: { immediate: value } })
  })

  test.each<[string, string, string, string]>([
    [
      'IMMEDIATE',
      'maybe',
      'execution.immediate',
      'The variable IMMEDIATE must be true or false (or 1, 0, yes, no, on, off).',
    ],
    [
      'REQUIRE_MANUAL_REQUEST_APPROVAL',
      'perhaps',
      'execution.requireManualRequestApproval',
      'The variable REQUIRE_MANUAL_REQUEST_APPROVAL must be true or false (or 1, 0, yes, no, on, off).',
    ],
    [
      'OAUTH_ACCESS_TOKEN_EXPIRE_MINUTES',
      '5 min',
      'security.oauthAccessTokenExpireMinutes',
      'The variable OAUTH_ACCESS_TOKEN_EXPIRE_MINUTES must be a number, such as 60 or 0.5.',
    ],
    ['OAUTH_ACCESS_TOKEN_EXPIRE_MINUTES', '1e3', 'security.oauthAccessTokenExpireMinutes', 'must be a number'],
    ['OAUTH_ACCESS_TOKEN_EXPIRE_MINUTES', ' 5', 'security.oauthAccessTokenExpireMinutes', 'must be a number'],
    ['OAUTH_ACCESS_TOKEN_EXPIRE_MINUTES', '0x10', 'security.oauthAccessTokenExpireMinutes', 'must be a number'],
    [
      'OAUTH_ACCESS_TOKEN_EXPIRE_MINUTES',
      '-5',
      'security.oauthAccessTokenExpireMinutes',
      'The variable OAUTH_ACCESS_TOKEN_EXPIRE_MINUTES must be above 0.',
    ],
    [
      'HABEAS_ENCRYPTION_KEY',
      'c2VjcmV0',
      'encryptionKey',
      'The variable HABEAS_ENCRYPTION_KEY must be 32 bytes as base64: `openssl rand -base64 32` prints a new key.',
    ],
    [
      'OAUTH_ROOT_CLIENT_SECRET',
      'c2VjcmV0',
      'security.oauthRootClientId',
      "Option 'security.oauthRootClientId' of loadOptions (in the environment HABEAS__SECURITY__OAUTH_ROOT_CLIENT_ID) must be given together with oauthRootClientSecret.",
    ],
    [
      'HABEAS__SECURITY__OAUTH_ROOT_CLIENT_SCRET',
      'c2VjcmV0',
      'HABEAS__SECURITY__OAUTH_ROOT_CLIENT_SCRET',
      'The variable HABEAS__SECURITY__OAUTH_ROOT_CLIENT_SCRET is not known. The nearest known name is HABEAS__SECURITY__OAUTH_ROOT_CLIENT_SECRET.',
    ],
  ])('%s=%s is refused', (variable, text, option, message) => {
    const refused = refusal(() => load(undefined, { [variable]: text }))
    expect(refused.option).toBe(option)
    expect(refused.message).toContain(message)
    expect(refused.message).not.toContain('c2VjcmV0')
  })

  test('a short root secret names its variable', () => {
    const env = { OAUTH_ROOT_CLIENT_ID: 'root', OAUTH_ROOT_CLIENT_SECRET: 'c2VjcmV0' }
    const { message } = refusal(() => load(undefined, env))
    expect(message).toContain('The variable OAUTH_ROOT_CLIENT_SECRET must have at least 32 characters')
    expect(message).not.toContain('c2VjcmV0')
    expect(load(undefined, env, { security: { allowShortRootSecret: true } })).toEqual({
      security: { oauthRootClientId: 'root', oauthRootClientSecret: 'c2VjcmV0', allowShortRootSecret: true },
    })
  })

  test('variables of other programs are ignored, and an empty variable is not set', () => {
    expect(load(undefined, { CONCURRENCY: 'many', TAXONOMY: 'x', HABEAS_KEY: 'x', IMMEDIATE: '' })).toEqual({})
  })

  test('is the environment of the process by default', () => {
    vi.stubEnv('HABEAS__TAXONOMY', 'strict')
    expect(loadOptions().taxonomy).toBe('strict')
    vi.unstubAllEnvs()
  })
})
