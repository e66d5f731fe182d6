import { afterAll, expect, it } from 'vitest'
import { createPrivacyService, memoryBlobs, memoryStorage } from '../../src/index.js'

/**
 * What the samples of other tools hold: two systems, a dataset, and a policy that forbids advertising by contact data. There they
 * pass, and fail once the second system declares contact data. The older words are those of such files.
 */
const sample = (marketing: readonly string[], forbidden = 'advertising') => `
policy:
  - fides_key: acme_policy
    name: Our policy
    rules:
      - name: No advertising by contact data
        data_categories: { matches: ANY, values: [user.contact] }
        data_uses: { matches: ANY, values: [${forbidden}] }
        data_subjects: { matches: ANY, values: [customer] }
system:
  - fides_key: acme_analytics
    name: Analytics
    system_type: Service
    administrating_department: Research
    ingress: [{ fides_key: acme_marketing, type: system }]
    privacy_declarations:
      - name: Better pages
        data_categories: [user.contact, user.device.cookie_id]
        data_use: improve.system
        data_subjects: [customer]
        dataset_references: [acme_users]
  - fides_key: acme_marketing
    name: Marketing
    system_type: Service
    administrating_department: Sales
    egress: [{ fides_key: acme_analytics, type: system }]
    privacy_declarations:
      - name: Campaigns
        data_categories: [${marketing.join(', ')}]
        data_use: advertising
        data_subjects: [customer]
dataset:
  - fides_key: acme_users
    organization_fides_key: default_organization
    name: Users
    meta: null
    data_categories: []
    collections:
      - name: users
        data_categories: []
        fields:
          - { name: created_at, data_categories: [system.operations] }
          - { name: email, data_categories: [user.contact.email] }
          - { name: first_name, data_categories: [user.name] }
          - { name: food_preference, data_categories: [] }
          - { name: state, data_categories: [user.contact.address.state] }
          - { name: uuid, data_categories: [user.unique_id] }
`

const privacy = createPrivacyService({
  encryptionKey: Buffer.alloc(32).toString('base64'),
  storage: memoryStorage(),
  blobs: memoryBlobs(),
  logger: false,
})
afterAll(() => privacy.close())

async function apply(...changed: Parameters<typeof sample>) {
  for (const { failed } of Object.values(await privacy.manifests.apply(sample(...changed)))) expect(failed).toEqual([])
}

it('evaluates to what they say', async () => {
  await apply(['user.device.cookie_id'])
  expect(await privacy.policies.evaluate('acme_policy')).toMatchObject({ status: 'PASS', violationCount: 0 })

  await apply(['user.contact', 'user.device.cookie_id'])
  const evaluation = await privacy.policies.evaluate('acme_policy')
  expect(evaluation).toMatchObject({ status: 'FAIL', violationCount: 1 })
  expect(evaluation.violations).toMatchObject([
    { rule: 'no_advertising_by_contact_data', system: 'acme_marketing', declaration: 'Campaigns' },
  ])

  // their larger sample forbids what lies beside the use that is declared
  await apply(['user.contact'], 'advertising.third_party')
  expect(await privacy.policies.evaluate('acme_policy')).toMatchObject({ status: 'PASS', violationCount: 0 })
})

it('exports what they do, without a row for each combination', async () => {
  await apply(['user.device.cookie_id'])
  const { rows } = await privacy.dataMap.read()
  const listed = (cell: unknown): unknown[] => (Array.isArray(cell) ? cell : [cell ?? 'N/A'])
  const combined = rows.flatMap((row) =>
    listed(row.data_categories).flatMap((category) =>
      listed(row.data_subjects).map((subject) =>
        [row.system_key, row.department, row.declaration, category, row.data_use, subject, row.dataset ?? 'N/A'].join(),
      ),
    ),
  )
  expect(rows).toHaveLength(2)
  expect(combined).toEqual([
    'acme_analytics,Research,Better pages,user.contact,improve.system,customer,acme_users',
    'acme_analytics,Research,Better pages,user.device.cookie_id,improve.system,customer,acme_users',
    'acme_marketing,Sales,Campaigns,user.device.cookie_id,advertising,customer,N/A',
  ])
})
