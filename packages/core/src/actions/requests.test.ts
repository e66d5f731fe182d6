import { beforeEach, describe, expect, it } from 'vitest'
import { aesSecrets } from '../builtin/aes-secrets.js'
import { memoryStorage } from '../builtin/memory-storage.js'
import { systemRuntime } from '../builtin/system-runtime.js'
import type { ActionContext } from './context.js'
import { policyActions } from './policies.js'
import { claimRequest, moveRequest, openRequest, requestActions, requestRow } from './requests.js'

const identities = [{ email: 'planted-marker@example.org' }]
let context: ActionContext
let hints: string[]

function setUp(immediate = true) {
  hints = []
  context = {
    storage: memoryStorage(),
    secrets: aesSecrets({ keys: Buffer.alloc(32, 1).toString('base64') }),
    runtime: systemRuntime,
    connectors: new Map(),
    options: { taxonomy: 'open', connectionTestSeconds: 1 },
    connectionChanged() {},
  }
  const policies = policyActions(context)
  const queue = { send: async (id: string) => void hints.push(id), listen: async () => {} }
  return { policies, requests: requestActions(context, { queue, policy: (key) => policies.get(key), immediate }) }
}

let { policies, requests } = setUp()
beforeEach(() => {
  ;({ policies, requests } = setUp())
})

const submit = () => requests.submit({ policyKey: 'default_access_policy', identities })
const fiftyAtOnce = <Result>(attempt: () => Promise<Result>) => Promise.allSettled(Array.from({ length: 50 }, attempt))

describe('submit', () => {
  it('stores a pending request and says look now', async () => {
    const { id, status } = await submit()
    expect(status).toBe('pending')
    expect(hints).toEqual([id])
    expect(id).toMatch(/^pri_[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })

  it('tells nobody when execution is not immediate', async () => {
    ;({ requests } = setUp(false))
    await submit()
    expect(hints).toEqual([])
  })

  it('keeps identities only under the data key of the request', async () => {
    const { id } = await submit()
    const rows = JSON.stringify([
      await requestRow(context.storage, id),
      await context.storage.table('requestKey').get(id),
    ])
    expect(rows).not.toContain('planted-marker')
    expect((await openRequest(context, id)).identities).toEqual(identities)
    await context.storage.table('requestKey').take(id)
    await expect(openRequest(context, id)).rejects.toMatchObject({ code: 'gone' })
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
      'a key of the caller',
      { policyKey: 'default_access_policy', identities, encryptionKey: '0123456789abcdef' },
      'unsupported',
    ],
    ['a policy that erases', { policyKey: 'default_erasure_policy', identities }, 'unsupported'],
  ])('refuses %s, stores nothing, repeats no value', async (_, input, code) => {
    const error = await requests.submit(input).catch((thrown) => thrown)
    expect(error).toMatchObject({ code })
    expect(JSON.stringify([error, error.message])).not.toMatch(/planted-marker|0123456789abcdef/)
    expect((await requests.list()).total).toBe(0)
  })

  it('refuses a format it cannot write', async () => {
    const rule = { service_key: 'r', action_type: 'access', data_categories: { values: ['user'] }, format: 'csv' }
    await policies.put({ service_key: 'sheets', rules: [rule] })
    await expect(requests.submit({ policyKey: 'sheets', identities })).rejects.toMatchObject({ code: 'unsupported' })
  })
})

describe('a change of status has one winner', () => {
  it('of fifty claims', async () => {
    const { id } = await submit()
    const claims = await fiftyAtOnce(() => claimRequest(context, id, 'worker'))
    expect(claims.filter((each) => each.status === 'fulfilled' && each.value)).toHaveLength(1)
    expect(await claimRequest(context, id, 'late')).toBeUndefined()
  })

  it('of fifty retries, and the rest are told the status', async () => {
    const { id } = await submit()
    const claimed = await claimRequest(context, id, 'worker')
    const { leaseHolder, ...row } = claimed as NonNullable<typeof claimed>
    await moveRequest(context.storage, row, 'fail', { failure: 'It failed.' })
    const retries = await fiftyAtOnce(() => requests.retry(id))
    expect(retries.filter((each) => each.status === 'fulfilled')).toHaveLength(1)
    for (const each of retries) if (each.status === 'rejected') expect(each.reason.code).toBe('invalid_state')
    expect(await requests.get(id)).toMatchObject({ status: 'in_processing' })
    expect((await requests.get(id)).failure).toBeUndefined()
    expect(await claimRequest(context, id, 'again')).toBeDefined()
  })

  it('and a doubled or late hint runs nothing twice', async () => {
    const { id } = await submit()
    const row = await claimRequest(context, id, 'worker')
    const { leaseHolder, ...held } = row as NonNullable<typeof row>
    await moveRequest(context.storage, held, 'fail', { failure: 'It failed.' })
    expect(await claimRequest(context, id, 'worker')).toBeUndefined()
  })
})

describe('looking at requests', () => {
  it('lists the newest first, a page at a time, and finds by external id', async () => {
    for (const externalId of ['a', 'b', 'c']) {
      await requests.submit({ policyKey: 'default_access_policy', identities, externalId })
    }
    const { items, total, pages } = await requests.list({ size: 2 })
    expect(items.map((each) => each.externalId)).toEqual(['c', 'b'])
    expect([total, pages]).toEqual([3, 2])
    expect((await requests.list({ externalId: 'a' })).items).toHaveLength(1)
    expect((await requests.list({ page: 9 })).items).toEqual([])
  })

  it.each(['get', 'log', 'retry'] as const)('%s says not_found for an unknown one', async (action) => {
    await expect(requests[action]('pri_none')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('retry says what the status is when there is nothing to try again', async () => {
    const { id } = await submit()
    await expect(requests.retry(id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'pending', event: 'retry' },
    })
  })
})
