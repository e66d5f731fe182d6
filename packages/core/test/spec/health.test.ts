import {
  createPrivacyService,
  memoryBlobs,
  memoryQueue,
  memoryStorage,
  PrivacyError,
  type PrivacyService,
  type PrivacyServiceOptions,
  type Storage,
  systemRuntime,
} from '@habeas/core'
import { afterEach, describe, expect, it } from 'vitest'

const key = (at: number) => Buffer.alloc(32, at).toString('base64')
const away = () => Promise.reject(new Error('connect ECONNREFUSED db.internal:5432'))
const opened: PrivacyService[] = []

/** A process of the service, which does its upkeep at once. */
function open(options: Partial<PrivacyServiceOptions> = {}): PrivacyService {
  const service = createPrivacyService({
    encryptionKey: key(3),
    storage: memoryStorage(),
    blobs: memoryBlobs(),
    logger: false,
    ...options,
    execution: { sweepSeconds: 0.02, ...options.execution },
  })
  opened.push(service)
  return service
}

/** A storage whose tables of one kind do not answer. */
function without(storage: Storage, kind: string, find: () => Promise<never>): Storage {
  const table: Storage['table'] = (name) => ({ ...storage.table(name), ...(name === kind && { find }) })
  return { ...storage, table }
}

const messageOf = async (service: PrivacyService, part: string) =>
  (await service.health()).problems.find((problem) => problem.part === part)?.message

afterEach(async () => {
  for (const service of opened.splice(0)) await service.close()
})

describe('the health of a service', () => {
  it('is that of its parts', async () => {
    expect(await open().health()).toEqual({
      ...{ status: 'healthy', storage: 'healthy', secrets: 'healthy', blobs: 'healthy', queue: 'healthy' },
      ...{ worker: 'healthy', upkeep: 'healthy', problems: [] },
    })
  })

  it('is unhealthy where calls are refused, and says no more than that of the storage', async () => {
    const service = open({ storage: without(memoryStorage(), 'serviceKey', away) })
    const health = await service.health()
    expect(health).toMatchObject({ status: 'unhealthy', storage: 'unhealthy', secrets: 'unknown', worker: 'unknown' })
    expect(health.problems).toEqual([{ part: 'storage', message: expect.stringContaining('see that its server runs') }])
    expect(JSON.stringify(health)).not.toMatch(/ECONNREFUSED|db\.internal/)
    expect(await service.isReady()).toBe(false)
  })

  it('names the keys where they do not open what is stored', async () => {
    const storage = memoryStorage()
    await open({ storage }).datasets.list()
    const other = open({ storage, encryptionKey: key(4) })
    expect(await other.health()).toMatchObject({ status: 'unhealthy', storage: 'healthy', secrets: 'unhealthy' })
    const [problem] = (await other.health()).problems
    expect(problem?.message).toContain('give it the keys that the other processes have')
    expect(problem?.cause).toContain('encryptionKey must be the key that this storage was begun with')
    expect(await other.isReady()).toBe(false)
  })

  it('is degraded where only runs fail', async () => {
    const service = open({ blobs: { ...memoryBlobs(), size: () => Promise.reject(new Error('no space left')) } })
    expect(await service.health()).toMatchObject({ status: 'degraded', blobs: 'unhealthy' })
    expect(await messageOf(service, 'blobs')).toContain('packages cannot be fetched')
    expect(await service.isReady()).toBe(true)
  })

  it('is degraded while hints are lost', async () => {
    let isAway = true
    const queue = memoryQueue()
    const send: typeof queue.send = (...hint) => (isAway ? away() : queue.send(...hint))
    const service = open({ queue: { ...queue, send } })
    const policy = { service_key: 'all', rules: [] }
    await service.policies.put({
      ...policy,
      rules: [{ service_key: 'r', action_type: 'access', data_categories: { matches: 'ANY', values: ['user'] } }],
    })
    const submit = () => service.requests.submit({ policyKey: 'all', identities: [{ email: 'ann@example.com' }] })
    await submit()
    await expect.poll(async () => (await service.health()).queue).toBe('unhealthy')
    expect(await messageOf(service, 'queue')).toContain('wait for the sweep')
    isAway = false
    await submit()
    await expect.poll(async () => (await service.health()).queue).toBe('healthy')
  })

  it('is degraded while the server of the queue does not answer, although nothing is sent', async () => {
    let isAway = true
    const queue = { ...memoryQueue(), ping: () => (isAway ? away() : Promise.resolve()) }
    const service = open({ queue })
    expect(await service.health()).toMatchObject({ status: 'degraded', queue: 'unhealthy' })
    isAway = false
    expect(await service.health()).toMatchObject({ status: 'healthy', queue: 'healthy' })
  })

  it('takes a queue for well whose server answers, although a hint was lost before', async () => {
    const queue = { ...memoryQueue(), send: away, ping: () => Promise.resolve() }
    const service = open({ queue })
    await service.requests.submit({ policyKey: 'default_access_policy', identities: [{ email: 'ann@example.com' }] })
    expect(await service.health()).toMatchObject({ queue: 'healthy' })
  })

  it('says that nobody runs requests, until a worker does', async () => {
    const storage = memoryStorage()
    const web = open({ storage, execution: { inProcess: false } })
    expect(await web.health()).toMatchObject({ status: 'degraded', worker: 'unhealthy', upkeep: 'unhealthy' })
    expect(await messageOf(web, 'worker')).toContain('work()')
    expect(await messageOf(web, 'upkeep')).toContain('upkeep()')
    const worker = open({ storage, execution: { inProcess: false } })
    const stop = new AbortController()
    const working = worker.work({ signal: stop.signal })
    await expect.poll(async () => (await web.health()).status).toBe('healthy')
    stop.abort()
    await working
    // its last pass was a moment ago
    expect(await web.health()).toMatchObject({ worker: 'unknown', upkeep: 'healthy' })
  })

  it('says that nobody runs requests any more, once the last worker has had no successor for two minutes', async () => {
    const storage = memoryStorage()
    let ahead = 0
    const runtime = { ...systemRuntime, now: () => new Date(Date.now() + ahead) }
    const web = open({ storage, runtime, execution: { inProcess: false } })
    const worker = open({ storage, runtime, execution: { inProcess: false } })
    const stop = new AbortController()
    const working = worker.work({ signal: stop.signal })
    await expect.poll(async () => (await web.health()).status).toBe('healthy')
    stop.abort()
    await working
    ahead = 200_000
    expect(await web.health()).toMatchObject({ status: 'degraded', worker: 'unhealthy', upkeep: 'unhealthy' })
    await worker.upkeep()
    // a job does the upkeep, and may run requests as well
    expect(await web.health()).toMatchObject({ status: 'healthy', worker: 'unknown', upkeep: 'healthy' })
  })

  it('says why the storage cannot be used, to operators', async () => {
    const refused = () => Promise.reject(new PrivacyError('unavailable', 'The server has no such database.'))
    const [problem] = (await open({ storage: without(memoryStorage(), 'serviceKey', refused) }).health()).problems
    expect(problem).toMatchObject({ part: 'storage', cause: 'The server has no such database.' })
  })

  it('names the upkeep that cannot be done', async () => {
    const service = open({ storage: without(memoryStorage(), 'legalHold', away) })
    await expect.poll(async () => (await service.health()).upkeep).toBe('unhealthy')
    expect(await messageOf(service, 'upkeep')).toMatch(/This fails, and is tried again: .*legal holds.*log/)
  })
})
