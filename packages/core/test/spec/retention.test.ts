import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createPrivacyService,
  memoryBlobs,
  memoryMailer,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  type RowKind,
  type Storage,
  systemRuntime,
} from '../../src/index.js'

const email = 'planted-marker@example.org'
/** What somebody might write about the person. */
const planted = 'planted-marker is not a customer.'
const hour = 3_600
const day = 24 * hour
let privacy: PrivacyService
let storage: Storage
let blobs: ReturnType<typeof memoryBlobs>
let mailer: ReturnType<typeof memoryMailer>
let ahead = 0
let isMailRefused = false

function open({ execution, ...options }: PrivacyServiceOptions = {}) {
  privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + ahead * 1_000) },
    storage,
    blobs,
    mailer: {
      async send(mail) {
        if (isMailRefused) throw new Error('The mail server is away.')
        await mailer.send(mail)
      },
    },
    execution: { immediate: false, sweepSeconds: 1_000, ...execution },
    ...options,
  })
}
beforeEach(() => {
  ahead = 0
  isMailRefused = false
  storage = memoryStorage()
  blobs = memoryBlobs()
  mailer = memoryMailer()
  open()
})
afterEach(() => privacy.close())

const submit = async (policyKey = 'default_access_policy') =>
  (await privacy.requests.submit({ policyKey, identities: [{ email }] })).id
/** Does what the service does now and then. */
const look = () => privacy.requests.run()
const mailed = (count: number) => expect.poll(() => mailer.outbox.length).toBe(count)
const isDestroyed = async (id: string) => (await privacy.requests.get(id)).destroyedAt !== undefined
const rowsOf = async (kind: RowKind) => (await storage.table(kind).find()).length

/** Nothing personal can be had any more, and what happened can still be told. */
async function expectDestroyed(id: string) {
  expect(await isDestroyed(id)).toBe(true)
  await expect(privacy.requests.identities(id)).rejects.toMatchObject({ code: 'gone' })
  await expect(privacy.requests.review(id)).rejects.toMatchObject({ code: 'gone' })
  for (const kind of ['requestKey', 'verificationCode', 'downloadLink', 'checkpoint'] as const) {
    expect(await rowsOf(kind)).toBe(0)
  }
  expect(JSON.stringify(await storage.table('outboxMail').find())).not.toContain('sealed"')
  expect((await privacy.requests.list({ identity: email })).items.map((each) => each.id)).toEqual([id])
  // No row of any kind that leads to the request names the person.
  const { items } = await privacy.requests.auditTrail(id)
  expect(JSON.stringify([await storage.table('privacyRequest').find(), items])).not.toContain('planted-marker')
  expect(items.filter(({ action }) => action === 'data_destroyed')).toMatchObject([{ actor: 'system' }])
}

describe('the personal data of a request is destroyed', () => {
  it('when the link of a complete request has expired, and not before', async () => {
    const id = await submit()
    await privacy.requests.run(id)
    ahead = day - hour
    await look()
    expect(await isDestroyed(id)).toBe(false)
    const { token } = await privacy.requests.createDownloadLink(id)
    ahead = day + hour
    await look()
    expect(await isDestroyed(id)).toBe(false)
    expect((await privacy.requests.package(id)).size).toBeGreaterThan(0)
    ahead = 2 * day
    await look()
    await expectDestroyed(id)
    await expect(privacy.requests.download(id, { token })).rejects.toMatchObject({ code: 'gone' })
    await expect(privacy.requests.package(id)).rejects.toMatchObject({ code: 'gone' })
    await expect(privacy.requests.createDownloadLink(id)).rejects.toMatchObject({ code: 'gone' })
    expect(await blobs.size(`requests/${id}/package/default_access_policy_rule.json`)).toBeUndefined()
    const { status, results, packages } = await privacy.requests.get(id)
    expect([status, results, packages?.length]).toEqual(['complete', [], 1])
  })

  it('when the last mail of a denied request is sent', async () => {
    isMailRefused = true
    const id = await submit()
    await privacy.requests.deny(id, { reason: planted })
    expect((await privacy.requests.get(id)).denialReason).toBe(planted)
    await look()
    expect(await isDestroyed(id)).toBe(false)
    isMailRefused = false
    ahead = 10 * 60
    await look()
    await mailed(2)
    ahead = 20 * 60
    await look()
    await expectDestroyed(id)
    expect((await privacy.requests.get(id)).status).toBe('denied')
  })

  it('at once where the request is canceled', async () => {
    const id = await submit()
    await mailed(1)
    await expect.poll(async () => (await privacy.requests.get(id)).mails?.[0]?.status).toBe('sent')
    await privacy.requests.cancel(id, { reason: planted })
    await look()
    await expectDestroyed(id)
  })

  it('although that of another request cannot be destroyed now', async () => {
    const { delete: remove } = blobs
    const stuck = await submit()
    blobs.delete = async (key) => {
      if (key.includes(stuck)) throw new Error('Access is denied.')
      await remove(key)
    }
    await privacy.requests.cancel(stuck)
    const ids = [await submit(), await submit()]
    for (const id of ids) await privacy.requests.cancel(id)
    await look()
    expect(await Promise.all([stuck, ...ids].map(isDestroyed))).toEqual([false, true, true])
    blobs.delete = remove
    await look()
    expect(await isDestroyed(stuck)).toBe(true)
  })

  it('when its address is not verified within a week and it is canceled', async () => {
    await privacy.close()
    open({ execution: { subjectIdentityVerificationRequired: true } })
    const id = await submit()
    await mailed(1)
    ahead = 7 * day - hour
    await look()
    expect((await privacy.requests.get(id)).status).toBe('identity_unverified')
    ahead = 7 * day + hour
    await look()
    await look()
    await expectDestroyed(id)
    expect((await privacy.requests.get(id)).status).toBe('canceled')
    expect((await privacy.requests.auditTrail(id)).items).toContainEqual(
      expect.objectContaining({
        action: 'request_canceled',
        detail: expect.objectContaining({ reason: 'identity_unverified' }),
      }),
    )
    await expect(privacy.requests.verify(id, { code: '000000' })).rejects.toMatchObject({ code: 'invalid_state' })
  })

  it('30 days after its last run where that failed, and no retry brings it back', async () => {
    await privacy.datasets.put({ service_key: 'shop', collections: [] })
    const id = await submit()
    await storage.table('policy').take('default_access_policy')
    await privacy.requests.run(id)
    expect((await privacy.requests.get(id)).status).toBe('error')
    ahead = 20 * day
    await privacy.requests.retry(id)
    await privacy.requests.run(id)
    ahead = 49 * day
    await look()
    expect(await isDestroyed(id)).toBe(false)
    ahead = 51 * day
    await look()
    await expectDestroyed(id)
    await expect(privacy.requests.retry(id)).rejects.toMatchObject({ code: 'gone' })
    expect((await privacy.requests.get(id)).status).toBe('error')
  })

  it('together with the reason of an extension, and nobody extends it afterwards', async () => {
    await privacy.close()
    open({ retention: { errorDays: 1 } })
    await privacy.policies.put({ service_key: 'timed', execution_timeframe: 'gdpr', rules: [] })
    const [first, second] = [await submit('timed'), await submit('timed')]
    await privacy.requests.extendDeadline(first, { reason: planted })
    await storage.table('policy').take('timed')
    for (const id of [first, second]) await privacy.requests.run(id)
    ahead = 2 * day
    await look()
    for (const id of [first, second]) expect(await isDestroyed(id)).toBe(true)
    const { extendedAt, extensionReason } = await privacy.requests.get(first)
    expect([extendedAt, extensionReason]).toEqual([expect.any(String), undefined])
    await expect(privacy.requests.extendDeadline(second, { reason: planted })).rejects.toMatchObject({ code: 'gone' })
    expect(JSON.stringify(await storage.table('privacyRequest').find())).not.toContain('planted-marker')
  })

  it('as long after as the options say', async () => {
    await privacy.close()
    open({
      execution: { subjectIdentityVerificationRequired: true },
      security: { subjectRequestDownloadLinkTtlSeconds: 60 },
      retention: { unverifiedDays: 1 },
    })
    const id = await submit()
    ahead = 1.1 * day
    await look()
    expect((await privacy.requests.get(id)).status).toBe('canceled')
    expect(() => open({ retention: { errorDays: 0 } })).toThrow(/retention\.errorDays/)
  })
})

describe('the destruction', () => {
  it('is continued where it was interrupted, whatever fails', async () => {
    let failures = 0
    const failAt = (call: number): Storage => {
      let calls = 0
      const fail = () => {
        if (++calls === call) {
          failures++
          throw new Error('The storage is away.')
        }
      }
      const wrap = (inner: Storage): Storage => ({
        ...inner,
        table: ((kind: RowKind) => {
          const table = inner.table(kind)
          const take = async (id: string) => {
            fail()
            return table.take(id)
          }
          const replace = async (row: never) => {
            fail()
            return table.replace(row)
          }
          return { ...table, take, replace }
        }) as Storage['table'],
        transaction: (work) => inner.transaction((within) => work(wrap(within))),
      })
      return wrap(storage)
    }
    for (let call = 1; call < 12; call++) {
      await privacy.close()
      ahead = 0
      storage = memoryStorage()
      open()
      const id = await submit()
      await privacy.requests.run(id)
      await expect
        .poll(async () => (await privacy.requests.get(id)).mails?.every(({ status }) => status === 'sent'))
        .toBe(true)
      await privacy.close()
      const whole = storage
      storage = failAt(call)
      ahead = 2 * day
      open()
      await look().catch(() => {})
      await privacy.close()
      storage = whole
      open()
      await look()
      await expectDestroyed(id)
    }
    expect(failures).toBeGreaterThan(4)
  })

  it('happens once where several workers begin it', async () => {
    const id = await submit()
    await privacy.requests.run(id)
    ahead = 2 * day
    const others = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const other = createPrivacyService({
          encryptionKey: Buffer.alloc(32, 3).toString('base64'),
          runtime: { ...systemRuntime, now: () => new Date(Date.now() + ahead * 1_000) },
          storage,
          blobs,
          execution: { immediate: false, sweepSeconds: 1_000 },
        })
        await other.requests.run()
        return other
      }),
    )
    await look()
    await expectDestroyed(id)
    for (const other of others) await other.close()
  })
})
