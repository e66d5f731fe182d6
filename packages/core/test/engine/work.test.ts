import { createPrivacyService, memoryBlobs, memoryStorage } from '@habeas/core'
import { expect, it } from 'vitest'
import { collection, field, id, shopOf, table } from './described.js'
import { openService } from './service-run.js'

const ann = { email: 'ann@example.com' }
const shop = () =>
  shopOf([collection('customer', [id, field('email', { identity: 'email' })])], {
    customer: table({ id: 'integer', email: 'string' }, [[1, 'ann@example.com']]),
  })
const ports = () => ({ storage: memoryStorage(), blobs: memoryBlobs() })
const web = { inProcess: false, sweepSeconds: 0.01 }

it('a web process takes requests and runs none until it works, and other processes run them', async () => {
  const shared = ports()
  const front = await openService([shop()], { ...shared, execution: web })
  const back = await openService([shop()], { ...shared, execution: web })
  const request = await front.submit(ann)
  // A worker of its own would have found it many times over.
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect((await front.privacy.requests.get(request)).status).toBe('pending')
  const stop = new AbortController()
  const working = back.privacy.work({ signal: stop.signal })
  expect((await front.rested(request)).status).toBe('complete')
  stop.abort()
  await working
  await front.privacy.close()
  await back.privacy.close()
})

it('a worker that is told to end hands back what it runs', async () => {
  const shared = ports()
  const given = shop()
  const first = await openService([given], { ...shared, execution: web })
  const gate = given.connector.hold({ operation: 'read' })
  const request = await first.submit(ann)
  const stop = new AbortController()
  const working = first.privacy.work({ signal: stop.signal })
  await gate.reached
  stop.abort()
  await working
  const row = await shared.storage.table('privacyRequest').get(request)
  expect(row).toMatchObject({ status: 'in_processing' })
  expect(row?.leaseHolder).toBeUndefined()
  gate.open()
  // The service is open still, and may work again.
  const again = first.privacy.work()
  expect((await first.rested(request)).status).toBe('complete')
  await first.privacy.close()
  await again
})

it('a worker runs as many requests at once as it was told, whether a hint or the sweep brings them', async () => {
  const shared = ports()
  const silent = await openService([shop()], { ...shared, execution: { immediate: false } })
  for (let n = 0; n < 6; n++) await silent.submit(ann)
  const given = shop()
  const gate = given.connector.hold({ operation: 'read' })
  const service = await openService([given], { ...shared, execution: { ...web, concurrency: 1 } })
  const working = service.privacy.work({ concurrency: 3 })
  for (let n = 0; n < 6; n++) await service.submit(ann)
  await expect.poll(() => gate.waiting).toBe(3)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(gate.waiting).toBe(3)
  gate.open()
  await silent.privacy.close()
  await service.privacy.close()
  await working
})

it('a worker that starts while the storage is away works once it is back', async () => {
  const { storage, blobs } = ports()
  let isAway = true
  const table: typeof storage.table = (kind) => {
    const rows = storage.table(kind)
    const find: typeof rows.find = (query) => (isAway ? Promise.reject(new Error('away')) : rows.find(query))
    return { ...rows, find }
  }
  const encryptionKey = Buffer.alloc(32, 9).toString('base64')
  const common = { encryptionKey, blobs, execution: web }
  const front = createPrivacyService({ ...common, storage })
  const identities = [ann]
  const { id } = await front.requests.submit({ policyKey: 'default_access_policy', identities })
  const worker = createPrivacyService({ ...common, storage: { ...storage, table } })
  const working = worker.work()
  await expect(worker.requests.list()).rejects.toThrow('away')
  isAway = false
  await expect.poll(async () => (await front.requests.get(id)).status).toBe('complete')
  await worker.close()
  await working
  await front.close()
})

it('a process that works by itself says so, and so does a wrong option', async () => {
  const own = await openService([shop()])
  await expect(own.privacy.work()).rejects.toMatchObject({
    code: 'misconfigured',
    details: { option: 'execution.inProcess' },
  })
  const other = await openService([shop()], { execution: web })
  for (const wrong of [{ concurrency: 0 }, { signal: 'now' }, { concurency: 2 }, 'all', [2], null])
    await expect(other.privacy.work(wrong as never)).rejects.toMatchObject({ code: 'invalid_input' })
  await own.privacy.close()
  await other.privacy.close()
})

it('no more requests read over one connection at once than `maxConcurrentPerConnection` says', async () => {
  const given = shop()
  const gate = given.connector.hold({ operation: 'read' })
  const execution = { concurrency: 3, maxConcurrentPerConnection: 1, sweepSeconds: 0.01 }
  const { privacy, submit } = await openService([given], { execution })
  const requests = [await submit(ann), await submit(ann), await submit(ann)]
  await gate.reached
  await expect
    .poll(async () => (await privacy.requests.list({ status: ['in_processing'] })).total)
    .toBe(requests.length)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(gate.waiting).toBe(1)
  gate.open()
  for (const request of requests) expect((await privacy.requests.settled(request)).status).toBe('complete')
  await privacy.close()
})

it('a queue whose listening fails is listened to again, and one that hangs holds nobody up', async () => {
  let listened = 0
  const queue = {
    send: () => new Promise<void>(() => {}),
    async listen() {
      listened++
      throw new Error('away')
    },
  }
  const { privacy, submit } = await openService([shop()], { queue, execution: { sweepSeconds: 0.01 } })
  const request = await submit(ann)
  expect((await privacy.requests.settled(request)).status).toBe('complete')
  await expect.poll(() => listened).toBeGreaterThan(1)
  await privacy.close()
})
