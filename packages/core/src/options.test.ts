import { describe, expect, it } from 'vitest'
import { createPrivacyService } from './service.js'

const encryptionKey = Buffer.alloc(32, 1).toString('base64')

describe('createPrivacyService', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['no encryption key', {}, 'encryptionKey'],
    ['a key of the wrong length', { encryptionKey: 'c2hvcnQ=' }, 'encryptionKey'],
    ['an unknown option', { encryptionKey, colour: 'red' }, 'colour'],
    ['a wrong value', { encryptionKey, taxonomy: 'loose' }, 'taxonomy'],
    ['an unknown setting of execution', { encryptionKey, execution: { workers: 3 } }, 'execution.workers'],
    ['something that is no storage', { encryptionKey, storage: {} }, 'storage'],
    ['something that is no connector', { encryptionKey, connectors: ['postgres'] }, 'connectors.0'],
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
    expect(JSON.parse(text)).toEqual({})
    const { plan } = await privacy.requests.preview(input)
    expect(plan.findings.map(({ type }) => type)).toContain('no_dataset_connected')
    await privacy.close()
  })
})
