import { getEventListeners } from 'node:events'
import { type Blobs, memoryBlobs, PrivacyError } from '@habeas/core'
import { type MemoryConnector, memoryConnector } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'
import { ask, hiccup, packageOf, service, user } from './world.js'

const field = (name: string, service_meta: object = {}) => ({ name, data_categories: user, service_meta })
const shop = (emailMeta: object = {}) => ({
  service_key: 'shop',
  collections: [
    { name: 'customer', fields: [field('id'), field('email', { identity: 'email' }), field('login')] },
    {
      name: 'letter',
      fields: [
        field('id'),
        field('to', {
          references: [{ dataset: 'shop', field: 'customer.login', direction: 'from' }],
          ...emailMeta,
        }),
        field('text'),
      ],
    },
  ],
})
const database = (to: unknown = 'Ann') => ({
  customer: { primaryKey: ['id'], rows: [{ id: 1, email: 'a@x', login: to as string }] },
  letter: { primaryKey: ['id'], rows: [{ id: 10, to: to as string, text: 'dear Ann' }] },
})
const connectorOf = (to?: unknown): MemoryConnector => memoryConnector({ database: database(to) })
const soon = <T>(promise: Promise<T>, ms = 120_000) =>
  Promise.race([promise.then(() => 'done'), new Promise((resolve) => setTimeout(resolve, ms, 'hangs'))])

describe('retry with checkpoints', () => {
  it('keys of a finished parent are not used once its child compares otherwise (case_insensitive switched on)', async () => {
    const connector = connectorOf()
    const privacy = await service(connector, shop())
    connector.failNext({ operation: 'read', collection: 'letter' })
    const request = await ask(privacy, { email: 'a@x' })
    expect(request.status).toBe('error')
    await privacy.connections.attachDataset('db', shop({ case_insensitive: true }))
    await privacy.requests.retry(request.id)
    expect((await privacy.requests.settled(request.id)).status).toBe('complete')
    expect(Object.keys(await packageOf(privacy, request.id))).toEqual(['shop:customer', 'shop:letter'])
    await privacy.close()
  })

  it('keys of a finished parent are not used once its child has another column type', async () => {
    const db = database(42)
    const connector = memoryConnector({ database: db })
    const privacy = await service(connector, shop())
    connector.failNext({ operation: 'read', collection: 'letter' })
    const request = await ask(privacy, { email: 'a@x' })
    expect(request.status).toBe('error')
    ;(db.letter as { rows: object[] }).rows = [{ id: 10, to: '42', text: 'dear Ann' }]
    await privacy.requests.retry(request.id)
    expect(await privacy.requests.settled(request.id)).toMatchObject({ status: 'complete' })
    expect(Object.keys(await packageOf(privacy, request.id))).toEqual(['shop:customer', 'shop:letter'])
    await privacy.close()
  })

  it('a request whose spool is gone (the default: files gone with the process) can still be retried', async () => {
    const connector = connectorOf()
    const blobs = memoryBlobs()
    const privacy = await service(connector, shop(), { blobs })
    connector.failNext({ operation: 'read', collection: 'letter' })
    const request = await ask(privacy, { email: 'a@x' })
    await blobs.delete(`requests/${request.id}`)
    await privacy.requests.retry(request.id)
    expect(await privacy.requests.settled(request.id)).toMatchObject({ status: 'complete' })
    await privacy.close()
  })

  it('one failed write of a checkpoint does not hide which collection failed', async () => {
    const connector = connectorOf()
    const storage = hiccup('checkpoint', 'insert')
    const privacy = await service(connector, shop(), { storage })
    connector.failNext({ operation: 'read', collection: 'letter' })
    const request = await ask(privacy, { email: 'a@x' })
    expect(request).toMatchObject({ status: 'error', failure: expect.stringContaining('shop:letter') })
    await privacy.close()
  })

  it('nothing of the spool stays once a request is complete, however long its package takes to write', async () => {
    const kept = new Set<string>()
    const inner = memoryBlobs()
    const blobs: Blobs = {
      ...inner,
      async write(key, bytes) {
        if (key.includes('/package/')) await new Promise((resolve) => setTimeout(resolve, 1_300))
        await inner.write(key, bytes)
        kept.add(key)
      },
      async delete(prefix) {
        for (const key of kept) if (key.startsWith(`${prefix}/`)) kept.delete(key)
        await inner.delete(prefix)
      },
    }
    const privacy = await service(connectorOf(), shop(), { blobs })
    const request = await ask(privacy, { email: 'a@x' })
    expect(request.status).toBe('complete')
    await privacy.close()
    expect([...kept].filter((key) => key.includes('/spool/'))).toEqual([])
  })
})

describe('what is called done', () => {
  it('a request that failed has no package to hand over', async () => {
    const inner = memoryBlobs()
    const blobs: Blobs = {
      ...inner,
      async write(key, bytes) {
        if (key.endsWith('/two/json.json')) throw new Error('disk full')
        return inner.write(key, bytes)
      },
    }
    const privacy = await service(connectorOf(), shop(), { blobs })
    const rule = (service_key: string) => ({
      service_key,
      action_type: 'access',
      data_categories: { matches: 'ANY', values: user },
    })
    await privacy.policies.create({ service_key: 'both', rules: [rule('one') as never, rule('two') as never] })
    const { id } = await privacy.requests.submit({ policyKey: 'both', identity: { email: 'a@x' } })
    expect((await privacy.requests.settled(id)).status).toBe('error')
    expect(await privacy.requests.packages(id)).toEqual([])
    await privacy.close()
  })

  it('a submission that is stored is answered, although the hint got lost', async () => {
    const queue = {
      send: async () => {
        throw new PrivacyError('unavailable', 'The queue is away.')
      },
      listen: async (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
    }
    const privacy = await service(connectorOf(), shop(), { queue })
    await privacy.requests.submit({ policyKey: 'default_access_policy', identity: { email: 'a@x' } }).catch(() => {})
    const submitted = (await privacy.requests.list()).total
    expect(submitted).toBe(1)
    await expect(
      privacy.requests.submit({ policyKey: 'default_access_policy', identity: { email: 'a@x' } }),
    ).resolves.toBeDefined()
    await privacy.close()
  })

  it('a request whose last write failed once is not held for ever', async () => {
    const connector = connectorOf()
    const storage = hiccup('privacyRequest', 'replace', ({ status }) => status === 'complete')
    const privacy = await service(connector, shop(), { storage })
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identity: { email: 'a@x' } })
    const settled = privacy.requests.settled(id, { signal: AbortSignal.timeout(2_500) }).catch(() => undefined)
    await settled
    await privacy.requests.run(id).catch(() => {})
    expect((await privacy.requests.get(id)).status).not.toBe('in_processing')
    await privacy.close()
  })

  it('a change of a description does not fail a request that is running over the connection', async () => {
    const connector = connectorOf()
    const privacy = await service(connector, shop())
    const gate = connector.hold({ operation: 'read', collection: 'letter' })
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identity: { email: 'a@x' } })
    await gate.reached
    await privacy.connections.patch({ key: 'db', description: 'the shop' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    gate.open()
    expect(await privacy.requests.settled(id)).toMatchObject({ status: 'complete' })
    await privacy.close()
  })
})

describe('ends', () => {
  it.each(['describe', 'connect'] as const)(
    'close does not wait for a database that never answers %s',
    async (operation) => {
      const connector = connectorOf()
      const privacy = await service(connector, shop())
      const gate = connector.hold({ operation })
      if (operation === 'connect') await privacy.connections.setSecrets('db', { host: 'i' }, { verify: false })
      await privacy.requests.submit({ policyKey: 'default_access_policy', identity: { email: 'a@x' } })
      await gate.reached
      expect(await soon(privacy.close())).toBe('done')
      gate.open()
    },
  )

  it('a connection that fails to close does not end the process', async () => {
    const inner = connectorOf()
    const connector = {
      ...inner,
      connect: async (secrets: unknown) => ({
        ...(await inner.connect(secrets)),
        close: async () => {
          throw new Error('close failed')
        },
      }),
    }
    const seen: unknown[] = []
    const before = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', (error) => seen.push(error))
    const privacy = await service(connector, shop())
    await ask(privacy, { email: 'a@x' })
    await privacy.connections.setSecrets('db', { host: 'other' }, { verify: false })
    await new Promise((resolve) => setTimeout(resolve, 50))
    await privacy.close().catch(() => {})
    process.removeAllListeners('unhandledRejection')
    for (const listener of before) process.on('unhandledRejection', listener)
    expect(seen).toEqual([])
  })

  it('close ends although one connection fails to close, and closes the others', async () => {
    const inner = connectorOf()
    const connector = {
      ...inner,
      connect: async (secrets: unknown) => ({
        ...(await inner.connect(secrets)),
        close: async () => {
          throw new Error('close failed')
        },
      }),
    }
    const privacy = await service(connector, shop())
    await ask(privacy, { email: 'a@x' })
    await expect(privacy.close()).resolves.toBeUndefined()
  })

  it('settled leaves no listener behind on the signal', async () => {
    const connector = connectorOf()
    const privacy = await service(connector, shop())
    const gate = connector.hold({ operation: 'read', collection: 'letter' })
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identity: { email: 'a@x' } })
    const { signal } = new AbortController()
    const settled = privacy.requests.settled(id, { signal })
    await gate.reached
    await new Promise((resolve) => setTimeout(resolve, 2_200))
    const during = getEventListeners(signal, 'abort').length
    gate.open()
    await settled
    expect([during, getEventListeners(signal, 'abort').length]).toEqual([1, 0])
    await privacy.close()
  })

  it('a reader of a package that stops early releases the blob', async () => {
    const inner = memoryBlobs()
    let open = 0
    const blobs: Blobs = {
      ...inner,
      async *read(key, options) {
        open += 1
        try {
          yield* inner.read(key, options)
        } finally {
          open -= 1
        }
      },
    }
    const rows = Array.from({ length: 40_000 }, (_, at) => ({ id: at, to: 'Ann', text: 'dear Ann, how are you?' }))
    const connector = memoryConnector({
      database: { ...database(), letter: { primaryKey: ['id'], rows } },
      batchSize: 5_000,
    })
    const privacy = await service(connector, shop(), { blobs })
    const { id } = await ask(privacy, { email: 'a@x' })
    for await (const _ of privacy.requests.readPackage(id)) break
    expect(open).toBe(0)
    await privacy.close()
  })

  it('a run begun with run() has ended before close has', async () => {
    const connector = connectorOf()
    const privacy = await service(connector, shop(), { execution: { immediate: false } })
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identity: { email: 'a@x' } })
    const gate = connector.hold({ operation: 'read' })
    let ended = false
    const run = privacy.requests.run(id).finally(() => {
      ended = true
    })
    await gate.reached
    await privacy.close()
    expect(ended).toBe(true)
    gate.open()
    await run.catch(() => {})
  })
})
