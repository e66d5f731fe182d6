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
    expect(applied.dataset?.succeeded[0]?.warnings).toMatchObject([
      { loc: ['fides_key'], msg: 'was read as service_key' },
      { loc: ['organization_fides_key'], msg: 'was read as organization_service_key' },
    ])
  })

  test('says where in which file an ignored member stands', async () => {
    const text = 'dataset:\n  - service_key: shop\n    collections:\n      - { name: a, descripton: b }\n'
    const applied = await service().manifests.validate([{ file: 'shop.yml', text }])
    expect(applied.dataset?.succeeded[0]?.warnings).toEqual([
      {
        loc: ['collections', 0, 'descripton'],
        msg: "is not known here and was ignored: the nearest known name is 'description'",
        ...{ file: 'shop.yml', line: 4, column: 20 },
      },
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

describe('errors in a text', () => {
  const text = `dataset:
  - service_key: shop
    third_country_transfers: [DEU,
      XX]
    collections:
      - fields: []
`

  test('have the line and column of each bad place', async () => {
    const applied = await service().manifests.apply(text)
    const [failure] = applied.dataset?.failed ?? []
    expect(failure?.errors).toMatchObject([
      { loc: ['dataset', 0, 'third_country_transfers', 1], line: 4, column: 7 },
      { loc: ['dataset', 0, 'collections', 0, 'name'], line: 6, column: 9 },
    ])
    expect(failure?.errors?.[0]).not.toHaveProperty('file')
    expect(failure?.message).toContain('not valid: line 4, column 7: dataset[0].third_country_transfers[1] must be')
  })

  test('have the name of the file where there are several', async () => {
    const applied = await service().manifests.apply([
      { file: 'ok.json', text: '{"dataset": {"service_key": "crm"}}' },
      { file: 'shop.yml', text },
      { file: 'more.yml', text: 'dataset:\n- {service_key: crm}\npolicy: {rules: [{}]}' },
    ])
    const failed = [...(applied.dataset?.failed ?? []), ...(applied.policy?.failed ?? [])]
    expect(failed.flatMap(({ errors = [] }) => errors.map((each) => [each.file, each.line, each.column]))).toEqual([
      ['shop.yml', 4, 7],
      ['shop.yml', 6, 9],
      ['more.yml', 2, 4],
      ['more.yml', 3, 18],
      ['more.yml', 3, 1],
    ])
    expect(failed[1]?.message).toBe(
      'This manifest is not valid: more.yml, line 2, column 4: dataset[0].service_key is used twice: first in ok.json, line 1.',
    )
  })

  test('under an older name are at that name', async () => {
    const applied = await service().manifests.apply('policy:\n- name: P\n  rules:\n  - fides_key: "no key"\n')
    expect(applied.policy?.failed[0]?.errors).toMatchObject([
      { loc: ['policy', 0, 'rules', 0, 'fides_key'], line: 4, column: 5 },
    ])
  })
})

describe('a manifest of the older format', () => {
  const older = `
dataset:
  - fides_key: shop
    organization_fides_key: default_organization
    name: Shop
    fidesctl_meta: null
    data_qualifier: aggregated.anonymized
    collections:
      - name: orders
        fields:
          - name: id
            data_categories: [system.operations]
            fidesops_meta: { primary_key: true }
          - name: email
            data_categories: [user.contact.email]
            fides_meta: { identity: email, data_type: string }
system:
  - fides_key: web
    organization_fides_key: default_organization
    name: Web
    system_type: Service
    egress: [{ fides_key: warehouse, type: system, data_categories: [user.contact.email] }]
    privacy_declarations:
      - name: Selling
        data_categories: [user.contact.email]
        data_use: essential
        data_subjects: [customer]
        dataset_references: [shop]
policy:
  - fides_key: data_sharing
    organization_fides_key: default_organization
    name: Data sharing
    rules:
      - fides_key: no_ads
        organization_fides_key: default_organization
        name: No advertising
        data_categories: { matches: ANY, values: [user.contact] }
        data_uses: { matches: ANY, values: [marketing.advertising] }
        data_subjects: { matches: ANY, values: [customer] }
        data_qualifier: aggregated.anonymized
`

  test('is read, its policies and their rules included', async () => {
    const privacy = service()
    const applied = await privacy.manifests.apply(older)
    const outcomes: Outcome[] = Object.values(applied)
    expect(outcomes.flatMap(({ failed }) => failed)).toEqual([])
    expect(await privacy.policies.get('data_sharing')).toMatchObject({
      organization_service_key: 'default_organization',
      rules: [{ service_key: 'no_ads', organization_service_key: 'default_organization' }],
    })
    expect(applied.policy?.succeeded[0]?.warnings.map(({ loc }) => loc.join('/'))).toEqual([
      'fides_key',
      'organization_fides_key',
      'rules/0/fides_key',
      'rules/0/organization_fides_key',
    ])
    expect(await privacy.systems.get('web')).toMatchObject({ egress: [{ service_key: 'warehouse' }] })
    const { collections } = await privacy.datasets.get('shop')
    expect(
      collections[0]?.fields.map(({ service_meta: { primary_key, identity } }) => [primary_key, identity]),
    ).toEqual([
      [true, undefined],
      [false, 'email'],
    ])
  })
})

describe('a dataset with a connection_key', () => {
  const shop = (connection: unknown) => ({ dataset: [{ service_key: 'shop', connection_key: connection }] })

  async function connected(...keys: string[]) {
    const privacy = service()
    for (const key of keys) await privacy.connections.put({ key, connectionType: 'postgres', access: 'read' })
    return privacy
  }

  test('is linked to that connection, also where it exists already', async () => {
    const privacy = await connected('db')
    await privacy.manifests.apply({ dataset: { service_key: 'shop' } })
    const applied = await privacy.manifests.apply(shop('db'))
    expect(applied.dataset?.succeeded).toMatchObject([{ service_key: 'shop', connection_key: 'db' }])
    expect((await privacy.connections.datasets('db')).items.map(({ service_key }) => service_key)).toEqual(['shop'])
  })

  test.each([[undefined], [null], ['']])('and one with %j keeps its link', async (none) => {
    const privacy = await connected('db')
    await privacy.manifests.apply(shop('db'))
    const applied = await privacy.manifests.apply(shop(none))
    expect(applied.dataset?.succeeded).toMatchObject([{ connection_key: 'db' }])
  })

  test('is refused where that is unknown or no text, with the nearest key', async () => {
    const privacy = await connected('payments')
    const applied = await privacy.manifests.apply({
      dataset: [...shop('paymnets').dataset, { service_key: 'crm', connection_key: 5 }],
    })
    expect(applied.dataset?.succeeded).toEqual([])
    expect(applied.dataset?.failed.map(({ errors }) => errors?.map(({ loc, type }) => [loc, type]))).toEqual([
      [[['dataset', 0, 'connection_key'], 'unknown_connection']],
      [[['dataset', 1, 'connection_key'], 'invalid_type']],
    ])
    expect(applied.dataset?.failed[0]?.message).toContain("the nearest known name is 'payments'")
    await expect(privacy.datasets.get('shop')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('that is linked elsewhere is named and stays there', async () => {
    const privacy = await connected('db', 'other')
    await privacy.manifests.apply(shop('db'))
    const applied = await privacy.manifests.apply(shop('other'))
    expect(applied.dataset?.failed).toMatchObject([
      { message: expect.stringContaining("linked to the connection 'db'") },
    ])
    expect(await privacy.datasets.get('shop')).toMatchObject({ connection_key: 'db' })
  })
})

describe('validating a manifest', () => {
  test('gives what applying it would give, and writes nothing', async () => {
    const [tried, applied] = [service({ taxonomy: 'strict' }), service({ taxonomy: 'strict' })]
    const withFaults = `${everything}  - {service_key: bad key}\n`
    const answer = await tried.manifests.validate(withFaults)
    const timeless = (of: object) =>
      JSON.parse(JSON.stringify(of).replace(/"(created|updated)_at":"[^"]*"/g, '"$1_at":""'))
    expect(timeless(answer)).toEqual(timeless(await applied.manifests.apply(withFaults)))
    expect(answer.organization?.failed.length).toBe(1)
    for (const kind of ['datasets', 'systems', 'registries'] as const) expect((await tried[kind].list()).total).toBe(0)
    await expect(tried.dataCategories.get('shop.basket')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('sees what is stored', async () => {
    const privacy = service()
    await privacy.connections.put({ key: 'db', connectionType: 'postgres', access: 'read' })
    await privacy.manifests.apply(
      'dataset: {service_key: shop, description: old, connection_key: db}\nregistry: {service_key: a}',
    )
    const { dataset } = await privacy.manifests.validate('dataset: {service_key: shop, description: new}')
    expect(dataset?.succeeded).toMatchObject([{ description: 'new', connection_key: 'db' }])
    expect(await privacy.datasets.get('shop')).toMatchObject({ description: 'old' })
  })

  test('tells open references that applying tells then', async () => {
    const people = (key: string) => ({
      service_key: key,
      collections: [
        { name: 'person', fields: [{ name: 'id' }, { name: 'email', service_meta: { identity: 'email' } }] },
        {
          name: 'orders',
          fields: [
            { name: 'person_id', service_meta: { references: [{ dataset: key, field: 'person.id' }] } },
            { name: 'text', data_categories: ['user'] },
          ],
        },
      ],
    })
    const privacy = service()
    const manifest = { dataset: [people('a'), people('b')] }
    const told = async (call: 'apply' | 'validate') =>
      (await privacy.manifests[call](manifest)).dataset?.succeeded.map(
        ({ findings }) => findings.filter(({ type }) => type === 'open_reference').length,
      )
    expect(await told('validate')).toEqual([1, 1])
    expect(await told('apply')).toEqual([1, 1])
    expect(await told('apply')).toEqual([0, 0])
  })
})

describe('a large manifest', () => {
  const fields = [
    { name: 'id' },
    ...Array.from({ length: 30 }, (_, at) => ({ name: `f${at}`, data_categories: ['user'] })),
  ]
  const many = (count: number) => ({
    dataset: Array.from({ length: count }, (_, at) => ({
      service_key: `d${at}`,
      collections: [{ name: 'c', fields }],
    })),
  })

  test('looks at what is stored once for all, however many datasets it has', async () => {
    const counts: number[][] = []
    for (const size of [5, 50]) {
      const storage = memoryStorage()
      const asked: string[] = []
      const privacy = service({
        storage: {
          ...storage,
          table: (kind) => {
            const table = storage.table(kind)
            const find: typeof table.find = (query) => {
              if (!query?.where) asked.push(kind)
              return table.find(query)
            }
            return { ...table, find }
          },
        },
      })
      await privacy.manifests.apply(many(size))
      const kinds = ['dataset', 'system', 'dataCategory']
      counts.push(kinds.map((kind) => asked.filter((each) => each === kind).length))
    }
    expect(counts).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ])
  })

  test('lets others have their turn while it is read, checked and applied', async () => {
    const privacy = service()
    const text = JSON.stringify(many(400))
    for (const call of ['read', 'validate', 'apply'] as const) {
      let turns = 0
      let isDone = false
      const count = () => {
        turns++
        if (!isDone) setImmediate(count)
      }
      setImmediate(count)
      await privacy.manifests[call](text)
      isDone = true
      expect(turns, call).toBeGreaterThan(5)
    }
  })
})

describe('reading a manifest before it is applied', () => {
  test('gives its kinds and stores nothing; apply takes the result', async () => {
    const privacy = service()
    const manifest = await privacy.manifests.read('registry: [{service_key: main}]\ndataset: []')
    expect(manifest.kinds).toEqual(['registry', 'dataset'])
    expect((await privacy.registries.list()).total).toBe(0)
    expect(await privacy.manifests.apply(manifest)).toMatchObject({
      registry: { succeeded: [{ service_key: 'main' }], failed: [] },
      dataset: { succeeded: [], failed: [] },
    })
    expect(await privacy.manifests.read(manifest)).toBe(manifest)
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
