import { URL } from 'node:url'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { createPrivacyService } from '../src/index.js'
import { defaultPolicies } from '../src/model/policy.js'
import { smallShop } from './spec/small-shop.js'

const page = new URL('../../../docs/policies.md', import.meta.url)

it('runs the examples of docs/policies.md', async () => {
  const shop = smallShop()
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32).toString('base64'),
    connectors: [shop.connector],
    execution: { immediate: false },
  })
  await shop.describeTo(privacy)
  const told: string[] = []
  const [submitted = '', previewed = ''] = await readmeExamples(page)
  await runExample(submitted, { privacy })
  await runExample(previewed, { privacy, console: { log: (text: string) => told.push(text) } })
  const { items } = await privacy.requests.list()
  expect(items).toMatchObject([{ policyKey: 'close_account', dueDate: expect.any(String) }])
  expect(told).toEqual([expect.stringContaining('shop:customer')])
  await privacy.close()
})

it('tells of the default policies what they ask for', () => {
  expect(defaultPolicies.map(({ service_key, rules }) => [service_key, rules])).toMatchObject([
    ['default_access_policy', [{ action_type: 'access', data_categories: { values: ['user'] }, format: ['json'] }]],
    ['default_erasure_policy', [{ action_type: 'erasure', data_categories: { values: ['user'] } }]],
  ])
})
