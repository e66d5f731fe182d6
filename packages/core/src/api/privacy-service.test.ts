import { describe, expect, expectTypeOf, it } from 'vitest'
import { createPrivacyService, type Dataset, defineConnector, type Mailer, type PrivacyService } from '../index.js'

const encryptionKey = Buffer.alloc(32, 1).toString('base64')
const capabilities = { maxKeys: 1, nestedFields: false }
const rest = defineConnector({
  type: 'rest',
  category: 'saas',
  capabilities,
  secrets: { parse: () => ({}) },
  connect: () => Promise.reject(new Error('nobody connects')),
})

/** Compiled, and never run. */
const neverRun = (_: (privacy: PrivacyService) => unknown) => {}

describe('PrivacyService', () => {
  it('takes what the schemas take, and nothing else', () => {
    neverRun(({ requests, connections, policies, datasets, holds, clients, policyWebhooks }) => [
      requests.submit({ policyKey: 'p', identities: [{ email: 'ann@example.com' }] }),
      // @ts-expect-error a name of the wire, and a typo
      requests.submit({ policy_key: 'p', identites: [] }),
      connections.put({ key: 'shop', connectionType: 'postgres' }),
      // @ts-expect-error a name of the wire
      connections.put({ key: 'shop', connection_type: 'postgres' }),
      // @ts-expect-error no kind of connection
      connections.put({ key: 'shop', connectionType: 'postgers' }),
      // @ts-expect-error a kind of a connector that this service does not have
      connections.put({ key: 'shop', connectionType: 'rest' }),
      // @ts-expect-error no document
      policies.put(42),
      policies.put({ service_key: 'p', rules: [{ service_key: 'all', action_type: 'access', format: 'json' }] }),
      // @ts-expect-error no kind of action
      policies.put({ service_key: 'p', rules: [{ service_key: 'all', action_type: 'acces' }] }),
      policies.patch({ service_key: 'p', description: null }),
      datasets.put({ service_key: 'shop', description: null, collections: [{ name: 'orders' }] }),
      datasets.put({
        collections: [
          // @ts-expect-error a member on the wrong level
          { name: 'a', fields: [{ name: 'b', primary_key: true }] },
        ],
      }),
      holds.create({ identity: { email: 'ann@example.com' }, reason: 'a case' }),
      // @ts-expect-error without a reason
      holds.create({ identity: { email: 'ann@example.com' } }),
      clients.create(['dataset:read']),
      // @ts-expect-error a typo in an option
      requests.readPackage('pri_1', { fromat: 'html' }),
      // @ts-expect-error no phase
      policyWebhooks.list('p', 'before'),
    ])
    expect(neverRun).toBeTypeOf('function')
  })

  it('takes back what it has answered, and a draft', () => {
    neverRun(async ({ datasets, systems, policies, connections }) => {
      await datasets.put(await datasets.get('shop'))
      await systems.put(await systems.get('shop'))
      await policies.put(await policies.get('p'))
      const { dataset } = await connections.draftDataset('shop')
      expectTypeOf(dataset).toEqualTypeOf<Dataset>()
      await connections.attachDataset('shop', dataset)
    })
  })

  it('knows the kinds of its own connectors', async () => {
    const privacy = createPrivacyService({ encryptionKey, connectors: [rest] })
    const { connectionType } = await privacy.connections.put({ key: 'crm', connectionType: 'rest' })
    expect(connectionType).toBe('rest')
    // @ts-expect-error of another connector
    await expect(privacy.connections.put({ key: 'crm', connectionType: 'soap' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    expectTypeOf(privacy).toExtend<PrivacyService>()
    await privacy.close()
  })

  it('takes an option that is undefined for one that is left out', async () => {
    const mailer: Mailer | undefined = undefined
    const privacy = createPrivacyService({
      encryptionKey,
      mailer,
      publicUrl: undefined,
      security: undefined,
      execution: { concurrency: undefined, immediate: false },
    })
    expect(privacy.requests.verificationRequired).toBe(false)
    await privacy.close()
  })
})
