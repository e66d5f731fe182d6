import { createPrivacyService, type PrivacyService } from '@habeas/core'
import readXlsxFile from 'read-excel-file/node'
import { afterEach, beforeEach, expect, it } from 'vitest'

let privacy: PrivacyService

beforeEach(async () => {
  privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32, 3).toString('base64') })
  await privacy.organizations.put({ service_key: 'acme', controller: { name: 'Acme', phone: '1' } })
  await privacy.datasets.put({
    service_key: 'shop',
    retention: '10 years',
    collections: [{ name: 'users', fields: [{ name: 'email', data_categories: ['user.contact.email'] }] }],
  })
  const declaration = {
    name: '=HYPERLINK("http://x")',
    data_use: 'provide.service',
    data_categories: ['user.name'],
    data_subjects: ['customer'],
    dataset_references: ['shop', 'gone'],
  }
  const acme = { organization_service_key: 'acme', system_type: 'Service' }
  await privacy.systems.put({ ...acme, service_key: 'web', name: 'Web shop', privacy_declarations: [declaration] })
  await privacy.systems.put({ service_key: 'app', name: 'App', system_type: 'Service' })
})
afterEach(() => privacy.close())

const text = async (...options: Parameters<PrivacyService['dataMap']['export']>) =>
  Buffer.from((await privacy.dataMap.export(...options)).bytes).toString()

it('is read as rows, of all systems or of those of an organization', async () => {
  const { rows } = await privacy.dataMap.read()
  expect(rows.map(({ system, dataset }) => [system, dataset])).toEqual([
    ['App', null],
    ['Web shop', 'shop'],
    ['Web shop', 'gone'],
  ])
  expect(rows[1]).toMatchObject({ dataset_categories: ['user.contact.email'], retention: ['10 years'] })
  expect((await privacy.dataMap.read({ organization: 'acme' })).rows).toHaveLength(2)
})

it('names systems of other organizations where it is of one', async () => {
  const web = await privacy.systems.get('web')
  await privacy.systems.put({ ...web, egress: [{ service_key: 'app' }], ingress: [{ service_key: 'app' }] })
  const whole = (await privacy.dataMap.read()).rows.filter((row) => row['organization'] === 'acme')
  expect(whole[0]).toMatchObject({ egress: ['App'], ingress: ['App'] })
  expect((await privacy.dataMap.read({ organization: 'acme' })).rows).toEqual(whole)
})

it('names receivers of other organizations among the recipients of a record', async () => {
  const app = await privacy.systems.get('app')
  await privacy.systems.put({ ...app, ingress: [{ service_key: 'web', type: 'system' }] })
  const { rows } = await privacy.dataMap.read({ view: 'controller', organization: 'acme' })
  expect(rows).toMatchObject([{ system: 'Web shop', recipients: ['App'] }])
})

it('is a file of JSON or CSV, whose formulas no spreadsheet calculates', async () => {
  const { name, contentType, bytes } = await privacy.dataMap.export()
  expect([name, contentType]).toEqual(['data-map.json', 'application/json'])
  const { view, rows, blanks } = await privacy.dataMap.read()
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ view, rows, blanks })
  const [head, , shop] = (await text({ format: 'csv' })).split('\n')
  expect(head).toMatch(/^Organization,Registry,Key of the system,System,/)
  expect(shop).toContain(`"'=HYPERLINK(""http://x"")"`)
})

it('is a workbook', async () => {
  const { name, bytes } = await privacy.dataMap.export({ format: 'xlsx', view: 'controller' })
  expect(name).toBe('record-of-processing-controller.xlsx')
  const [sheet] = (await readXlsxFile(Buffer.from(bytes))) as unknown as { data: unknown[][] }[]
  expect(sheet?.data.map((row) => row[4])).toEqual(['System', 'App', 'Web shop'])
})

it('is no workbook where a text is longer than a cell, and says which', async () => {
  const describe = (description: string) => privacy.systems.patch({ service_key: 'app', description })
  await describe('x'.repeat(32_767))
  expect(await text({ format: 'xlsx' })).toContain('x'.repeat(32_767))
  await describe('x'.repeat(32_768))
  await expect(privacy.dataMap.export({ format: 'xlsx' })).rejects.toMatchObject({
    code: 'invalid_input',
    details: {
      issues: [{ loc: ['format'], msg: expect.stringMatching(/^cannot hold 'Description' of 'App', which/) }],
    },
  })
  expect(await text({ format: 'csv' })).toContain('x'.repeat(32_768))
})

it('has the same bytes as long as the documents are the same', async () => {
  for (const format of ['json', 'csv', 'xlsx'] as const) {
    const [one, other] = [await text({ format }), await text({ format })]
    expect(one === other).toBe(true)
  }
})

it('names what nobody has declared, until somebody does', async () => {
  const columns = async () => {
    const { blanks } = await privacy.dataMap.read({ view: 'controller', organization: 'acme' })
    return blanks.map(({ column }) => column)
  }
  expect(await columns()).toEqual(['recipients', 'third_countries', 'security_measures'])
  const web = await privacy.systems.get('web')
  await privacy.systems.put({
    ...web,
    security_measures: 'encrypted disks',
    third_country_transfers: ['none'],
    privacy_declarations: web.privacy_declarations.map((each) => ({ ...each, recipients: ['none'] })),
  })
  expect(await columns()).toEqual([])
})

it.each<[object, object]>([
  [{ view: 'all' }, { code: 'invalid_input', details: { issues: [{ loc: ['view'] }] } }],
  [{ format: 'pdf' }, { code: 'invalid_input', details: { issues: [{ loc: ['format'] }] } }],
  [{ organisation: 'acme' }, { code: 'invalid_input', details: { issues: [{ loc: ['organisation'] }] } }],
  [{ organization: 'nobody' }, { code: 'not_found', details: { kind: 'organization', id: 'nobody' } }],
])('refuses %o by name', async (options, failure) => {
  await expect(privacy.dataMap.export(options)).rejects.toMatchObject(failure)
})
