import { afterEach, describe, expect, test } from 'vitest'
import type { PrivacyService } from '../../api/privacy-service.js'
import { memoryStorage } from '../../builtin/memory-storage.js'
import type { PrivacyServiceOptions } from '../../options.js'
import type { Storage } from '../../ports/storage.js'
import type { Finding } from '../../rules/findings/finding.js'
import { createPrivacyService } from '../../service.js'
import type { ManifestFailure } from './manifest-actions.js'

const open: PrivacyService[] = []
afterEach(async () => {
  for (const privacy of open.splice(0)) await privacy.close()
})

function service(options: Partial<PrivacyServiceOptions> = {}): PrivacyService {
  const encryptionKey = Buffer.alloc(32, 1).toString('base64')
  const privacy = createPrivacyService({ encryptionKey, execution: { sweepSeconds: 0.01 }, ...options })
  open.push(privacy)
  return privacy
}

interface Outcome {
  readonly succeeded: readonly { readonly service_key: string; readonly findings: readonly Finding[] }[]
  readonly failed: readonly ManifestFailure[]
}

const everything = `
# In the worst order: referenced items come last.
policy:
  service_key: ads
  rules:
    - service_key: no_ads
      data_categories: {matches: ANY, values: [shop.basket]}
      data_uses: {matches: ANY, values: [advertising.shop]}
      data_subjects: {matches: ANY, values: [shopper]}
      data_qualifier: aggregated.shop
dataset:
  - fides_key: shop
    organization_fides_key: acme
    collections:
      - name: basket
        fields:
          - {name: id, service_meta: {primary_key: true}}
          - name: customer_id
            data_categories: [shop.basket]
            service_meta: {references: [{dataset: crm, field: customer.id, direction: from}]}
  - service_key: crm
    collections:
      - name: customer
        fields:
          - {name: id, service_meta: {primary_key: true}}
          - {name: email, data_categories: [user.contact.email], service_meta: {identity: email}}
system:
  - name: Web shop
    system_type: Service
    egress: [{service_key: warehouse, type: system}]
    privacy_declarations:
      - name: Selling
        data_categories: [shop.basket]
        data_use: advertising.shop
        data_subjects: [shopper]
        data_qualifier: aggregated.shop
        dataset_references: [shop, crm]
  - {service_key: warehouse, system_type: Service}
data_qualifier: [{service_key: aggregated.shop, parent_key: aggregated}]
data_subject: [{service_key: shopper}]
data_use: [{service_key: advertising.shop, parent_key: advertising}]
data_category:
  - {service_key: shop.basket, parent_key: shop}
  - {service_key: shop, parent_key: user}
registry: [{service_key: main, organization_service_key: acme}]
organization:
  - {service_key: acme, organization_parent_key: holding}
  - {service_key: holding}
`

describe('applying a manifest', () => {
  test('writes every kind, without findings about items that were missing only during the write', async () => {
    const privacy = service({ taxonomy: 'strict' })
    const applied = await privacy.manifests.apply(everything)
    const outcomes: [string, Outcome][] = Object.entries(applied)
    expect(outcomes.flatMap(([, { failed }]) => failed)).toEqual([])
    expect(outcomes.flatMap(([, { succeeded }]) => succeeded.flatMap(({ findings }) => findings))).toEqual([])
    expect(outcomes.map(([kind, { succeeded }]) => [kind, ...succeeded.map((each) => each.service_key)])).toEqual([
      ['organization', 'acme', 'holding'],
      ['registry', 'main'],
      ['data_category', 'shop.basket', 'shop'],
      ['data_use', 'advertising.shop'],
      ['data_subject', 'shopper'],
      ['data_qualifier', 'aggregated.shop'],
      ['system', 'web_shop', 'warehouse'],
      ['dataset', 'shop', 'crm'],
      ['policy', 'ads'],
    ])
    expect(await privacy.datasets.get('shop')).toMatchObject({ organization_service_key: 'acme' })
    expect(applied.dataset?.succeeded[0]?.warnings).toEqual([
      { loc: ['fides_key'], msg: 'was read as service_key' },
      { loc: ['organization_fides_key'], msg: 'was read as organization_service_key' },
    ])
  })

  test('may be repeated: each item is created or replaced', async () => {
    const privacy = service()
    await privacy.manifests.apply({ system: { service_key: 'web', system_type: 'Service', description: 'old' } })
    const { created_at } = await privacy.systems.get('web')
    await privacy.manifests.apply('system: {service_key: web, system_type: App}')
    const system = await privacy.systems.get('web')
    expect(system).toMatchObject({ system_type: 'App', created_at })
    expect(system).not.toHaveProperty('description')
  })

  test('keeps the findings of a dataset that nothing refers to', async () => {
    const applied = await service().manifests.apply({ dataset: [{ service_key: 'a' }, { service_key: 'b' }] })
    expect(applied.dataset?.succeeded.map(({ findings }) => findings.map(({ type }) => type))).toEqual([
      ['orphan_dataset', 'empty_dataset'],
      ['orphan_dataset', 'empty_dataset'],
    ])
  })

  test('a bad item is named with every bad place and does not stop the others', async () => {
    const privacy = service()
    const applied = await privacy.manifests.apply({
      dataset: [
        {
          service_key: 'bad',
          third_country_transfers: ['XX'],
          collections: [{ fields: [{}] }],
          meta: { note: 'secret' },
        },
        { service_key: 'good' },
        'secret',
        null,
        { description: 'secret' },
        { service_key: '..', name: 'x' },
      ],
      system: { name: 'Web shop' },
    })
    expect(applied.dataset?.succeeded.map(({ service_key }) => service_key)).toEqual(['good'])
    expect(applied.dataset?.failed.map(({ data, errors }) => [data, errors?.map(({ loc }) => loc.join('/'))])).toEqual([
      [
        { service_key: 'bad' },
        [
          'dataset/0/third_country_transfers/0',
          'dataset/0/collections/0/name',
          'dataset/0/collections/0/fields/0/name',
        ],
      ],
      [{}, ['dataset/2']],
      [{}, ['dataset/3']],
      [{}, ['dataset/4/service_key']],
      [{}, ['dataset/5/service_key']],
    ])
    expect(applied.dataset?.failed[0]?.message).toBe(
      'This manifest is not valid: dataset[0].third_country_transfers[0] must be an ISO 3166-1 alpha-3 country code, such as DEU, and 2 more.',
    )
    expect(applied.system).toEqual({
      succeeded: [],
      failed: [
        {
          message: 'This manifest is not valid: system.system_type is required.',
          errors: [{ loc: ['system', 'system_type'], msg: 'is required', type: 'missing' }],
          data: { service_key: 'web_shop' },
        },
      ],
    })
    expect(JSON.stringify(applied)).not.toContain('secret')
  })

  test('of two items with one key the first is written and the second is named', async () => {
    const privacy = service()
    const applied = await privacy.manifests.apply({
      system: [
        { service_key: 'web_shop', system_type: 'first' },
        { name: 'Web Shop', system_type: 'second' },
      ],
      registry: { service_key: 'web_shop' },
    })
    expect(applied.system?.failed).toEqual([
      {
        message: 'This manifest is not valid: system[1].service_key is used twice.',
        errors: [{ loc: ['system', 1, 'service_key'], msg: 'is used twice', type: 'duplicate' }],
        data: { service_key: 'web_shop' },
      },
    ])
    expect(await privacy.systems.get('web_shop')).toMatchObject({ system_type: 'first' })
    expect(applied.registry?.failed).toEqual([])
  })

  test('a prototype in an object is refused and changes nothing', async () => {
    const input = JSON.parse('{"dataset": [{"service_key": "a", "__proto__": {"polluted": true}}]}')
    const applied = await service().manifests.apply(input)
    expect(applied.dataset?.failed[0]?.errors?.[0]?.loc).toEqual(['dataset', 0, '__proto__'])
    expect({}).not.toHaveProperty('polluted')
  })

  test('with a taxonomy that is strict, an unknown key is an error of the item', async () => {
    const applied = await service({ taxonomy: 'strict' }).manifests.apply({
      dataset: [{ service_key: 'a', data_categories: ['user.contact.emial'] }],
    })
    expect(applied.dataset?.failed[0]?.errors?.[0]).toMatchObject({ loc: ['dataset', 0, 'data_categories', 0] })
  })

  test('an error outside the item ends it', async () => {
    const storage = memoryStorage()
    const away: Storage = {
      ...storage,
      table: (name) => ({ ...storage.table(name), insert: () => Promise.reject(new Error('away')) }) as never,
    }
    const privacy = service({ storage: away })
    await expect(privacy.manifests.apply({ registry: [{ service_key: 'a' }, { service_key: 'b' }] })).rejects.toThrow(
      'away',
    )
  })
})

describe('reading a manifest before it is applied', () => {
  test('gives its kinds and stores nothing; apply takes the result', async () => {
    const privacy = service()
    const manifest = privacy.manifests.read('registry: [{service_key: main}]\ndataset: []')
    expect(manifest.kinds).toEqual(['registry', 'dataset'])
    expect((await privacy.registries.list()).total).toBe(0)
    expect(await privacy.manifests.apply(manifest)).toMatchObject({
      registry: { succeeded: [{ service_key: 'main' }], failed: [] },
      dataset: { succeeded: [], failed: [] },
    })
    expect(privacy.manifests.read(manifest)).toBe(manifest)
  })

  test('a look-alike is read like any other value', async () => {
    const privacy = service()
    await expect(privacy.manifests.apply({ kinds: [], items: [] })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: ['kinds'] }, { loc: ['items'] }] },
    })
    await expect(privacy.manifests.apply('dataset: [')).rejects.toThrow('line 1, column 11')
  })
})
