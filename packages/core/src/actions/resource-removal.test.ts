import { describe, expect, test } from 'vitest'
import { settle, setUp } from '../../test/fixtures/resource-service.js'
import { parentLinks } from './resources/known-keys.js'

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

  test('of a registry waits for the systems that belong to it', async () => {
    const { registries, systems } = setUp()
    await registries.create({ service_key: 'sales' })
    await systems.create({ service_key: 'web', system_type: 'Service', registry_service_key: 'sales' })
    await expect(registries.remove('sales')).rejects.toThrow("because system 'web' still refers to it")
    const { findings } = await systems.patch({ service_key: 'web', registry_service_key: 'sale' })
    expect(findings).toMatchObject([{ type: 'unknown_registry', loc: ['web', 'registry_service_key'] }])
    await registries.remove('sales')
  })

  test('of a policy waits for open requests only', async () => {
    const { policies, storage } = setUp()
    await policies.create({ service_key: 'mine' })
    const request = {
      version: 1,
      policyKey: 'mine',
      createdAt: '2024-01-01T00:00:00.000Z',
      requestedAt: '2024-01-01T00:00:00.000Z',
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
  test('an unknown key is a finding with the nearest known key, and refused in strict mode', async () => {
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
    const { dataCategories, storage } = setUp()
    expect(await dataCategories.create({ service_key: 'user.pet' })).toMatchObject({
      parent_key: 'user',
      is_default: false,
      findings: [],
    })
    await dataCategories.create({ service_key: 'animal', parent_key: 'user.pet' })
    expect((await parentLinks(storage, 'dataCategory')).get('animal')).toBe('user.pet')
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
