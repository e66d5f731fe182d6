import {
  createPrivacyService,
  memoryBlobs,
  memoryMailer,
  memoryStorage,
  type PrivacyService,
  systemRuntime,
} from '@habeas/core'
import { afterEach, beforeEach, expect, it } from 'vitest'

const day = 24 * 3_600_000
let ahead: number
let storage: ReturnType<typeof memoryStorage>
let mailer: ReturnType<typeof memoryMailer>
let isMailRefused: boolean
/** How long each mail takes, in milliseconds of the service's clock. */
let mailMs: number
let looks: number
let areHoldsAway: boolean
const opened: PrivacyService[] = []

/** A process of the service. Each looks for due mails once in every pass of its upkeep. */
function open(execution: { readonly inProcess?: boolean; readonly immediate?: boolean } = {}, key = 3) {
  const table: typeof storage.table = (kind) => {
    const rows = storage.table(kind)
    if (kind === 'legalHold') {
      return { ...rows, find: (query) => (areHoldsAway ? Promise.reject(new Error('away')) : rows.find(query)) }
    }
    if (kind !== 'outboxMail') return rows
    return {
      ...rows,
      find(query) {
        looks++
        return rows.find(query)
      },
    }
  }
  const service = createPrivacyService({
    encryptionKey: Buffer.alloc(32, key).toString('base64'),
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + ahead) },
    storage: { table, transaction: storage.transaction, close: storage.close, outlivesProcess: false },
    blobs: memoryBlobs(),
    mailer: {
      async send(mail) {
        ahead += mailMs
        if (isMailRefused) throw new Error('The mail server is away.')
        await mailer.send(mail)
      },
    },
    execution: { immediate: false, sweepSeconds: 0.05, ...execution },
  })
  opened.push(service)
  return service
}

beforeEach(() => {
  ahead = 0
  looks = 0
  isMailRefused = false
  mailMs = 0
  areHoldsAway = false
  storage = memoryStorage()
  mailer = memoryMailer()
})
afterEach(async () => {
  for (const service of opened.splice(0)) await service.close()
})

it('a pass leaves mails to the next one where each takes long', async () => {
  isMailRefused = true
  const privacy = open({ inProcess: false })
  const policyKey = 'default_access_policy'
  for (let at = 0; at < 12; at++)
    await privacy.requests.submit({ policyKey, identities: [{ email: `${at}@example.com` }] })
  const tried = async () => (await privacy.requests.list({ size: 50 })).items.map(({ id }) => id)
  for (const id of await tried()) {
    await expect.poll(async () => (await privacy.requests.get(id)).mails?.[0]?.attempts).toBe(1)
  }
  isMailRefused = false
  ahead = 60_000
  mailMs = 20_000
  expect(await privacy.upkeep()).toMatchObject({ mailsSent: 8 })
  expect(await privacy.upkeep()).toMatchObject({ mailsSent: 4 })
})

it('one pass sends what is due, destroys what is over, and says so', async () => {
  isMailRefused = true
  const privacy = open({ inProcess: false })
  const identities = [{ email: 'ann@example.com' }]
  const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
  await expect.poll(async () => (await privacy.requests.get(id)).mails?.[0]?.attempts).toBe(1)
  isMailRefused = false
  ahead = 60_000
  const nothing = { done: true, mailsSent: 0, requestsMoved: 0, requestsDestroyed: 0, failed: [] }
  expect(await privacy.upkeep()).toEqual({ ...nothing, mailsSent: 1 })
  expect(mailer.outbox).toHaveLength(1)
  await privacy.requests.cancel(id)
  ahead = 40 * day
  expect(await privacy.upkeep()).toMatchObject({ done: true, requestsDestroyed: 1 })
  expect((await privacy.requests.get(id)).destroyedAt).toBeDefined()
  expect(await privacy.upkeep()).toEqual(nothing)
})

it('a chore that fails is named, and the others are done', async () => {
  const privacy = open({ inProcess: false })
  areHoldsAway = true
  expect(await privacy.upkeep()).toMatchObject({ done: true, failed: ['legal holds'] })
})

it('one process does it for all, and another one goes on when it has ended or is silent', async () => {
  const first = open()
  await expect.poll(() => looks).toBeGreaterThan(0)
  const second = open({ inProcess: false })
  expect(await second.upkeep()).toMatchObject({ done: false })
  await first.close()
  expect(await second.upkeep()).toMatchObject({ done: true })
  // A process that was killed holds it until its lease ends.
  await storage
    .table('upkeep')
    .replace({ ...(await held()), leaseHolder: 'killed', leaseExpiresAt: new Date(Date.now() + 60_000).toISOString() })
  expect(await second.upkeep()).toMatchObject({ done: false })
  ahead = 61_000
  expect(await second.upkeep()).toMatchObject({ done: true })
})

it('a process whose key does not open what is stored leaves it to the others', async () => {
  const first = open({ inProcess: false })
  expect(await first.upkeep()).toMatchObject({ done: true })
  open({}, 9)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect((await held()).leaseHolder).toBeUndefined()
  expect(await first.upkeep()).toMatchObject({ done: true, failed: [] })
})

it('a process without work does none by itself', async () => {
  const privacy = open({ inProcess: false })
  await privacy.requests.list()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(looks).toBe(0)
  const stop = new AbortController()
  const working = privacy.work({ signal: stop.signal })
  await expect.poll(() => looks).toBeGreaterThan(1)
  stop.abort()
  await working
  expect((await held()).leaseHolder).toBeUndefined()
})

async function held() {
  const row = await storage.table('upkeep').get('upkeep')
  if (!row) throw new Error('nobody has done it yet')
  return { ...row, version: row.version + 1 }
}
