import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { isPrivacyError } from './errors.js'
import { type LoadOptions, loadOptions } from './load-options.js'
import { readOptions } from './options.js'
import { createPrivacyService } from './service.js'
import { settings } from './settings.js'

const encryptionKey = Buffer.alloc(32, 1).toString('base64')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'habeas-options-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function write(text: string, name = 'habeas.yml'): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const load = (
  text: string | undefined,
  env: LoadOptions['env'] = {},
  explicit: Omit<LoadOptions, 'file' | 'env'> = {},
) => loadOptions({ ...(text !== undefined && { file: write(text) }), env, ...explicit })

function refusal(work: () => unknown): { option: string; message: string } {
  try {
    work()
  } catch (error) {
    if (isPrivacyError(error, 'misconfigured')) return { option: error.details.option, message: error.message }
    throw error
  }
  throw new Error('nothing was refused')
}

describe('a configuration file', () => {
  test("has the specification's names in sections, and ours beside them", () => {
    const file = `
encryption_key: ${encryptionKey}
taxonomy: strict
infer_identities: false
catalogue_seconds: 0.5
security:
  oauth_access_token_expire_minutes: 60
  subject_request_download_link_ttl_seconds: 3600
  oauth_root_client_id: root
  oauth_root_client_secret: ${'x'.repeat(32)}
execution:
  immediate: false
  concurrency: 4
  require_manual_request_approval: false
notifications:
  send_request_receipt_notification: false
oauth:
  grant_own_scopes_only: true
`
    expect(load(file)).toEqual({
      encryptionKey,
      taxonomy: 'strict',
      inferIdentities: false,
      catalogueSeconds: 0.5,
      security: {
        oauthAccessTokenExpireMinutes: 60,
        subjectRequestDownloadLinkTtlSeconds: 3600,
        oauthRootClientId: 'root',
        oauthRootClientSecret: 'x'.repeat(32),
      },
      execution: { immediate: false, concurrency: 4, requireManualRequestApproval: false },
      notifications: { sendRequestReceiptNotification: false },
      oauth: { grantOwnScopesOnly: true },
    })
  })

  test.each<[string, string, object]>([
    ['JSON', '{"execution": {"immediate": false}}', { execution: { immediate: false } }],
    [
      'the upper case of the specification',
      'security:\n  OAUTH_ACCESS_TOKEN_EXPIRE_MINUTES: 5',
      { security: { oauthAccessTokenExpireMinutes: 5 } },
    ],
    ['a flag as text', 'execution: {immediate: no}', { execution: { immediate: false } }],
    ['a flag as a number', 'infer_identities: 0', { inferIdentities: false }],
    ['a number in quotes', 'catalogue_seconds: "90"', { catalogueSeconds: 90 }],
    ['a section without anything', 'security:\nexecution:\n  immediate:', {}],
    ['nothing', '{}', {}],
  ])('may be written as %s', (_, text, options) => {
    expect(load(text)).toEqual(options)
  })

  test('may be named by a URL', () => {
    expect(loadOptions({ file: pathToFileURL(write('taxonomy: strict')), env: {} })).toEqual({ taxonomy: 'strict' })
  })

  test.each<[string, string, string, string]>([
    [
      'an unknown name',
      'encryptionkey: x',
      'file',
      "'encryptionkey' is not known. The nearest known name is encryption_key.",
    ],
    [
      'an unknown name in a section',
      'security:\n  oauth_root_client_scret: x',
      'file',
      "'security.oauth_root_client_scret' is not known. The nearest known name is security.oauth_root_client_secret.",
    ],
    [
      'an unknown section',
      'notification:\n  x: 1',
      'file',
      "'notification' is not known. The nearest known name is notifications.",
    ],
    [
      'a name in the wrong section',
      'security:\n  encryption_key: x',
      'file',
      'The nearest known name is encryption_key.',
    ],
    ['one that only code may set', 'security:\n  allow_short_root_secret: true', 'file', 'is not known.'],
    [
      'a name in two cases',
      'taxonomy: open\nTAXONOMY: strict',
      'file',
      "'TAXONOMY' is given twice, in different case.",
    ],
    [
      'a section that is none',
      'security: [oauth_root_client_id]',
      'file',
      "'security' must be a section with names and values.",
    ],
    ['a list', '- taxonomy: strict', 'file', 'must have names with values at its top.'],
    ['a word', 'strict', 'file', 'must have names with values at its top.'],
    ['no content', '', 'file', 'must have names with values at its top.'],
    [
      'a text that is neither',
      'taxonomy: "strict',
      'file',
      'cannot be read as YAML or JSON at line 1, column 18: not well formed.',
    ],
    [
      'a name twice',
      'taxonomy: open\ntaxonomy: strict',
      'file',
      'at line 2, column 1: a name that stands there already.',
    ],
    [
      'an alias bomb',
      'a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: '.concat(`[${'*c,'.repeat(20_000)}]`),
      'file',
      'aliases stand for too much',
    ],
    [
      'a flag that is none',
      'execution: {immediate: perhaps}',
      'execution.immediate',
      "'execution.immediate' must be true or false (or 1, 0, yes, no, on, off).",
    ],
    [
      'a number that is none',
      'catalogue_seconds: 1 min',
      'catalogueSeconds',
      "'catalogue_seconds' must be a number, such as 60 or 0.5.",
    ],
    [
      'a number for text',
      'security: {oauth_root_client_id: 5}',
      'security.oauthRootClientId',
      'must be text: put it in quotes.',
    ],
    [
      'a number out of range',
      'execution: {concurrency: 0}',
      'execution.concurrency',
      "'execution.concurrency' must be at least 1.",
    ],
    ['a word that is not offered', 'taxonomy: loose', 'taxonomy', "'taxonomy' must be one of open, strict."],
    [
      'a number that is too small',
      'security: {subject_request_download_link_ttl_seconds: 0}',
      'security.subjectRequestDownloadLinkTtlSeconds',
      'must be at least 1',
    ],
  ])('refuses %s, naming the file and the place', (_, text, option, message) => {
    const refused = refusal(() => load(text))
    expect(refused.option).toBe(option)
    expect(refused.message).toContain(`The configuration file '${join(folder, 'habeas.yml')}'`)
    expect(refused.message).toContain(message)
  })

  test('that is missing, or a folder, names the option', () => {
    const missing = join(folder, 'none.yml')
    expect(refusal(() => loadOptions({ file: missing, env: {} }))).toEqual({
      option: 'file',
      message: `Option 'file' of loadOptions names '${missing}', which does not exist.`,
    })
    expect(refusal(() => loadOptions({ file: folder, env: {} })).message).toContain('cannot be read (EISDIR)')
  })
})

describe('the environment', () => {
  test.each(
    settings.flatMap(({ option, variables, kind }) => variables.map((variable) => [variable, option, kind] as const)),
  )('%s is read for %s', (variable, option, kind) => {
    const examples: Record<string, string> = {
      ...{ encryptionKey, taxonomy: 'strict', mailLanguage: 'de-AT' },
      ...{ publicUrl: 'https://example.org/privacy', timeZone: 'Europe/Berlin' },
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
      'The variable HABEAS_ENCRYPTION_KEY must be 32 bytes as base64.',
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

  test('what others set is left alone, and an empty variable is not set', () => {
    expect(load(undefined, { CONCURRENCY: 'many', TAXONOMY: 'x', HABEAS_KEY: 'x', IMMEDIATE: '' })).toEqual({})
  })

  test('is that of the process where none is given', () => {
    vi.stubEnv('HABEAS__TAXONOMY', 'strict')
    expect(loadOptions().taxonomy).toBe('strict')
    vi.unstubAllEnvs()
  })
})

describe('who wins', () => {
  const file = 'execution:\n  concurrency: 1\n  max_rounds: 1\n  sweep_seconds: 1\n  immediate: false'

  test('explicit options over the environment over the file, one by one', () => {
    const env = { HABEAS__EXECUTION__MAX_ROUNDS: '2', HABEAS__EXECUTION__SWEEP_SECONDS: '2' }
    expect(load(file, env, { execution: { sweepSeconds: 3 }, taxonomy: 'strict' })).toEqual({
      execution: { concurrency: 1, maxRounds: 2, sweepSeconds: 3, immediate: false },
      taxonomy: 'strict',
    })
  })

  test('the prefixed name over the bare one, and an empty one over neither', () => {
    expect(load(undefined, { HABEAS__EXECUTION__IMMEDIATE: 'true', IMMEDIATE: 'false' })).toEqual({
      execution: { immediate: true },
    })
    expect(load(undefined, { HABEAS__EXECUTION__IMMEDIATE: '', IMMEDIATE: 'false' })).toEqual({
      execution: { immediate: false },
    })
  })

  test('an explicit option is refused by its own name', () => {
    const explicit = { execution: { concurrency: 0 } }
    expect(refusal(() => load(file, {}, explicit)).message).toBe(
      "Option 'execution.concurrency' of loadOptions (in the environment HABEAS__EXECUTION__CONCURRENCY) must be at least 1.",
    )
    expect(refusal(() => load(file, {}, { colour: 'red' } as object)).message).toBe(
      "Option 'colour' of loadOptions is not known.",
    )
  })
})

test('what is loaded is what createPrivacyService takes', async () => {
  const file = write(`encryption_key: ${encryptionKey}`)
  const options = loadOptions({ file, env: { HABEAS__EXECUTION__SWEEP_SECONDS: '0.01' } })
  const privacy = createPrivacyService({ ...options, connectors: [] })
  await privacy.close()
})

describe('the README', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const rows = readme.split('\n').flatMap((line) => (line.startsWith('| `') ? [line.split(' | ')] : []))

  it('lists what can be set in a file and in the environment', () => {
    const table = settings.map(
      ({ option, name, variables }) =>
        `| \`${name}\` | ${variables.map((variable) => `\`${variable}\``).join(', ')} | \`${option}\` |`,
    )
    expect(readme).toContain(
      ['| In the file | In the environment | Option |', '|---|---|---|', ...table, ''].join('\n'),
    )
  })

  test.each(settings)('says the default of $option', ({ option }) => {
    const [section = '', name = ''] = option.split('.')
    const defaults = readOptions({
      secrets: { seal: async () => '', open: async () => '' } as never,
    }) as unknown as Record<string, Record<string, unknown>>
    const value = name ? defaults[section]?.[name] : defaults[section]
    const shown = value === undefined ? '–' : `\`${typeof value === 'string' ? `'${value}'` : value}\``
    expect(rows.find(([first]) => first === `| \`${option}\``)?.[1]).toBe(shown)
  })
})
