import { describe, expect, it } from 'vitest'
import { memoryMailer, type Storage } from '../../src/index.js'
import {
  again,
  define,
  dump,
  get,
  identities,
  openForEachTest,
  packageOf,
  policyKey,
  privacy,
  receiver,
  reopen,
  run,
  shop,
  statusOf,
  storage,
  tokenOf,
} from './webhook-service.js'

openForEachTest()

describe('derived_identity', () => {
  it('is searched for, sent to the webhooks that follow, and kept in no place in the clear', async () => {
    await define('pre_execution', ['first'], ['second'])
    await define('post_execution', ['third'])
    receiver.plan('/first', { derived_identity: { member: 7, email: null } })
    const id = await run()
    expect(await packageOf(id)).toEqual({
      'shop:club': [{ member: 7, nick: 'annie' }],
      'shop:customer': [{ email: 'ann@example.org', name: 'Ann' }],
      'shop:orders': [{ title: 'a lamp' }],
    })
    expect(receiver.heard.map(({ body }) => body.identities)).toEqual([
      identities,
      [{ email: 'ann@example.org', member: 7 }],
      [{ email: 'ann@example.org', member: 7 }],
    ])
    expect(await privacy.requests.identities(id)).toEqual(identities)
  })

  it('finds by itself what an unproven property of the person would not', async () => {
    await privacy.close()
    const mailer = memoryMailer()
    reopen({ mailer, execution: { subjectIdentityVerificationRequired: true } })
    await define('pre_execution', ['first'])
    const verified = async () => {
      const email = 'ann@example.org'
      // Nobody can tell whether the member is the person, which somebody has accepted.
      const claimed = { identities: [{ email }, { email, member: 8 }], acceptUnconfirmed: true }
      const { id } = await privacy.requests.submit({ policyKey, ...claimed })
      const sent = mailer.outbox.length
      await expect.poll(() => mailer.outbox.length).toBeGreaterThan(sent)
      const code = /^\d{6}$/m.exec(mailer.outbox.at(-1)?.text ?? '')?.[0] as string
      await privacy.requests.verify(id, { code })
      await privacy.requests.run()
      return packageOf(id)
    }
    expect(Object.keys(await verified())).toEqual([
      ...['shop:customer', 'shop:orders', 'not_searched', 'incomplete', 'unconfirmed'],
    ])
    receiver.plan('/first', { derived_identity: { member: 7 } })
    expect(await verified()).toMatchObject({ 'shop:club': [{ nick: 'annie' }] })
  })

  it('changes the plan: a request that was approved without it is reviewed again, and then runs', async () => {
    await privacy.close()
    reopen({ execution: { requireManualRequestApproval: true } })
    await define('pre_execution', ['first'])
    receiver.plan('/first', { derived_identity: { member: 7 } })
    const { id } = await privacy.requests.submit({ policyKey, identities })
    const approveAndRun = async () => {
      const { planHash } = await privacy.requests.review(id)
      await privacy.requests.approve(id, { planHash })
      await privacy.requests.run()
      return statusOf(id)
    }
    expect(await approveAndRun()).toBe('pending')
    expect(await approveAndRun()).toBe('complete')
    expect(receiver.paths()).toEqual(['/first'])
    expect(Object.keys(await packageOf(id))).toContain('shop:club')
  })

  it('of text is sealed', async () => {
    await define('pre_execution', ['first'])
    receiver.plan(
      '/first',
      { derived_identity: { nick_name: 'planted-marker' } },
      { derived_identity: { nick_name: 'planted-marker' }, halt: true },
    )
    await run()
    const halted = await run()
    await privacy.requests.resume(halted, tokenOf('/first'), { derivedIdentity: { other: 'planted-marker' } })
    await privacy.requests.run()
    expect(await dump()).not.toContain('planted-marker')
    expect(JSON.stringify([await privacy.requests.list(), await privacy.requests.plan(halted)])).not.toContain(
      'planted-marker',
    )
  })

  it('replaces what was submitted, and a retry that finds another one reads again', async () => {
    await define('pre_execution', ['first'])
    receiver.plan('/first', { derived_identity: { email: 'ben@example.org' } })
    shop.failNext('orders')
    const id = await run()
    expect(await statusOf(id)).toBe('error')
    await define('pre_execution', ['other'])
    receiver.plan('/other', { derived_identity: { email: 'ann@example.org' } })
    expect(await again(id)).toMatchObject({ status: 'complete' })
    expect(await packageOf(id)).toMatchObject({
      'shop:customer': [{ email: 'ann@example.org', name: 'Ann' }],
      'shop:orders': [{ title: 'a lamp' }],
    })
  })
})

describe('failure at each step, then retry', () => {
  it('a webhook after the run: nothing is read again, and the package is the same', async () => {
    await define('pre_execution', ['before'])
    const untouched = await packageOf(await run())
    await define('post_execution', ['told', 'one_way'], ['broken'])
    receiver.plan('/broken', 403)
    const heard = receiver.heard.length
    const reads = shop.reads.length
    const id = await run()
    expect(await get(id)).toMatchObject({
      status: 'error',
      failure: expect.stringContaining("post-execution webhook 'broken'"),
    })
    receiver.plan('/broken', {})
    expect(await again(id)).toMatchObject({ status: 'complete' })
    expect(shop.reads.length - reads).toBe(2)
    expect(receiver.paths().slice(heard)).toEqual(['/before', '/told', '/broken', '/broken'])
    expect(await packageOf(id)).toEqual(untouched)
  })

  it('a collection: webhooks that have answered are not called again, and what they derived stays', async () => {
    await define('pre_execution', ['before'])
    await define('post_execution', ['after'])
    receiver.plan('/before', { derived_identity: { member: 7 } }, {})
    shop.failNext('orders')
    const id = await run()
    expect(await statusOf(id)).toBe('error')
    expect(receiver.paths()).toEqual(['/before'])
    const reads = shop.reads.length
    expect(await again(id)).toMatchObject({ status: 'complete' })
    expect(shop.reads.slice(reads)).toEqual(['orders'])
    expect(receiver.paths()).toEqual(['/before', '/after'])
    expect(Object.keys(await packageOf(id))).toEqual(['shop:club', 'shop:customer', 'shop:orders'])
  })

  it('a storage that fails while a call is noted: the call is made again under the same key', async () => {
    await define('pre_execution', ['first'])
    const { transaction } = storage
    let failures = 1
    await privacy.close()
    const failing: Storage = {
      ...storage,
      transaction: (work) =>
        transaction(async (within) => {
          const result = await work(within)
          if (receiver.heard.length === 1 && failures-- > 0) throw new Error('the storage is away')
          return result
        }),
    }
    reopen({ storage: failing })
    const id = await run()
    expect(await statusOf(id)).toBe('error')
    expect(await again(id)).toMatchObject({ status: 'complete' })
    expect(new Set(receiver.heard.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(receiver.paths()).toEqual(['/first', '/first'])
  })
})
