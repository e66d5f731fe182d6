import { type Evidence, memoryStorage, verifyEvidence } from '@habeas/core'
import { expect } from 'vitest'
import { receiptOf } from '../erasure-receipt.js'
import type { Given } from './given.js'
import { submitted } from './privacy-requests.js'

const path = '/api/v1/privacy-request'

/** Receipts and evidence of what was done. */
export function requestProofCases(given: Given): void {
  const storage = memoryStorage()

  given(
    'a receipt is read as JSON, as a page or as text',
    async (served) => {
      const { call, tokenWith } = served
      const id = await submitted(served)
      const none = await call('GET', `${path}/${id}/receipt`)
      expect(none).toMatchObject({ status: 404, body: { detail: expect.stringContaining('has no receipt') } })
      await storage.table('erasureReceipt').insert({ id, version: 1, receipt: receiptOf(id) })
      const token = await tokenWith('privacy-request:read')
      const read = (query = '', accept?: string) =>
        call<string>('GET', `${path}/${id}/receipt${query}`, { token, ...(accept && { headers: { accept } }) })
      expect(await read()).toMatchObject({
        status: 200,
        body: {
          request_id: id,
          status: 'complete',
          failure: null,
          plan_hash: 'hash-of-the-plan',
          collections: [
            {
              dataset: 'shop',
              collection: '<customer>',
              found: 2,
              before: 2,
              after: 1,
              outcomes: [
                { outcome: 'masked', row_count: 1, reason: null },
                { outcome: 'retained', row_count: 1, reason: 'tax law' },
              ],
              fields: [{ field: 'email', strategy: 'hash', outcome: 'masked', reason: null }],
              kept_until: '2025-01-15',
              kept_copies: [{ name: 'report', kind: 'materialized_view' }],
            },
          ],
          totals: { masked: 1, retained: 1 },
        },
      })
      const page = await read('', 'text/html,application/xhtml+xml,*/*;q=0.8')
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.body).toContain('shop:&lt;customer&gt;')
      expect(page.body).not.toContain('<customer>')
      expect((await read('?format=html')).body).toBe(page.body)
      const text = await read('', 'text/plain')
      expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(text.body).toContain('shop:<customer>  1  retained: tax law')
      expect(text.body).toContain('in: shop:<customer> until 2025-01-15.')
      expect(page.body).toContain('in: shop:&lt;customer&gt; until 2025-01-15.')
      expect((await read('?format=text', 'text/html')).body).toBe(text.body)
      for (const accept of ['*/*', 'application/json, text/html', 'image/png', '__proto__']) {
        expect((await read('', accept)).body).toMatchObject({ request_id: id })
      }
      expect((await read('?format=pdf')).status).toBe(422)
      const other = await tokenWith('privacy-request:download')
      expect((await call('GET', `${path}/${id}/receipt`, { token: other })).status).toBe(403)
      expect((await call('GET', `${path}/pri_none/receipt`)).status).toBe(404)
    },
    { storage },
  )

  given(
    'a plan says for how many days and in which copies a database keeps what is erased, and the receipt until when',
    async (served) => {
      const { call, connector, runtime } = served
      const keptIn = [{ name: 'old.customer', kind: 'clone' }]
      Object.assign(connector.database['customer'] ?? {}, { keepsHistoryDays: 14, keptIn })
      const writing = { key: 'shop', connection_type: 'postgres', access: 'write' }
      expect((await call('PATCH', '/api/v1/connection', { body: writing })).status).toBe(200)
      const asked = { policy_key: 'default_erasure_policy', identities: [{ email: 'ann@example.com' }] }
      const { body } = await call('PUT', `${path}/preview`, { body: asked })
      expect(body).toMatchObject({
        plan: {
          collections: [
            { erasure: { kept_days: 14, kept_copies: keptIn } },
            { erasure: { kept_days: null, kept_copies: [] } },
          ],
        },
      })
      expect(body).toMatchObject({
        plan: {
          findings: expect.arrayContaining([
            expect.objectContaining({ type: 'history_kept', severity: 'info', loc: ['shop', 'customer'] }),
          ]),
        },
      })
      const id = await submitted(served, asked)
      await call('POST', `${path}/${id}/run`)
      const kept_until = new Date(runtime.now().getTime() + 14 * 24 * 60 * 60 * 1_000).toISOString().slice(0, 10)
      expect((await call('GET', `${path}/${id}/receipt`)).body).toMatchObject({
        status: 'complete',
        collections: expect.arrayContaining([
          expect.objectContaining({ collection: 'customer', kept_until, kept_copies: keptIn }),
          expect.objectContaining({ collection: 'orders', kept_until: null, kept_copies: [] }),
        ]),
      })
    },
    { shop: true },
  )

  given(
    'evidence is answered as it was signed, and checked without the service',
    async (served) => {
      const { call, privacy, tokenWith } = served
      const id = await submitted(served)
      await call('POST', `${path}/${id}/run`)
      const token = await tokenWith('privacy-request:read')
      const { status, headers, body } = await call<Evidence>('GET', `${path}/${id}/evidence`, { token })
      expect(status).toBe(200)
      expect(headers.get('content-disposition')).toBe(`attachment; filename="evidence-${id}.json"`)
      expect(verifyEvidence(body, { key: await privacy.requests.evidenceKey() })).toMatchObject({ ok: true })
      expect(body.request.status).toBe('complete')
      expect(JSON.stringify(body)).not.toContain('ann@')
      const other = await tokenWith('privacy-request:create')
      expect((await call('GET', `${path}/${id}/evidence`, { token: other })).status).toBe(403)
      expect((await call('GET', `${path}/pri_none/evidence`)).status).toBe(404)
    },
    { shop: true },
  )
}
