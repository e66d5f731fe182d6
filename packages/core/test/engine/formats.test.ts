import { buffer } from 'node:stream/consumers'
import { createPrivacyService, memoryBlobs, type PrivacyService } from '@habeas/core'
import { memoryConnector } from '@habeas/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { decryptDocumented } from '../results/documented.js'
import { unzip } from '../results/unzip.js'

const encryptionKey = 'sixteen bytes ok'
const encryptionKey256 = Buffer.alloc(32, 9).toString('base64')
const shop = {
  customers: { rows: [{ id: 1, email: 'ann@example.com', name: '=cmd()' }], primaryKey: ['id'] },
  visits: { rows: [{ id: 1, email: 'ann@example.com', place: 'a shop window' }], primaryKey: ['id'] },
}
const dataset = {
  service_key: 'shop',
  name: 'The shop',
  collections: [
    {
      name: 'customers',
      fields: [
        { name: 'id', data_categories: ['user.unique_id'], service_meta: { primary_key: true } },
        { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
        { name: 'name', description: 'What we call you', data_categories: ['user.name'] },
      ],
    },
    {
      name: 'visits',
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'email', service_meta: { identity: 'email' } },
        { name: 'place', data_categories: ['user.behavior'] },
      ],
    },
  ],
}
const system = {
  service_key: 'web',
  name: 'Web shop',
  system_type: 'Service',
  privacy_declarations: [{ data_use: 'essential.service', data_categories: ['user'], dataset_references: ['shop'] }],
}

describe('packages in every format', () => {
  let privacy: PrivacyService
  beforeEach(async () => {
    privacy = createPrivacyService({
      encryptionKey: Buffer.alloc(32, 1).toString('base64'),
      blobs: memoryBlobs(),
      packageTexts: { de: { your_data: 'Ihre Daten' } },
      connectors: [memoryConnector({ database: shop })],
    })
    const { type } = memoryConnector({ database: shop })
    await privacy.connections.create({ key: 'db', connectionType: type as never })
    await privacy.connections.setSecrets('db', { host: 'here' }, { verify: false })
    await privacy.connections.attachDataset('db', dataset)
    await privacy.systems.create(system)
  })
  afterEach(() => privacy.close())

  async function answered(formats: readonly string[], more: object = {}) {
    const rule = {
      service_key: 'all',
      action_type: 'access',
      data_categories: { matches: 'ANY', values: ['user'] },
    } as const
    await privacy.policies.create({ service_key: 'p', rules: [{ ...rule, format: formats as never }] })
    const isEncrypted = 'encryptionKey' in more || 'encryptionKey256' in more
    const request = { policyKey: 'p', identities: [{ email: 'ann@example.com' }], ...more }
    const { id } = await privacy.requests.submit(request)
    const settled = await privacy.requests.settled(id)
    expect(settled.failure).toBeUndefined()
    expect(settled).toMatchObject({ status: 'complete', encrypted: isEncrypted })
    return { id, packages: settled.packages ?? [] }
  }
  const bytesOf = async (id: string, format: 'json' | 'csv' | 'html') => {
    const found = await privacy.requests.package(id, { format })
    const bytes = await buffer(found.stream)
    expect(bytes.length).toBe(found.size)
    return bytes
  }

  it('a rule with several formats gives a package in each, and none overwrites another', async () => {
    const { id, packages } = await answered(['json', 'csv', 'html'])
    expect(packages.map(({ format, name, mediaType }) => [format, name, mediaType])).toEqual([
      ['json', `${id}-all.json`, 'application/json'],
      ['csv', `${id}-all-csv.zip`, 'application/zip'],
      ['html', `${id}-all-html.zip`, 'application/zip'],
    ])
    expect(JSON.parse((await bytesOf(id, 'json')).toString())['shop:customers']).toMatchObject([{ name: '=cmd()' }])
    const csv = await unzip(await bytesOf(id, 'csv'))
    expect(csv.get('shop.customers.csv')?.toString()).toContain("'=cmd()")
    const page = [...(await unzip(await bytesOf(id, 'html')))].find(([name]) => name.startsWith('data/'))?.[1]
    expect(page?.toString()).toContain('What we call you')
    expect(page?.toString()).toContain('Web shop')
    await expect(privacy.requests.package(id)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  it.each([
    ['16 bytes', { encryptionKey }, Buffer.from(encryptionKey)],
    ['32 bytes', { encryptionKey256 }, Buffer.from(encryptionKey256, 'base64')],
  ] as const)('with a key of %s the program of the docs opens JSON and each CSV file', async (_, given, key) => {
    const { id, packages } = await answered(['json', 'csv'], given)
    expect(packages[0]).toMatchObject({ format: 'json', mediaType: 'text/plain' })
    const sealed = (await bytesOf(id, 'json')).toString()
    expect(JSON.parse(await decryptDocumented(sealed, key))['shop:customers']).toHaveLength(1)
    const files = await unzip(await bytesOf(id, 'csv'))
    const texts = [...files.values()].map(String)
    const opened = await Promise.all(texts.map((text) => decryptDocumented(text, key)))
    expect([...files.keys()]).toEqual(['shop.customers.csv', 'shop.visits.csv'])
    expect(opened.join()).toMatch(/ann@example\.com[\s\S]*a shop window/)
    expect(new Set([sealed, ...texts].map((text) => text.slice(0, 16))).size).toBe(3)
    expect(JSON.stringify(await privacy.requests.get(id))).not.toContain(encryptionKey)
  })

  it('HTML is in the language of the request, in the texts of the host', async () => {
    const { id } = await answered(['html'], { language: 'de-AT' })
    const files = await unzip(await bytesOf(id, 'html'))
    expect(String(files.get('index.html'))).toMatch(/<html lang="de" dir="ltr">[\s\S]*<h1>Ihre Daten<\/h1>/)
  })

  it('HTML cannot be encrypted: the key is refused before anything is stored', async () => {
    const refused = answered(['html'], { encryptionKey })
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: ['encryptionKey'] }] },
    })
    expect((await privacy.requests.list()).total).toBe(0)
  })
})
