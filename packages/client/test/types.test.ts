import type { Bulk } from '@habeas/http'
import { describe, expectTypeOf, it } from 'vitest'
import { createPrivacyClient, type Download, type EndpointKey } from '../src/index.js'

const client = createPrivacyClient({ baseUrl: 'http://localhost', clientId: 'a', clientSecret: 'b' })

/** Only for its type: nothing of it is called. */
const never = (_: () => unknown) => {}

describe('the types of calls', () => {
  it('come from the endpoint table', () => {
    expectTypeOf<'GET /api/v1/connection/{connection_key}'>().toExtend<EndpointKey>()
    expectTypeOf<'GET /api/v1/nothing'>().not.toExtend<EndpointKey>()
    // @ts-expect-error no such endpoint
    never(() => client.call('GET /api/v1/nothing'))
  })

  it('have the result of the endpoint', () => {
    never(async () => {
      const page = await client.call('GET /api/v1/connection')
      expectTypeOf(page.total).toEqualTypeOf<number>()
      expectTypeOf(page.items[0]!.connection_type).toEqualTypeOf<string>()
      const dataset = await client.call('GET /api/v1/dataset/{service_key}', { path: { service_key: 'shop' } })
      expectTypeOf(dataset.collections[0]!.name).toEqualTypeOf<string>()
      const nothing = await client.call('DELETE /api/v1/dataset/{service_key}', { path: { service_key: 'shop' } })
      expectTypeOf(nothing).toEqualTypeOf<void>()
      expectTypeOf(await client.call('GET /api/v1/oauth/scope')).toEqualTypeOf<string[]>()
    })
  })

  it('require each parameter of the path', () => {
    const key = 'GET /api/v1/connection/{connection_key}/dataset/{dataset_key}'
    never(() => client.call(key, { path: { connection_key: 'shop', dataset_key: 'shop' } }))
    // @ts-expect-error one is missing
    never(() => client.call(key, { path: { connection_key: 'shop' } }))
    // @ts-expect-error both are missing
    never(() => client.call(key))
    // @ts-expect-error there is none
    never(() => client.call('GET /api/v1/connection', { path: { connection_key: 'shop' } }))
  })

  it('take the query of the endpoint, and only that', () => {
    never(() =>
      client.call('GET /api/v1/connection', { query: { connection_type: ['postgres'], disabled: false, page: 2 } }),
    )
    // @ts-expect-error no such choice
    never(() => client.call('GET /api/v1/connection', { query: { system_type: 'human' } }))
    // @ts-expect-error no such parameter
    never(() => client.call('GET /api/v1/connection', { query: { kind: 'postgres' } }))
    // @ts-expect-error the endpoint has no query
    never(() => client.call('GET /health', { query: {} }))
  })

  it('take the body of the endpoint, and only that', () => {
    const path = { connection_key: 'shop' }
    never(() =>
      client.call('PUT /api/v1/connection/{connection_key}/secret', {
        path,
        body: { url: 'x' },
        query: { verify: false },
      }),
    )
    // @ts-expect-error a body is required
    never(() => client.call('POST /api/v1/connection'))
    // @ts-expect-error misspelt
    never(() => client.call('POST /api/v1/connection', { body: { conection_type: 'postgres' } }))
    // @ts-expect-error the endpoint takes none
    never(() => client.call('POST /api/v1/connection/{connection_key}/test', { path, body: {} }))
  })

  it('may go without a body where the endpoint takes one or none', () => {
    const path = { privacy_request_id: 'pri_1' }
    for (const key of [
      'POST /api/v1/privacy-request/{privacy_request_id}/retry',
      'POST /api/v1/privacy-request/{privacy_request_id}/resume',
    ] as const) {
      never(() => client.call(key, { path }))
      never(() => client.call(key, { path, body: { accept_undecided: ['shop:orders.courier_id'] } }))
      never(() => client.call(key, { path, body: { accept_unsearched: true, accept_unconfirmed: null } }))
      // @ts-expect-error names come as a list
      never(() => client.call(key, { path, body: { accept_unsearched: 'shop:orders' } }))
      // @ts-expect-error misspelt
      never(() => client.call(key, { path, body: { accept_undecide: true } }))
    }
    const approve = 'PATCH /api/v1/privacy-request/administrate/approve'
    never(() => client.call(approve, { body: { request_ids: ['pri_1'], accept_undecided: true } }))
    const deny = 'PATCH /api/v1/privacy-request/administrate/deny'
    // @ts-expect-error nothing is left out of what is denied
    never(() => client.call(deny, { body: { request_ids: [], accept_undecided: true } }))
  })

  it('answer one with one, and a list with one answer for each item', () => {
    never(async () => {
      const one = await client.call('POST /api/v1/connection', { body: { connection_type: 'postgres' } })
      expectTypeOf(one.key).toEqualTypeOf<string>()
      const many = await client.call('POST /api/v1/connection', { body: [{ connection_type: 'postgres' }] })
      expectTypeOf(many).toExtend<Bulk<{ readonly key: string }>>()
      const policies = await client.call('PATCH /api/v1/policy', { body: [{ name: 'One' }] })
      expectTypeOf(policies.succeeded[0]!.service_key).toEqualTypeOf<string>()
      // @ts-expect-error systems come one by one
      never(() => client.call('POST /api/v1/system', { body: [{ system_type: 'Service' }] }))
    })
  })

  it('keep the shape of an answer that is the same for one and for many', () => {
    never(async () => {
      const path = 'PATCH /api/v1/privacy-request/administrate/cancel'
      expectTypeOf((await client.call(path, { body: ['pri_1'] })).failed[0]!.message).toEqualTypeOf<string>()
      const canceled = await client.call(path, { body: { request_ids: ['pri_1'], reason: 'asked for twice' } })
      expectTypeOf(canceled.succeeded[0]!.status).toEqualTypeOf<string>()
      const created = await client.call('POST /api/v1/oauth/client', { body: ['connection:read'] })
      expectTypeOf(created.client_secret).toEqualTypeOf<string>()
    })
  })

  it('let answers to GET be read as streams', () => {
    const path = { privacy_request_id: 'pri_1' }
    never(async () => {
      const got = await client.stream('GET /api/v1/privacy-request/{privacy_request_id}/download', { path })
      expectTypeOf(got).toEqualTypeOf<Download>()
    })
    // @ts-expect-error not GET
    never(() => client.stream('POST /api/v1/privacy-request/{privacy_request_id}/retry', { path }))
  })
})
