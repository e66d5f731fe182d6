import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, test } from 'vitest'
import { encryptionKey, load, makeFolder, pathOf, refusal, write } from '../test/fixtures/loaded-options.js'
import { loadOptions } from './load-options.js'
import { readOptions } from './options.js'
import { createPrivacyService } from './service.js'
import { settings } from './settings.js'

makeFolder()

describe('a configuration file', () => {
  test("has the specification's names in sections, and ours next to them", () => {
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
      "cannot be read as YAML or JSON at line 1, column 18: a closing quote or bracket, or a ',' or ':', is missing.",
    ],
    ['a name twice', 'taxonomy: open\ntaxonomy: strict', 'file', 'at line 2, column 1: a name that is used twice.'],
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
    expect(refused.message).toContain(`The configuration file '${pathOf('habeas.yml')}'`)
    expect(refused.message).toContain(message)
  })

  test('that is missing, or a folder, names the option', () => {
    const missing = pathOf('none.yml')
    expect(refusal(() => loadOptions({ file: missing, env: {} }))).toEqual({
      option: 'file',
      message: `Option 'file' of loadOptions names '${missing}', which does not exist.`,
    })
    expect(refusal(() => loadOptions({ file: pathOf('.'), env: {} })).message).toContain('cannot be read (EISDIR)')
  })
})

describe('the options that win', () => {
  const file = 'execution:\n  concurrency: 1\n  max_rounds: 1\n  sweep_seconds: 1\n  immediate: false'

  test('are explicit ones, then those of the environment, then those of the file, one by one', () => {
    const env = { HABEAS__EXECUTION__MAX_ROUNDS: '2', HABEAS__EXECUTION__SWEEP_SECONDS: '2' }
    expect(load(file, env, { execution: { sweepSeconds: 3 }, taxonomy: 'strict' })).toEqual({
      execution: { concurrency: 1, maxRounds: 2, sweepSeconds: 3, immediate: false },
      taxonomy: 'strict',
    })
  })

  test('have the prefixed name rather than the bare one, and an empty one never wins', () => {
    expect(load(undefined, { HABEAS__EXECUTION__IMMEDIATE: 'true', IMMEDIATE: 'false' })).toEqual({
      execution: { immediate: true },
    })
    expect(load(undefined, { HABEAS__EXECUTION__IMMEDIATE: '', IMMEDIATE: 'false' })).toEqual({
      execution: { immediate: false },
    })
  })

  test('are refused by their own name where they are explicit', () => {
    const explicit = { execution: { concurrency: 0 } }
    expect(refusal(() => load(file, {}, explicit)).message).toBe(
      "Option 'execution.concurrency' of loadOptions (in the environment HABEAS__EXECUTION__CONCURRENCY) must be at least 1.",
    )
    expect(refusal(() => load(file, {}, { colour: 'red' } as object)).message).toBe(
      "Option 'colour' of loadOptions is not known.",
    )
  })
})

test('loads the options that createPrivacyService takes', async () => {
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
