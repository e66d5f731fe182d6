import { describe, expect, it } from 'vitest'
import { define, fields, marker, openForEachTest, privacy, storage, waiting } from './manual-webhook-service.js'

openForEachTest()

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
    await expect(privacy.manualWebhooks.create('paper_files', definition as never)).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc }] },
    })
  })

  it('takes back what it gave', async () => {
    const { warnings: _, ...given } = await define()
    expect(await privacy.manualWebhooks.patch('paper_files', given)).toMatchObject({ fields: given.fields })
  })

  it('is created once, belongs to a manual_webhook connection, and is deleted with it', async () => {
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
    const refused = await privacy.requests.uploadManualData(id, 'paper_files', input as never).catch((error) => error)
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
      await expect(privacy.requests.uploadManualData(id, 'paper_files', bad as never)).rejects.toMatchObject({
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
