import { expect } from 'vitest'
import type { Given } from './given.js'
import { submitted } from './privacy-requests.js'
import type { Served } from './served.js'
import { shopDataset } from './world.js'

const path = '/api/v1/privacy-request'
const ann = { email: 'ann@example.com' }
const openReference = 'shop:orders.packed_by'
const shop = { shop: true }
const approving = { ...shop, execution: { immediate: false, requireManualRequestApproval: true } }
const nothing = { accept_unsearched: null, accept_undecided: null, accept_unconfirmed: null }

interface Told {
  readonly id: string
  readonly status: string
  readonly action_required_details: { readonly accept: object } | null
  readonly succeeded: readonly object[]
  readonly items: readonly { readonly action: string; readonly detail: object }[]
}

/** Says nothing of what it means that an order names who has packed it. */
async function leaveOpen({ call, connector }: Served): Promise<void> {
  connector.database['orders']?.rows.push({ id: 13, customer_id: 2, note: 'of Ben', packed_by: 1 })
  const packedBy = {
    name: 'packed_by',
    service_meta: { references: [{ dataset: 'shop', field: 'customer.id' }] },
  }
  const [customer, orders] = shopDataset.collections
  const collections = [customer, { ...orders, fields: [...(orders?.fields ?? []), packedBy] }]
  const described = await call('PATCH', '/api/v1/connection/shop/dataset', { body: { ...shopDataset, collections } })
  expect(described.status).toBe(200)
  const writing = { key: 'shop', connection_type: 'postgres', access: 'write' }
  expect((await call('PATCH', '/api/v1/connection', { body: writing })).status).toBe(200)
}

/** An erasure that has found a row of which nobody has said whose it is. */
async function undecided(served: Served, more: object = {}): Promise<string> {
  await leaveOpen(served)
  const id = await submitted(served, { policy_key: 'default_erasure_policy', ...more })
  await served.call('POST', `${path}/${id}/run`)
  return id
}

const notesOf = ({ connector }: Served) => connector.database['orders']?.rows.map(({ note }) => note) ?? []

const ended = async ({ call }: Served, id: string) => {
  await call('POST', `${path}/${id}/run`)
  return (await call<Told>('GET', `${path}/${id}`)).body
}

/** What is sent where names or `true` are wanted. */
const wrong: Readonly<Record<string, { readonly body: unknown; readonly loc: readonly unknown[] }>> = {
  text: { body: { accept_undecided: openReference }, loc: ['body', 'accept_undecided'] },
  'a number': { body: { accept_unsearched: 1 }, loc: ['body', 'accept_unsearched'] },
  'a list of numbers': { body: { accept_unconfirmed: ['email', 7] }, loc: ['body', 'accept_unconfirmed', 1] },
  'an object': { body: { accept_undecided: { [openReference]: true } }, loc: ['body', 'accept_undecided'] },
  'an empty name': { body: { accept_undecided: [''] }, loc: ['body', 'accept_undecided', 0] },
  'a name that is too long': { body: { accept_undecided: ['x'.repeat(501)] }, loc: ['body', 'accept_undecided', 0] },
  'too many names': {
    body: { accept_undecided: Array.from({ length: 1_001 }, (_, at) => `shop:c${at}`) },
    loc: ['body', 'accept_undecided'],
  },
  'an unknown member': { body: { accept_undecide: true }, loc: ['body', 'accept_undecide'] },
  'a member of the model': { body: { acceptUndecided: true }, loc: ['body', 'acceptUndecided'] },
  'a caller of its own': { body: { caller: 'somebody' }, loc: ['body', 'caller'] },
}

/** What a request may leave out when a person who reviews it says so. */
export function acceptanceCases(given: Given): void {
  given(
    'an erasure waits with a message and with what may be accepted, and goes on once that is accepted',
    async (served) => {
      const { call } = served
      const id = await undecided(served)
      const { body: paused } = await call<Told>('GET', `${path}/${id}`)
      expect(paused).toMatchObject({
        status: 'paused',
        resume_endpoint: `/privacy-request/${id}/resume`,
        accepted: null,
        incomplete: false,
        action_required_details: {
          step: 'erasure',
          collection: null,
          action_needed: null,
          message: expect.stringMatching(
            /^Nothing was erased\. 1 row of shop:orders .*accept_undecided: \["shop:orders/,
          ),
          accept: { ...nothing, accept_undecided: [openReference] },
        },
        results: [{}, { undecided: [{ reference: openReference, row_count: 1, reason: expect.any(String) }] }],
      })
      expect(JSON.stringify(paused)).not.toMatch(/of Ben|ann@/)
      expect(notesOf(served)).toContain('ring twice')
      const body = paused.action_required_details?.accept
      const resumed = await call('POST', `${path}/${id}/resume`, { body })
      expect(resumed).toMatchObject({
        status: 200,
        body: { id, status: 'in_processing', accepted: body, action_required_details: null, resume_endpoint: null },
      })
      const done = await ended(served, id)
      expect(done).toMatchObject({ status: 'complete', incomplete: true, accepted: body, unconfirmed: [] })
      expect(notesOf(served).filter((note) => note !== null)).toEqual(['none', 'of Ben'])
      const { items } = (await call<Told>('GET', `${path}/${id}/audit`)).body
      expect(items.find(({ action }) => action === 'request_resumed')?.detail).toMatchObject({
        accepted: JSON.stringify({ undecided: [openReference] }),
      })
      expect((await call('POST', `${path}/${id}/resume`, { body })).status).toBe(409)
    },
    shop,
  )

  given(
    'what is not named is not accepted',
    async (served) => {
      const id = await undecided(served)
      for (const body of [
        undefined,
        {},
        { accept_undecided: ['shop:orders.customer_id'] },
        { accept_unsearched: true },
      ]) {
        const resume = { ...(body && { body }) }
        expect((await served.call('POST', `${path}/${id}/resume`, resume)).status).toBe(200)
        expect((await ended(served, id)).status).toBe('paused')
      }
      // `true` is what the pause names, and is kept by name, beside what was named before.
      expect(await served.call('POST', `${path}/${id}/resume`, { body: { accept_undecided: true } })).toMatchObject({
        status: 200,
        body: { accepted: { ...nothing, accept_undecided: ['shop:orders.customer_id', openReference] } },
      })
      expect((await ended(served, id)).status).toBe('complete')
    },
    shop,
  )

  given(
    'it does not go on without the scope to review, or with an invalid token',
    async (served) => {
      const { call } = served
      const id = await undecided(served)
      const body = { accept_undecided: true }
      const narrow = await served.tokenWith('privacy-request:resume', 'privacy-request:create', 'privacy-request:read')
      const refused = await call('POST', `${path}/${id}/resume`, { body, token: narrow })
      const detail = expect.stringContaining("'privacy-request:review'")
      expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden', detail } })
      expect(refused.headers.get('www-authenticate')).toContain('scope="privacy-request:review"')
      for (const token of [null, 'no.such.token']) {
        expect((await call('POST', `${path}/${id}/resume`, { body, token })).status).toBe(401)
      }
      // What could be a reply token accepts nothing, whatever it is worth.
      expect((await call('POST', `${path}/${id}/resume`, { body, token: 'made-up' })).status).toBe(403)
      expect((await call('POST', `${path}/${id}/resume`, { token: 'made-up' })).status).toBe(401)
      expect((await ended(served, id)).status).toBe('paused')
    },
    shop,
  )

  given(
    'only a request that waits for a decision can be resumed in this way',
    async (served) => {
      const { call } = served
      const body = { accept_undecided: true, accept_unsearched: true, accept_unconfirmed: true }
      expect((await call('POST', `${path}/pri_none/resume`, { body })).status).toBe(404)
      const id = await submitted(served)
      const asked = () => call('POST', `${path}/${id}/resume`, { body })
      expect(await asked()).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
      expect(await ended(served, id)).toMatchObject({ status: 'complete', accepted: null })
      expect(await asked()).toMatchObject({ status: 409 })
    },
    shop,
  )

  given(
    'a request that a legal hold stops is not resumed by it',
    async (served) => {
      const { call } = served
      await leaveOpen(served)
      await call('POST', '/api/v1/legal-hold', { body: { identities: [ann], reason: 'a case' } })
      const id = await submitted(served, { policy_key: 'default_erasure_policy', accept_undecided: true })
      expect(await ended(served, id)).toMatchObject({ status: 'paused', resume_endpoint: null })
      expect((await call('POST', `${path}/${id}/resume`, { body: { accept_undecided: true } })).status).toBe(409)
    },
    shop,
  )

  for (const [what, { body, loc }] of Object.entries(wrong)) {
    given(
      `resume and retry answer 422 for ${what}`,
      async (served) => {
        const id = await undecided(served)
        for (const verb of ['resume', 'retry']) {
          const answer = await served.call('POST', `${path}/${id}/${verb}`, { body })
          expect(answer, verb).toMatchObject({ status: 422, body: { errors: [{ loc }] } })
        }
        const bulk = { request_ids: [id], ...(body as object) }
        expect(await served.call('POST', `${path}/bulk/retry`, { body: bulk })).toMatchObject({
          status: 422,
          body: { errors: [{ loc }] },
        })
        expect((await ended(served, id)).status).toBe('paused')
      },
      shop,
    )
  }

  given(
    'at submission only callers who may review can accept',
    async (served) => {
      const { call, tokenWith } = served
      await leaveOpen(served)
      const submission = { policy_key: 'default_erasure_policy', identities: [ann] }
      const token = await tokenWith('privacy-request:create')
      const detail = expect.stringContaining("'privacy-request:review'")
      for (const member of ['accept_unsearched', 'accept_undecided', 'accept_unconfirmed']) {
        for (const value of [true, [openReference], [], 'anything']) {
          const refused = await call('POST', path, { token, body: { ...submission, [member]: value } })
          expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden', detail } })
        }
        const list = await call('POST', path, { token, body: [{ ...submission, [member]: true }, submission] })
        expect(list).toMatchObject({
          status: 200,
          body: { succeeded: [{ accepted: null }], failed: [{ message: detail }] },
        })
        for (const value of [false, null]) {
          const taken = await call('POST', path, { token, body: { ...submission, [member]: value } })
          expect(taken).toMatchObject({ status: 201, body: { accepted: null } })
        }
        const bad = await call('POST', path, { body: { ...submission, [member]: 'anything' } })
        expect(bad).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', member] }] } })
      }
      const accepted = { accept_undecided: [openReference] }
      const reviewer = await tokenWith('privacy-request:create', 'privacy-request:review')
      const taken = await call<Told>('POST', path, { token: reviewer, body: { ...submission, ...accepted } })
      expect(taken).toMatchObject({ status: 201, body: { accepted: { ...nothing, ...accepted } } })
      const { items } = (await call<Told>('GET', `${path}/${taken.body.id}/audit`)).body
      expect(items[0]).toMatchObject({ detail: { accepted: JSON.stringify({ undecided: [openReference] }) } })
      expect(await ended(served, taken.body.id)).toMatchObject({ status: 'complete', incomplete: true })
    },
    shop,
  )

  given(
    'the approval may accept at the same time',
    async (served) => {
      const { call } = served
      await leaveOpen(served)
      const [first, second] = [
        await submitted(served, { policy_key: 'default_erasure_policy' }),
        await submitted(served, { policy_key: 'default_erasure_policy' }),
      ]
      const approve = (body: unknown, token?: string) =>
        call<Told>('PATCH', `${path}/administrate/approve`, { body, ...(token !== undefined && { token }) })
      const accepting = { request_ids: [first], accept_undecided: [openReference] }
      expect((await approve(accepting, await served.tokenWith('privacy-request:resume'))).status).toBe(403)
      for (const { body, loc } of Object.values(wrong)) {
        const refused = await approve({ request_ids: [first], ...(body as object) })
        expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc }] } })
      }
      await approve([second])
      expect((await ended(served, second)).status).toBe('paused')
      const { body } = await approve(accepting)
      const accepted = { ...nothing, accept_undecided: [openReference] }
      expect(body.succeeded).toMatchObject([{ id: first, status: 'approved', accepted }])
      expect((await ended(served, first)).status).toBe('complete')
    },
    approving,
  )

  given(
    'at a retry only callers who may review can accept, for one request and for several',
    async (served) => {
      const { call, connector, tokenWith } = served
      await leaveOpen(served)
      const failed = async () => {
        connector.failNext({ operation: 'read', collection: 'orders' })
        const id = await submitted(served, { policy_key: 'default_erasure_policy' })
        expect((await ended(served, id)).status).toBe('error')
        return id
      }
      const [one, several] = [await failed(), await failed()]
      const token = await tokenWith('privacy-request:resume')
      const body = { accept_undecided: [openReference] }
      const detail = expect.stringContaining("'privacy-request:review'")
      const bulk = { request_ids: [several], ...body }
      expect(await call('POST', `${path}/${one}/retry`, { token, body })).toMatchObject({
        status: 403,
        body: { detail },
      })
      expect(await call('POST', `${path}/bulk/retry`, { token, body: bulk })).toMatchObject({
        status: 403,
        body: { detail },
      })
      const reviewer = await tokenWith('privacy-request:resume', 'privacy-request:review')
      expect((await call('POST', `${path}/${one}/retry`, { token: reviewer, body })).body).toMatchObject({
        status: 'in_processing',
        accepted: { ...nothing, ...body },
      })
      const retried = await call<Told>('POST', `${path}/bulk/retry`, { token: reviewer, body: bulk })
      expect(retried.body.succeeded).toMatchObject([{ id: several, accepted: { ...nothing, ...body } }])
      for (const id of [one, several]) expect(await ended(served, id)).toMatchObject({ status: 'complete' })
    },
    shop,
  )

  given(
    'a retry that accepts nothing needs no further scope',
    async (served) => {
      const { call, connector, tokenWith } = served
      const id = await submitted(served)
      connector.failNext({ operation: 'read' })
      await call('POST', `${path}/${id}/run`)
      const token = await tokenWith('privacy-request:resume')
      const body = { ...nothing, accept_unsearched: false }
      expect(await call('POST', `${path}/${id}/retry`, { token, body })).toMatchObject({ status: 200 })
    },
    shop,
  )

  given(
    'identities that nothing confirms wait as well, and stay on the record',
    async (served) => {
      const { call } = served
      const identities = [{ ...ann, shoe_size: 38 }]
      const id = await submitted(served, { identities })
      const paused = await ended(served, id)
      const accept_unconfirmed = ['email', 'shoe_size']
      expect(paused).toMatchObject({
        status: 'paused',
        action_required_details: { accept: { ...nothing, accept_unconfirmed } },
      })
      const preview = await call('PUT', `${path}/preview`, {
        body: { policy_key: 'default_access_policy', identities },
      })
      expect(preview.body).toMatchObject({ plan: { identities: [{ unconfirmable: accept_unconfirmed }] } })
      await call('POST', `${path}/${id}/resume`, { body: { accept_unconfirmed } })
      expect(await ended(served, id)).toMatchObject({
        status: 'complete',
        incomplete: true,
        unconfirmed: accept_unconfirmed,
        accepted: { ...nothing, accept_unconfirmed },
      })
    },
    shop,
  )

  given(
    'a plan says how rows come to be the person’s, and what nobody has decided',
    async (served) => {
      await leaveOpen(served)
      const { body } = await served.call('PUT', `${path}/preview`, {
        body: { policy_key: 'default_access_policy', identities: [ann] },
      })
      const through = { property: null, collection: null, inferred: false }
      expect(body).toMatchObject({
        plan: {
          collections: [
            { owner: { first: [], through: [{ ...through, kind: 'identity', fields: ['email'], property: 'email' }] } },
            {
              owner: {
                first: [],
                through: [{ ...through, kind: 'reference', fields: ['customer_id'], collection: 'shop:customer' }],
              },
            },
          ],
          open: [
            {
              name: openReference,
              kind: 'reference',
              address: 'shop:orders',
              why: expect.stringContaining('customer_id'),
              answers: expect.stringContaining("'none'"),
            },
            { name: openReference, kind: 'look-up', address: 'shop:customer' },
          ],
          identities: [{ unconfirmable: [] }],
        },
      })
    },
    shop,
  )
}
