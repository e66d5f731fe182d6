import { type Blobs, memoryBlobs, memoryStorage } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { collection, field, id, refer, shopOf, table } from './described.js'
import { openService, type ServiceOptions } from './service-run.js'

const ann = { email: 'ann@example.com' }
const rule = (key: string, category: string) => ({
  service_key: key,
  action_type: 'access',
  data_categories: { matches: 'ANY', values: [category] },
})
const twoRules = { service_key: 'two', rules: [rule('names', 'user.name'), rule('all', 'user')] }

function shop() {
  return shopOf(
    [
      collection('customer', [id, field('email', { identity: 'email' }), field('name', {}, ['user.name'])]),
      collection('orders', [id, refer('customer_id', 'customer.id'), field('note')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string', name: 'string' }, [[1, 'ann@example.com', 'Ann Ünlü']]),
      orders: table({ id: 'integer', customer_id: 'integer', note: 'string' }, [
        [1, 1, 'x'],
        [2, 1, 'ÿ'],
      ]),
    },
  )
}

async function open(options: ServiceOptions = {}) {
  const given = shop()
  return { ...given, ...(await openService([given], { catalogueSeconds: 0, ...options })) }
}

const bytesOf = async (stream: AsyncIterable<Uint8Array>) => {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}

describe('a package', () => {
  it('says what to call it, what it is and how long it is, before its first byte', async () => {
    const service = await open()
    const { id: requestId, rows } = await service.access(ann)
    const { stream, ...file } = await service.privacy.requests.package(requestId)
    const bytes = await bytesOf(stream)
    expect(file).toEqual({
      rule: 'all',
      format: 'json',
      name: `${requestId}.json`,
      mediaType: 'application/json',
      size: bytes.length,
    })
    expect(JSON.parse(bytes.toString())).toEqual(rows)
    expect(await service.privacy.requests.packages(requestId)).toEqual([file])
    expect(await bytesOf(service.privacy.requests.readPackage(requestId))).toEqual(bytes)
    await service.privacy.close()
  })

  it('of several rules is asked for by its rule, and the failure names the rules', async () => {
    const service = await open({ policy: twoRules })
    const requestId = await service.submit(ann)
    await service.privacy.requests.settled(requestId)
    const { requests } = service.privacy
    const names = await requests.package(requestId, { rule: 'names' })
    expect(names).toMatchObject({ rule: 'names', name: `${requestId}-names.json` })
    expect(JSON.parse((await bytesOf(names.stream)).toString())).toEqual({ 'shop:customer': [{ name: 'Ann Ünlü' }] })
    for (const [options, code] of [
      [{}, 'invalid_input'],
      [{ rule: 'none' }, 'not_found'],
    ] as const) {
      await expect(requests.package(requestId, options)).rejects.toMatchObject({
        code,
        message: expect.stringContaining('there are names as json, all as json'),
      })
    }
    await service.privacy.close()
  })

  it('that does not exist yet is refused with the status, and so is that of an unknown request', async () => {
    const service = await open({ execution: { immediate: false } })
    const requestId = await service.submit(ann)
    await expect(service.privacy.requests.package(requestId)).rejects.toMatchObject({
      code: 'not_found',
      details: { kind: 'package', id: requestId },
      message: expect.stringContaining("is in status 'pending'"),
    })
    await expect(service.privacy.requests.package('pri_none')).rejects.toMatchObject({
      code: 'not_found',
      details: { kind: 'privacy request' },
    })
    await service.privacy.close()
  })

  it('that was removed is gone, and so is one whose key was destroyed', async () => {
    const storage = memoryStorage()
    const blobs: Blobs = memoryBlobs()
    const service = await open({ storage, blobs })
    const { id: requestId } = await service.access(ann)
    await blobs.delete(`requests/${requestId}`)
    const gone = { code: 'gone', details: { kind: 'package', id: requestId } }
    await expect(service.privacy.requests.package(requestId)).rejects.toMatchObject(gone)
    await storage.table('requestKey').take(requestId)
    await expect(service.privacy.requests.package(requestId)).rejects.toMatchObject({ code: 'gone' })
    await expect(service.privacy.requests.identities(requestId)).rejects.toMatchObject({ code: 'gone' })
    await service.privacy.close()
  })
})

describe('preview', () => {
  it('stops waiting for a catalogue when its signal aborts, and other callers still get it', async () => {
    const service = await open()
    const gate = service.connector.hold({ operation: 'describe' })
    const asked = { policyKey: 'access_all', identities: [ann] }
    const controller = new AbortController()
    const given = service.privacy.requests.preview(asked, { signal: controller.signal })
    const patient = service.privacy.requests.preview(asked)
    await gate.reached
    controller.abort(new Error('nobody waits'))
    await expect(given).rejects.toThrow('nobody waits')
    gate.open()
    expect((await patient).plan.collections).toHaveLength(2)
    await expect(service.privacy.requests.preview(asked, { signal: AbortSignal.abort() })).rejects.toThrow()
    await service.privacy.close()
  })

  it('names a policy that does not exist as a bad member, as submit does', async () => {
    const service = await open()
    const asked = { policyKey: 'nope', identities: [ann] }
    const refused = { code: 'invalid_input', details: { issues: [{ loc: ['policyKey'] }] } }
    await expect(service.privacy.requests.preview(asked)).rejects.toMatchObject(refused)
    await expect(service.privacy.requests.submit(asked)).rejects.toMatchObject(refused)
    await service.privacy.close()
  })
})

describe('run', () => {
  it('runs one request, also after a retry, and says when it cannot', async () => {
    const service = await open({ execution: { immediate: false } })
    const { requests } = service.privacy
    await expect(requests.run('pri_none')).rejects.toMatchObject({ code: 'not_found' })
    const requestId = await service.submit(ann)
    service.connector.failNext({ operation: 'read', collection: 'orders' })
    await requests.run(requestId)
    await expect(requests.run(requestId)).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'error', event: 'run' },
      message: `Request '${requestId}' is in status 'error', so 'run' does not apply to it: call \`retry\`, or \`cancel\`.`,
    })
    await requests.retry(requestId)
    await requests.run(requestId)
    expect(await requests.get(requestId)).toMatchObject({ status: 'complete' })
    await expect(requests.run(requestId)).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('submit a new one'),
    })
    await service.privacy.close()
  })

  it('says that a request is being run already, and does not run it twice', async () => {
    const service = await open({ execution: { immediate: false } })
    const { requests } = service.privacy
    const requestId = await service.submit(ann)
    const gate = service.connector.hold({ operation: 'read', collection: 'orders' })
    const run = requests.run(requestId)
    await gate.reached
    await expect(requests.run(requestId)).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'in_processing', event: 'run' },
      message: expect.stringContaining('wait until its run has ended'),
    })
    await requests.run()
    gate.open()
    await run
    expect(service.connector.calls.filter(({ operation }) => operation === 'read')).toHaveLength(2)
    expect(Object.keys(await service.read(requestId))).toHaveLength(2)
    await service.privacy.close()
  })
})
