import { afterEach, describe, expect, it } from 'vitest'
import { createPrivacyService, memoryBlobs, memoryStorage, type PrivacyServiceOptions } from '../../index.js'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

function setUp(evaluateWrites: PrivacyServiceOptions['evaluateWrites'], storage = memoryStorage()) {
  const encryptionKey = Buffer.alloc(32).toString('base64')
  const privacy = createPrivacyService({ encryptionKey, logger: false, evaluateWrites, storage, blobs: memoryBlobs() })
  open.push(privacy)
  return privacy
}

const dataset = {
  service_key: 'shop',
  collections: [{ name: 'orders', fields: [{ name: 'id' }, { name: 'card', data_categories: ['user.payment'] }] }],
}
const harmless = { ...dataset, collections: [{ name: 'orders', fields: [{ name: 'id' }] }] }
const ads = { data_use: 'advertising', dataset_references: ['shop'] }
const system = { service_key: 'web', system_type: 'Service', privacy_declarations: [{ data_use: 'improve' }, ads] }
const policy = {
  service_key: 'no_payment_ads',
  rules: [
    { service_key: 'other', data_uses: { values: ['train_ai_system'] } },
    { service_key: 'payment', data_categories: { values: ['user.payment'] }, data_uses: { values: ['advertising'] } },
  ],
}
const violations = ({ findings }: { findings: readonly { type: string; loc: unknown }[] }) =>
  findings.filter(({ type }) => type === 'policy_violation').map(({ loc }) => loc)

describe("evaluateWrites: 'findings'", () => {
  it('names the violations in the answer of the write that makes them', async () => {
    const privacy = setUp('findings')
    expect(violations(await privacy.systems.put(system))).toEqual([])
    expect(violations(await privacy.datasets.put(dataset))).toEqual([])
    expect(violations(await privacy.policies.put(policy))).toEqual([['no_payment_ads', 'rules', 1]])
    const written = await privacy.datasets.put(dataset)
    expect(violations(written)).toEqual([['shop', 'orders', 'card']])
    expect(violations({ findings: await privacy.datasets.findings('shop') })).toEqual([['shop', 'orders', 'card']])
    expect(violations(await privacy.systems.put(system))).toEqual([['web', 'privacy_declarations', 1]])
    const { findings } = written
    expect(findings.find(({ type }) => type === 'policy_violation')).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining("in field 'shop:orders.card', which rule 'payment' of policy 'no_payment_ads'"),
    })
  })

  it('answers without the violations in which the document has no part', async () => {
    const privacy = setUp('findings')
    await privacy.systems.put(system)
    await privacy.datasets.put(dataset)
    await privacy.policies.put(policy)
    expect(violations(await privacy.datasets.put({ ...dataset, service_key: 'other' }))).toEqual([])
    const other = { ...system, service_key: 'other', privacy_declarations: [{ data_use: 'improve' }] }
    expect(violations(await privacy.systems.put(other))).toEqual([])
    expect(violations(await privacy.policies.put({ service_key: 'other', rules: policy.rules.slice(0, 1) }))).toEqual(
      [],
    )
  })

  it('names what datasets hold together with others, in the one that is written', async () => {
    const privacy = setUp('findings')
    const holding = (service_key: string, category: string) => ({
      service_key,
      collections: [{ name: 'c', fields: [{ name: 'f', data_categories: [category] }] }],
    })
    await privacy.policies.put({
      service_key: 'apart',
      rules: [{ name: 'apart', data_categories: { matches: 'ALL', values: ['user.payment', 'user.contact'] } }],
    })
    await privacy.systems.put({
      ...system,
      privacy_declarations: [{ data_use: 'improve', dataset_references: ['cards', 'people'] }],
    })
    expect(violations(await privacy.datasets.put(holding('cards', 'user.payment')))).toEqual([])
    expect(violations(await privacy.datasets.put(holding('people', 'user.contact.email')))).toEqual([['people']])
    expect(violations(await privacy.datasets.put(holding('others', 'user.contact.email')))).toEqual([])
    const { status, violations: found } = await privacy.policies.evaluate('apart')
    expect(status).toBe('FAIL')
    expect(found.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("in datasets 'cards', 'people' together"),
    ])
  })

  it('names 100, and counts the others', async () => {
    const privacy = setUp('findings')
    await privacy.policies.put(policy)
    const fields = Array.from({ length: 130 }, (_, at) => ({ name: `f${at}`, data_categories: ['user.payment'] }))
    await privacy.datasets.put({ service_key: 'shop', collections: [{ name: 'orders', fields }] })
    const { findings } = await privacy.systems.put(system)
    expect(findings).toHaveLength(101)
    expect(findings.at(-1)).toMatchObject({
      loc: ['web'],
      message: "There are 30 more violations of policies that system 'web' is part of: evaluate the policies.",
    })
  })

  it('tells of a manifest what holds once all of it is stored', async () => {
    const privacy = setUp('findings')
    const manifest = { system: [{ ...system, egress: [{ service_key: 'parcels' }] }], dataset, policy }
    const applied = await privacy.manifests.apply(manifest)
    expect(applied.system?.succeeded.flatMap(violations)).toEqual([['web', 'privacy_declarations', 1]])
    expect(applied.policy?.succeeded.flatMap(violations)).toEqual([['no_payment_ads', 'rules', 1]])
  })
})

describe('the documents of a manifest', () => {
  async function readsOfSystems(datasets: number): Promise<number> {
    const storage = memoryStorage()
    let reads = 0
    const counted: typeof storage = {
      ...storage,
      table(kind) {
        const table = storage.table(kind)
        if (kind !== 'system') return table
        return {
          ...table,
          find(...query) {
            reads++
            return table.find(...query)
          },
        }
      },
    }
    const privacy = setUp('findings', counted)
    await privacy.policies.put(policy)
    await privacy.systems.put(system)
    reads = 0
    const all = Array.from({ length: datasets }, (_, at) => ({
      ...dataset,
      service_key: at === 0 ? 'shop' : `shop_${at}`,
    }))
    const { dataset: outcome } = await privacy.manifests.apply({ dataset: all })
    expect(outcome?.succeeded).toHaveLength(datasets)
    expect(outcome?.succeeded.flatMap(violations)).toEqual([['shop', 'orders', 'card']])
    return reads
  }

  it('are evaluated with one reading of what is stored', async () => {
    expect(await readsOfSystems(20)).toBe(await readsOfSystems(2))
  })
})

describe("evaluateWrites: 'strict'", () => {
  const refusal = (write: Promise<unknown>) =>
    write.then(
      () => 'nothing refused',
      (error) => error.details.issues,
    )

  it('refuses a system, naming the declaration', async () => {
    const privacy = setUp('strict')
    await privacy.datasets.put(dataset)
    await privacy.policies.put(policy)
    const issues = await refusal(privacy.systems.put(system))
    expect(issues).toEqual([
      {
        loc: ['privacy_declarations', 1],
        type: 'policy_violation',
        msg: expect.stringMatching(/^is part of a violation: Declaration/),
      },
    ])
    await expect(privacy.systems.get('web')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('refuses a dataset, naming the field', async () => {
    const privacy = setUp('strict')
    await privacy.datasets.put(harmless)
    await privacy.systems.put(system)
    await privacy.policies.put(policy)
    expect(await refusal(privacy.datasets.put(dataset))).toMatchObject([{ loc: ['collections', 0, 'fields', 1] }])
    expect(await refusal(privacy.datasets.validate(dataset))).toMatchObject([{ loc: ['collections', 0, 'fields', 1] }])
    expect(await privacy.datasets.get('shop')).toMatchObject(harmless)
  })

  it('refuses a policy, naming the rule', async () => {
    const privacy = setUp('strict')
    await privacy.datasets.put(dataset)
    await privacy.systems.put(system)
    expect(await refusal(privacy.policies.put(policy))).toMatchObject([{ loc: ['rules', 1] }])
  })
})

describe("a manifest with evaluateWrites: 'strict'", () => {
  const told = async (privacy: ReturnType<typeof setUp>, manifest: object) => {
    const check = await privacy.manifests.validate(manifest)
    const applied = await privacy.manifests.apply(manifest)
    const failuresOf = (outcome: object) =>
      Object.entries(outcome as typeof applied).flatMap(([kind, { failed }]) =>
        failed.map(({ data, errors }) => [kind, data.service_key, errors?.[0]?.loc]),
      )
    expect(failuresOf(check)).toEqual(failuresOf(applied))
    return failuresOf(applied)
  }
  const relaxed = { ...policy, rules: policy.rules.slice(0, 1) }

  it('is stored where it mends what is stored, whatever the order of its documents', async () => {
    const privacy = setUp('strict')
    await privacy.datasets.put(dataset)
    await privacy.policies.put(policy)
    expect(await told(privacy, { system, dataset: harmless })).toEqual([])
    expect(await privacy.systems.get('web')).toMatchObject(system)
    expect(await told(privacy, { dataset, policy: relaxed })).toEqual([])
    expect(await privacy.datasets.get('shop')).toMatchObject(dataset)
  })

  it('knows its own part of the taxonomy', async () => {
    const privacy = setUp('strict')
    const bonus = [{ name: 'orders', fields: [{ name: 'points', data_categories: ['bonus'] }] }]
    const manifest = {
      data_category: { service_key: 'bonus', parent_key: 'user.payment' },
      system,
      dataset: { ...dataset, collections: bonus },
      policy,
    }
    expect(await told(privacy, manifest)).toEqual([['policy', 'no_payment_ads', ['policy', 'rules', 1]]])
  })

  it('is stored but for the document of a violation that is written last', async () => {
    const privacy = setUp('strict')
    expect(await told(privacy, { policy, dataset, system })).toEqual([
      ['policy', 'no_payment_ads', ['policy', 'rules', 1]],
    ])
    expect(await privacy.systems.get('web')).toMatchObject(system)
    expect(await told(privacy, { policy: relaxed })).toEqual([])
    await privacy.datasets.put(harmless)
    await privacy.policies.put(policy)
    expect(await told(privacy, { system, dataset })).toEqual([
      ['dataset', 'shop', ['dataset', 'collections', 0, 'fields', 1]],
    ])
    expect(await privacy.datasets.get('shop')).toMatchObject(harmless)
  })

  it('refuses what rests on a document that is refused itself', async () => {
    const privacy = setUp('strict')
    await privacy.datasets.put(dataset)
    await privacy.policies.put({ ...policy, rules: policy.rules.slice(1) })
    const training = [{ data_use: 'train_ai_system' }]
    const train = { service_key: 'train', system_type: 'Service', privacy_declarations: training }
    expect(await told(privacy, { system: [system, train], policy: relaxed })).toEqual([
      ['system', 'web', ['system', 0, 'privacy_declarations', 1]],
      ['policy', 'no_payment_ads', ['policy', 'rules', 0]],
    ])
    expect((await privacy.systems.list()).items.map(({ service_key: key }) => key)).toEqual(['train'])
  })

  it('passes over documents that are refused for another reason', async () => {
    const privacy = setUp('strict')
    await privacy.datasets.put(dataset)
    await privacy.policies.put(policy)
    expect(await told(privacy, { system, dataset: { ...harmless, third_country_transfers: ['XX'] } })).toEqual([
      ['system', 'web', ['system', 'privacy_declarations', 1]],
      ['dataset', 'shop', ['dataset', 'third_country_transfers', 0]],
    ])
  })
})

it('without the option writes are not evaluated', async () => {
  const privacy = setUp(undefined)
  await privacy.datasets.put(dataset)
  await privacy.systems.put(system)
  expect(violations(await privacy.policies.put(policy))).toEqual([])
})
