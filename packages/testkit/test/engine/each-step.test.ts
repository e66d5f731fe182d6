import {
  aesSecrets,
  type Blobs,
  type Mail,
  memoryBlobs,
  memoryMailer,
  memoryQueue,
  memoryStorage,
  type RowKind,
  type Storage,
  systemRuntime,
} from '@habeas/core'
import { expect, it } from 'vitest'
import { collection, field, id, refer, shopOf, table } from './described.js'
import { openService } from './service-run.js'

const email = 'ann@example.com'
const publicUrl = 'https://privacy.example.org'

/** customer → orders → line. */
const shop = () =>
  shopOf(
    [
      collection('customer', [id, field('email', { identity: 'email' })]),
      collection('orders', [id, refer('customer_id', 'customer.id'), field('note')]),
      collection('line', [id, refer('order_id', 'orders.id'), field('title')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string' }, [[1, email]]),
      orders: table({ id: 'integer', customer_id: 'integer', note: 'string' }, [
        [1, 1, 'one'],
        [2, 1, 'two'],
      ]),
      line: table({ id: 'integer', order_id: 'integer', title: 'string' }, [[1, 2, 'a line']]),
    },
  )

/** Calls of every port are counted from `begin` on; the one with the number `failAt` fails, and no other. */
function faults(failAt: number) {
  let calls = 0
  let counts = false
  let failed: string | undefined
  const step = (what: string) => {
    if (!counts || ++calls !== failAt) return
    failed = what
    throw new Error(`injected: ${what}`)
  }
  const methods = <Port extends object>(port: Port, name: string): Port =>
    Object.fromEntries(
      Object.entries(port).map(([method, call]) => [
        method,
        async (...parameters: unknown[]) => {
          step(`${name}.${method}`)
          return call(...parameters)
        },
      ]),
    ) as Port
  const storage = (inner: Storage): Storage => ({
    ...inner,
    table: (kind: RowKind) => methods(inner.table(kind), kind) as never,
    transaction: (work) => inner.transaction((within) => work(storage(within))),
  })
  const blobs = (inner: Blobs): Blobs => ({
    ...methods(inner, 'blobs'),
    async *read(...parameters) {
      step('blobs.read')
      yield* inner.read(...parameters)
    },
  })
  return {
    step,
    storage,
    blobs,
    methods,
    begin: () => {
      counts = true
    },
    end: () => {
      counts = false
    },
    get calls() {
      return calls
    },
    get failed() {
      return failed
    },
  }
}

/** A request from its submission to its download, each of its steps done again when it is refused. */
async function life(failAt: number) {
  const fault = faults(failAt)
  const given = shop()
  const inbox = memoryMailer()
  const sent: Mail[] = []
  let ahead = 0
  const queue = memoryQueue()
  const service = await openService([given], {
    storage: fault.storage(memoryStorage()),
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
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + ahead) },
    publicUrl,
    execution: {
      ...{ sweepSeconds: 0.1, concurrency: 1 },
      ...{ subjectIdentityVerificationRequired: true, requireManualRequestApproval: true },
    },
  })
  const { requests } = service.privacy
  const again = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    try {
      return await attempt()
    } catch (error) {
      if (fault.failed === undefined) throw error
      return attempt()
    }
  }
  const mailOf = async (kind: Mail['kind']): Promise<Mail> => {
    for (;;) {
      const mail = inbox.outbox.find((each) => each.kind === kind)
      if (mail) return mail
      await new Promise((resolve) => setTimeout(resolve, 10))
      // A mail that was refused is sent again after some seconds.
      if (fault.failed) ahead += 1_000
    }
  }
  fault.begin()
  const { id: requestId } = await again(() => requests.submit({ policyKey: 'access_all', identities: [{ email }] }))
  const code = /^\d{6}$/m.exec((await mailOf('identity_verification')).text)?.[0] as string
  await again(() => requests.verify(requestId, { code }))
  await again(() => requests.approve(requestId))
  let request = await again(() => requests.settled(requestId))
  while (request.status === 'error') {
    await again(() => requests.retry(requestId))
    request = await again(() => requests.settled(requestId))
  }
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
  await expect
    .poll(
      async () => {
        if (fault.failed) ahead += 1_000
        return (await requests.get(requestId)).mails?.map(({ status }) => status)
      },
      { interval: 10, timeout: 10_000 },
    )
    .toEqual(['sent', 'sent', 'sent', 'sent'])
  const { items: trail } = await requests.auditTrail(requestId, { size: 100 })
  const reads = given.connector.calls.flatMap(({ operation, read }) =>
    operation === 'read' ? (read?.collection ?? []) : [],
  )
  await service.privacy.close()
  return {
    failed: fault.failed,
    calls: fault.calls,
    rows: JSON.parse(Buffer.concat(parts).toString()),
    request,
    reads,
    steps: trail.map(({ action }) => action),
    sent: sent.map(({ kind, messageId }) => `${kind} ${messageId}`),
    received: inbox.outbox.map(({ kind }) => kind).sort(),
  }
}

it('whatever call of whatever port fails once, the person has the same package and each mail once', async () => {
  const whole = await life(0)
  expect(whole.reads).toEqual(['customer', 'orders', 'line'])
  const once = ['request_submitted', 'identity_verified', 'request_approved', 'request_completed', 'package_downloaded']
  const places = new Set<string>()
  for (let failAt = 1; ; failAt++) {
    const one = await life(failAt)
    if (one.failed === undefined) break
    const { failed, request, rows, received, steps, sent } = one
    places.add(failed as string)
    expect({ failed, status: request.status, rows }).toEqual({ failed, status: 'complete', rows: whole.rows })
    expect({ failed, received }).toEqual({ failed, received: whole.received })
    // Sent twice only under the same Message-ID.
    expect({ failed, mails: new Set(sent).size }).toEqual({ failed, mails: 4 })
    for (const action of once) {
      expect({ failed, action, times: steps.filter((step) => step === action).length }).toEqual({
        failed,
        action,
        times: 1,
      })
    }
    const readOnce = /blobs|secrets|mailer|queue|outboxMail|downloadLink|auditEntry|verificationCode/.test(
      failed as string,
    )
    if (readOnce) expect({ failed, reads: one.reads }).toEqual({ failed, reads: whole.reads })
  }
  expect([...places]).toEqual(
    expect.arrayContaining([
      ...[
        'privacyRequest.insert',
        'privacyRequest.replace',
        'requestKey.insert',
        'requestKey.get',
        'auditEntry.insert',
      ],
      ...['verificationCode.replace', 'verificationCode.take', 'outboxMail.insertMany', 'outboxMail.replace'],
      ...['mailer.send', 'mailer.send, accepted', 'secrets.open', 'secrets.seal', 'queue.send'],
      ...['blobs.write', 'blobs.read', 'downloadLink.insertMany', 'downloadLink.replace', 'executionLog.insertMany'],
    ]),
  )
}, 120_000)
