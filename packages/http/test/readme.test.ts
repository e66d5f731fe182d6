import { randomBytes } from 'node:crypto'
import { createPrivacyService, loadOptions, memoryMailer, type PrivacyRequest, type PrivacyService } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
import { memoryConnector } from '@habeas/testkit'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'

type ActionRequired = PrivacyRequest['actionRequired']

it('the README runs as it stands', async () => {
  const [example = ''] = await readmeExamples(new URL('../README.md', import.meta.url))
  const env = { HABEAS_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  const served: { fetch(request: Request): Promise<Response> }[] = []
  const opened: PrivacyService[] = []
  await runExample(`${example}\nopened.push(privacy)`, {
    createPrivacyService,
    loadOptions: () => loadOptions({ env }),
    createHttpHandler,
    Hono,
    serve: (server: (typeof served)[number]) => served.push(server),
    opened,
  })
  const response = await served[0]?.fetch(new Request('http://localhost:3000/privacy/health'))
  expect(await response?.json()).toMatchObject({ status: 'healthy' })
  await opened[0]?.close()
})

it('docs/requests.md runs as it stands, from the first mail to the download', async () => {
  const examples = await readmeExamples(new URL('../../../docs/requests.md', import.meta.url))
  const email = 'ann@example.com'
  const inbox = memoryMailer()
  const sixDigits = async () => {
    await expect.poll(() => inbox.outbox.length).toBeGreaterThan(0)
    return /^\d{6}$/m.exec(inbox.outbox[0]?.text ?? '')?.[0]
  }
  const bob = 'bob@example.com'
  const database = {
    customer: {
      primaryKey: ['id'],
      rows: [
        { id: 1, email },
        { id: 2, email: bob },
      ],
    },
    parcels: {
      primaryKey: ['id'],
      indexes: [['courier_id']],
      rows: [{ id: 1, customer_id: 1, courier_id: 2, note: 'ring twice' }],
    },
  }
  const described = { name: 'email', data_categories: ['user'], service_meta: { identity: 'email' } }
  const connectAndDescribe = async ({ connections }: PrivacyService) => {
    await connections.create({ key: 'shop', connectionType: 'postgres', access: 'write' })
    await connections.setSecrets('shop', { host: 'here' }, { verify: false })
    const key = { name: 'id', service_meta: { primary_key: true } }
    const refer = (name: string, meaning: object) => ({
      name,
      service_meta: { references: [{ dataset: 'shop', field: 'customer.id', ...meaning }] },
    })
    const parcels = [key, refer('customer_id', { direction: 'from' }), refer('courier_id', {})]
    await connections.attachDataset('shop', {
      service_key: 'shop',
      collections: [
        { name: 'customer', fields: [key, described] },
        { name: 'parcels', fields: [...parcels, { name: 'note', data_categories: ['user'] }] },
      ],
    })
  }
  const approvedErasure = async ({ requests }: PrivacyService) => {
    const known = inbox.outbox.length
    const { id } = await requests.submit({ policyKey: 'default_erasure_policy', identities: [{ email: bob }] })
    const code = () =>
      inbox.outbox.slice(known).flatMap(({ to, text }) => (to === bob ? (/^\d{6}$/m.exec(text)?.[0] ?? []) : []))[0]
    await expect.poll(code).toBeDefined()
    await requests.verify(id, { code: code() as string })
    await requests.approve(id)
    await expect.poll(async () => (await requests.get(id)).status).toBe('paused')
    return id
  }
  const end: Record<string, never>[] = []
  await runExample(
    `${examples.join('\n')}\nend.push({ privacy, id, text, planHash, unproven, total, dueDate, status, packages, url, doubtful, actionRequired })`,
    {
      ...{ createPrivacyService, connectAndDescribe, approvedErasure, sixDigits, email, end },
      memoryMailer: () => inbox,
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [memoryConnector({ database })],
    },
  )
  type End = { privacy: PrivacyService; url: string; id: string; doubtful: string; actionRequired: ActionRequired }
  const { privacy, url, doubtful, actionRequired, ...told } = end[0] as unknown as End
  expect(actionRequired).toMatchObject({ accept: { acceptUndecided: ['shop:parcels.courier_id'] } })
  expect(actionRequired?.message).toMatch(/^Nothing was erased\. 1 row of shop:parcels may belong to this person by/)
  expect(await privacy.requests.settled(doubtful)).toMatchObject({
    ...{ status: 'complete', incomplete: true, accepted: { undecided: ['shop:parcels.courier_id'] } },
  })
  expect(told).toMatchObject({
    ...{ text: expect.stringContaining('customer'), planHash: expect.any(String), unproven: [], total: 0 },
    ...{ dueDate: expect.any(String), status: 'complete', packages: [{ format: 'json' }, { format: 'html' }] },
  })
  const handler = createHttpHandler(privacy, { basePath: '/privacy' })
  expect([(await handler(new Request(url))).status, (await handler(new Request(url))).status]).toEqual([200, 410])
  const json = await privacy.requests.package(told.id, { format: 'json' })
  let text = ''
  for await (const part of json.stream) text += Buffer.from(part).toString()
  expect(JSON.parse(text)).toEqual({
    ...{ 'shop:customer': [{ email }], 'shop:parcels': [{ note: 'ring twice' }] },
    paper_files: [{ letters: ['14 May 1991'] }],
  })
  await privacy.close()
})
