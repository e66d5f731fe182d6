import { expect, it } from 'vitest'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import { parsePolicy } from '../../model/policy.js'
import { erasureReceipt } from '../../results/proof/erasure-receipt.js'
import { verifyEvidence } from '../../results/proof/verify-evidence.js'
import { createPrivacyService } from '../../service.js'
import { moveRequest, requestRow } from '../requests/move-request.js'
import { writeAll } from '../write-all.js'
import { receiptDetail, receiptWrite } from './store-receipt.js'

async function setUp() {
  const storage = memoryStorage()
  const encryptionKey = Buffer.alloc(32, 3).toString('base64')
  const privacy = createPrivacyService({ storage, encryptionKey, execution: { immediate: false } })
  const { id } = await privacy.requests.submit({
    policyKey: 'default_access_policy',
    identity: { email: 'a@b.example' },
  })
  const receipt = (finishedAt: string) =>
    erasureReceipt({
      request: { id, requestedAt: '2026-01-01T00:00:00.000Z' },
      policy: parsePolicy({ service_key: 'forget', rules: [] }).value,
      planHash: 'p',
      results: [],
      finishedAt,
    })
  return { storage, privacy, id, receipt }
}

it('reads the receipt of the last run', async () => {
  const { storage, privacy, id, receipt } = await setUp()
  await expect(privacy.requests.receipt(id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(privacy.requests.receipt('pri_none')).rejects.toMatchObject({ code: 'not_found' })
  for (const finishedAt of ['2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z']) {
    await writeAll(storage, [receiptWrite(receipt(finishedAt))])
    expect(await privacy.requests.receipt(id)).toEqual(receipt(finishedAt))
  }
  await privacy.close()
})

it('a receipt is kept when the personal data of its request is destroyed', async () => {
  const { storage, privacy, id, receipt } = await setUp()
  await writeAll(storage, [receiptWrite(receipt('2026-01-02T00:00:00.000Z'))])
  await privacy.requests.cancel(id)
  await privacy.requests.run()
  expect((await privacy.requests.get(id)).destroyedAt).toBeDefined()
  expect((await privacy.requests.receipt(id)).requestId).toBe(id)
  await privacy.close()
})

it('a receipt that the end of a run names cannot be exchanged', async () => {
  const { storage, privacy, id, receipt } = await setUp()
  const made = receipt('2026-01-02T00:00:00.000Z')
  const keeper = { storage, runtime: systemRuntime }
  const running = await moveRequest(keeper, await requestRow(storage, id), { event: 'run', actor: 'system' })
  if (!running) throw new Error('It was not claimed.')
  await storage.table('requestPlan').insert({ id, version: 1, plan: { steps: [] }, policyHash: made.policy.hash })
  const { planHash } = receiptDetail(made)
  expect(planHash).toBe('p')
  const end = { event: 'complete', actor: 'system', changes: { results: [] } } as const
  await moveRequest(keeper, running, { ...end, writes: [receiptWrite(made)], detail: receiptDetail(made) })
  const { problems } = verifyEvidence(await privacy.requests.exportEvidence(id))
  // The stored plan is not the one that the receipt names.
  expect(problems).toEqual(['The plan is not the one that the audit trail names.'])
  await writeAll(storage, [receiptWrite(receipt('2026-01-03T00:00:00.000Z'))])
  const changed = verifyEvidence(await privacy.requests.exportEvidence(id))
  expect(changed.problems).toContain('The receipt is not the one that the audit trail names.')
  await privacy.close()
})
