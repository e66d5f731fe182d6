import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createPrivacyService,
  memoryBlobs,
  memoryMailer,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  type RowKind,
  type Storage,
  searchable,
} from '../../src/index.js'
import { type SmallShop, smallShop } from './small-shop.js'
import { type WebhookReceiver, webhookReceiver } from './webhook-receiver.js'

const identities = [{ email: 'ann@example.org' }]
const policyKey = 'default_access_policy'
const secret = 'a secret that is long enough'
let storage: Storage
let shop: SmallShop
let receiver: WebhookReceiver
let privacy: PrivacyService
const blobs = memoryBlobs()

beforeEach(async () => {
  storage = memoryStorage()
  shop = smallShop()
  receiver = await webhookReceiver()
  privacy = openService()
  await shop.describeTo(privacy)
})
afterEach(async () => {
  await privacy.close()
  await receiver.close()
})

function openService({ webhooks, execution, ...options }: PrivacyServiceOptions = {}) {
  return createPrivacyService({
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    connectors: [shop.connector],
    ...{ storage, blobs, ...options },
    webhooks: { allowPrivateAddresses: true, retryDelaySeconds: 0, timeoutSeconds: 2, ...webhooks },
    execution: { immediate: false, ...execution },
  })
}

type Phase = 'pre_execution' | 'post_execution'
type Hook = [key: string, direction?: 'one_way' | 'two_way', more?: object]

/** Webhooks that call the receiver under their own keys. */
const define = (phase: Phase, ...hooks: Hook[]) =>
  privacy.policyWebhooks.put(
    policyKey,
    phase,
    hooks.map(([key, direction = 'two_way', more = {}]) => ({ key, direction, url: receiver.url(`/${key}`), ...more })),
  )

async function run(given = identities) {
  const { id } = await privacy.requests.submit({ policyKey, identities: given })
  await privacy.requests.run()
  return id
}

async function again(id: string) {
  await privacy.requests.retry(id)
  await privacy.requests.run()
  return privacy.requests.get(id)
}

const get = (id: string) => privacy.requests.get(id)
const statusOf = async (id: string) => (await get(id)).status
const tokenOf = (path: string) =>
  receiver.heard.findLast((call) => call.path === path)?.headers['reply-to-token'] as string

async function packageOf(id: string) {
  const parts: Uint8Array[] = []
  for await (const part of privacy.requests.readPackage(id)) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString())
}

/** Everything that is stored, as text. */
async function dump() {
  const kinds = Object.keys(searchable) as RowKind[]
  return JSON.stringify(await Promise.all(kinds.map((kind) => storage.table(kind).find())))
}

describe('the definition of policy webhooks', () => {
  it('PUT replaces the list, whose order counts; the secret is sealed and never returned', async () => {
    const url = 'https://hooks.example.com/a'
    const put = (input: unknown) => privacy.policyWebhooks.put(policyKey, 'pre_execution', input)
    const written = await put([
      { key: 'a', direction: 'two_way', url, secret },
      { name: 'Tell Support', direction: 'one_way', url },
    ])
    expect(written).toEqual([
      { key: 'a', name: 'a', direction: 'two_way', url, order: 0, signed: true },
      { key: 'tell_support', name: 'Tell Support', direction: 'one_way', url, order: 1, signed: false },
    ])
    expect(await dump()).not.toContain(secret)
    expect(await put(written.toReversed())).toMatchObject([
      { key: 'tell_support', order: 0 },
      { key: 'a', order: 1, signed: true },
    ])
    expect(await put([{ key: 'a', direction: 'two_way', url, secret: null }])).toMatchObject([
      { key: 'a', signed: false },
    ])
    expect(await privacy.policyWebhooks.list(policyKey, 'pre_execution')).toMatchObject({
      total: 1,
      items: [{ key: 'a' }],
    })
    expect(await privacy.policyWebhooks.list(policyKey, 'post_execution')).toMatchObject({ total: 0 })
    expect(await put([])).toEqual([])
  })

  it.each<[string, unknown, (string | number)[]]>([
    ['no list', { key: 'a' }, []],
    ['no direction', [{ key: 'a', url: 'https://a.example/' }], [0, 'direction']],
    ['no key and no name', [{ direction: 'one_way', url: 'https://a.example/' }], [0, 'key']],
    ['no url', [{ key: 'a', direction: 'one_way' }], [0, 'url']],
    ['no URL', [{ key: 'a', direction: 'one_way', url: 'hooks' }], [0, 'url']],
    ['another scheme', [{ key: 'a', direction: 'one_way', url: 'file:///etc/passwd' }], [0, 'url']],
    ['a password in the URL', [{ key: 'a', direction: 'one_way', url: 'https://u:planted@a.example/' }], [0, 'url']],
    ['a fragment', [{ key: 'a', direction: 'one_way', url: 'https://a.example/#b' }], [0, 'url']],
    [
      'an unknown member',
      [{ key: 'a', direction: 'one_way', url: 'https://a.example/', secrte: 'planted' }],
      [0, 'secrte'],
    ],
    ['an empty secret', [{ key: 'a', direction: 'one_way', url: 'https://a.example/', secret: '' }], [0, 'secret']],
    ['a key twice', ['a', 'a'].map((key) => ({ key, direction: 'one_way', url: 'https://a.example/' })), [1, 'key']],
  ])('refuses %s', async (_, input, loc) => {
    const refused = await privacy.policyWebhooks.put(policyKey, 'pre_execution', input).catch((error) => error)
    expect(refused).toMatchObject({ code: 'invalid_input', details: { issues: [{ loc }] } })
    expect(JSON.stringify(refused)).not.toContain('planted')
  })

  it('refuses private addresses and plain http, unless the option allows them', async () => {
    await privacy.close()
    privacy = openService({ webhooks: { allowPrivateAddresses: false } })
    const items = ['https://127.0.0.1/', 'http://hooks.example.com/', 'https://hooks.example.com/'].map((url, at) => ({
      key: `k${at}`,
      direction: 'one_way',
      url,
    }))
    await expect(privacy.policyWebhooks.put(policyKey, 'post_execution', items)).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: [0, 'url'] }, { loc: [1, 'url'] }] },
    })
    await privacy.policyWebhooks.put(policyKey, 'post_execution', items.slice(2))
    await expect(
      privacy.policyWebhooks.patch(policyKey, 'post_execution', 'k2', { url: 'https://[::1]/' }),
    ).rejects.toMatchObject({ details: { issues: [{ loc: ['url'] }] } })
  })

  it('PATCH changes one and moves it; DELETE removes it', async () => {
    await define('pre_execution', ['a', 'two_way', { secret }], ['b'], ['c'])
    const { patch, get, remove, list } = privacy.policyWebhooks
    const moved = await patch(policyKey, 'pre_execution', 'a', { order: 2, name: 'Last' })
    expect(moved).toMatchObject({
      webhook: { key: 'a', name: 'Last', order: 2, signed: true },
      order: [
        { key: 'b', order: 0 },
        { key: 'c', order: 1 },
        { key: 'a', order: 2 },
      ],
    })
    expect(await patch(policyKey, 'pre_execution', 'a', { direction: 'one_way', secret: null })).toMatchObject({
      webhook: { direction: 'one_way', signed: false },
      order: [],
    })
    expect(await get(policyKey, 'pre_execution', 'a')).toMatchObject({ name: 'Last', order: 2 })
    const bad = [{ order: 3 }, { order: -1 }, { keys: 'b' }, { direction: 'both' }]
    for (const input of bad)
      await expect(patch(policyKey, 'pre_execution', 'a', input)).rejects.toMatchObject({ code: 'invalid_input' })
    await remove(policyKey, 'pre_execution', 'c')
    expect((await list(policyKey, 'pre_execution')).items.map(({ key }) => key)).toEqual(['b', 'a'])
    for (const attempt of [get, remove]) {
      await expect(attempt(policyKey, 'pre_execution', 'c')).rejects.toMatchObject({ code: 'not_found' })
      await expect(attempt(policyKey, 'post_execution', 'a')).rejects.toMatchObject({ code: 'not_found' })
      await expect(attempt('nowhere', 'pre_execution', 'a')).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  it('goes with its policy', async () => {
    await privacy.policies.put({ service_key: 'mine' })
    const item = { key: 'a', direction: 'one_way', url: 'https://a.example/' }
    await privacy.policyWebhooks.put('mine', 'post_execution', [item])
    await privacy.policies.remove('mine')
    await privacy.policies.put({ service_key: 'mine' })
    expect(await privacy.policyWebhooks.list('mine', 'post_execution')).toMatchObject({ total: 0 })
  })

  it('fifty writers at once leave one list whole', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, at) => define('pre_execution', [`a${at}`], [`b${at}`])))
    const keys = (await privacy.policyWebhooks.list(policyKey, 'pre_execution')).items.map(({ key }) => key)
    expect(keys).toHaveLength(2)
    expect(keys[0]?.slice(1)).toBe(keys[1]?.slice(1))
  })
})

describe('calls', () => {
  it('pre-execution webhooks in order, then the run, then those after it', async () => {
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

  it('one_way: whatever is answered is ignored, also what a two_way one would be read for', async () => {
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
    ['nobody answers one that is only told', 'one_way', (response) => response.destroy(), /broke the connection off/],
    ['nobody answers', 'two_way', (response) => response.destroy(), /broke the connection off/],
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
    privacy = openService({ webhooks: { timeoutSeconds: 0.1, retries: 1 } })
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
    privacy = openService({ webhooks: { allowPrivateAddresses: false } })
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

describe('derived_identity', () => {
  it('is searched for, told to the webhooks that follow, and kept in no place in the clear', async () => {
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
    privacy = openService({ mailer, execution: { subjectIdentityVerificationRequired: true } })
    await define('pre_execution', ['first'])
    const verified = async (given: object) => {
      const { id } = await privacy.requests.submit({ policyKey, identities: [given] })
      const sent = mailer.outbox.length
      await expect.poll(() => mailer.outbox.length).toBeGreaterThan(sent)
      const code = /^\d{6}$/m.exec(mailer.outbox.at(-1)?.text ?? '')?.[0] as string
      await privacy.requests.verify(id, { code })
      await privacy.requests.run()
      return packageOf(id)
    }
    const claimed = { email: 'ann@example.org', member: 8 }
    expect(Object.keys(await verified(claimed))).not.toContain('shop:club')
    receiver.plan('/first', { derived_identity: { member: 7 } })
    expect(await verified(claimed)).toMatchObject({ 'shop:club': [{ nick: 'annie' }] })
  })

  it('changes the plan: what was approved without it is looked at again, and then runs', async () => {
    await privacy.close()
    privacy = openService({ execution: { requireManualRequestApproval: true } })
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

  it('stands over what was submitted; a retry that finds another one reads anew', async () => {
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

describe('halt', () => {
  it('pauses the request; its reply token lets it go on with the next webhook', async () => {
    await define('pre_execution', ['first'], ['halting'], ['last'])
    receiver.plan('/halting', { halt: true, derived_identity: { member: 7 } })
    const id = await run()
    const { status, pausedAt, resumeBy } = await get(id)
    expect(status).toBe('paused')
    expect(Date.parse(resumeBy ?? '') - Date.parse(pausedAt ?? '')).toBeGreaterThan(3_599 * 60_000)
    await privacy.requests.run()
    expect(receiver.paths()).toEqual(['/first', '/halting'])
    expect(shop.reads).toEqual([])
    expect(await dump()).not.toContain(tokenOf('/halting'))
    const resumed = await privacy.requests.resume(id, tokenOf('/halting'))
    expect(resumed).toMatchObject({ status: 'in_processing' })
    expect(resumed.resumeBy).toBeUndefined()
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('complete')
    expect(receiver.paths()).toEqual(['/first', '/halting', '/last'])
    expect(receiver.heard.at(-1)?.body.identities).toEqual([{ email: 'ann@example.org', member: 7 }])
    expect(Object.keys(await packageOf(id))).toContain('shop:club')
    const actions = (await privacy.requests.auditTrail(id)).items.map(({ action, actor }) => `${action} by ${actor}`)
    expect(actions).toContain('webhook_halted by system')
    expect(actions).toContain('request_paused by system')
    expect(actions).toContain('request_resumed by webhook:halting')
  })

  it('what comes with the resume is searched for as well', async () => {
    await define('pre_execution', ['halting'])
    receiver.plan('/halting', { halt: true })
    const id = await run()
    await expect(
      privacy.requests.resume(id, tokenOf('/halting'), { derivedIdentity: { member: [7] } }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
    await privacy.requests.resume(id, tokenOf('/halting'), { derivedIdentity: { member: 7 } })
    await privacy.requests.run()
    expect(Object.keys(await packageOf(id))).toContain('shop:club')
  })

  it('after the run is ignored, and so is what it derives', async () => {
    await define('post_execution', ['halting'])
    receiver.plan('/halting', { halt: true, derived_identity: { member: 7 } })
    expect(await statusOf(await run())).toBe('complete')
  })

  it('fifty concurrent resumes: exactly one wins, and the token serves once', async () => {
    await define('pre_execution', ['halting'], ['again'])
    receiver.plan('/halting', { halt: true })
    receiver.plan('/again', { halt: true })
    const id = await run()
    const token = tokenOf('/halting')
    const resumes = await Promise.allSettled(Array.from({ length: 50 }, () => privacy.requests.resume(id, token)))
    expect(resumes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of resumes)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'invalid_state' })
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('paused')
    await expect(privacy.requests.resume(id, token)).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('used already'),
    })
    await privacy.requests.resume(id, tokenOf('/again'))
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('complete')
  })

  it('a token for another request, a made-up one, and none at all are refused alike', async () => {
    await define('pre_execution', ['halting'])
    receiver.plan('/halting', { halt: true })
    const id = await run()
    await run()
    for (const [request, token] of [
      [id, tokenOf('/halting')],
      [id, 'made-up'],
      [id, ''],
      ['pri_none', 'made-up'],
    ] as const) {
      await expect(privacy.requests.resume(request, token)).rejects.toMatchObject({ code: 'unauthenticated' })
    }
    await storage.table('requestKey').take(id)
    await expect(
      privacy.requests.resume(id, receiver.heard[0]?.headers['reply-to-token'] as string),
    ).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await statusOf(id)).toBe('paused')
  })

  it('before the request is paused, after it was canceled, or when it goes on anyway, a token is of no use', async () => {
    await define('pre_execution', ['first'], ['halting'])
    receiver.plan('/halting', 403)
    const id = await run()
    await expect(privacy.requests.resume(id, tokenOf('/first'))).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'error' },
    })
    receiver.plan('/halting', { halt: true })
    await again(id)
    await privacy.requests.cancel(id)
    await expect(privacy.requests.resume(id, tokenOf('/halting'))).rejects.toMatchObject({
      details: { status: 'canceled' },
    })
  })

  it('an expired token: the request fails, and retry asks again with another token', async () => {
    await privacy.close()
    privacy = openService({ execution: { privacyRequestDelayTimeoutMinutes: 0.001 } })
    await define('pre_execution', ['first'], ['halting'])
    receiver.plan('/halting', { halt: true })
    const id = await run()
    await new Promise((resolve) => setTimeout(resolve, 80))
    const late = tokenOf('/halting')
    await expect(privacy.requests.resume(id, late)).rejects.toMatchObject({ code: 'token_expired' })
    const failed = await get(id)
    expect(failed).toMatchObject({ status: 'error', failure: expect.stringContaining('nobody resumed it') })
    expect(failed.resumeBy).toBeUndefined()
    await expect(privacy.requests.resume(id, late)).rejects.toMatchObject({ code: 'unauthenticated' })
    receiver.plan('/halting', {})
    expect(await again(id)).toMatchObject({ status: 'complete' })
    expect(receiver.paths()).toEqual(['/first', '/halting', '/halting'])
    expect(tokenOf('/halting')).not.toBe(late)
    expect(receiver.heard[2]?.headers['idempotency-key']).not.toBe(receiver.heard[1]?.headers['idempotency-key'])
  })

  it('an expired token is noticed without anybody using it', async () => {
    await privacy.close()
    privacy = openService({
      execution: { privacyRequestDelayTimeoutMinutes: 0.001, immediate: true, sweepSeconds: 0.03 },
    })
    await define('pre_execution', ['halting'])
    receiver.plan('/halting', { halt: true })
    const { id } = await privacy.requests.submit({ policyKey, identities })
    expect(await privacy.requests.settled(id)).toMatchObject({ status: 'error' })
    expect((await privacy.requests.auditTrail(id)).items.at(-1)).toMatchObject({ action: 'request_expired' })
  })

  it('outlives the process, also one that ended between the answer and the pause', async () => {
    await define('pre_execution', ['halting'])
    receiver.plan('/halting', { halt: true })
    const id = await run()
    const { resumeBy: _, pausedAt: __, ...row } = (await storage.table('privacyRequest').get(id))!
    await storage.table('privacyRequest').replace({ ...row, status: 'in_processing', version: row.version + 1 })
    await expect(privacy.requests.resume(id, tokenOf('/halting'))).rejects.toMatchObject({ code: 'invalid_state' })
    await privacy.close()
    privacy = openService()
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('paused')
    expect(receiver.heard).toHaveLength(1)
    await privacy.close()
    privacy = openService()
    await privacy.requests.resume(id, tokenOf('/halting'))
    await privacy.requests.run()
    expect(await statusOf(id)).toBe('complete')
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

  it('a storage that is away while a call is noted: the call is made again under the same key', async () => {
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
    privacy = openService({ storage: failing })
    const id = await run()
    expect(await statusOf(id)).toBe('error')
    expect(await again(id)).toMatchObject({ status: 'complete' })
    expect(new Set(receiver.heard.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(receiver.paths()).toEqual(['/first', '/first'])
  })
})
