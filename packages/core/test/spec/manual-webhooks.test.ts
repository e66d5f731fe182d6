import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createPrivacyService,
  memoryMailer,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  type Storage,
} from '../../src/index.js'

const marker = 'planted-marker'
const identities = [{ email: `${marker}@example.org` }]
const fields = [{ piiField: 'Full name', dsrPackageLabel: 'name' }, { piiField: 'Phone Number' }]
let storage: Storage
let privacy: PrivacyService

beforeEach(async () => {
  storage = memoryStorage()
  privacy = openService()
})
afterEach(() => privacy.close())

function openService(execution: object = {}, rows = storage, options: PrivacyServiceOptions = {}) {
  const encryptionKey = Buffer.alloc(32, 3).toString('base64')
  return createPrivacyService({
    encryptionKey,
    storage: rows,
    execution: { immediate: false, ...execution },
    ...options,
  })
}

async function define(key = 'paper_files', definition: object = { fields }) {
  await privacy.connections.put({ key, name: `Files of ${key}`, connectionType: 'manual_webhook' })
  return privacy.manualWebhooks.patch(key, definition)
}

/** A request that waits for uploads. */
async function waiting(policyKey = 'default_access_policy') {
  const { id } = await privacy.requests.submit({ policyKey, identities })
  await privacy.requests.run()
  return id
}

const statusOf = async (id: string) => (await privacy.requests.get(id)).status

async function packageOf(id: string, rule?: string) {
  const parts: Uint8Array[] = []
  for await (const part of privacy.requests.readPackage(id, rule)) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString())
}

describe('the definition of a manual webhook', () => {
  it('derives the label from pii_field, and replaces the list with a patch', async () => {
    expect(await define()).toMatchObject({
      connectionKey: 'paper_files',
      connection: { key: 'paper_files', connectionType: 'manual_webhook' },
      fields: [
        { piiField: 'Full name', dsrPackageLabel: 'name' },
        { piiField: 'Phone Number', dsrPackageLabel: 'phone_number' },
      ],
      warnings: [],
    })
    const patched = await privacy.manualWebhooks.patch('paper_files', {
      fields: [{ piiField: 'Age', dsrPackageLabel: '' }],
    })
    expect(patched.fields).toEqual([{ piiField: 'Age', dsrPackageLabel: 'age' }])
    expect((await privacy.manualWebhooks.get('paper_files')).fields).toEqual(patched.fields)
  })

  it.each<[string, unknown, (string | number)[]]>([
    ['no fields', {}, ['fields']],
    ['an empty list', { fields: [] }, ['fields']],
    [
      'two equal labels',
      {
        fields: [
          { piiField: 'a', dsrPackageLabel: 'x' },
          { piiField: 'b', dsrPackageLabel: 'x' },
        ],
      },
      ['fields', 1, 'dsrPackageLabel'],
    ],
    [
      'a label equal to a derived one',
      { fields: [{ piiField: 'Full name' }, { piiField: 'b', dsrPackageLabel: 'full_name' }] },
      ['fields', 1, 'dsrPackageLabel'],
    ],
    [
      'two equal fields',
      {
        fields: [
          { piiField: 'a', dsrPackageLabel: 'x' },
          { piiField: 'a', dsrPackageLabel: 'y' },
        ],
      },
      ['fields', 1, 'piiField'],
    ],
    ['a blank field', { fields: [{ piiField: ' ' }] }, ['fields', 0, 'piiField']],
    ['no field', { fields: [{ dsrPackageLabel: 'x' }] }, ['fields', 0, 'piiField']],
    ['a field no label comes of', { fields: [{ piiField: '!' }] }, ['fields', 0, 'dsrPackageLabel']],
    [
      'a label that is no name',
      { fields: [{ piiField: 'a', dsrPackageLabel: '__proto__' }] },
      ['fields', 0, 'dsrPackageLabel'],
    ],
  ])('refuses %s', async (_, definition, loc) => {
    await privacy.connections.put({ key: 'paper_files', connectionType: 'manual_webhook' })
    await expect(privacy.manualWebhooks.create('paper_files', definition)).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc }] },
    })
  })

  it('takes back what it gave', async () => {
    const { warnings: _, ...given } = await define()
    expect(await privacy.manualWebhooks.patch('paper_files', given)).toMatchObject({ fields: given.fields })
  })

  it('is created once, belongs to a manual_webhook connection, and goes with it', async () => {
    await privacy.connections.put({ key: 'paper_files', connectionType: 'manual_webhook' })
    await privacy.connections.put({ key: 'shop', connectionType: 'postgres' })
    await expect(privacy.manualWebhooks.get('paper_files')).rejects.toMatchObject({ code: 'not_found' })
    await privacy.manualWebhooks.create('paper_files', { fields })
    await expect(privacy.manualWebhooks.create('paper_files', { fields })).rejects.toMatchObject({ code: 'conflict' })
    await expect(privacy.manualWebhooks.create('shop', { fields })).rejects.toMatchObject({ code: 'unsupported' })
    await expect(privacy.manualWebhooks.patch('nowhere', { fields })).rejects.toMatchObject({ code: 'not_found' })
    await privacy.connections.remove('paper_files')
    expect(await storage.table('manualWebhook').count()).toBe(0)
  })

  it('is listed while its connection is enabled', async () => {
    await define('a')
    await define('b')
    await privacy.connections.patch({ key: 'a', disabled: true })
    expect((await privacy.manualWebhooks.list()).map(({ connectionKey }) => connectionKey)).toEqual(['b'])
    await privacy.manualWebhooks.remove('b')
    expect(await privacy.manualWebhooks.list()).toEqual([])
    await expect(privacy.manualWebhooks.remove('b')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('uploads', () => {
  it('values are JSON scalars or lists of them, keyed by label or pii_field, and sealed', async () => {
    await define()
    const id = await waiting()
    const { uploadManualData, manualData } = privacy.requests
    expect(await manualData(id, 'paper_files')).toEqual({ checked: false, fields: { name: null, phone_number: null } })
    await uploadManualData(id, 'paper_files', {
      'Full name': `${marker} name`,
      phone_number: [`${marker} 1`, 2, true, null],
    })
    const dump = JSON.stringify([
      ...(await storage.table('manualUpload').find()),
      ...(await storage.table('auditEntry').find()),
    ])
    expect(dump).not.toContain(marker)
    expect(await manualData(id, 'paper_files')).toEqual({
      checked: true,
      fields: { name: `${marker} name`, phone_number: [`${marker} 1`, 2, true, null] },
    })
    await uploadManualData(id, 'paper_files', {})
    expect(await manualData(id, 'paper_files')).toEqual({ checked: true, fields: { name: null, phone_number: null } })
  })

  it('names every unknown member and everything that is no scalar, and repeats no value', async () => {
    await define()
    const id = await waiting()
    const input = { nam: marker, phone_number: [[marker]], name: { first: marker }, age: 3, constructor: 1 }
    const refused = await privacy.requests.uploadManualData(id, 'paper_files', input).catch((error) => error)
    expect(refused).toMatchObject({ code: 'invalid_input' })
    expect(refused.details.issues.map(({ loc }: { loc: unknown[] }) => loc[0]).sort()).toEqual([
      'age',
      'constructor',
      'nam',
      'name',
      'phone_number',
    ])
    expect(JSON.stringify(refused)).not.toContain(marker)
    for (const bad of [[], 'text', null, undefined, { name: 'a', 'Full name': 'b' }]) {
      await expect(privacy.requests.uploadManualData(id, 'paper_files', bad)).rejects.toMatchObject({
        code: 'invalid_input',
      })
    }
    expect((await privacy.requests.manualData(id, 'paper_files')).checked).toBe(false)
  })

  it('are taken in every status that is not final', async () => {
    await define()
    const id = await waiting()
    const row = async () => (await storage.table('privacyRequest').get(id))!
    for (const status of [
      'identity_unverified',
      'pending',
      'approved',
      'in_processing',
      'requires_input',
      'paused',
      'error',
    ] as const) {
      const before = await row()
      await storage.table('privacyRequest').replace({ ...before, status, version: before.version + 1 })
      await privacy.requests.uploadManualData(id, 'paper_files', {})
    }
    for (const status of ['complete', 'denied', 'canceled'] as const) {
      const before = await row()
      await storage.table('privacyRequest').replace({ ...before, status, version: before.version + 1 })
      await expect(privacy.requests.uploadManualData(id, 'paper_files', {})).rejects.toMatchObject({
        code: 'invalid_state',
        details: { status, event: 'upload' },
      })
    }
  })

  it('need a request and a webhook that exist', async () => {
    await define()
    const id = await waiting()
    for (const [request, webhook] of [
      ['pri_none', 'paper_files'],
      [id, 'none'],
    ] as const) {
      await expect(privacy.requests.uploadManualData(request, webhook, {})).rejects.toMatchObject({ code: 'not_found' })
      await expect(privacy.requests.manualData(request, webhook)).rejects.toMatchObject({ code: 'not_found' })
    }
    await storage.table('requestKey').take(id)
    await expect(privacy.requests.uploadManualData(id, 'paper_files', {})).rejects.toMatchObject({ code: 'gone' })
  })
})

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
    expect(await packageOf(id)).toEqual({ files_a: [{ name: 'Ann' }] })
  })

  it('submit, nothing to verify or approve, webhook input missing -> requires_input', async () => {
    await define()
    const submitted = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
    expect(submitted).toMatchObject({ status: 'requires_input', missingInput: ['paper_files'] })
    expect(await statusOf(submitted.id)).toBe('requires_input')
  })

  it('pending, approve, webhook input missing -> requires_input; approved once, it goes on after the upload', async () => {
    await privacy.close()
    privacy = openService({ requireManualRequestApproval: true })
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
    privacy = openService({ subjectIdentityVerificationRequired: true }, storage, { mailer })
    await define()
    const { id, status } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
    expect(status).toBe('identity_unverified')
    await expect.poll(() => mailer.outbox.length).toBe(1)
    const code = /^\d{6}$/m.exec(mailer.outbox[0]?.text ?? '')?.[0] as string
    expect(await privacy.requests.verify(id, { code })).toMatchObject({ status: 'requires_input' })
  })

  it('uploaded before the approval, the request is approved', async () => {
    await privacy.close()
    privacy = openService({ requireManualRequestApproval: true })
    await define()
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
    await privacy.requests.uploadManualData(id, 'paper_files', {})
    expect(await privacy.requests.approve(id)).toMatchObject({ status: 'approved' })
  })

  it('a storage that is away when input is looked for does not lose the request', async () => {
    await define()
    await privacy.close()
    const away = async () => Promise.reject(new Error('the storage is away'))
    const table: Storage['table'] = (kind) =>
      kind === 'manualUpload' ? { ...storage.table(kind), find: away } : storage.table(kind)
    const broken = openService({}, { ...storage, table })
    const { id } = await broken.requests
      .submit({ policyKey: 'default_access_policy', identities })
      .finally(() => broken.close())
    privacy = openService()
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

  it('what is not in requires_input is not resumed', async () => {
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

  it('uploaded before the run, nothing is waited for', async () => {
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
    privacy = openService({ immediate: true, sweepSeconds: 0.05 })
    expect(await privacy.requests.settled(id)).toMatchObject({ status: 'complete' })
  })
})

describe('the package', () => {
  it('holds what was uploaded under the key of the webhook, unfiltered, for every access rule', async () => {
    await define('not_searched')
    await define('nothing_found')
    const rule = (key: string) => ({ service_key: key, action_type: 'access', data_categories: { values: ['system'] } })
    await privacy.policies.put({ service_key: 'two_rules', rules: [rule('one'), rule('two')] })
    const id = await waiting('two_rules')
    await privacy.requests.uploadManualData(id, 'not_searched', { name: null, phone_number: ['1', '2'] })
    await privacy.requests.uploadManualData(id, 'nothing_found', {})
    await privacy.requests.resumeFromRequiresInput(id)
    await privacy.requests.run()
    for (const key of ['one', 'two']) {
      expect(await packageOf(id, key)).toEqual({ not_searched: [{ name: null, phone_number: ['1', '2'] }] })
    }
  })
})
