import { createDecipheriv } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { createPrivacyService, memoryBlobs, type PrivacyService } from '@habeas/core'
import { memoryConnector } from '@habeas/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import yauzl from 'yauzl'

const encryptionKey = 'sixteen bytes ok'
const encryptionKey256 = Buffer.alloc(32, 9).toString('base64')
const shop = {
  customers: { rows: [{ id: 1, email: 'ann@example.com', name: '=cmd()' }], primaryKey: ['id'] },
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
      connectors: [memoryConnector({ database: shop })],
    })
    const { type } = memoryConnector({ database: shop })
    await privacy.connections.create({ key: 'db', connectionType: type })
    await privacy.connections.setSecrets('db', { host: 'here' }, { verify: false })
    await privacy.connections.attachDataset('db', dataset)
    await privacy.systems.create(system)
  })
  afterEach(() => privacy.close())

  async function answered(formats: readonly string[], more: object = {}) {
    const rule = { service_key: 'all', action_type: 'access', data_categories: { matches: 'ANY', values: ['user'] } }
    await privacy.policies.create({ service_key: 'p', rules: [{ ...rule, format: formats }] })
    const request = { policyKey: 'p', identities: [{ email: 'ann@example.com' }], ...more }
    const { id } = await privacy.requests.submit(request)
    const settled = await privacy.requests.settled(id)
    expect(settled.failure).toBeUndefined()
    expect(settled).toMatchObject({ status: 'complete', encrypted: Object.keys(more).length > 0 })
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
    const csv = await unzipped(await bytesOf(id, 'csv'))
    expect(csv.get('shop.customers.csv')?.toString()).toContain("'=cmd()")
    const page = [...(await unzipped(await bytesOf(id, 'html')))].find(([name]) => name.startsWith('data/'))?.[1]
    expect(page?.toString()).toContain('What we call you')
    expect(page?.toString()).toContain('Web shop')
    await expect(privacy.requests.package(id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each([
    ['16 bytes', { encryptionKey }, 'aes-128-gcm', Buffer.from(encryptionKey)],
    ['32 bytes', { encryptionKey256 }, 'aes-256-gcm', Buffer.from(encryptionKey256, 'base64')],
  ] as const)(
    'a key of %s encrypts JSON whole, and each CSV file with a nonce of its own',
    async (_, given, algorithm, key) => {
      const { id, packages } = await answered(['json', 'csv'], given)
      expect(packages[0]).toMatchObject({ format: 'json', mediaType: 'text/plain' })
      const opened = decrypted((await bytesOf(id, 'json')).toString(), algorithm, key)
      expect(JSON.parse(opened.toString())['shop:customers']).toHaveLength(1)
      const files = await unzipped(await bytesOf(id, 'csv'))
      const text = decrypted((files.get('shop.customers.csv') as Buffer).toString(), algorithm, key).toString()
      expect(text).toContain('ann@example.com')
      expect(JSON.stringify(await privacy.requests.get(id))).not.toContain(encryptionKey)
    },
  )

  it('HTML cannot be encrypted: the key is refused before anything is stored', async () => {
    const refused = answered(['html'], { encryptionKey })
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: ['encryptionKey'] }] },
    })
    expect((await privacy.requests.list()).total).toBe(0)
  })
})

function decrypted(text: string, algorithm: 'aes-128-gcm' | 'aes-256-gcm', key: Uint8Array): Buffer {
  const bytes = Buffer.from(text, 'base64')
  const opening = createDecipheriv(algorithm, key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(-16))
  return Buffer.concat([opening.update(bytes.subarray(12, -16)), opening.final()])
}

async function unzipped(bytes: Buffer): Promise<Map<string, Buffer>> {
  const archive = await new Promise<yauzl.ZipFile>((resolve, reject) =>
    yauzl.fromBuffer(bytes, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened))),
  )
  const files = new Map<string, Buffer>()
  await new Promise<void>((resolve, reject) => {
    archive.on('end', resolve).on('error', reject)
    archive.on('entry', (entry: yauzl.Entry) => {
      archive.openReadStream(entry, async (error, stream) => {
        if (error) return reject(error)
        files.set(entry.fileName, await buffer(stream))
        archive.readEntry()
      })
    })
    archive.readEntry()
  })
  return files
}
