import { describe, expect, it } from 'vitest'
import { fileBlobs } from './builtin/file-blobs.js'
import { memoryBlobs } from './builtin/memory-blobs.js'
import { memoryStorage } from './builtin/memory-storage.js'
import { type PrivacyServiceOptions, readOptions } from './options.js'
import { createPrivacyService } from './service.js'

const encryptionKey = Buffer.alloc(32, 1).toString('base64')
const longSecret = 'x'.repeat(32)
const security = (options: Record<string, unknown>) => ({ encryptionKey, security: options })
const connector = { type: 'ledger', connect() {}, parseSecrets() {} }
const execution = (options: Record<string, unknown>) => ({ encryptionKey, execution: options })

describe('createPrivacyService', () => {
  it('says of a function in place of what it makes that it has to be called', () => {
    function ledgerConnector() {}
    const wrong = { encryptionKey, connectors: [connector, ledgerConnector] } as unknown as PrivacyServiceOptions
    expect(() => readOptions(wrong)).toThrow(
      "Option 'connectors.1' of createPrivacyService is the function ledgerConnector itself: call it, as in ledgerConnector().",
    )
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['no encryption key', {}, 'encryptionKey'],
    ['a key of the wrong length', { encryptionKey: 'c2hvcnQ=' }, 'encryptionKey'],
    ['an unknown option', { encryptionKey, colour: 'red' }, 'colour'],
    ['a wrong value', { encryptionKey, taxonomy: 'loose' }, 'taxonomy'],
    ['an unknown setting of execution', { encryptionKey, execution: { workers: 3 } }, 'execution.workers'],
    ['something other than a logger', { encryptionKey, logger: { log() {} } }, 'logger'],
    ['something other than a storage', { encryptionKey, storage: {} }, 'storage'],
    ['two connectors of one type', { encryptionKey, connectors: [connector, connector] }, 'connectors.1'],
    ['something other than a connector', { encryptionKey, connectors: ['postgres'] }, 'connectors.0'],
    ['the first of two unknown options', { encryptionKey, colour: 'red', size: 1 }, 'colour'],
    [
      'a token that never lasts',
      security({ oauthAccessTokenExpireMinutes: 0 }),
      'security.oauthAccessTokenExpireMinutes',
    ],
    [
      'half a second',
      security({ subjectRequestDownloadLinkTtlSeconds: 0.5 }),
      'security.subjectRequestDownloadLinkTtlSeconds',
    ],
    ['a root client without a secret', security({ oauthRootClientId: 'root' }), 'security.oauthRootClientSecret'],
    ['a root secret without a client', security({ oauthRootClientSecret: longSecret }), 'security.oauthRootClientId'],
    [
      'an empty root client',
      security({ oauthRootClientId: '', oauthRootClientSecret: longSecret }),
      'security.oauthRootClientId',
    ],
    [
      'a short root secret',
      security({ oauthRootClientId: 'root', oauthRootClientSecret: 'c2hvcnQ=' }),
      'security.oauthRootClientSecret',
    ],
    [
      'verification without a mailer',
      execution({ subjectIdentityVerificationRequired: true }),
      'execution.subjectIdentityVerificationRequired',
    ],
    ['a mailer that cannot send', { encryptionKey, mailer: { deliver() {} } }, 'mailer'],
    ['text for a flag', { encryptionKey, oauth: { grantOwnScopesOnly: 'no' } }, 'oauth.grantOwnScopesOnly'],
    [
      'an unknown mail',
      { encryptionKey, notifications: { sendRequestReceipt: true } },
      'notifications.sendRequestReceipt',
    ],
    ['a function that makes a storage', { encryptionKey, storage: () => {} }, 'storage'],
  ])('refuses %s, naming the option', (_, options, option) => {
    let thrown: unknown
    try {
      createPrivacyService(options)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code: 'misconfigured', details: { option } })
    expect((thrown as Error).message).not.toContain('c2hvcnQ=')
  })

  it.each<[string, Record<string, unknown>, string]>([
    [
      'one of several words',
      { taxonomy: 'loose' },
      "Option 'taxonomy' of createPrivacyService must be one of open, strict.",
    ],
    ['a number', { catalogueSeconds: '5' }, "Option 'catalogueSeconds' of createPrivacyService must be a number."],
    [
      'a range',
      { execution: { concurrency: 0 } },
      "Option 'execution.concurrency' of createPrivacyService must be at least 1.",
    ],
    [
      'a key that a variable lacks',
      { encryptionKey: undefined },
      "Option 'encryptionKey' of createPrivacyService is missing: make a key with `openssl rand -base64 32`",
    ],
    ['a flag', { inferIdentities: 1 }, "Option 'inferIdentities' of createPrivacyService must be true or false."],
    ['an unknown name', { colour: 'red' }, "Option 'colour' of createPrivacyService is not known."],
    [
      'a misspelled name',
      { conectors: [] },
      "Option 'conectors' of createPrivacyService is not known: the nearest known name is 'connectors'.",
    ],
    [
      'a misspelled name in a section',
      { execution: { imediate: false } },
      "Option 'execution.imediate' of createPrivacyService is not known: the nearest known name is 'execution.immediate'.",
    ],
    [
      'what verification needs',
      { execution: { subjectIdentityVerificationRequired: true } },
      "Option 'execution.subjectIdentityVerificationRequired' of createPrivacyService needs a mailer to send codes with: pass one as 'mailer', or set it to false.",
    ],
    [
      'the length of a root secret',
      { security: { oauthRootClientId: 'root', oauthRootClientSecret: 'x'.repeat(31) } },
      "Option 'security.oauthRootClientSecret' of createPrivacyService must have at least 32 characters; security.allowShortRootSecret takes a shorter one in tests and examples.",
    ],
  ])('says what is allowed: %s', (_, options, message) => {
    expect(() => createPrivacyService({ encryptionKey, ...options })).toThrow(message)
  })

  it("has the specification's defaults", () => {
    expect(readOptions({ encryptionKey })).toMatchObject({
      security: { oauthAccessTokenExpireMinutes: 11_520, subjectRequestDownloadLinkTtlSeconds: 86_400 },
      oauth: { grantOwnScopesOnly: false },
      execution: { subjectIdentityVerificationRequired: false, requireManualRequestApproval: false, immediate: true },
      notifications: {
        sendRequestReceiptNotification: true,
        sendRequestCompletionNotification: true,
        sendRequestReviewNotification: true,
      },
    })
  })

  it.each<[string, PrivacyServiceOptions]>([
    ['a part of a minute', { security: { oauthAccessTokenExpireMinutes: 0.01 } }],
    ['a root client', { security: { oauthRootClientId: 'root', oauthRootClientSecret: longSecret } }],
    [
      'a short root secret where that is allowed',
      { security: { oauthRootClientId: 'root', oauthRootClientSecret: 'short', allowShortRootSecret: true } },
    ],
    ['mails switched off', { notifications: { sendRequestReviewNotification: false } }],
  ])('takes %s', (_, options) => {
    expect(readOptions({ encryptionKey, ...options })).toMatchObject(options)
  })

  it('says how to make a key', () => {
    expect(() => createPrivacyService({})).toThrow(/randomBytes\(32\)/)
  })

  it('completes with an empty package and a warning where nothing is connected', async () => {
    const privacy = createPrivacyService({ encryptionKey })
    const input = { policyKey: 'default_access_policy', identities: [{ email: 'a@example.org' }] }
    const { id } = await privacy.requests.submit(input)
    expect(await privacy.requests.settled(id)).toMatchObject({ status: 'complete' })
    let text = ''
    for await (const part of privacy.requests.readPackage(id)) text += Buffer.from(part).toString()
    expect(JSON.parse(text)).toEqual({ nothing_found: expect.stringContaining('No place was searched'), searched: [] })
    const { plan } = await privacy.requests.preview(input)
    expect(plan.findings.map(({ type }) => type)).toContain('no_dataset_connected')
    await privacy.close()
  })
})

describe('blobs', () => {
  const storage = { table() {}, transaction() {}, close() {} } as never
  const others = { write() {}, read() {}, size() {}, delete() {} } as never

  it.each<[string, PrivacyServiceOptions]>([
    ['the default', { storage }],
    ['a temporary folder', { storage, blobs: fileBlobs() }],
    ['memory', { storage, blobs: memoryBlobs() }],
    ['memory, with a storage that says that it stays', { storage: { ...memoryStorage(), outlivesProcess: true } }],
  ])('that end with the process are refused with a storage that does not: %s', (_, options) => {
    const refuse = () => createPrivacyService({ encryptionKey, ...options })
    expect(refuse).toThrow(expect.objectContaining({ code: 'misconfigured', details: { option: 'blobs' } }))
    for (const way of ['fileBlobs({ directory })', '@habeas/blobs-s3', 'postgresBlobs']) expect(refuse).toThrow(way)
  })

  it.each<[string, PrivacyServiceOptions]>([
    ['a folder', { storage, blobs: fileBlobs({ directory: '/var/lib/habeas' }) }],
    ['blobs that say nothing', { storage, blobs: others }],
    ['nothing', {}],
    ['nothing but a storage in memory', { storage: memoryStorage() }],
    ['memory, with a storage in memory', { storage: memoryStorage(), blobs: memoryBlobs() }],
  ])('are taken otherwise: %s', (_, options) => {
    expect(readOptions({ encryptionKey, ...options }).encryptionKey).toBe(encryptionKey)
  })
})
