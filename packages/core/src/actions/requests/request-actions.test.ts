import { beforeEach, describe, expect, it } from 'vitest'
import { aesSecrets } from '../../builtin/aes-secrets.js'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import { type RequestStatus, requestStatuses } from '../../model/privacy-request.js'
import type { ActionContext } from '../action-context.js'
import { resourceActions } from '../resources/resource-actions.js'
import { serviceKeys } from '../service-keys.js'
import { requestRow } from './move-request.js'
import { requestActions } from './request-actions.js'
import { requestContext } from './request-context.js'

const identities = [{ email: 'planted-marker@example.org' }]
let context: ActionContext
let hints: string[]

function setUp({ immediate = true, approvalRequired = false } = {}) {
  hints = []
  context = {
    storage: memoryStorage(),
    secrets: aesSecrets({ keys: Buffer.alloc(32, 1).toString('base64') }),
    runtime: systemRuntime,
    connectors: new Map(),
    options: { taxonomy: 'open', connectionTestSeconds: 1 },
    connectionChanged() {},
  }
  return {
    policies: resourceActions(context).policies,
    requests: requestsOver(context, { immediate, approvalRequired }),
  }
}

function requestsOver(over: ActionContext, { immediate = true, approvalRequired = false } = {}) {
  const { policies } = resourceActions(over)
  const queue = { send: async (id: string) => void hints.push(id), listen: async () => {} }
  const policy = (key: string) => policies.get(key)
  const options = { queue, policy, immediate, approvalRequired, serviceKeys: serviceKeys(over) }
  return requestActions(requestContext(over, { ...options, rootClientId: 'root-client' }))
}

let { policies, requests } = setUp()
beforeEach(() => {
  ;({ policies, requests } = setUp())
})

const submit = () => requests.submit({ policyKey: 'default_access_policy', identities })
const fiftyAtOnce = <Result>(attempt: () => Promise<Result>) => Promise.allSettled(Array.from({ length: 50 }, attempt))

/** A request in a status, without the steps that lead to it. */
async function requestIn(status: RequestStatus): Promise<string> {
  const { id } = await submit()
  const row = await requestRow(context.storage, id)
  const lease = { leaseHolder: 'worker', leaseExpiresAt: '2999-01-01T00:00:00.000Z' }
  await context.storage.table('privacyRequest').replace({
    ...row,
    ...(status === 'in_processing' && lease),
    ...(status === 'error' && { failure: 'It failed.' }),
    status,
    version: row.version + 1,
  })
  return id
}

describe('submit', () => {
  it('stores a pending request and sends a hint', async () => {
    const { id, status } = await submit()
    expect(status).toBe('pending')
    expect(hints).toEqual([id])
    expect(id).toMatch(/^pri_[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })

  it('sends no hint when execution is not immediate', async () => {
    ;({ requests } = setUp({ immediate: false }))
    await submit()
    expect(hints).toEqual([])
  })

  it('keeps identities only under the data key of the request', async () => {
    const { id } = await submit()
    const rows = await Promise.all(
      (['privacyRequest', 'requestKey', 'requestIdentity'] as const).map((kind) => context.storage.table(kind).find()),
    )
    expect(rows.map((each) => each.length)).toEqual([1, 1, 1])
    expect(JSON.stringify(rows)).not.toContain('planted-marker')
    expect(await requests.identities(id)).toEqual(identities)
    await context.storage.table('requestKey').take(id)
    await expect(requests.identities(id)).rejects.toMatchObject({ code: 'gone' })
    expect(await requests.get(id)).toMatchObject({ id, status: 'pending' })
  })

  it('keeps one hash for each distinct value, and nothing when the request is not stored', async () => {
    await requests.submit({
      policyKey: 'default_access_policy',
      identities: [{ email: 'a@x', login: 'a@x', number: 5 }, { email: 'a@x', number: '5' }, { known: true }],
    })
    expect(await context.storage.table('requestIdentity').count()).toBe(3)
    const { transaction } = context.storage
    context = {
      ...context,
      storage: {
        ...context.storage,
        transaction: (work) =>
          transaction(async (inside) => {
            await work(inside)
            throw new Error('The storage is away.')
          }),
      },
    }
    const { storage } = context
    const failing = requestsOver(context)
    await expect(failing.submit({ policyKey: 'default_access_policy', identities })).rejects.toThrow()
    expect(await storage.table('requestIdentity').count()).toBe(3)
    expect(await storage.table('requestKey').count()).toBe(1)
  })

  it.each<[string, unknown, string]>([
    ['an unknown policy', { policyKey: 'nope', identities }, 'invalid_input'],
    [
      'an operator for an identity: {n: {$ne: null}}',
      { policyKey: 'default_access_policy', identities: [{ n: { $ne: null } }] },
      'invalid_input',
    ],
    ['blank identities', { policyKey: 'default_access_policy', identities: [{ email: '  ' }] }, 'invalid_input'],
    ['no identities', { policyKey: 'default_access_policy', identities: [] }, 'invalid_input'],
    [
      'a key for HTML, which is read without one',
      { policyKey: 'pages', identities, encryptionKey: '0123456789abcdef' },
      'invalid_input',
    ],
  ])('refuses %s, stores nothing, repeats no value', async (_, input, code) => {
    const rule = { service_key: 'r', action_type: 'access', data_categories: { values: ['user'] }, format: 'html' }
    await policies.put({ service_key: 'pages', rules: [rule] })
    const error = await requests.submit(input).catch((thrown) => thrown)
    expect(error).toMatchObject({ code })
    expect(JSON.stringify([error, error.message])).not.toMatch(/planted-marker|0123456789abcdef/)
    expect((await requests.list()).total).toBe(0)
  })
})

describe('cancel', () => {
  const ended = ['complete', 'denied', 'canceled']

  it.each(requestStatuses.filter((status) => !ended.includes(status)))('ends a request that is %s', async (status) => {
    const id = await requestIn(status)
    const request = await requests.cancel(id, { reason: 'The person called: never mind.' })
    expect(request).toStrictEqual(await requests.get(id))
    expect(request).toMatchObject({
      status: 'canceled',
      canceledAt: expect.stringMatching(/^\d{4}-.*Z$/),
      cancelReason: 'The person called: never mind.',
    })
    expect(request).not.toHaveProperty('failure')
    expect(await requestRow(context.storage, id)).not.toHaveProperty('leaseHolder')
  })

  it.each(ended as RequestStatus[])('refuses one that is %s, and changes nothing', async (status) => {
    const id = await requestIn(status)
    const before = await requestRow(context.storage, id)
    const error = await requests.cancel(id).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'invalid_state', details: { status, event: 'cancel' } })
    expect(error.message).toMatch(new RegExp(`is in status '${status}', so 'cancel' does not apply.*submit a new one`))
    expect(await requestRow(context.storage, id)).toStrictEqual(before)
  })

  it('succeeds for one of fifty callers, and the others get the status', async () => {
    const { id } = await submit()
    const attempts = await fiftyAtOnce(() => requests.cancel(id, { reason: 'twice' }))
    expect(attempts.filter((each) => each.status === 'fulfilled')).toHaveLength(1)
    for (const each of attempts) {
      if (each.status === 'fulfilled') continue
      expect(each.reason).toMatchObject({ code: 'invalid_state', details: { status: 'canceled', event: 'cancel' } })
    }
    expect((await requestRow(context.storage, id)).version).toBe(2)
  })

  it('wins although the lease of the run is renewed at the same time', async () => {
    const id = await requestIn('in_processing')
    const table = context.storage.table('privacyRequest')
    let renewals = 0
    const storage = {
      ...context.storage,
      table: ((kind: 'privacyRequest') => ({
        ...context.storage.table(kind),
        get: async (each: string) => {
          const row = await table.get(each)
          if (row && renewals++ < 3) await table.replace({ ...row, version: row.version + 1 })
          return row
        },
      })) as typeof context.storage.table,
    }
    const racing = requestsOver({ ...context, storage })
    expect(await racing.cancel(id)).toMatchObject({ status: 'canceled' })
    expect(renewals).toBeGreaterThan(3)
  })

  it.each<[string, unknown]>([
    ['too long', 'x'.repeat(1_001)],
    ['no text', 5],
    ['half of a surrogate pair', 'so \ud800'],
    ['a null character', 'a\0b'],
  ])('refuses a reason that is %s, and repeats none of it', async (_, reason) => {
    const { id } = await submit()
    const error = await requests.cancel(id, { reason } as { reason: string }).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'invalid_input', details: { issues: [{ loc: ['reason'] }] } })
    expect(error.message).not.toContain('x'.repeat(10))
    expect((await requests.get(id)).status).toBe('pending')
  })

  it('takes a thousand characters, and takes a blank reason for a missing one', async () => {
    const [long, blank] = [await submit(), await submit()]
    const reason = 'é'.repeat(1_000)
    expect((await requests.cancel(long.id, { reason })).cancelReason).toBe(reason)
    expect(await requests.cancel(blank.id, { reason: ' \n' })).not.toHaveProperty('cancelReason')
  })
})

describe('retry', () => {
  it('succeeds for one of fifty callers, and the others get the status', async () => {
    const id = await requestIn('error')
    const retries = await fiftyAtOnce(() => requests.retry(id))
    expect(retries.filter((each) => each.status === 'fulfilled')).toHaveLength(1)
    for (const each of retries) {
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'invalid_state' })
    }
    expect(await requests.get(id)).toMatchObject({ status: 'in_processing' })
    expect(await requests.get(id)).not.toHaveProperty('failure')
    expect(hints.slice(1)).toEqual([id])
  })

  it.each(requestStatuses.filter((status) => status !== 'error'))(
    'of one that is %s says what to do',
    async (status) => {
      const id = await requestIn(status)
      const error = await requests.retry(id).catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'invalid_state', details: { status, event: 'retry' } })
      expect(error.message).toMatch(new RegExp(`is in status '${status}', so 'retry' does not apply to it: .+\\.$`))
    },
  )
})

describe('accept', () => {
  it.each(requestStatuses)('of one that is %s and asks for nothing is refused under its own name', async (status) => {
    const error = await requests.accept(await requestIn(status), {}).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'invalid_state', details: { status, event: 'resume' } })
    expect(error.message).toMatch(new RegExp(`is in status '${status}', so 'accept' does not apply to it: .+\\.$`))
  })
})

describe('looking at requests', () => {
  it.each(['get', 'log', 'retry', 'cancel', 'identities'] as const)(
    '%s says not_found for an unknown one',
    async (action) => {
      await expect(requests[action]('pri_none')).rejects.toMatchObject({ code: 'not_found' })
    },
  )

  it('does not show who runs a request', async () => {
    const id = await requestIn('in_processing')
    const shown = [await requests.get(id), ...(await requests.list()).items, await requests.cancel(id)]
    expect(JSON.stringify(shown)).not.toMatch(/lease|"version"/)
    expect(shown).toHaveLength(3)
  })

  it('gives the log a page at a time, oldest entry first', async () => {
    const { id } = await submit()
    const other = await submit()
    const entry = (requestId: string, at: number) => ({
      id: context.runtime.newId(),
      version: 1,
      requestId,
      dataset: 'shop',
      collection: `c${at}`,
      actionType: 'access' as const,
      status: 'complete' as const,
      message: 'found 1 row',
      fieldsAffected: [],
      createdAt: `2026-01-01T00:00:0${Math.floor(at / 2)}.000Z`,
    })
    const order = [4, 1, 0, 2, 3]
    // Ids of one instant increase, so these come in the order of creation.
    const entries = [...order].sort().map((at) => entry(id, at))
    await context.storage.table('executionLog').insertMany(order.map((at) => entries[at] as (typeof entries)[number]))
    await context.storage.table('executionLog').insert(entry(other.id, 9))
    const { items, ...page } = await requests.log(id, { size: 2, page: 2 })
    expect(items.map((each) => each.collection)).toEqual(['c2', 'c3'])
    expect(page).toEqual({ total: 5, page: 2, size: 2, pages: 3 })
    expect((await requests.log(id)).items.map((each) => each.collection)).toEqual(['c0', 'c1', 'c2', 'c3', 'c4'])
    expect(items[0]).not.toHaveProperty('version')
    expect((await requests.log(id, { page: 4 })).items).toEqual([])
    await expect(requests.log(id, { page: 0, size: 101 })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: ['page'] }, { loc: ['size'] }] },
    })
  })
})
