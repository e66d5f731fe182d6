import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canonicalHash } from '../../src/crypto/canonical-hash.js'
import { evidenceKey, signEvidence } from '../../src/crypto/sign-evidence.js'
import {
  createPrivacyService,
  type Evidence,
  memoryBlobs,
  memoryStorage,
  type PrivacyService,
  verifyEvidence,
} from '../../src/index.js'
import { parsePolicy } from '../../src/model/policy.js'
import { entryHash } from '../../src/results/proof/chain-problems.js'
import { erasureReceipt } from '../../src/results/proof/erasure-receipt.js'
import { smallShop } from './small-shop.js'

type Open<Value> = {
  -readonly [Member in keyof Value]: Value[Member] extends object ? Open<Value[Member]> : Value[Member]
}

const seed = new Uint8Array(32).fill(9)
const email = 'ann@example.org'
let privacy: PrivacyService
let ofAccess: Evidence
let ofErasure: Evidence

beforeAll(async () => {
  const shop = smallShop()
  privacy = createPrivacyService({
    storage: memoryStorage(),
    blobs: memoryBlobs(),
    connectors: [shop.connector],
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    execution: { immediate: false },
  })
  await shop.describeTo(privacy)
  const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identity: { email } })
  await privacy.requests.run(id)
  ofAccess = await privacy.requests.exportEvidence(id)
  ofErasure = withReceipt(ofAccess)
})
afterAll(() => privacy.close())

type Change = (copy: Open<Evidence>) => void

/** Puts a value in the place of another one. */
const put =
  (path: string, value: unknown): Change =>
  (copy) => {
    const names = path.split('.')
    const last = names.pop() as string
    const target = names.reduce<object>((inner, name) => Reflect.get(inner, name) as object, copy)
    expect(Reflect.has(target, last)).toBe(true)
    Reflect.set(target, last, value)
  }

/** The same chain over entries that say something else, as whoever writes the trail would have made it. */
function chained(evidence: Evidence, audit: Evidence['audit']): Evidence {
  const chain: Evidence['audit'][number][] = []
  for (const [at, entry] of audit.entries()) {
    const next = { ...entry, sequence: at + 1, previousHash: chain.at(-1)?.hash ?? null }
    chain.push({ ...next, hash: entryHash(next) })
  }
  const { sequence = 0, hash = '' } = chain.at(-1) ?? {}
  const { signature: _, ...content } = { ...evidence, audit: chain, head: { sequence, hash } }
  return signEvidence(content, seed)
}

/** Evidence of a request that has erased something. */
function withReceipt(evidence: Evidence): Evidence {
  const { request } = evidence
  const receipt = erasureReceipt({
    request,
    policy: parsePolicy({ service_key: 'forget', rules: [] }).value,
    planHash: 'p',
    results: [],
    finishedAt: '2026-01-02T00:00:00.000Z',
  })
  const audit = evidence.audit.map((entry) =>
    entry.action === 'request_completed'
      ? { ...entry, detail: { ...entry.detail, receiptHash: canonicalHash(receipt) } }
      : entry,
  )
  return chained({ ...evidence, receipt }, audit)
}

/** A change of a copy; `resigned`: by somebody who has a key of their own. */
function altered(evidence: Evidence, change: Change, { resigned = false } = {}): Evidence {
  const copy = structuredClone(evidence) as Open<Evidence>
  change(copy)
  if (!resigned) return copy as Evidence
  const { signature: _, ...content } = copy as Evidence
  return signEvidence(content, new Uint8Array(32).fill(7))
}

const problemsOf = (input: unknown, key?: string) => verifyEvidence(input, { key }).problems.join('\n')

describe('evidence of a request', () => {
  it('holds, also after it was written to a file and read again', async () => {
    const key = await privacy.requests.evidenceKey()
    for (const evidence of [ofAccess, JSON.parse(JSON.stringify(ofAccess))]) {
      expect(verifyEvidence(evidence, { key })).toMatchObject({ ok: true, problems: [], notes: [] })
    }
    expect(verifyEvidence(ofErasure)).toMatchObject({ ok: true, problems: [] })
    expect(verifyEvidence(ofAccess).notes.join()).toContain('No key was given')
  })

  it('has what was planned, what came of it and who did what', () => {
    expect(ofAccess).toMatchObject({
      request: { status: 'complete', results: expect.any(Array) },
      policy: { key: 'default_access_policy', hash: expect.stringMatching(/^[\w-]{43}$/) },
      plan: { collections: expect.any(Array) },
      receipt: null,
    })
    const actions = ofAccess.audit.map(({ action }) => action)
    expect(actions.slice(0, 2)).toEqual(['request_submitted', 'run_started'])
    expect(actions).toContain('request_completed')
    expect(ofAccess.log.length).toBeGreaterThan(0)
  })

  it('has no identity', () => {
    expect(JSON.stringify(ofAccess)).not.toContain(email)
  })

  it('is available when the personal data is gone, and for a request that has not run', async () => {
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identity: { email } })
    const waiting = verifyEvidence(await privacy.requests.exportEvidence(id))
    expect(waiting).toMatchObject({ ok: true, evidence: { plan: null, policy: { hash: null } } })
    await privacy.requests.cancel(id)
    await privacy.requests.run()
    expect((await privacy.requests.get(id)).destroyedAt).toBeDefined()
    expect(verifyEvidence(await privacy.requests.exportEvidence(id))).toMatchObject({ ok: true })
    await expect(privacy.requests.exportEvidence('pri_none')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('of a request that failed and was retried holds', async () => {
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identity: { passport: 'x' } })
    await privacy.requests.run(id)
    const failed = await privacy.requests.exportEvidence(id)
    expect(failed.request.status).toBe('error')
    expect(verifyEvidence(failed)).toMatchObject({ ok: true })
    await privacy.requests.retry(id)
    expect(verifyEvidence(await privacy.requests.exportEvidence(id))).toMatchObject({ ok: true })
    await privacy.requests.run(id)
    expect(verifyEvidence(await privacy.requests.exportEvidence(id))).toMatchObject({ ok: true })
  })
})

describe('every change after the signature is detected', () => {
  const changes: Readonly<Record<string, Change>> = {
    'the time of export': put('exportedAt', '2020-01-01T00:00:00.000Z'),
    'a member of the request': put('request.createdAt', '2020-01-01T00:00:00.000Z'),
    'a member that nobody knows': (copy) => void Object.assign(copy.request, { note: 'all is well' }),
    'the key of the policy': put('policy.key', 'other'),
    'a log entry': put('log.0.message', 'all is well'),
    'a log entry that is gone': (copy) => void copy.log.pop(),
    'the version of the form': (copy) => void Object.assign(copy, { format: 'habeas-evidence/2' }),
  }
  it.each(Object.entries(changes))('%s', (_, change) => {
    expect(problemsOf(altered(ofErasure, change))).toMatch(/signature does not fit|format/)
  })

  it.each(['publicKey', 'value'] as const)('the %s of the signature', (member) => {
    const other = signEvidence(ofAccess, new Uint8Array(32).fill(1)).signature[member]
    const own = ofErasure.signature[member]
    for (const value of [
      other,
      `${own}!!`,
      `${own}=`,
      ` ${own}`,
      `${own.slice(0, 9)}\n${own.slice(9)}`,
      own.slice(1),
      '',
    ]) {
      const changed = altered(ofErasure, put(`signature.${member}`, value))
      expect(problemsOf(changed)).toContain('signature does not fit')
    }
  })

  it.each(['note', '__proto__'])('a member %s of the signature, which signs everything but itself', (member) => {
    const text = JSON.stringify(ofErasure).replace('"algorithm"', `"${member}":{"by":"the regulator"},"algorithm"`)
    expect(verifyEvidence(JSON.parse(text), { key: evidenceKey(seed) }).ok).toBe(false)
  })
})

describe('evidence that is signed again with another key', () => {
  it('is detected by the key that the service is known by', () => {
    const changed = altered(ofErasure, put('exportedAt', '2020-01-01T00:00:00.000Z'), {
      resigned: true,
    })
    expect(verifyEvidence(changed)).toMatchObject({ ok: true, notes: [expect.stringContaining('No key was given')] })
    expect(problemsOf(changed, evidenceKey(seed))).toContain('It was signed by another key')
  })

  const changes: Readonly<Record<string, readonly [Change, string]>> = {
    'an entry that says something else': [put('audit.1.actor', 'nobody'), 'Entry 2 of the audit trail was changed'],
    'a detail of an entry': [put('audit.0.detail', {}), 'Entry 1 of the audit trail was changed'],
    'the first entry that is gone': [(copy) => void copy.audit.shift(), 'entries are missing'],
    'an entry in the middle that is gone': [
      (copy) => void copy.audit.splice(1, 1),
      'does not follow the entry before it',
    ],
    'the end that is gone': [(copy) => void copy.audit.pop(), 'is not the end that was signed'],
    'entries in another order': [(copy) => void copy.audit.reverse(), 'does not follow the entry before it'],
    'an entry that comes twice': [(copy) => void copy.audit.push(copy.audit.at(-1)!), 'entries are missing'],
    'no entries at all': [put('audit', []), 'must not be empty'],
    'an end that was moved': [put('head.hash', 'x'), 'is not the end that was signed'],
    'another status': [put('request.status', 'error'), "said to be 'error'"],
    'a result': [
      put('request.results.0.outcomes.0.rowCount', 4_711),
      'The list of results is not the one that the audit trail names',
    ],
    'results that are gone': [
      (copy) => void Reflect.deleteProperty(copy.request, 'results'),
      'The list of results is missing',
    ],
    'the plan': [(copy) => void Object.assign(copy.plan!, { collections: [] }), 'The plan is not the one'],
    'a plan that is gone': [put('plan', null), 'The plan is missing'],
    'the hash of the policy': [put('policy.hash', 'x'), 'The policy is not the one'],
    'a line of the receipt': [
      (copy) => void Object.assign(copy.receipt!.totals, { masked: 5 }),
      'The receipt is not the one that the audit trail names',
    ],
    'a receipt that is gone': [put('receipt', null), 'The receipt is missing'],
    'a receipt of another request': [put('receipt.requestId', 'pri_2'), 'of another request'],
    'the request it is about': [put('request.id', 'pri_2'), 'is about something else'],
  }
  it.each(Object.entries(changes))('is detected with %s', (_, [change, sentence]) => {
    expect(problemsOf(altered(ofErasure, change, { resigned: true }))).toContain(sentence)
  })

  it('is detected with a receipt that the trail does not mention', () => {
    const receipt = ofErasure.receipt
    const changed = altered(ofAccess, (copy) => void Object.assign(copy, { receipt }), { resigned: true })
    expect(problemsOf(changed)).toContain('The audit trail does not mention the receipt')
  })

  it('is detected with a shorter trail that is whole, when it ends before the request did', () => {
    const upTo = ofErasure.audit.findIndex(({ action }) => action === 'request_completed')
    expect(problemsOf(chained(ofErasure, ofErasure.audit.slice(0, upTo)))).toContain("said to be 'complete'")
  })
})

describe('anything but evidence', () => {
  const deep = Array.from({ length: 50_000 }).reduce<object>((inner) => ({ inner }), {})
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'evidence'],
    ['a list', []],
    ['an empty object', {}],
    ['an audit trail that is none', { format: 'habeas-evidence/1', audit: 'x' }],
    ['something deep', { format: 'habeas-evidence/1', plan: deep }],
  ])('%s is refused', (_, input) => {
    expect(verifyEvidence(input)).toMatchObject({ ok: false, problems: [expect.stringContaining('not evidence')] })
  })
})
