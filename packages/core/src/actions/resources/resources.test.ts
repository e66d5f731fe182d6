import { describe, expect, test } from 'vitest'
import { settle, setUp } from '../../../test/fixtures/resource-service.js'
import { memoryStorage } from '../../builtin/memory-storage.js'
import type { Storage } from '../../ports/storage.js'

describe('writing', () => {
  test('create returns the resource, its times, findings and warnings', async () => {
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
      warnings: [{ loc: ['egres'], msg: "is not known here and was ignored: the nearest known name is 'egress'" }],
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

  test('patch without a key finds the resource by its name, and creates a missing one', async () => {
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

  test('the result of get can be changed and handed back', async () => {
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

  test('exactly one of 50 callers that create one key at once succeeds; of 50 that put it all do', async () => {
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

describe('built-in documents', () => {
  test('exist, are counted, editable and not deletable', async () => {
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

  test('are stored once, by however many processes at once, and an edit in one survives the start of another', async () => {
    const storage = memoryStorage()
    const services = Array.from({ length: 10 }, () => setUp({}, storage))
    await Promise.all(services.map(({ dataUses }) => dataUses.list()))
    await setUp({}, storage).dataUses.patch({ service_key: 'advertising', name: 'Counting' })
    const later = setUp({}, storage)
    expect((await later.dataUses.get('advertising')).name).toBe('Counting')
    expect((await later.dataUses.list()).total).toBe(23)
  })

  test('are stored again after the storage failed', async () => {
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
