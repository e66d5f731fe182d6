import { expect, it } from 'vitest'
import { aesSecrets } from '../../builtin/aes-secrets.js'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import type { CollectionResult } from '../../model/collection-result.js'
import { planHash } from '../../results/proof/plan-hash.js'
import { verifyEvidence } from '../../results/proof/verify-evidence.js'
import { createPrivacyService } from '../../service.js'
import type { ActionContext } from '../action-context.js'
import { moveRequest, requestRow } from '../requests/move-request.js'
import { erasureEnd } from './erasure-end.js'

const identities = [{ email: 'planted-marker@example.org' }]
const plan = { collections: [], findings: [{ severity: 'info' }] }
const resultsOf = (outcome: 'masked' | 'failed'): CollectionResult[] => [
  { dataset: 'shop', collection: 'customer', actionType: 'erasure', outcomes: [{ outcome, rowCount: 2 }] },
]

async function setUp() {
  const storage = memoryStorage()
  const secrets = aesSecrets({ keys: Buffer.alloc(32, 3).toString('base64') })
  const privacy = createPrivacyService({ storage, secrets, execution: { immediate: false } })
  const context: ActionContext = {
    storage,
    secrets,
    runtime: systemRuntime,
    connectors: new Map(),
    connectionChanged() {},
    options: { taxonomy: 'open', connectionTestSeconds: 1 },
  }
  const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
  await storage.table('requestPlan').insert({ id, version: 1, plan })
  const policy = await privacy.policies.get('default_access_policy')

  /** Ends a run as the engine would. */
  async function end(event: 'complete' | 'fail', failure?: string, meanwhile?: () => Promise<unknown>) {
    const before = await requestRow(storage, id)
    const begun = before.status === 'error' ? ('retry' as const) : ('run' as const)
    const request = await moveRequest(context, before, { event: begun, actor: 'system' })
    if (!request) throw new Error('It was not claimed.')
    const results = resultsOf(failure === undefined ? 'masked' : 'failed')
    const finishedAt = systemRuntime.now().toISOString()
    const source = { request, policy, planHash: planHash(plan), results, finishedAt, failure, identities }
    const made = await erasureEnd(context, source)
    await meanwhile?.()
    const changes = { results, ...(failure !== undefined && { failure }) }
    return moveRequest(context, request, { event, actor: 'system', changes, ...made })
  }
  return { storage, privacy, id, end }
}

it('a completed erasure has a receipt, tombstones, and evidence that holds', async () => {
  const { storage, privacy, id, end } = await setUp()
  expect(await end('complete')).toMatchObject({ status: 'complete' })
  expect(await privacy.requests.receipt(id)).toMatchObject({ status: 'complete', totals: { masked: 2 } })
  expect(await privacy.isErased(identities[0] ?? {})).toBe(true)
  const evidence = await privacy.requests.exportEvidence(id)
  const { policyHash } = evidence.audit.at(-1)?.detail ?? {}
  expect(policyHash).toBe(evidence.receipt?.policy.hash)
  // The plan of this test was stored without its policy.
  expect(verifyEvidence(evidence).problems).toEqual(['The policy is missing.'])
  expect(JSON.stringify([evidence, await storage.table('tombstone').find()])).not.toContain('planted-marker')
  await privacy.close()
})

it('a failed erasure has a receipt that says so, and no person counts as erased until it has completed', async () => {
  const { privacy, id, end } = await setUp()
  await end('fail', 'shop:customer could not be erased.')
  expect(await privacy.requests.receipt(id)).toMatchObject({ status: 'error', totals: { failed: 2 } })
  expect(await privacy.isErased(identities[0] ?? {})).toBe(false)
  await end('complete')
  expect(await privacy.requests.receipt(id)).toMatchObject({ status: 'complete', totals: { masked: 2 } })
  expect(await privacy.isErased(identities[0] ?? {})).toBe(true)
  await privacy.close()
})

it('an erasure that was canceled meanwhile writes nothing', async () => {
  const { storage, privacy, id, end } = await setUp()
  expect(await end('complete', undefined, () => privacy.requests.cancel(id))).toBeUndefined()
  await expect(privacy.requests.receipt(id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await storage.table('tombstone').count()).toBe(0)
  await privacy.close()
})

it('a misspelt property is refused, since nobody would match it, and one that no name resembles is not', async () => {
  const { privacy, end } = await setUp()
  await end('complete')
  await privacy.datasets.put({
    service_key: 'shop',
    collections: [{ name: 'card', fields: [{ name: 'number', service_meta: { identity: 'loyalty_number' } }] }],
  })
  for (const [property, meant] of [
    ['emial', 'email'],
    ['loyalty_numbr', 'loyalty_number'],
  ] as const) {
    const asked = privacy.isErased({ [property]: 'planted-marker@example.org' })
    await expect(asked).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringContaining(`'${meant}'`) })
    await expect(asked).rejects.not.toMatchObject({ message: expect.stringContaining('planted-marker') })
  }
  expect(await privacy.isErased({ badge: '7' })).toBe(false)
  await privacy.close()
})
