import {
  aesSecrets,
  type Mail,
  memoryBlobs,
  memoryMailer,
  memoryQueue,
  memoryStorage,
  type PrivacyRequest,
  type Read,
  systemRuntime,
} from '@habeas/core'
import { expect } from 'vitest'
import { collection, field, id, refer, shopOf, table } from './described.js'
import { type FailingCall, portFaults } from './port-faults.js'
import { openService } from './service-run.js'

const email = 'ann@example.com'
const publicUrl = 'https://privacy.example.org'
const policyKey = 'access_all'

/** customer → orders → line; club, entered by what a webhook derives and a row of customer confirms. */
const shop = () =>
  shopOf(
    [
      collection('customer', [id, field('email', { identity: 'email' }), field('member', { identity: 'member' })]),
      collection('orders', [id, refer('customer_id', 'customer.id'), field('note')]),
      collection('line', [id, refer('order_id', 'orders.id'), field('title')]),
      collection('club', [field('member', { identity: 'member', primary_key: true }), field('nick')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string', member: 'integer' }, [[1, email, 7]]),
      orders: table({ id: 'integer', customer_id: 'integer', note: 'string' }, [
        [1, 1, 'one'],
        [2, 1, 'two'],
      ]),
      line: table({ id: 'integer', order_id: 'integer', title: 'string' }, [[1, 2, 'a line']]),
      club: table({ member: 'integer', nick: 'string' }, [[7, 'annie']]),
    },
  )

/** A run asks each time whether the properties of an identity belong together. */
const nameOf = ({ collection: name, columns }: Read) =>
  name === 'customer' && !columns.includes('id') ? 'customer, to confirm' : name

/** What a person looks up, by the customer's number. */
const paper = {
  service_key: 'paper',
  collections: [collection('letters', [refer('customer', 'customer.id'), field('subject')])],
}

/** A person's letter, and what the archive holds. */
const letters = [{ customer: 1, subject: 'a letter' }]
const upload = { name: 'Ann' }

/**
 * A request from its submission to its download, in which one call of a port fails; each step is done again when it is
 * refused. It is verified and approved, waits for an upload and for rows that a person looks up,
 * and calls a webhook at its start and one at its end.
 */
export async function wholeLife(failing?: FailingCall) {
  const fault = portFaults(failing, nameOf)
  const given = shop()
  const inbox = memoryMailer()
  const sent: Mail[] = []
  const called: string[] = []
  let ahead = 0
  const queue = memoryQueue()
  const storage = memoryStorage()
  const service = await openService([{ ...given, connector: fault.connector(given.connector) }], {
    storage: fault.storage(storage),
    blobs: fault.blobs(memoryBlobs()),
    secrets: fault.methods(aesSecrets({ keys: Buffer.alloc(32, 9).toString('base64') }), 'secrets'),
    queue: { send: fault.methods({ send: queue.send }, 'queue').send, listen: queue.listen },
    mailer: {
      async send(mail) {
        sent.push(mail)
        fault.step('mailer.send')
        await inbox.send(mail)
        fault.step('mailer.send, accepted')
      },
    },
    webhookSender: {
      refusal: () => undefined,
      async send({ url, headers }) {
        fault.step('webhooks.send')
        called.push(`${url} ${headers['idempotency-key']}`)
        fault.step('webhooks.send, received')
        return { status: 200, body: '{"derived_identity": {"member": 7}}' }
      },
    },
    webhooks: { retries: 0 },
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + ahead) },
    publicUrl,
    catalogueSeconds: 0,
    execution: {
      sweepSeconds: 0.1,
      concurrency: 1,
      subjectIdentityVerificationRequired: true,
      requireManualRequestApproval: true,
    },
  })
  const { requests, connections, manualWebhooks, policyWebhooks } = service.privacy
  await connections.put({ key: 'archive', connectionType: 'manual' })
  await connections.attachDataset('archive', paper as never)
  await connections.put({ key: 'files', connectionType: 'manual_webhook' })
  await manualWebhooks.create('files', { fields: [{ piiField: 'name' }] })
  const hook = { key: 'hook', direction: 'two_way', url: 'https://hooks.example.org/start' }
  await policyWebhooks.put(policyKey, 'pre_execution', [hook as never])
  await policyWebhooks.put(policyKey, 'post_execution', [{ ...hook, url: 'https://hooks.example.org/end' } as never])

  const again = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    try {
      return await attempt()
    } catch (error) {
      if (fault.failed === undefined) throw error
      return attempt()
    }
  }
  const pass = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    // A mail that was refused is sent again after some seconds.
    if (fault.failed) ahead += 1_000
  }
  /** Looks at the row itself, since looking must not be one of the calls that fail. */
  const statusOf = async (requestId: string) => (await storage.table('privacyRequest').get(requestId))?.status
  const mailOf = async (kind: Mail['kind']): Promise<Mail> => {
    for (;;) {
      const mail = inbox.outbox.find((each) => each.kind === kind)
      if (mail) return mail
      await pass()
    }
  }
  /** Does what the request waits for, until it has ended. */
  async function goOn(requestId: string): Promise<PrivacyRequest> {
    for (;;) {
      const status = await statusOf(requestId)
      if (status === 'complete') return again(() => requests.get(requestId))
      if (status === 'requires_input') {
        await again(() => requests.uploadManualData(requestId, 'files', upload))
        await again(() => requests.resumeFromRequiresInput(requestId))
      } else if (status === 'paused') {
        await again(() => requests.manualInput(requestId, letters))
      } else if (status === 'error') await again(() => requests.retry(requestId))
      await pass()
    }
  }

  // So that the run has to connect.
  await connections.setSecrets('shop', {}, { verify: false })
  fault.begin()
  const { id: requestId } = await again(() => requests.submit({ policyKey, identities: [{ email }] }))
  const code = /^\d{6}$/m.exec((await mailOf('identity_verification')).text)?.[0] as string
  await again(() => requests.verify(requestId, { code }))
  await again(() => requests.approve(requestId))
  const request = await goOn(requestId)
  const url = new URL(/https:\S+/.exec((await mailOf('request_completion')).text)?.[0] as string)
  const token = url.searchParams.get('token') as string
  const parts: Uint8Array[] = []
  const opened = await again(() => requests.download(requestId, { token }))
  const read = async () => {
    for await (const part of opened.stream) parts.push(part)
  }
  await read().catch(async (error) => {
    // Cut off: whoever has begun may go on.
    if (fault.failed === undefined) throw error
    const { etag, size } = opened
    const from = parts.reduce((sum, part) => sum + part.length, 0)
    expect(from).toBeLessThan(size)
    const rest = await requests.download(requestId, { token, from: from || 1, etag })
    // Going on begins behind the first byte, which every package has in common.
    if (from === 0) parts.push(Buffer.from('{'))
    for await (const part of rest.stream) parts.push(part)
  })
  await mailOf('request_receipt')
  await mailOf('request_review')
  fault.end()
  const mailStates = async () => (await requests.get(requestId)).mails?.map(({ status }) => status) ?? []
  while ((await mailStates()).includes('waiting')) await pass()
  const { items: trail } = await requests.auditTrail(requestId, { size: 100 })
  const reads = given.connector.calls.flatMap(({ operation, read }) =>
    operation === 'read' && read ? nameOf(read) : [],
  )
  const mails = await mailStates()
  await service.privacy.close()
  return {
    failed: fault.failed,
    calls: fault.calls,
    rows: JSON.parse(Buffer.concat(parts).toString()),
    request,
    reads,
    called,
    mails,
    steps: trail.map(({ action }) => action),
    sent: sent.map(({ kind, messageId }) => `${kind} ${messageId}`),
    received: inbox.outbox.map(({ kind }) => kind).sort(),
  }
}
