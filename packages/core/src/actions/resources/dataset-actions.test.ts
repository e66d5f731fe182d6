import { describe, expect, test } from 'vitest'
import { aesSecrets } from '../../builtin/aes-secrets.js'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import type { Catalogue } from '../../model/catalogue.js'
import type { ActionContext } from '../action-context.js'
import { connectionActions } from '../connections/connection-actions.js'
import { datasetActions, datasetStore } from './dataset-actions.js'
import { manifestActions } from './manifest-actions.js'
import { resourceActions } from './resource-actions.js'

function setUp(catalogue?: ActionContext['catalogue'], options: Partial<ActionContext['options']> = {}) {
  const context: ActionContext = {
    storage: memoryStorage(),
    secrets: aesSecrets({ keys: Buffer.alloc(32).toString('base64') }),
    runtime: systemRuntime,
    connectors: new Map(),
    options: { taxonomy: 'open', connectionTestSeconds: 0.05, ...options },
    connectionChanged: () => {},
    ...(catalogue && { catalogue }),
  }
  const store = datasetStore(context)
  const datasets = datasetActions(store)
  return {
    context,
    datasets,
    systems: resourceActions(context).systems,
    connections: connectionActions(context, store),
    manifests: manifestActions(context),
  }
}

const shop = {
  service_key: 'shop',
  collections: [
    {
      name: 'customer',
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
      ],
    },
  ],
}
const types = (findings: readonly { type: string }[]) => findings.map(({ type }) => type)

describe('datasets', () => {
  test('every write returns the dataset, its link and its findings', async () => {
    const { datasets, systems } = setUp()
    const written = await datasets.put(shop)
    expect(written).toMatchObject({ service_key: 'shop', connection_key: null, warnings: [] })
    expect(types(written.findings)).toEqual(['orphan_dataset'])
    await systems.put({
      service_key: 'web',
      system_type: 'Service',
      privacy_declarations: [{ dataset_references: ['shop'] }],
    })
    expect(await datasets.findings('shop')).toEqual([])
    await expect(datasets.findings('other')).rejects.toMatchObject({ code: 'not_found' })
    expect(await datasets.get('shop')).toMatchObject({ collections: [{ name: 'customer' }] })
  })

  test('a reference to a missing collection is a finding until that exists', async () => {
    const { datasets } = setUp()
    const references = [{ dataset: 'shop', field: 'customer.id', direction: 'from' }]
    const fields = [{ name: 'customer_id', service_meta: { references } }]
    const orders = { service_key: 'orders', collections: [{ name: 'order', fields }] }
    expect(types((await datasets.put(orders)).findings)).toEqual([
      'orphan_dataset',
      'unknown_dataset',
      'unreachable_collection',
    ])
    await datasets.put(shop)
    expect(types(await datasets.findings('orders'))).toEqual(['orphan_dataset'])
  })

  test('a patch replaces lists whole and reads the blocks of the ancestor as a change of service_meta', async () => {
    const { datasets } = setUp()
    await datasets.put({ ...shop, description: 'old', service_meta: { after: ['first'] } })
    const patched = await datasets.patch({ fides_key: 'shop', fides_meta: { after: ['crm'] }, description: null })
    expect(patched).toMatchObject({ service_meta: { after: ['crm'] }, collections: [{ name: 'customer' }] })
    expect(patched).not.toHaveProperty('description')
    expect((await datasets.patch({ service_key: 'shop', collections: [] })).collections).toEqual([])
  })

  test('strict mode names each unknown key by its place', async () => {
    const { datasets } = setUp(undefined, { taxonomy: 'strict' })
    const collections = [{ name: 'c', data_categories: ['x'], fields: [{ name: 'f', data_qualifier: 'y' }] }]
    await expect(datasets.put({ service_key: 'd', collections })).rejects.toMatchObject({
      code: 'invalid_input',
      details: {
        issues: [
          { loc: ['collections', 0, 'data_categories', 0], type: 'unknown_taxonomy_key' },
          { loc: ['collections', 0, 'fields', 0, 'data_qualifier'], type: 'unknown_taxonomy_key' },
        ],
      },
    })
  })

  test('validate answers as a write would and stores nothing', async () => {
    const { datasets } = setUp()
    const checked = await datasets.validate({ ...shop, odd: 1 })
    expect(checked).toMatchObject({ service_key: 'shop', warnings: [{ loc: ['odd'] }] })
    expect(types(checked.findings)).toEqual(['orphan_dataset'])
    expect((await datasets.list()).total).toBe(0)
    await expect(datasets.validate({ collections: [{}] })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('removal names the systems and datasets that refer to it', async () => {
    const { datasets, systems } = setUp()
    await datasets.put(shop)
    await datasets.put({ service_key: 'late', service_meta: { after: ['shop'] } })
    await systems.put({
      service_key: 'web',
      system_type: 'Service',
      privacy_declarations: [{ dataset_references: ['shop'] }],
    })
    await expect(datasets.remove('shop')).rejects.toMatchObject({
      code: 'conflict',
      details: { kind: 'dataset', id: 'shop', referrers: ['web', 'late'] },
    })
    await systems.remove('web')
    await datasets.remove('late')
    await datasets.remove('shop')
    await expect(datasets.get('shop')).rejects.toMatchObject({ code: 'not_found' })
  })

  describe('the live schema', () => {
    const column = (name: string) => ({ name, type: 'text', nullable: false })
    const live: Catalogue = {
      collections: [
        {
          name: 'customer',
          columns: [column('id'), column('mail')],
          primaryKey: ['id'],
          uniqueKeys: [],
          foreignKeys: [],
          indexes: [],
        },
      ],
    }
    const linked = async (catalogue: ActionContext['catalogue'], disabled = false) => {
      const actions = setUp(catalogue)
      await actions.connections.put({ key: 'db', connectionType: 'postgres', disabled })
      return { ...actions, written: await actions.connections.attachDataset('db', shop) }
    }

    test('is compared with the description once the dataset is linked', async () => {
      const asked: string[] = []
      const { datasets, written } = await linked(async (key) => {
        asked.push(key)
        return live
      })
      const found = ['orphan_dataset', 'missing_column', 'undescribed_column']
      expect(types(written.findings)).toEqual(found)
      expect(types(await datasets.findings('shop'))).toEqual(found)
      expect(asked).toEqual(['db', 'db'])
    })

    test('is read once for all datasets of a manifest that lie behind it', async () => {
      const asked: string[] = []
      const { connections, manifests } = setUp(async (key) => {
        asked.push(key)
        return live
      })
      for (const key of ['db', 'other']) await connections.put({ key, connectionType: 'postgres' })
      const behind = (at: number) => ({ ...shop, service_key: `shop_${at}`, connection_key: at < 3 ? 'db' : 'other' })
      const { dataset } = await manifests.apply({ dataset: [0, 1, 2, 3].map(behind) })
      for (const { findings } of dataset?.succeeded ?? [])
        expect(types(findings)).toEqual(['orphan_dataset', 'missing_column', 'undescribed_column'])
      expect(dataset?.succeeded.length).toBe(4)
      expect(asked).toEqual(['db', 'other'])
    })

    test.each([
      ['fails', () => Promise.reject(new Error('password is hunter2'))],
      ['does not answer', () => new Promise<never>(() => {})],
    ])('that %s does not prevent a write', async (_, catalogue) => {
      const { written } = await linked(catalogue)
      expect(types(written.findings)).toEqual(['orphan_dataset', 'live_schema_unknown'])
      expect(JSON.stringify(written)).not.toContain('hunter2')
    })

    test('is not read where there is none', async () => {
      const never = () => Promise.reject(new Error('asked'))
      expect(types((await linked(never, true)).written.findings)).toEqual(['orphan_dataset'])
      expect(types((await linked(async () => undefined)).written.findings)).toEqual(['orphan_dataset'])
    })

    test('leaves references open, which are reported once per version and always listed', async () => {
      const key = (name: string) => ({ name: `${name}_fkey`, columns: [name], onDelete: 'no action' as const })
      const table = { uniqueKeys: [], indexes: [], primaryKey: ['id'], foreignKeys: [] }
      const people = [column('id'), column('email')]
      const customer = { ...table, name: 'customer', columns: people }
      const references = { collection: 'customer', columns: ['id'] }
      let nullable = true
      const catalogue = async (): Promise<Catalogue> => ({
        collections: [
          customer,
          {
            ...table,
            name: 'orders',
            columns: [column('id'), { ...column('customer_id'), nullable }],
            foreignKeys: [{ ...key('customer_id'), references }],
          },
        ],
      })
      const actions = setUp(catalogue)
      await actions.connections.put({ key: 'db', connectionType: 'postgres' })
      const leads = (more: object = {}) => ({
        references: [{ dataset: 'shop', field: 'customer.id', ...more }],
      })
      const described = (more?: object, name = 'Shop') => ({
        ...shop,
        name,
        collections: [
          ...shop.collections,
          {
            name: 'orders',
            fields: [{ name: 'id' }, { name: 'customer_id', service_meta: leads(more) }],
          },
        ],
      })
      const told = async (dataset: object) => {
        const { findings, open } = await actions.connections.attachDataset('db', dataset)
        return [findings.filter(({ type }) => type === 'open_reference').length, open.references.length]
      }
      expect(await told(described())).toEqual([1, 1])
      expect(await told(described())).toEqual([0, 1])
      const { open } = await actions.datasets.validate(described(), { connectionKey: 'db' })
      expect(open).toMatchObject({
        summary: expect.stringMatching(/^1 reference of 'shop' is open: /),
        references: [{ name: 'shop:orders.customer_id', why: 'it may be empty', kinds: ['reference', 'look-up'] }],
      })
      // Reading returns them all, and its result can be written again.
      expect(types(await actions.datasets.findings('shop'))).toContain('open_reference')
      const written = await actions.datasets.put(described(undefined, 'Renamed'))
      expect(types(written.findings)).toContain('open_reference')
      const again = await actions.datasets.put(written)
      expect([types(again.findings).includes('open_reference'), again.warnings]).toEqual([false, []])
      nullable = false
      expect(await told(described(undefined, 'Renamed'))).toEqual([0, 0])
      nullable = true
      expect(await told(described({ direction: 'from' }))).toEqual([0, 0])
    })

    test('is that of the connection a dataset is validated for', async () => {
      const { datasets } = await linked(async () => live)
      const checked = await datasets.validate({ ...shop, service_key: 'new' }, { connectionKey: 'db' })
      expect(types(checked.findings)).toContain('missing_column')
    })
  })
})
