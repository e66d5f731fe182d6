import { describe, expect, test } from 'vitest'
import { aesSecrets } from '../builtin/aes-secrets.js'
import { memoryStorage } from '../builtin/memory-storage.js'
import type { Storage } from '../ports/storage.js'
import type { ActionContext } from './context.js'
import { organizationActions } from './organizations.js'
import { policyActions } from './policies.js'
import { registryActions } from './registries.js'
import { systemActions } from './systems.js'
import { taxonomyActions } from './taxonomy.js'

function setUp(options: Partial<ActionContext['options']> = {}, storage: Storage = memoryStorage()) {
  let seconds = 0
  const context: ActionContext = {
    storage,
    secrets: aesSecrets({ keys: Buffer.alloc(32).toString('base64') }),
    runtime: {
      now: () => new Date(Date.UTC(2024, 0, 1, 0, 0, seconds++)),
      newId: () => 'id',
      randomBytes: (length) => new Uint8Array(length),
    },
    connectors: new Map(),
    options: { taxonomy: 'open', connectionTestSeconds: 1, ...options },
    connectionChanged: () => {},
  }
  return {
    context,
    storage,
    systems: systemActions(context),
    policies: policyActions(context),
    organizations: organizationActions(context),
    registries: registryActions(context),
    ...taxonomyActions(context),
  }
}

const settle = async (work: readonly Promise<unknown>[]) => {
  const results = await Promise.allSettled(work)
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  return { succeeded: results.length - failures.length, failures }
}

describe('writing', () => {
  test('create answers the resource, its times, findings and warnings', async () => {
    const { systems } = setUp()
    const written = await systems.create({ name: 'Web shop', system_type: 'Service', egres: [] })
    expect(written).toMatchObject({
      service_key: 'web_shop',
      name: 'Web shop',
      organization_service_key: 'default_organization',
      privacy_declarations: [],
      created_at: '2024-01-01T00:00:00.000Z',
      updated_at: '2024-01-01T00:00:00.000Z',
      findings: [],
      warnings: [{ loc: ['egres'], msg: 'is not known here and was ignored' }],
    })
  })

  test('create refuses a key that is taken; put replaces; patch merges', async () => {
    const { systems } = setUp()
    await systems.create({
      service_key: 'web',
      system_type: 'Service',
      description: 'old',
      egress: [{ service_key: 'crm' }],
    })
    await expect(systems.create({ service_key: 'web', system_type: 'App' })).rejects.toMatchObject({
      code: 'conflict',
      details: { kind: 'system', id: 'web' },
    })
    const patched = await systems.patch({ service_key: 'web', description: null, system_type: 'App' })
    expect(patched).toMatchObject({ system_type: 'App', egress: [{ service_key: 'crm' }] })
    expect(patched).not.toHaveProperty('description')
    expect(patched.created_at).toBe('2024-01-01T00:00:00.000Z')
    expect(patched.updated_at > patched.created_at).toBe(true)
    const put = await systems.put({ service_key: 'web', system_type: 'Other' })
    expect(put).toMatchObject({ system_type: 'Other', egress: [], created_at: patched.created_at })
  })

  test('patch without a key finds the resource by its name, and creates what is not there', async () => {
    const { registries } = setUp()
    await registries.patch({ name: 'My Registry', description: 'one' })
    expect(await registries.patch({ name: 'My registry', service_key: '' })).toMatchObject({
      service_key: 'my_registry',
      name: 'My registry',
      description: 'one',
    })
    await expect(registries.patch({})).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(registries.patch(null)).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(registries.patch({ service_key: '..' })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('what get gave can be changed and handed back', async () => {
    const { systems } = setUp()
    await systems.create({ service_key: 'web', system_type: 'Service', egress: [{ service_key: 'crm' }] })
    const system = await systems.get('web')
    system.egress[0]!.service_key = 'erp'
    const written = await systems.put(system)
    expect(written.warnings).toEqual([])
    expect((await systems.put(written)).warnings).toEqual([])
    expect((await systems.get('web')).egress[0]?.service_key).toBe('erp')
  })

  test("the ancestor's key names are read in every write, and errors name the place the caller wrote", async () => {
    const { systems } = setUp()
    await systems.create({ fides_key: 'web', system_type: 'Service' })
    const patched = await systems.patch({ fides_key: 'web', description: 'new' })
    expect(patched).toMatchObject({ service_key: 'web', description: 'new' })
    expect(patched.warnings).toEqual([{ loc: ['fides_key'], msg: 'was read as service_key' }])
    const wrong = systems.patch({ fides_key: 'web', egress: [{ fides_key: '..' }] })
    await expect(wrong).rejects.toMatchObject({ details: { issues: [{ loc: ['egress', 0, 'fides_key'] }] } })
  })

  test('of 50 that create one key at once exactly one wins; of 50 that put it all do', async () => {
    const { registries } = setUp()
    const inputs = Array.from({ length: 50 }, (_, at) => ({ service_key: 'one', description: `${at}` }))
    const created = await settle(inputs.map(registries.create))
    expect(created.succeeded).toBe(1)
    expect(created.failures.every((error) => error.code === 'conflict')).toBe(true)
    expect(await settle(inputs.map(registries.put))).toEqual({ succeeded: 50, failures: [] })
  })

  test('concurrent patches lose nothing', async () => {
    const { organizations } = setUp()
    await settle([
      organizations.patch({ service_key: 'acme', security_policy: 'a' }),
      organizations.patch({ service_key: 'acme', description: 'b' }),
      organizations.patch({ service_key: 'acme', controller: { name: 'c' } }),
    ])
    const acme = { security_policy: 'a', description: 'b', controller: { name: 'c' } }
    expect(await organizations.get('acme')).toMatchObject(acme)
  })

  test('hostile keys and members are keys and members', async () => {
    const { registries } = setUp()
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      await expect(registries.get(key)).rejects.toMatchObject({ code: 'not_found' })
      await registries.create({ service_key: key })
      expect(await registries.get(key)).toMatchObject({ service_key: key })
      await registries.remove(key)
    }
    const patch = JSON.parse('{"service_key": "a", "__proto__": {"polluted": true}}')
    await expect(registries.patch(patch)).rejects.toMatchObject({ code: 'invalid_input' })
    expect({}).not.toHaveProperty('polluted')
    for (const key of ['', '..', 'a/b', 'x'.repeat(300), undefined as never, 3 as never]) {
      await expect(registries.get(key)).rejects.toMatchObject({ code: 'not_found' })
    }
  })
})

describe('lists', () => {
  test('are paged, sorted by key, and searched over key, name and description whatever the case', async () => {
    const { registries } = setUp()
    for (const [key, name, description] of [
      ['c', 'Sales', 'all 100% of it'],
      ['a', 'HR', 'people'],
      ['b', 'Ops', 'SALES support'],
    ]) {
      await registries.create({ service_key: key, name, description })
    }
    const keys = async (options: Parameters<typeof registries.list>[0]) => {
      const { items, ...rest } = await registries.list(options)
      return { keys: items.map((item) => item.service_key), ...rest }
    }
    expect(await keys({})).toEqual({ keys: ['a', 'b', 'c'], total: 3, page: 1, size: 50, pages: 1 })
    expect(await keys({ size: 2, page: 2 })).toEqual({ keys: ['c'], total: 3, page: 2, size: 2, pages: 2 })
    expect(await keys({ page: 9 })).toMatchObject({ keys: [], total: 3 })
    expect(await keys({ search: 'sAlEs' })).toMatchObject({ keys: ['b', 'c'], total: 2 })
    expect(await keys({ search: '100%' })).toMatchObject({ keys: ['c'] })
    expect(await keys({ search: '' })).toMatchObject({ total: 3 })
  })

  test.each([
    [{ page: 0 }, 'page'],
    [{ page: 1.5 }, 'page'],
    [{ page: Number.NaN }, 'page'],
    [{ size: 0 }, 'size'],
    [{ size: 101 }, 'size'],
    [{ search: 3 as never }, 'search'],
  ])('refuse %j', async (options, name) => {
    await expect(setUp().registries.list(options)).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: [name] }] },
    })
  })
})

describe('what exists from the start', () => {
  test('is there, counted, editable and not deletable', async () => {
    const { policies, organizations, dataCategories, dataUses, dataSubjects, dataQualifiers } = setUp()
    const all = [policies, organizations, dataCategories, dataUses, dataSubjects, dataQualifiers]
    const totals = await Promise.all(all.map(async ({ list }) => (await list()).total))
    expect(totals).toEqual([2, 1, 56, 23, 15, 5])
    expect((await policies.list({ search: 'erasure' })).items.map((item) => item.service_key)).toEqual([
      'default_erasure_policy',
    ])
    await policies.patch({ service_key: 'default_access_policy', description: 'mine' })
    expect((await policies.get('default_access_policy')).description).toBe('mine')
    await dataCategories.patch({ service_key: 'user', name: 'Person' })
    expect(await dataCategories.get('user')).toMatchObject({ name: 'Person', is_default: true })
    for (const removal of [
      policies.remove('default_access_policy'),
      organizations.remove('default_organization'),
      dataCategories.remove('user.name'),
      dataQualifiers.remove('aggregated'),
    ]) {
      await expect(removal).rejects.toMatchObject({ code: 'conflict' })
    }
    await expect(policies.create({ service_key: 'default_access_policy' })).rejects.toMatchObject({ code: 'conflict' })
  })

  test('is stored once, by however many processes at once, and an edit of one survives the start of another', async () => {
    const storage = memoryStorage()
    const services = Array.from({ length: 10 }, () => setUp({}, storage))
    await Promise.all(services.map(({ dataUses }) => dataUses.list()))
    await setUp({}, storage).dataUses.patch({ service_key: 'advertising', name: 'Counting' })
    const later = setUp({}, storage)
    expect((await later.dataUses.get('advertising')).name).toBe('Counting')
    expect((await later.dataUses.list()).total).toBe(23)
  })

  test('is tried again after the storage failed', async () => {
    const storage = memoryStorage()
    let failing = true
    const table: Storage['table'] = (kind) => {
      const real = storage.table(kind)
      return { ...real, find: async (query) => (failing ? Promise.reject(new Error('away')) : real.find(query)) }
    }
    const { organizations } = setUp({}, { ...storage, table })
    await expect(organizations.get('default_organization')).rejects.toThrow('away')
    failing = false
    expect(await organizations.get('default_organization')).toMatchObject({ service_key: 'default_organization' })
  })
})

describe('removal', () => {
  test('is refused while something refers to the resource, naming it', async () => {
    const { organizations, systems, policies, dataCategories } = setUp()
    await organizations.create({ service_key: 'acme' })
    await organizations.create({ service_key: 'branch', organization_parent_key: 'acme' })
    await dataCategories.create({ service_key: 'pet' })
    await dataCategories.create({ service_key: 'pet.name' })
    await policies.create({
      service_key: 'pets',
      rules: [{ service_key: 'r', data_categories: { values: ['pet.name'] } }],
    })
    const web = { service_key: 'web', system_type: 'Service', organization_service_key: 'acme' }
    await systems.create({ ...web, privacy_declarations: [{ egress: ['crm', 'web'] }] })
    await systems.create({ service_key: 'crm', system_type: 'Service' })
    const refused = async (removal: Promise<void>, referrers: string[]) =>
      expect(removal).rejects.toMatchObject({ code: 'conflict', details: { referrers } })
    await refused(organizations.remove('acme'), ['web', 'branch'])
    await refused(systems.remove('crm'), ['web'])
    await refused(dataCategories.remove('pet'), ['pet.name'])
    await refused(dataCategories.remove('pet.name'), ['pets'])
    await expect(systems.remove('crm')).rejects.toThrow(
      "The system 'crm' cannot be deleted, because system 'web' still refers to it: change that first.",
    )
    await systems.remove('web')
    await systems.remove('crm')
    await organizations.remove('branch')
    await organizations.remove('acme')
    await policies.remove('pets')
    await dataCategories.remove('pet.name')
    await dataCategories.remove('pet')
    await expect(dataCategories.remove('pet')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of a policy waits for open requests only', async () => {
    const { policies, storage } = setUp()
    await policies.create({ service_key: 'mine' })
    const request = {
      version: 1,
      policyKey: 'mine',
      createdAt: '2024-01-01T00:00:00.000Z',
      requestedAt: '2024-01-01T00:00:00.000Z',
      acceptUnsearched: false,
      encrypted: false,
    }
    await storage.table('privacyRequest').insert({ ...request, id: 'pri_1', status: 'complete' })
    await storage.table('privacyRequest').insert({ ...request, id: 'pri_2', status: 'error' })
    await expect(policies.remove('mine')).rejects.toMatchObject({ details: { referrers: ['pri_2'] } })
    await storage.table('privacyRequest').take('pri_2')
    await policies.remove('mine')
  })

  test('by 20 at once succeeds once', async () => {
    const { registries } = setUp()
    await registries.create({ service_key: 'one' })
    const removals = await settle(Array.from({ length: 20 }, () => registries.remove('one')))
    expect(removals.succeeded).toBe(1)
    expect(removals.failures.every((error) => error.code === 'not_found')).toBe(true)
  })
})

describe('the taxonomy', () => {
  test('§3 an unknown key is a finding with the nearest known key, and refused in strict mode', async () => {
    const policy = {
      service_key: 'p',
      rules: [{ service_key: 'r', data_categories: { values: ['user', 'user.contact.emial'] } }],
    }
    const open = await setUp().policies.put(policy)
    expect(open.findings).toMatchObject([
      { type: 'unknown_taxonomy_key', loc: ['p', 'rules', 0, 'data_categories', 'values', 1] },
    ])
    expect(open.findings[0]?.message).toContain("'user.contact.email'")
    const strict = setUp({ taxonomy: 'strict' })
    await expect(strict.policies.put(policy)).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: ['rules', 0, 'data_categories', 'values', 1], type: 'unknown_taxonomy_key' }] },
    })
    const system = { service_key: 's', system_type: 'Service', privacy_declarations: [{ data_use: 'fun' }] }
    await expect(strict.systems.put(system)).rejects.toMatchObject({ code: 'invalid_input' })
    await strict.dataUses.create({ service_key: 'fun' })
    expect((await strict.systems.put(system)).findings).toEqual([])
  })

  test('an own item hangs below its prefix or its parent; a circle is refused', async () => {
    const { dataCategories, parents } = setUp()
    expect(await dataCategories.create({ service_key: 'user.pet' })).toMatchObject({
      parent_key: 'user',
      is_default: false,
      findings: [],
    })
    await dataCategories.create({ service_key: 'animal', parent_key: 'user.pet' })
    expect((await parents('dataCategory')).get('animal')).toBe('user.pet')
    await expect(dataCategories.patch({ service_key: 'user', parent_key: 'animal' })).rejects.toMatchObject({
      details: { issues: [{ loc: ['parent_key'], type: 'circle' }] },
    })
    const orphan = await dataCategories.create({ service_key: 'no.such' })
    expect(orphan.findings).toMatchObject([{ type: 'unknown_taxonomy_key', loc: ['no.such', 'parent_key'] }])
  })

  test('own categories count where erasure rules must not overlap', async () => {
    const { dataCategories, policies } = setUp()
    await dataCategories.create({ service_key: 'animal', parent_key: 'user' })
    const rule = (key: string, value: string) => ({
      service_key: key,
      action_type: 'erasure',
      data_categories: { values: [value] },
    })
    const rules = [rule('a', 'user'), rule('b', 'animal')]
    await expect(policies.put({ service_key: 'p', rules })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('a policy without rules carries a finding', async () => {
    const { findings } = await setUp().policies.put({ service_key: 'empty' })
    expect(findings).toMatchObject([{ type: 'policy_without_rules', loc: ['empty', 'rules'] }])
  })

  test('names of other resources need not exist yet', async () => {
    const { systems } = setUp({ taxonomy: 'strict' })
    const written = await systems.put({
      service_key: 'web',
      system_type: 'Service',
      organization_service_key: 'later',
      privacy_declarations: [{ dataset_references: ['soon'], egress: ['web'] }],
    })
    expect(written.findings.map(({ type }) => type)).toEqual(['unknown_organization', 'unknown_dataset'])
  })
})
