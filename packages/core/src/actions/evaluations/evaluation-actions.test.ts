import { afterEach, describe, expect, it } from 'vitest'
import { canonicalHash } from '../../crypto/canonical-hash.js'
import { createPrivacyService, memoryBlobs, memoryStorage, type PrivacyServiceOptions } from '../../index.js'
import { parseDataset } from '../../model/dataset.js'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

function setUp(options: PrivacyServiceOptions = {}) {
  const storage = memoryStorage()
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32).toString('base64'),
    storage,
    blobs: memoryBlobs(),
    logger: false,
    ...options,
  })
  open.push(privacy)
  return { privacy, storage }
}

const shop = {
  service_key: 'shop',
  collections: [
    {
      name: 'orders',
      fields: [{ name: 'id' }, { name: 'card', data_categories: ['user.payment'] }],
    },
  ],
}
const webShop = {
  service_key: 'web_shop',
  system_type: 'Service',
  privacy_declarations: [
    { name: 'Orders', data_categories: ['user.name'], data_use: 'provide.service', dataset_references: ['shop'] },
    { name: 'Ads', data_categories: ['user.name'], data_use: 'advertising.first_party', dataset_references: ['shop'] },
  ],
}
const noPaymentAds = {
  service_key: 'no_payment_ads',
  rules: [
    {
      service_key: 'payment',
      data_categories: { values: ['user.payment'] },
      data_uses: { values: ['advertising'] },
    },
  ],
}

async function described(options: PrivacyServiceOptions = {}) {
  const { privacy, storage } = setUp(options)
  await privacy.datasets.put(shop)
  await privacy.systems.put(webShop)
  await privacy.policies.put(noPaymentAds)
  return { privacy, storage }
}

describe('policies.evaluate', () => {
  it('finds what a declaration and its datasets do against a policy', async () => {
    const { privacy } = await described()
    const evaluation = await privacy.policies.evaluate('no_payment_ads')
    expect(evaluation).toMatchObject({
      policyKey: 'no_payment_ads',
      status: 'FAIL',
      violationCount: 1,
      createdBy: 'host',
      warnings: [],
      violations: [
        {
          policy: 'no_payment_ads',
          rule: 'payment',
          system: 'web_shop',
          declaration: 'Ads',
          dataset: 'shop',
          collection: 'orders',
          field: 'card',
          dataCategories: ['user.payment'],
          dataUses: ['advertising.first_party'],
          dataSubjects: [],
        },
      ],
    })
  })

  it('passes when nothing is prohibited', async () => {
    const { privacy } = await described()
    await privacy.systems.patch({
      service_key: 'web_shop',
      privacy_declarations: webShop.privacy_declarations.slice(0, 1),
    })
    expect(await privacy.policies.evaluate('no_payment_ads')).toMatchObject({ status: 'PASS', violations: [] })
  })

  it('knows categories and uses of the host, and their parents', async () => {
    const { privacy } = await described()
    await privacy.dataCategories.put({ service_key: 'bonus', parent_key: 'user.payment' })
    await privacy.dataUses.put({ service_key: 'flyers', parent_key: 'advertising' })
    const fields = [{ name: 'points', data_categories: ['bonus'] }]
    await privacy.datasets.put({ service_key: 'shop', collections: [{ name: 'loyalty', fields }] })
    await privacy.systems.patch({
      service_key: 'web_shop',
      privacy_declarations: [{ data_use: 'flyers', dataset_references: ['shop'] }],
    })
    const { violations } = await privacy.policies.evaluate('no_payment_ads')
    expect(violations).toMatchObject([{ field: 'points', dataCategories: ['bonus'], dataUses: ['flyers'] }])
  })

  it('says which version of each document it rests on', async () => {
    const { privacy, storage } = await described()
    await privacy.systems.patch({ service_key: 'web_shop', description: 'Another version.' })
    const { evaluated } = await privacy.policies.evaluate('no_payment_ads')
    const hashOf = async (kind: 'policy' | 'system' | 'dataset', key: string) =>
      canonicalHash((await storage.table(kind).get(key))?.document)
    expect(evaluated).toEqual({
      policy: { key: 'no_payment_ads', version: 1, hash: await hashOf('policy', 'no_payment_ads') },
      systems: [{ key: 'web_shop', version: 2, hash: await hashOf('system', 'web_shop') }],
      datasets: [{ key: 'shop', version: 1, hash: await hashOf('dataset', 'shop') }],
      taxonomyHash: expect.any(String),
    })
    await privacy.dataCategories.put({ service_key: 'bonus', parent_key: 'user.payment' })
    const later = (await privacy.policies.evaluate('no_payment_ads')).evaluated
    expect(later).toEqual({ ...evaluated, taxonomyHash: later.taxonomyHash })
    expect(later.taxonomyHash).not.toBe(evaluated.taxonomyHash)
  })

  it('names keys that do not exist, and gives no verdict', async () => {
    const { privacy } = await described()
    await privacy.policies.patch({
      service_key: 'no_payment_ads',
      rules: [
        { service_key: 'a', data_categories: { values: ['user.paymnet'] } },
        { service_key: 'b', action_type: 'access', data_categories: { values: ['user.whatever'] } },
      ],
    })
    await privacy.datasets.put({ ...shop, data_qualifiers: ['agregated'] })
    await privacy.systems.put({
      ...webShop,
      privacy_declarations: [{ data_use: 'fun', data_subjects: ['martian'], dataset_references: ['shop', 'shopp'] }],
      egress: [{ service_key: 'nobody', data_categories: ['user.nothing'] }],
    })
    const refusal = await privacy.policies.evaluate('no_payment_ads').catch((error) => error)
    expect(refusal).toMatchObject({ code: 'conflict', details: { kind: 'policy', id: 'no_payment_ads' } })
    expect(refusal.message).toMatch(/^Policy 'no_payment_ads' cannot be evaluated, because 5 keys that it rests on/)
    for (const named of [
      "rules[0].data_categories.values[0] of policy 'no_payment_ads' names the data category 'user.paymnet'",
      "The nearest known key is 'user.payment'",
      "privacy_declarations[0].data_use of system 'web_shop' names the data use 'fun'",
      "the data subject 'martian'",
      "dataset 'shop' names the data qualifier 'agregated'",
      "names the dataset 'shopp', which does not exist",
    ])
      expect(refusal.message).toContain(named)
    for (const other of ['user.whatever', 'nobody', 'user.nothing']) expect(refusal.message).not.toContain(other)
    expect(await privacy.evaluations.list()).toMatchObject({ total: 0 })
  })

  it('names 20 such keys, and counts the others', async () => {
    const { privacy } = await described()
    const data_categories = Array.from({ length: 25 }, (_, at) => `unknown_${at}`)
    await privacy.systems.put({ ...webShop, privacy_declarations: [{ data_categories }] })
    await expect(privacy.policies.evaluate('no_payment_ads')).rejects.toThrow(/'unknown_19'.* There are 5 more\.$/)
  })

  it('looks only at the systems that are named, and at those of a registry', async () => {
    const { privacy } = await described()
    await privacy.registries.put({ service_key: 'sales' })
    await privacy.systems.put({ ...webShop, service_key: 'app', registry_service_key: 'sales' })
    await privacy.systems.put({ ...webShop, service_key: 'till' })
    const systemsOf = async (input: object) =>
      (await privacy.policies.evaluate('no_payment_ads', input)).evaluated.systems.map(({ key }) => key)
    expect(await systemsOf({})).toEqual(['app', 'till', 'web_shop'])
    expect(await systemsOf({ systems: ['till'] })).toEqual(['till'])
    expect(await systemsOf({ registries: ['sales'] })).toEqual(['app'])
    expect(await systemsOf({ systems: ['till'], registries: ['sales'] })).toEqual(['app', 'till'])
  })

  it('refuses unknown systems, registries and members', async () => {
    const { privacy } = await described()
    const issuesOf = async (input: object) =>
      (await privacy.policies.evaluate('no_payment_ads', input).catch((error) => error)).details.issues
    expect(await issuesOf({ systems: ['web_shop', 'x'], registries: ['y'] })).toEqual([
      { loc: ['systems', 1], msg: "names the system 'x', which does not exist", type: 'unknown_key' },
      { loc: ['registries', 0], msg: "names the registry 'y', which does not exist", type: 'unknown_key' },
    ])
    await privacy.registries.put({ service_key: 'sales' })
    expect(await issuesOf({ systems: ['web_shopp'], registries: ['sale'] })).toMatchObject([
      { msg: "names the system 'web_shopp', which does not exist: the nearest known name is 'web_shop'" },
      { msg: "names the registry 'sale', which does not exist: the nearest known name is 'sales'" },
    ])
    expect(await issuesOf({ system: ['web_shop'] })).toMatchObject([{ loc: ['system'], type: 'unknown_member' }])
    expect(await issuesOf({ systems: [], registries: [] })).toMatchObject([
      { loc: ['systems'], msg: 'must name some, or be left out', type: 'too_small' },
      { loc: ['registries'], msg: 'must name some, or be left out', type: 'too_small' },
    ])
    expect(await privacy.evaluations.list()).toMatchObject({ total: 0 })
  })

  it('warns of what the policy can say nothing about', async () => {
    const { privacy } = setUp()
    const warningsOf = async (key: string, input?: object) =>
      (await privacy.policies.evaluate(key, input)).warnings.map(({ msg }) => msg)
    expect(await warningsOf('default_access_policy')).toEqual([
      expect.stringContaining("Policy 'default_access_policy' prohibits nothing"),
      expect.stringContaining('No system is described'),
    ])
    await privacy.datasets.put(shop)
    await privacy.systems.put({ service_key: 'empty', system_type: 'Service' })
    await privacy.systems.put({ service_key: 'vague', system_type: 'Service', privacy_declarations: [{}] })
    await privacy.policies.put({
      service_key: 'p',
      rules: [
        { service_key: 'nothing' },
        { service_key: 'any', data_uses: { values: [] } },
        { service_key: 'other', data_subjects: { matches: 'OTHER', values: [] } },
        { service_key: 'categories', data_categories: { values: ['user'] } },
      ],
    })
    expect(await warningsOf('p')).toEqual([
      expect.stringContaining("Rule 'nothing' of policy 'p' names no data_categories, data_uses,"),
      expect.stringContaining("Rule 'any' of policy 'p' has no values in data_uses, so it prohibits nothing"),
      expect.stringContaining("Rule 'other' of policy 'p' has no values in data_subjects, so OTHER of nothing matches"),
      expect.stringContaining('One dataset is not evaluated'),
      expect.stringContaining("System 'empty' has no privacy declaration"),
      expect.stringContaining("'privacy_declarations[0]' of system 'vague' has no data_use"),
      expect.stringContaining("'privacy_declarations[0]' of system 'vague' has no data_subjects"),
      expect.stringContaining("'privacy_declarations[0]' of system 'vague' has no data_categories"),
    ])
    expect(await warningsOf('p', { systems: ['empty'] })).not.toContainEqual(expect.stringContaining('One dataset'))
  })

  it('counts data of which nothing is said as identified, in a declaration and in its datasets', async () => {
    const { privacy } = setUp()
    await privacy.policies.put({
      service_key: 'p',
      rules: [
        {
          service_key: 'customers_only_for_orders',
          data_uses: { matches: 'NONE', values: ['provide'] },
          data_subjects: { values: ['customer'] },
          data_qualifier: 'aggregated.anonymized.unlinked_pseudonymized.pseudonymized',
        },
      ],
    })
    const placesOf = async (dataset_references: readonly string[], fields: readonly { readonly name: string }[]) => {
      await privacy.datasets.put({ service_key: 'shop', collections: [{ name: 'users', fields }] })
      const ads = { name: 'Ads', data_use: 'advertising', data_subjects: ['customer'], dataset_references }
      await privacy.systems.put({ service_key: 's', system_type: 'Service', privacy_declarations: [ads] })
      const { status, violations } = await privacy.policies.evaluate('p')
      return [status, violations.map(({ dataset }) => dataset)]
    }
    const silent = { name: 'email' }
    const aggregated = { name: 'sum', data_qualifier: 'aggregated' }
    expect(await placesOf([], [silent])).toEqual(['FAIL', [undefined]])
    expect(await placesOf(['shop'], [silent])).toEqual(['FAIL', ['shop']])
    expect(await placesOf(['shop'], [silent, aggregated])).toEqual(['FAIL', ['shop']])
    expect(await placesOf(['shop'], [aggregated])).toEqual(['PASS', []])
  })

  it('warns of a registry that has no system', async () => {
    const { privacy } = await described()
    await privacy.registries.put({ service_key: 'sales' })
    await privacy.registries.put({ service_key: 'later' })
    await privacy.systems.put({ ...webShop, service_key: 'app', registry_service_key: 'sales' })
    const warningsOf = async (registries: readonly string[]) =>
      (await privacy.policies.evaluate('no_payment_ads', { registries })).warnings
    const later = {
      loc: ['registry', 'later'],
      msg: "Registry 'later' has no system, so nothing of it was evaluated: name it in the registry_service_key of its systems.",
    }
    expect(await warningsOf(['later'])).toEqual([later])
    expect(await warningsOf(['sales', 'later'])).toEqual([later])
    expect(await warningsOf(['sales'])).toEqual([])
  })

  it('warns of a declaration whose datasets have no categories either', async () => {
    const { privacy } = await described()
    const warningsOf = async () =>
      (await privacy.policies.evaluate('no_payment_ads')).warnings.map(({ loc, msg }) => [loc, msg])
    const [, ads] = webShop.privacy_declarations
    await privacy.systems.put({ ...webShop, privacy_declarations: [{ ...ads, data_categories: [] }] })
    expect(await warningsOf()).toEqual([])
    await privacy.datasets.put({ service_key: 'shop', collections: [{ name: 'orders', fields: [{ name: 'card' }] }] })
    expect(await warningsOf()).toEqual([
      [
        ['system', 'web_shop', 'privacy_declarations', 0, 'data_categories'],
        "Declaration 'Ads' of system 'web_shop' has no data_categories, nor has a dataset that it refers to, so no rule that names any matches it: add data_categories to it or to its datasets.",
      ],
    ])
  })

  it('warns of a key that is wider than a prohibited one, and passes', async () => {
    const { privacy } = setUp()
    await privacy.policies.put({
      service_key: 'p',
      rules: [{ service_key: 'r', data_categories: { values: ['bonus'] }, data_uses: { values: ['provide'] } }],
    })
    await privacy.dataCategories.put({ service_key: 'bonus', parent_key: 'user.payment' })
    const declared = async (declaration: object) => {
      await privacy.systems.put({ service_key: 's', system_type: 'Service', privacy_declarations: [declaration] })
      const { status, warnings } = await privacy.policies.evaluate('p')
      return [status, warnings]
    }
    const provide = { name: 'Serve', data_use: 'provide', data_categories: ['user'] }
    const msg =
      "Declaration 'Serve' of system 's' declares 'user', which includes the prohibited 'bonus' of rule 'r' of policy 'p': declare the narrower ones, so that the policy can decide."
    const loc = ['system', 's', 'privacy_declarations', 0, 'data_categories']
    expect(await declared(provide)).toEqual(['PASS', [{ loc, msg }]])
    expect(await declared({ ...provide, data_categories: ['user', 'bonus'] })).toEqual(['FAIL', []])
    expect(await declared({ ...provide, data_use: 'advertising' })).toEqual(['PASS', []])

    const fields = [{ name: 'id' }, { name: 'notes', data_categories: ['user'] }]
    await privacy.datasets.put({ service_key: 'shop', collections: [{ name: 'c', fields }] })
    const held = { ...provide, data_categories: [], dataset_references: ['shop'] }
    expect(await declared(held)).toMatchObject([
      'PASS',
      [
        {
          loc: ['dataset', 'shop', 'collections', 0, 'fields', 1, 'data_categories'],
          msg: expect.stringContaining("uses 'user' in field 'shop:c.notes', which includes the prohibited 'bonus'"),
        },
      ],
    ])
  })

  it('rejects with not_found for an unknown policy', async () => {
    const { privacy } = setUp()
    await expect(privacy.policies.evaluate('none')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('holds 1,000 violations, counts all of them, and lets other work go on meanwhile', async () => {
    const { privacy, storage } = await described()
    const fields = Array.from({ length: 100 }, (_, at) => ({ name: `f${at}`, data_categories: ['user.payment'] }))
    const keys = Array.from({ length: 400 }, (_, at) => `d${at}`)
    const at = new Date().toISOString()
    await storage.table('dataset').insertMany(
      keys.map((id) => ({
        id,
        version: 1,
        document: parseDataset({ service_key: id, collections: [{ name: 'c', fields }] }).value,
        connectionKey: null,
        searchText: id,
        createdAt: at,
        updatedAt: at,
      })),
    )
    const [, ads] = webShop.privacy_declarations
    await privacy.systems.put({ ...webShop, privacy_declarations: [{ ...ads, dataset_references: keys }] })
    let turns = 0
    const turn = () => {
      turns++
      again = setImmediate(turn)
    }
    let again = setImmediate(turn)
    const evaluation = await privacy.policies.evaluate('no_payment_ads')
    clearImmediate(again)
    expect(evaluation).toMatchObject({ status: 'FAIL', violationCount: 40_000 })
    expect(evaluation.violations).toHaveLength(1_000)
    expect(turns).toBeGreaterThan(2)
  })
})

describe('evaluations', () => {
  it('are stored, listed with the newest first, and read', async () => {
    const { privacy } = await described()
    const failed = await privacy.policies.evaluate('no_payment_ads', {}, { caller: 'client_1' })
    const passed = await privacy.policies.evaluate('default_access_policy')
    const { violations: _, warnings: __, evaluated: ___, ...summary } = failed
    const { items } = await privacy.evaluations.list()
    expect(items.map(({ id }) => id).sort()).toEqual([failed.id, passed.id].sort())
    expect(items).toContainEqual(summary)
    expect(summary.createdBy).toBe('client_1')
    expect((await privacy.evaluations.list({ status: 'FAIL' })).items).toEqual([summary])
    expect((await privacy.evaluations.list({ policyKey: 'no_payment_ads' })).items).toEqual([summary])
    expect(await privacy.evaluations.get(failed.id)).toEqual(failed)
  })

  it('stay as they are when the documents change', async () => {
    const { privacy } = await described()
    const { id } = await privacy.policies.evaluate('no_payment_ads')
    await privacy.systems.remove('web_shop')
    await privacy.policies.remove('no_payment_ads')
    expect(await privacy.evaluations.get(id)).toMatchObject({ status: 'FAIL', violationCount: 1 })
  })

  it('are removed by whom the audit trail names', async () => {
    const { privacy, storage } = await described()
    const { id } = await privacy.policies.evaluate('no_payment_ads')
    await privacy.evaluations.remove(id, { caller: 'client_1' })
    const { items } = await privacy.audit.list({ subject: `evaluation:${id}` })
    expect(items).toMatchObject([
      { action: 'evaluation_removed', actor: 'client_1', detail: { policy: 'no_payment_ads', status: 'FAIL' } },
    ])
    expect(await storage.table('evaluationDetail').find()).toEqual([])
    await expect(privacy.evaluations.get(id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(privacy.evaluations.remove(id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(privacy.evaluations.get('no key')).rejects.toThrow('There is no evaluation with this id.')
  })

  it('are listed by known statuses only', async () => {
    const { privacy } = setUp()
    const list = (options: object) => privacy.evaluations.list(options).catch((error) => error.details.issues)
    expect(await list({ status: 'PASSED', size: 0 })).toMatchObject([{ loc: ['size'] }, { loc: ['status'] }])
    expect(await list({ policyKey: '\ud800' })).toMatchObject([{ loc: ['policyKey'] }])
  })
})
