import { beforeEach, describe, expect, it } from 'vitest'
import { aesSecrets } from '../../builtin/aes-secrets.js'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import type { Identity } from '../../model/identity.js'
import type { ActionContext } from '../action-context.js'
import { moveRequest, requestRow } from '../requests/move-request.js'
import { openPersonalData } from '../requests/personal-data.js'
import { requestActions } from '../requests/request-actions.js'
import { requestContext } from '../requests/request-context.js'
import { resourceActions } from '../resources/resource-actions.js'
import { serviceKeys } from '../service-keys.js'
import { newWebhookCall, withDerivedIdentity } from '../webhooks/webhook-call-id.js'
import { heldBy } from './held-identity-rows.js'
import { legalHoldActions, waitForHolds } from './legal-hold-actions.js'

const ann = { email: 'planted-marker@example.org', user_id: 5 }
const reason = 'Case 12/2026'
let context: ActionContext
let hints: string[]
let hour = 0
let holds: ReturnType<typeof legalHoldActions>
let requests: ReturnType<typeof requestActions>

beforeEach(() => {
  hints = []
  hour = 0
  context = {
    storage: memoryStorage(),
    secrets: aesSecrets({ keys: Buffer.alloc(32, 1).toString('base64') }),
    runtime: { ...systemRuntime, now: () => new Date(Date.UTC(2026, 0, 1, hour)) },
    connectors: new Map(),
    options: { taxonomy: 'open', connectionTestSeconds: 1 },
    connectionChanged() {},
  }
  const queue = { send: async (id: string) => void hints.push(id), listen: async () => {} }
  const policy = (key: string) => resourceActions(context).policies.get(key)
  const options = { queue, policy, immediate: true, approvalRequired: false, serviceKeys: serviceKeys(context) }
  const over = requestContext(context, { ...options, rootClientId: 'root-client' })
  holds = legalHoldActions(over)
  requests = requestActions(over)
})

const submit = async (...identities: readonly Identity[]) =>
  (await requests.submit({ policyKey: 'default_access_policy', identities })).id

/** A run that finds its person held before it has written anything. */
async function pauseIfHeld(id: string): Promise<boolean> {
  const waiting = await requestRow(context.storage, id)
  const running = await moveRequest(context, waiting, { event: 'run', actor: 'system' })
  const found = await heldBy(context, id)
  if (!running || found.length === 0) return false
  return (await moveRequest(context, running, { ...waitForHolds(found, context), actor: 'system' })) !== undefined
}

const actionsOn = async (subject: string) =>
  (await context.storage.table('auditEntry').find({ where: { subject: { equals: subject } } })).map(
    ({ action, actor }) => `${action} by ${actor}`,
  )

describe('what a hold covers', () => {
  const covers = async (held: readonly Identity[], ...asked: readonly Identity[]) => {
    await holds.create({ identities: held, reason })
    return (await heldBy(context, await submit(...asked))).length > 0
  }

  it.each([
    ['one property of one object', [ann], { email: ann.email, phone_number: '1' }],
    ['any of its objects', [{ passport: 'x' }, ann], { user_id: 5 }],
    ['a number and its text', [ann], { user_id: '5' }],
    ['other letters of the same word', [ann], { email: ' Planted-Marker@Example.org' }],
  ])('%s', async (_, held, asked) => {
    expect(await covers(held, { other: 'y' }, asked)).toBe(true)
  })

  it.each([
    ['another value', { email: 'other@example.org' }],
    ['the same value of another property', { order_id: 5 }],
  ])('does not include %s', async (_, asked) => {
    expect(await covers([ann], asked)).toBe(false)
  })

  it('includes a property that a webhook has added', async () => {
    const id = await submit({ email: 'other@example.org' })
    const { dataKey } = await openPersonalData(context, id)
    const webhook = { key: 'crm', direction: 'two_way', url: 'https://crm.example.org', name: 'crm' } as const
    const call = newWebhookCall(id, 'pre_execution', webhook, dataKey, context.runtime)
    await context.storage.table('webhookCall').insert(withDerivedIdentity(call, ann, dataKey, context.runtime))
    const hold = await holds.create({ identity: ann, reason })
    expect(await heldBy(context, id)).toMatchObject([{ id: hold.id }])
  })
})

describe('a hold', () => {
  it('is shown without its identities, and names its creator', async () => {
    const hold = await holds.create(
      { identity: ann, reason, reference: 'LEG-7', until: '2026-02-01' },
      { caller: 'root-client' },
    )
    expect(hold).toEqual({
      id: expect.stringMatching(/^hold_[0-9a-f-]{36}$/),
      status: 'active',
      reason,
      reference: 'LEG-7',
      properties: ['email', 'user_id'],
      until: '2026-02-01T00:00:00.000Z',
      createdAt: '2026-01-01T00:00:00.000Z',
      createdBy: 'root',
    })
    expect(await holds.get(hold.id)).toEqual(hold)
    expect(await holds.identities(hold.id)).toEqual([ann])
    expect(await actionsOn(`legal-hold:${hold.id}`)).toEqual(['legal_hold_created by root'])
  })

  it('stores nothing that can be read without the key, and no identity once it has ended', async () => {
    const { id } = await holds.create({ identity: ann, reason })
    const stored = async () =>
      JSON.stringify([
        await context.storage.table('legalHold').find(),
        await context.storage.table('heldIdentity').find(),
        await context.storage.table('auditEntry').find(),
      ])
    expect(await stored()).not.toContain('planted-marker')
    await holds.release(id)
    expect(await context.storage.table('heldIdentity').count()).toBe(0)
    expect(await stored()).not.toContain('sealedIdentities')
    await expect(holds.identities(id)).rejects.toMatchObject({ code: 'gone' })
  })

  it.each([
    ['no identity', { reason }, [['identities']]],
    ['both forms', { reason, identity: ann, identities: [ann] }, [['identity']]],
    ['no reason', { identity: ann }, [['reason']]],
    ['a blank reason', { identity: ann, reason: ' ' }, [['reason']]],
    ['a time that is over', { identity: ann, reason, until: '2025-12-31' }, [['until']]],
    ['a typo', { identity: ann, reason, untill: '2027-01-01' }, [['untill']]],
    ['an identity without a value', { identity: { email: '' }, reason }, [['identity', 'email']]],
  ])('is refused with %s', async (_, input, places) => {
    const error = await holds.create(input).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'invalid_input' })
    expect(error.details.issues.map(({ loc }: { loc: string[] }) => loc)).toEqual(places)
    expect(error.message).not.toContain('planted-marker')
  })

  it('is listed newest first, and by status', async () => {
    const first = await holds.create({ identity: ann, reason })
    hour = 1
    const second = await holds.create({ identity: ann, reason })
    await holds.release(first.id)
    expect((await holds.list()).items.map(({ id }) => id)).toEqual([second.id, first.id])
    expect((await holds.list({ status: 'active' })).items.map(({ id }) => id)).toEqual([second.id])
    expect((await holds.list({ status: 'released' })).total).toBe(1)
    await expect(holds.list({ status: 'ended' as 'active', page: 0 })).rejects.toMatchObject({
      details: { issues: [{ loc: ['page'] }, { loc: ['status'] }] },
    })
  })

  it('that does not exist is not found, in every action', async () => {
    for (const id of ['hold_1', '', '../x', 'a/b']) {
      for (const ask of [holds.get, holds.identities, (id: string) => holds.release(id)]) {
        await expect(ask(id)).rejects.toMatchObject({ code: 'not_found' })
      }
    }
  })
})

describe('a held erasure', () => {
  it('waits and names the hold, without its reason or its person', async () => {
    const one = await holds.create({ identity: ann, reason })
    const id = await submit(ann)
    expect(await pauseIfHeld(id)).toBe(true)
    const request = await requests.get(id)
    expect(request).toMatchObject({ status: 'paused', legalHolds: [one.id], pausedAt: '2026-01-01T00:00:00.000Z' })
    expect(request.failure).toBe(
      `Nothing was erased: the request waits for legal hold '${one.id}' and goes on once it has ended.`,
    )
    expect(JSON.stringify(request)).not.toContain(reason)
    const { items } = await requests.auditTrail(id)
    expect(items.at(-1)).toMatchObject({ action: 'request_paused', detail: { legalHolds: [one.id] } })
  })

  it('continues when the last of its holds is released, and a hint is sent', async () => {
    const [one, two] = [await holds.create({ identity: ann, reason }), await holds.create({ identity: ann, reason })]
    const id = await submit(ann)
    await pauseIfHeld(id)
    hints = []
    await holds.release(one.id)
    expect(await requests.get(id)).toMatchObject({ status: 'paused', legalHolds: [two.id] })
    expect(hints).toEqual([])
    await holds.release(two.id, { reason: 'settled' }, { caller: 'lawyer' })
    const request = await requests.get(id)
    expect(request.status).toBe('in_processing')
    expect(request).not.toHaveProperty('legalHolds')
    expect(request).not.toHaveProperty('failure')
    expect(hints).toEqual([id])
    expect(await holds.get(two.id)).toMatchObject({
      status: 'released',
      releasedBy: 'lawyer',
      releaseReason: 'settled',
    })
  })

  it('of another person, or paused for another reason, stays as it is', async () => {
    const mine = await holds.create({ identity: ann, reason })
    await holds.create({ identity: { email: 'ben@example.org' }, reason })
    const ben = await submit({ email: 'ben@example.org' })
    await pauseIfHeld(ben)
    const halted = await submit(ann)
    const running = await moveRequest(context, await requestRow(context.storage, halted), {
      event: 'run',
      actor: 'system',
    })
    await moveRequest(context, running ?? (await requestRow(context.storage, halted)), {
      event: 'pause',
      actor: 'system',
      changes: { resumeBy: '2027-01-01T00:00:00.000Z' },
    })
    await holds.release(mine.id)
    expect([await requests.get(ben), await requests.get(halted)]).toMatchObject([
      { status: 'paused' },
      { status: 'paused' },
    ])
  })

  it('continues when the time of its hold is over', async () => {
    const { id: hold } = await holds.create({ identity: ann, reason, until: '2026-01-01T02:00:00Z' })
    const id = await submit(ann)
    await pauseIfHeld(id)
    hour = 1
    await holds.settleHolds()
    expect((await requests.get(id)).status).toBe('paused')
    hour = 2
    expect(await heldBy(context, id)).toEqual([])
    await holds.settleHolds()
    expect((await requests.get(id)).status).toBe('in_processing')
    expect(await holds.get(hold)).toMatchObject({ status: 'expired', endedAt: '2026-01-01T02:00:00.000Z' })
    expect(await actionsOn(`legal-hold:${hold}`)).toEqual([
      'legal_hold_created by host',
      'legal_hold_expired by system',
    ])
  })

  it('that was paused just after the hold was released continues at the next look', async () => {
    const { id: hold } = await holds.create({ identity: ann, reason })
    const id = await submit(ann)
    const found = await heldBy(context, id)
    await holds.release(hold)
    const running = await moveRequest(context, await requestRow(context.storage, id), { event: 'run', actor: 'system' })
    if (!running) throw new Error('It was not claimed.')
    await moveRequest(context, running, { ...waitForHolds(found, context), actor: 'system' })
    await holds.settleHolds()
    expect((await requests.get(id)).status).toBe('in_processing')
  })

  it('can be canceled, and is not resumed then', async () => {
    const { id: hold } = await holds.create({ identity: ann, reason })
    const id = await submit(ann)
    await pauseIfHeld(id)
    await requests.cancel(id)
    await holds.release(hold)
    const request = await requests.get(id)
    expect(request.status).toBe('canceled')
    expect(request).not.toHaveProperty('legalHolds')
  })
})

it('exactly one of many callers that release it succeeds', async () => {
  const { id } = await holds.create({ identity: ann, reason })
  const ends = await Promise.allSettled(Array.from({ length: 20 }, () => holds.release(id)))
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'invalid_state' })
  expect(await actionsOn(`legal-hold:${id}`)).toHaveLength(2)
})
