import { readFileSync } from 'node:fs'
import { URL } from 'node:url'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { createPrivacyService, schemas } from '../src/index.js'
import { defaultPolicies } from '../src/model/policy.js'
import { documentedMembers, expectMembers } from './fixtures/documented-members.js'
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
  const [categories = '', submitted = '', , , previewed = ''] = await readmeExamples(page)
  await runExample(categories, { privacy, console: { log: (key: string) => told.push(key) } })
  expect(told.splice(0)).toContain('user.contact.email')
  expect(await privacy.dataCategories.get('user.loyalty.points')).toMatchObject({ parent_key: 'user.loyalty' })
  await runExample(submitted, { privacy })
  await runExample(previewed, { privacy, console: { log: (text: string) => told.push(text) } })
  const { items } = await privacy.requests.list()
  expect(items).toMatchObject([{ policyKey: 'close_account', dueDate: expect.any(String) }])
  expect(told).toEqual([expect.stringContaining('shop:customer')])
  await privacy.close()
})

it('runs the examples of evaluations', async () => {
  const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32).toString('base64') })
  const fields = [{ name: 'card', data_categories: ['user.payment'] }]
  await privacy.datasets.put({ service_key: 'shop', collections: [{ name: 'orders', fields }] })
  const newsletter = {
    name: 'Newsletter',
    data_categories: ['user.contact.email'],
    data_use: 'advertising.first_party',
    data_subjects: ['customer'],
    dataset_references: ['shop'],
  }
  await privacy.systems.put({ service_key: 'web_shop', system_type: 'Service', privacy_declarations: [newsletter] })
  const told: unknown[][] = []
  const given = { privacy, console: { log: (...each: unknown[]) => told.push(each) } }
  const [, , evaluated = '', listed = ''] = (await readmeExamples(page)).filter((code) => !code.includes('preview'))
  await runExample(evaluated, given)
  const [[status], ...details] = told.splice(0) as [[string], ...string[][]]
  expect(status).toBe('FAIL')
  expect(details.flat()).toHaveLength(3)
  const quoted = readFileSync(page, 'utf8')
    .match(/(?<=^> ).*$/gm)
    ?.join(' ')
  expect(details.flat()).toContain(quoted)
  await runExample(listed, given)
  const { items } = await privacy.evaluations.list()
  expect(told).toMatchObject([[items[0]?.id, items[0]?.createdAt, 3], [[{ key: 'web_shop', version: 1 }]]])
  await privacy.close()
})

it('says what the default policies ask for', () => {
  expect(defaultPolicies.map(({ service_key, rules }) => [service_key, rules])).toMatchObject([
    ['default_access_policy', [{ action_type: 'access', data_categories: { values: ['user'] }, format: ['json'] }]],
    ['default_erasure_policy', [{ action_type: 'erasure', data_categories: { values: ['user'] } }]],
  ])
})

it('names every member of a policy, and how much of a taxonomy there is', async () => {
  const text = readFileSync(page, 'utf8')
  const dimension = 'rules[].data_categories'
  expectMembers(schemas.policy, documentedMembers(text, 'policy'), {
    same: { 'rules[].data_uses': dimension, 'rules[].data_subjects': dimension },
    elsewhere: ['rules[].masking_strategy'],
  })
  const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32).toString('base64') })
  const totals = await Promise.all(
    [privacy.dataCategories, privacy.dataUses, privacy.dataSubjects, privacy.dataQualifiers].map(
      async (resource) => (await resource.list()).total,
    ),
  )
  const [categories, uses, subjects, qualifiers] = totals
  const sentence = `${categories} categories, ${uses} data uses, ${subjects} data subjects and ${qualifiers} data qualifiers`
  expect(text).toContain(sentence)
  await privacy.close()
})
