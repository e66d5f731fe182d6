import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { WebhookReceiver } from './webhook-receiver.js'
import {
  again,
  define,
  get,
  identities,
  openForEachTest,
  packageOf,
  policyKey,
  privacy,
  receiver,
  reopen,
  run,
  secret,
  shop,
  statusOf,
} from './webhook-service.js'

openForEachTest()

describe('calls', () => {
  it('are made to pre-execution webhooks in order, then comes the run, then those after it', async () => {
    await define('pre_execution', ['first'], ['second', 'one_way'])
    await define('post_execution', ['third', 'one_way'], ['fourth'])
    const id = await run()
    expect(await statusOf(id)).toBe('complete')
    expect(receiver.paths()).toEqual(['/first', '/second', '/third', '/fourth'])
    expect(receiver.heard.map(({ body }) => body)).toMatchObject([
      { privacy_request_id: id, direction: 'two_way', callback_type: 'pre', identities, policy_key: policyKey },
      { privacy_request_id: id, direction: 'one_way', callback_type: 'pre', identities, policy_key: policyKey },
      { privacy_request_id: id, direction: 'one_way', callback_type: 'post', identities, policy_key: policyKey },
      { privacy_request_id: id, direction: 'two_way', callback_type: 'post', identities, policy_key: policyKey },
    ])
    const first = receiver.heard[0]
    expect(Object.keys(first?.body ?? {}).sort()).toEqual([
      'callback_type',
      'direction',
      'identities',
      'policy_key',
      'privacy_request_id',
      'timestamp',
    ])
    expect(new Date(first?.body.timestamp ?? '').toISOString()).toBe(first?.body.timestamp)
    expect(receiver.heard.map(({ headers }) => [headers['reply-to'], headers['reply-to-token'] !== undefined])).toEqual(
      [
        [`/privacy-request/${id}/resume`, true],
        [undefined, false],
        [undefined, false],
        [undefined, false],
      ],
    )
    const trail = (await privacy.requests.auditTrail(id)).items.filter(({ action }) => action === 'webhook_answered')
    expect(trail.map(({ detail }) => detail)).toEqual([
      { webhook: 'first', status: '200' },
      { webhook: 'second', status: '200' },
      { webhook: 'third', status: '200' },
      { webhook: 'fourth', status: '200' },
    ])
  })

  it('a receiver verifies the signature with the five lines of the documentation', async () => {
    const text = await readFile(new URL('../../../../docs/policy-webhooks.md', import.meta.url), 'utf8')
    const snippet = /```js\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
    const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(snippet)}`)
    await define('pre_execution', ['signed', 'two_way', { secret }], ['unsigned'])
    await run([{ email: 'änn@example.org' }])
    const [signed, unsigned] = receiver.heard
    const signature = signed?.headers['habeas-signature']
    expect(isGenuine(signature, signed?.text, secret)).toBe(true)
    expect(isGenuine(signature, `${signed?.text} `, secret)).toBe(false)
    expect(isGenuine(signature, signed?.text, `${secret} `)).toBe(false)
    expect(isGenuine(signature, signed?.text, secret, Date.now() + 600_000)).toBe(false)
    expect(isGenuine('t=1,v1=00', signed?.text, secret)).toBe(false)
    expect(isGenuine(undefined, signed?.text, secret)).toBe(false)
    expect(unsigned?.headers['habeas-signature']).toBeUndefined()
  })

  it('one_way: every answer is ignored, even one that would count for a two_way webhook', async () => {
    await define(
      'pre_execution',
      ['refusing', 'one_way'],
      ['failing', 'one_way'],
      ['talking', 'one_way'],
      ['moved', 'one_way'],
    )
    receiver.plan('/refusing', 404)
    receiver.plan('/failing', 500)
    receiver.plan('/talking', { halt: true, derived_identity: { member: 8 } })
    receiver.plan('/moved', (response) => response.writeHead(302, { location: receiver.url('/elsewhere') }).end())
    const id = await run()
    expect(await statusOf(id)).toBe('complete')
    expect(Object.keys(await packageOf(id))).not.toContain('shop:club')
    expect(receiver.paths()).toEqual([
      '/refusing',
      '/failing',
      '/failing',
      '/failing',
      '/failing',
      '/talking',
      '/moved',
    ])
  })

  it('are repeated while nobody answers or the receiver fails, under one idempotency key', async () => {
    await define('pre_execution', ['shaky'], ['steady'])
    receiver.plan('/shaky', (response) => response.destroy(), 503, 429, {})
    expect(await statusOf(await run())).toBe('complete')
    expect(receiver.paths()).toEqual(['/shaky', '/shaky', '/shaky', '/shaky', '/steady'])
    const keys = receiver.heard.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys.slice(0, 4)).size).toBe(1)
    expect(keys[4]).not.toBe(keys[0])
    expect(new Set(receiver.heard.slice(0, 4).map(({ headers }) => headers['reply-to-token'])).size).toBe(1)
  })

  it.each<[string, 'one_way' | 'two_way', Parameters<WebhookReceiver['plan']>[1], RegExp]>([
    ['nobody answers one that is only told', 'one_way', (response) => response.destroy(), /closed the connection/],
    ['nobody answers', 'two_way', (response) => response.destroy(), /closed the connection/],
    ['a refusal', 'two_way', 403, /status 403/],
    ['a failure that stays', 'two_way', 500, /status 500/],
    [
      'a redirect, which is not followed',
      'two_way',
      (response) => response.writeHead(307, { location: receiver.url('/elsewhere') }).end(),
      /status 307/,
    ],
    ['no JSON', 'two_way', '<html>planted</html>', /not JSON/],
    ['nothing', 'two_way', '', /not JSON/],
    ['a list', 'two_way', [], /answer of a webhook/],
    ['a wrong halt', 'two_way', { halt: 'planted' }, /halt must be true or false/],
    ['an operator for an identity', 'two_way', { derived_identity: { email: { $ne: 'planted' } } }, /derived_identity/],
    ['a very long answer', 'two_way', `{"more":"${'x'.repeat(70_000)}"}`, /64 KiB/],
  ])(
    '%s: the request fails, names the webhook, and retry calls that one and no other again',
    async (_, direction, answer, reason) => {
      await define('pre_execution', ['before'], ['broken', direction], ['after'])
      receiver.plan('/broken', answer)
      const id = await run()
      const { status, failure } = await get(id)
      expect(status).toBe('error')
      expect(failure).toMatch(/webhook 'broken' of policy 'default_access_policy'/)
      expect(failure).toMatch(reason)
      expect(failure).not.toContain('planted')
      expect(receiver.paths()).not.toContain('/after')
      expect(receiver.paths()).not.toContain('/elsewhere')
      expect(shop.reads).toEqual([])
      const before = receiver.heard.length
      receiver.plan('/broken', {})
      expect(await again(id)).toMatchObject({ status: 'complete' })
      expect(receiver.paths().slice(before)).toEqual(['/broken', '/after'])
      expect(receiver.heard[before]?.headers['idempotency-key']).toBe(
        receiver.heard[before - 1]?.headers['idempotency-key'],
      )
    },
  )

  it('gives up on a receiver that never answers', async () => {
    await privacy.close()
    reopen({ webhooks: { timeoutSeconds: 0.1, retries: 1 } })
    await define('pre_execution', ['silent'])
    receiver.plan('/silent', () => {})
    expect(await get(await run())).toMatchObject({
      status: 'error',
      failure: expect.stringContaining('within 0.1 seconds'),
    })
    expect(receiver.paths()).toEqual(['/silent', '/silent'])
  })

  it('a private address that was allowed once is refused once it is not, and not tried again', async () => {
    await define('pre_execution', ['inside', 'one_way'])
    await privacy.close()
    reopen({ webhooks: { allowPrivateAddresses: false } })
    const { status, failure } = await get(await run())
    expect(status).toBe('error')
    expect(failure).toContain('webhooks.allowPrivateAddresses')
    expect(receiver.heard).toEqual([])
  })

  it('cancel ends a call that is under way', async () => {
    await define('pre_execution', ['slow'])
    receiver.plan('/slow', () => {})
    const { id } = await privacy.requests.submit({ policyKey, identities })
    const running = privacy.requests.run()
    await expect.poll(() => receiver.heard.length).toBe(1)
    await privacy.requests.cancel(id)
    await running
    expect(await statusOf(id)).toBe('canceled')
    expect(receiver.heard).toHaveLength(1)
  })
})
