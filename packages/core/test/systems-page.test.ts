import { readFileSync } from 'node:fs'
import { URL } from 'node:url'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { createPrivacyService, schemas } from '../src/index.js'
import { documentedMembers, expectMembers } from './fixtures/documented-members.js'

const page = new URL('../../../docs/systems.md', import.meta.url)

it('names every member of a system', () => {
  const rows = documentedMembers(readFileSync(page, 'utf8'), 'system')
  expectMembers(schemas.system, rows, { same: { 'ingress[]': 'egress[]' } })
})

it('runs the example of docs/data-map.md', async () => {
  const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32).toString('base64') })
  await privacy.systems.put({ service_key: 'shop', system_type: 'Service' })
  const [example = ''] = await readmeExamples(new URL('../../../docs/data-map.md', import.meta.url))
  const said: string[] = []
  const files: string[] = []
  const code = example.replace(/^import .*$/m, '')
  await runExample(code, {
    privacy,
    console: { log: (line: string) => said.push(line) },
    writeFile: async (name: string) => files.push(name),
  })
  await privacy.close()
  expect(files).toEqual(['record-of-processing-controller.xlsx'])
  expect(said.join()).toContain('Purposes')
})

it('runs the examples of docs/systems.md', async () => {
  const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32).toString('base64') })
  await privacy.datasets.put({ service_key: 'shop', collections: [{ name: 'orders', fields: [{ name: 'id' }] }] })
  const [system = '', policy = '', registry = ''] = await readmeExamples(page)
  const written: { findings: readonly { type: string }[] }[] = []
  const returning = (code: string, name: string) =>
    code.replace(`await privacy.${name}.put`, `written[written.length] = await privacy.${name}.put`)
  await runExample(returning(system, 'systems'), { privacy, written })
  await runExample(returning(policy, 'policies'), { privacy, written })
  expect(written.map(({ findings }) => findings.map(({ type }) => type))).toEqual([['unknown_system'], []])
  await privacy.systems.put({ service_key: 'parcel_service', system_type: 'Third Party' })
  await runExample(registry, { privacy })
  const { items } = await privacy.evaluations.list({ policyKey: 'stop_advertising' })
  expect(items).toMatchObject([{ status: 'PASS' }])
  await expect(privacy.registries.remove('sales')).rejects.toMatchObject({ details: { referrers: ['web_shop'] } })
  const found = (await privacy.datasets.findings('shop')).map(({ type }) => type)
  expect(found).not.toContain('orphan_dataset')
  await privacy.close()
})
