import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createPrivacyService,
  memoryBlobs,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  type RequestStatus,
} from '../../src/index.js'

const identities = [{ email: 'planted-marker@example.org' }]
let privacy: PrivacyService

function open(execution: PrivacyServiceOptions['execution']) {
  privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    storage: memoryStorage(),
    execution: { sweepSeconds: 0.02, ...execution },
  })
}
const submit = () => privacy.requests.submit({ policyKey: 'default_access_policy', identities })
const fiftyAtOnce = <Result>(attempt: () => Promise<Result>) => Promise.allSettled(Array.from({ length: 50 }, attempt))
const trail = async (id: string) => (await privacy.requests.auditTrail(id)).items
const steps = async (id: string) =>
  (await trail(id)).map(({ actor, action, detail }) => `${actor} ${action} ${detail['from'] ?? '–'} ${detail['to']}`)

afterEach(() => privacy.close())

describe('without approval', () => {
  beforeEach(() => open({ immediate: false }))

  it('a request runs from pending, and each change of status is one entry in the audit trail', async () => {
    const { id } = await submit()
    await privacy.requests.run(id)
    expect(await steps(id)).toEqual([
      'host request_submitted – pending',
      'system run_started pending in_processing',
      'system request_completed in_processing complete',
    ])
    expect(JSON.stringify(await trail(id))).not.toContain('planted-marker')
    expect((await privacy.requests.auditTrail(id, { size: 1, page: 2 })).items).toMatchObject([
      { action: 'run_started', subject: `privacy-request:${id}` },
    ])
    await expect(privacy.requests.auditTrail('pri_none')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('says who asked, and which caller did what', async () => {
    const { id } = await privacy.requests.submit(
      { policyKey: 'default_access_policy', identities },
      { caller: 'client-1' },
    )
    await privacy.requests.cancel(id, { caller: 'client-2', reason: 'never mind' })
    expect(await steps(id)).toEqual([
      'client-1 request_submitted – pending',
      'client-2 request_canceled pending canceled',
    ])
  })

  it('may be approved all the same, and then runs from approved', async () => {
    const { id } = await submit()
    expect(await privacy.requests.approve(id)).toMatchObject({ status: 'approved' })
    await privacy.requests.run()
    expect((await privacy.requests.get(id)).status).toBe('complete')
  })
})

describe('with approval required', () => {
  beforeEach(() => open({ requireManualRequestApproval: true }))

  it('a request waits, whichever worker looks for work, and runs once it is approved', async () => {
    const { id } = await submit()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect((await privacy.requests.get(id)).status).toBe('pending')
    await expect(privacy.requests.run(id)).rejects.toMatchObject({ code: 'invalid_state' })
    const seen: RequestStatus[] = []
    privacy.on((event) => event.type === 'request' && seen.push(event.status))
    const approved = await privacy.requests.approve(id, { caller: 'client-1' })
    expect(approved).toMatchObject({ status: 'approved', reviewedBy: 'client-1', reviewedAt: expect.any(String) })
    expect(await privacy.requests.settled(id)).toMatchObject({ status: 'complete', reviewedBy: 'client-1' })
    expect(seen).toEqual(['approved', 'in_processing', 'complete'])
    expect((await steps(id)).slice(1)).toEqual([
      'client-1 request_approved pending approved',
      'system run_started approved in_processing',
      'system request_completed in_processing complete',
    ])
  })

  it('a request waits for it in processes without the option as well', async () => {
    const storage = memoryStorage()
    const common = { encryptionKey: Buffer.alloc(32, 3).toString('base64'), storage, blobs: memoryBlobs() }
    const strict = createPrivacyService({
      ...common,
      execution: { immediate: false, requireManualRequestApproval: true },
    })
    const other = createPrivacyService({ ...common, execution: { sweepSeconds: 0.01 } })
    const { id } = await strict.requests.submit({ policyKey: 'default_access_policy', identities })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect((await other.requests.get(id)).status).toBe('pending')
    await expect(other.requests.run(id)).rejects.toMatchObject({ code: 'invalid_state' })
    await strict.requests.approve(id)
    expect((await other.requests.settled(id)).status).toBe('complete')
    for (const each of [strict, other]) await each.close()
  })

  it('a denied one has ended, with its reason', async () => {
    const { id } = await submit()
    const denied = await privacy.requests.deny(id, { reason: 'Not a customer.' })
    expect(denied).toMatchObject({ status: 'denied', denialReason: 'Not a customer.', reviewedBy: 'host' })
    await expect(privacy.requests.approve(id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'denied', event: 'approve' },
    })
    expect(await privacy.requests.settled(id)).toStrictEqual(denied)
  })

  it.each(['approve', 'deny', 'cancel'] as const)('one of fifty callers at once can %s', async (action) => {
    const { id } = await submit()
    const attempts = await fiftyAtOnce(() => privacy.requests[action](id))
    expect(attempts.filter((each) => each.status === 'fulfilled')).toHaveLength(1)
    await privacy.requests.settled(id)
    const entries = (await trail(id)).filter(({ action: each }) => each.startsWith(`request_${action.slice(0, 3)}`))
    expect(entries).toHaveLength(1)
  })

  it('one of fifty who approve and fifty who deny succeeds', async () => {
    const { id } = await submit()
    const attempts = await Promise.all([
      fiftyAtOnce(() => privacy.requests.approve(id)),
      fiftyAtOnce(() => privacy.requests.deny(id)),
    ])
    expect(attempts.flat().filter((each) => each.status === 'fulfilled')).toHaveLength(1)
  })

  it('refuses an invalid plan hash and an invalid reason', async () => {
    const { id } = await submit()
    await expect(privacy.requests.approve(id, { planHash: 'x' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: ['planHash'] }] },
    })
    await expect(privacy.requests.deny(id, { reason: 'x'.repeat(1_001) })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: ['reason'] }] },
    })
    expect((await privacy.requests.get(id)).status).toBe('pending')
  })

  it('a plan that is the approved one runs, another one goes back to pending and waits', async () => {
    const { id } = await submit()
    const { planHash, plan } = await privacy.requests.review(id)
    expect(plan.collections).toEqual([])
    await privacy.requests.approve(id, { planHash })
    expect((await privacy.requests.settled(id)).approvedPlanHash).toBe(planHash)

    const other = await submit()
    await privacy.requests.approve(other.id, { planHash: 'A'.repeat(43) })
    await expect.poll(async () => (await privacy.requests.get(other.id)).failure).toMatch(/approve it again/)
    const waiting = await privacy.requests.get(other.id)
    expect(waiting).toMatchObject({ status: 'pending' })
    for (const gone of ['reviewedAt', 'reviewedBy', 'approvedPlanHash']) expect(waiting).not.toHaveProperty(gone)
    const changed = (await trail(other.id)).at(-1)
    expect(changed).toMatchObject({
      action: 'plan_changed',
      detail: { planHash, from: 'in_processing', to: 'pending' },
    })
    await privacy.requests.approve(other.id, { planHash })
    expect(await privacy.requests.settled(other.id)).not.toHaveProperty('failure')
  })
})

it('a plan that differs from the approved one waits for a review even where nobody has to approve', async () => {
  open({ immediate: false })
  const { id } = await submit()
  await privacy.requests.approve(id, { planHash: 'A'.repeat(43) })
  await privacy.requests.run()
  await privacy.requests.run()
  expect((await privacy.requests.get(id)).status).toBe('pending')
  await expect(privacy.requests.run(id)).rejects.toMatchObject({ code: 'invalid_state' })
  await privacy.requests.approve(id)
  await privacy.requests.run(id)
  expect((await privacy.requests.get(id)).status).toBe('complete')
})
