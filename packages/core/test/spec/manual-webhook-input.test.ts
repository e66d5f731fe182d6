import { describe, expect, it } from 'vitest'
import { memoryMailer, type Storage } from '../../src/index.js'
import {
  define,
  fields,
  identities,
  openForEachTest,
  openService,
  packageOf,
  privacy,
  reopen,
  statusOf,
  storage,
  waiting,
} from './manual-webhook-service.js'

openForEachTest()

describe('requires_input', () => {
  it('in_processing, webhook input missing -> requires_input; resume, all uploaded -> in_processing -> complete', async () => {
    await define('files_a')
    await define('files_b')
    const id = await waiting()
    expect(await privacy.requests.get(id)).toMatchObject({
      status: 'requires_input',
      missingInput: ['files_a', 'files_b'],
    })
    await privacy.requests.uploadManualData(id, 'files_a', { name: 'Ann' })
    const early = privacy.requests.resumeFromRequiresInput(id)
    await expect(early).rejects.toMatchObject({ code: 'invalid_state', message: expect.stringContaining("'files_b'") })
    await expect(early).rejects.not.toMatchObject({ message: expect.stringContaining('files_a') })
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('requires_input')
    await privacy.requests.uploadManualData(id, 'files_b', {})
    const resumed = await privacy.requests.resumeFromRequiresInput(id)
    expect(resumed).toMatchObject({ status: 'in_processing' })
    expect(resumed.missingInput).toBeUndefined()
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('complete')
    expect(await packageOf(id)).toEqual({ files_a: [{ name: 'Ann' }], files_b: [{}] })
  })

  it('submit, nothing to verify or approve, webhook input missing -> requires_input', async () => {
    await define()
    const submitted = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
    expect(submitted).toMatchObject({ status: 'requires_input', missingInput: ['paper_files'] })
    expect(await statusOf(submitted.id)).toBe('requires_input')
  })

  it('pending, approve, webhook input missing -> requires_input; approved once, it goes on after the upload', async () => {
    await privacy.close()
    reopen({ requireManualRequestApproval: true })
    await define()
    const { id, status } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
    expect(status).toBe('pending')
    expect(await privacy.requests.approve(id)).toMatchObject({ status: 'requires_input', reviewedBy: 'host' })
    await privacy.requests.uploadManualData(id, 'paper_files', { name: 'Ann' })
    await privacy.requests.resumeFromRequiresInput(id)
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('complete')
  })

  it('identity_unverified, right code, webhook input missing -> requires_input', async () => {
    await privacy.close()
    const mailer = memoryMailer()
    reopen({ subjectIdentityVerificationRequired: true }, storage, { mailer })
    await define()
    const { id, status } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
    expect(status).toBe('identity_unverified')
    await expect.poll(() => mailer.outbox.length).toBe(1)
    const code = /^\d{6}$/m.exec(mailer.outbox[0]?.text ?? '')?.[0] as string
    expect(await privacy.requests.verify(id, { code })).toMatchObject({ status: 'requires_input' })
  })

  it('a request is approved after an upload that came before the approval', async () => {
    await privacy.close()
    reopen({ requireManualRequestApproval: true })
    await define()
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
    await privacy.requests.uploadManualData(id, 'paper_files', {})
    expect(await privacy.requests.approve(id)).toMatchObject({ status: 'approved' })
  })

  it('a storage that cannot be reached when input is looked up does not lose the request', async () => {
    await define()
    await privacy.close()
    const away = async () => Promise.reject(new Error('the storage is away'))
    const table: Storage['table'] = (kind) =>
      kind === 'manualUpload' ? { ...storage.table(kind), find: away } : storage.table(kind)
    const broken = openService({}, { ...storage, table })
    const { id } = await broken.requests
      .submit({ policyKey: 'default_access_policy', identities })
      .finally(() => broken.close())
    reopen()
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('requires_input')
  })

  it('fifty concurrent resumes: exactly one wins', async () => {
    await define()
    const id = await waiting()
    await privacy.requests.uploadManualData(id, 'paper_files', {})
    const resumes = await Promise.allSettled(
      Array.from({ length: 50 }, () => privacy.requests.resumeFromRequiresInput(id)),
    )
    expect(resumes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of resumes) {
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'invalid_state' })
    }
    const trail = await privacy.requests.auditTrail(id)
    expect(trail.items.filter(({ action }) => action === 'request_resumed')).toHaveLength(1)
  })

  it('a request that is not in requires_input is not resumed', async () => {
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
    await expect(privacy.requests.resumeFromRequiresInput(id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'pending', event: 'resume' },
    })
    await expect(privacy.requests.resumeFromRequiresInput('pri_none')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is not asked for where every rule of the policy erases, and is where it has none', async () => {
    await define()
    await privacy.policies.put({ service_key: 'without_rules' })
    expect(await statusOf(await waiting('without_rules'))).toBe('requires_input')
  })

  it('an upload that no longer fits the definition must be repeated', async () => {
    await define()
    const id = await waiting()
    await privacy.requests.uploadManualData(id, 'paper_files', { name: 'Ann' })
    await privacy.manualWebhooks.patch('paper_files', { fields: [...fields, { piiField: 'Age' }] })
    expect(await privacy.requests.manualData(id, 'paper_files')).toEqual({
      checked: false,
      fields: { name: 'Ann', phone_number: null, age: null },
    })
    await expect(privacy.requests.resumeFromRequiresInput(id)).rejects.toMatchObject({ code: 'invalid_state' })
    await privacy.requests.uploadManualData(id, 'paper_files', { name: 'Ann', age: 7 })
    await privacy.requests.resumeFromRequiresInput(id)
    // At the start of every run, again.
    await privacy.manualWebhooks.patch('paper_files', { fields })
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('requires_input')
  })

  it('an upload before the run leaves nothing to wait for', async () => {
    await define()
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
    await privacy.requests.uploadManualData(id, 'paper_files', { name: 'Ann' })
    if ((await statusOf(id)) === 'requires_input') await privacy.requests.resumeFromRequiresInput(id)
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('complete')
    expect(await packageOf(id)).toEqual({ paper_files: [{ name: 'Ann' }] })
  })
})

describe('last missing webhook removed or disabled', () => {
  it.each<[string, (key: string) => Promise<unknown>]>([
    ['its definition removed', (key) => privacy.manualWebhooks.remove(key)],
    ['its connection removed', (key) => privacy.connections.remove(key)],
    ['its connection disabled', (key) => privacy.connections.patch({ key, disabled: true })],
    ['its connection of another type', (key) => privacy.connections.patch({ key, connectionType: 'postgres' })],
  ])('%s: the request goes on, and others that still wait do not', async (_, release) => {
    await define('files_a')
    await define('files_b')
    const ready = await waiting()
    await privacy.requests.uploadManualData(ready, 'files_a', { name: 'Ann' })
    const other = await waiting()
    const confirmed = await waiting()
    await privacy.requests.uploadManualData(confirmed, 'files_a', {})
    await privacy.requests.uploadManualData(confirmed, 'files_b', {})
    await release('files_b')
    expect(await Promise.all([ready, other, confirmed].map(statusOf))).toEqual([
      'in_processing',
      'requires_input',
      'requires_input',
    ])
    await privacy.requests.run()
    expect(await statusOf(ready)).toBe('complete')
    expect(await packageOf(ready)).toEqual({ files_a: [{ name: 'Ann' }] })
  })

  it('while the process was away: the next one notices', async () => {
    await define()
    const id = await waiting()
    await storage.table('manualWebhook').take('paper_files')
    await privacy.close()
    reopen({ immediate: true, sweepSeconds: 0.05 })
    expect(await privacy.requests.settled(id)).toMatchObject({ status: 'complete' })
  })
})

describe('the package', () => {
  it('holds what was uploaded under the key of the webhook, unfiltered, for every access rule', async () => {
    await define('not_searched')
    await define('nothing_found')
    const rule = (key: string) => ({ service_key: key, action_type: 'access', data_categories: { values: ['system'] } })
    await privacy.policies.put({ service_key: 'two_rules', rules: [rule('one') as never, rule('two') as never] })
    const id = await waiting('two_rules')
    await privacy.requests.uploadManualData(id, 'not_searched', { name: null, phone_number: ['1', '2'] })
    await privacy.requests.uploadManualData(id, 'nothing_found', {})
    await privacy.requests.resumeFromRequiresInput(id)
    await privacy.requests.run()
    for (const key of ['one', 'two']) {
      const uploaded = [{ name: null, phone_number: ['1', '2'] }]
      expect(await packageOf(id, key)).toEqual({ not_searched: uploaded, nothing_found: [{}] })
    }
  })
})
