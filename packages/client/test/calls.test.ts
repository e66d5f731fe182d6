import type { PrivacyService } from '@habeas/core'
import { endpoints } from '@habeas/http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPrivacyClient, isPrivacyError, type PrivacyClient } from '../src/index.js'
import { withoutToken } from '../src/without-token.js'
import { openService, overExpress, overHandler, type Served } from './served.js'

const download = 'GET /api/v1/privacy-request/{privacy_request_id}/download'

describe.each([
  { through: 'an Express app', serve: overExpress },
  { through: 'the fetch handler', serve: overHandler },
])('calls through $through', ({ serve }) => {
  let privacy: PrivacyService
  let served: Served
  let client: PrivacyClient

  beforeAll(async () => {
    privacy = openService()
    served = await serve(privacy)
    client = createPrivacyClient(served.options)
  })

  afterAll(async () => {
    await served.close()
    await privacy.close()
  })

  it('create, read, list and delete', async () => {
    const created = await client.call('POST /api/v1/connection', { body: { key: 'crm', connection_type: 'mysql' } })
    expect(created).toMatchObject({ key: 'crm', access: 'read', findings: [{ type: 'no_connector' }] })
    const path = { connection_key: 'crm' }
    expect((await client.call('GET /api/v1/connection/{connection_key}', { path })).connection_type).toBe('mysql')
    const query = { connection_type: ['mysql', 'mariadb'], disabled: false, search: undefined, size: 1 }
    expect(await client.call('GET /api/v1/connection', { query })).toMatchObject({ total: 1, size: 1 })
    expect(await client.call('DELETE /api/v1/connection/{connection_key}', { path })).toBeUndefined()
    expect((await client.call('GET /api/v1/connection')).total).toBe(0)
  })

  it('send lists, and get one answer for each item', async () => {
    const body = [{ key: 'one', connection_type: 'postgres' }, { key: 'two' }]
    const { succeeded, failed } = await client.call('PATCH /api/v1/connection', { body })
    expect(succeeded.map(({ key }) => key)).toEqual(['one'])
    expect(failed[0]).toMatchObject({ errors: [{ loc: ['body', 1, 'connection_type'] }], data: { key: 'two' } })
  })

  it('evaluate a policy, and read what was found', async () => {
    const rules = [{ service_key: 'ads', data_uses: { values: ['advertising'] } }]
    await client.call('POST /api/v1/policy', { body: { service_key: 'no_ads', rules } })
    const declared = { system_type: 'Service', privacy_declarations: [{ data_use: 'advertising' }] }
    await client.call('POST /api/v1/system', { body: { service_key: 'web', ...declared } })
    const body = { systems: ['web'] }
    const made = await client.call('POST /api/v1/policy/{policy_key}/evaluate', {
      path: { policy_key: 'no_ads' },
      body,
    })
    expect(made.violations.map(({ rule, system }) => [rule, system])).toEqual([['ads', 'web']])
    const path = { evaluation_id: made.id }
    expect(await client.call('GET /api/v1/evaluation/{evaluation_id}', { path })).toEqual(made)
    const { items } = await client.call('GET /api/v1/evaluation', { query: { status: 'FAIL' } })
    expect(items.map(({ violation_count }) => violation_count)).toEqual([1])
    await client.call('DELETE /api/v1/evaluation/{evaluation_id}', { path })
    await expect(client.call('GET /api/v1/evaluation/{evaluation_id}', { path })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('stay within their segment of the path', async () => {
    const read = (key: string) =>
      client.call('GET /api/v1/connection/{connection_key}', { path: { connection_key: key } })
    for (const key of ['a/b', '../health', '%2e%2e', 'a?b#c', 'ä ö']) {
      await expect(read(key)).rejects.toMatchObject({ code: 'not_found', details: { kind: 'connection', id: key } })
    }
    for (const key of ['', '.', '..', '\ud800']) {
      const issues = [{ loc: ['path', 'connection_key'], type: 'invalid_value' }]
      await expect(read(key)).rejects.toMatchObject({ code: 'invalid_input', details: { issues } })
    }
  })

  it('fail as the action has failed', async () => {
    const body = { key: 'a b', connection_type: 'paper' }
    const wrong = await client.call('POST /api/v1/connection', { body }).catch((error) => error)
    expect(
      isPrivacyError(wrong, 'invalid_input') && wrong.details.issues.map(({ loc }) => loc.join('.')).sort(),
    ).toEqual(['body.connection_type', 'body.key'])
    await client.call('PATCH /api/v1/connection', { body: { key: 'taken', connection_type: 'postgres' } })
    const again = client.call('POST /api/v1/connection', { body: { key: 'taken', connection_type: 'postgres' } })
    await expect(again).rejects.toMatchObject({ code: 'conflict', details: { kind: 'connection' } })
    const { client_id: clientId, client_secret: clientSecret } = await client.call('POST /api/v1/oauth/client', {
      body: ['connection:read'],
    })
    const narrow = createPrivacyClient({ ...served.options, clientId, clientSecret })
    await expect(narrow.call('GET /api/v1/dataset')).rejects.toMatchObject({
      code: 'forbidden',
      details: { scope: 'dataset:read' },
    })
  })

  it('fail with a code of the library where HTTP has one of its own', async () => {
    const body = { name: 'x'.repeat(1024 * 1024), connection_type: 'postgres' }
    await expect(client.call('POST /api/v1/connection', { body })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { issues: [{ loc: ['body'], type: 'payload_too_large' }] },
    })
    const unknown = 'PATCH /api/v1/connection/{connection_key}' as 'GET /api/v1/connection/{connection_key}'
    await expect(client.call(unknown, { path: { connection_key: 'a' } })).rejects.toMatchObject({
      code: 'unsupported',
      details: { feature: 'method_not_allowed' },
    })
  })

  it('stream a package, or return it whole', async () => {
    const submitted = await client.call('POST /api/v1/privacy-request', {
      body: { policy_key: 'default_access_policy', identities: [{ email: 'ann@example.com' }] },
    })
    await privacy.requests.settled(submitted.id)
    const path = { privacy_request_id: submitted.id }
    const { name, mediaType, stream } = await client.stream(download, { path })
    expect(name).toMatch(/\.json$/)
    expect(mediaType).toMatch(/^application\/json/)
    const pieces: Uint8Array[] = []
    for await (const piece of stream) pieces.push(piece)
    expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(await client.call(download, { path }))
  })

  it('need no token where the interface needs none, and the secret where it needs that', async () => {
    const stranger = createPrivacyClient({ ...served.options, clientSecret: 'wrong' })
    expect(await stranger.call('GET /health')).toMatchObject({ status: 'healthy' })
    expect(await stranger.call('GET /api/v1/docs')).toMatch(/^<!doctype html>/)
    expect(await stranger.call('GET /api/v1/openapi.json')).toHaveProperty('openapi', '3.1.0')
    const body = { grant_type: 'client_credentials' as const, scope: 'scope:read' }
    const { access_token: token } = await client.call('POST /api/v1/oauth/token', { body })
    const introspect = () => client.call('POST /api/v1/oauth/introspect', { body: { token } })
    expect(await introspect()).toMatchObject({ active: true, scope: 'scope:read', client_id: 'root' })
    expect(await client.call('POST /api/v1/oauth/revoke', { body: { token } })).toEqual({})
    expect(await introspect()).toEqual({ active: false })
  })

  it('send back what a request asks to be accepted, and it goes on', async () => {
    await client.call('PATCH /api/v1/connection', { body: { key: 'files', connection_type: 'mysql' } })
    const email = { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } }
    await client.call('PATCH /api/v1/connection/{connection_key}/dataset', {
      path: { connection_key: 'files' },
      body: { service_key: 'files', collections: [{ name: 'people', fields: [email] }] },
    })
    const { id } = await client.call('POST /api/v1/privacy-request', {
      body: { policy_key: 'default_access_policy', identities: [{ email: 'ann@example.com', shoe_size: 38 }] },
    })
    const path = { privacy_request_id: id }
    const read = () => client.call('GET /api/v1/privacy-request/{privacy_request_id}', { path })
    await expect.poll(async () => (await read()).status).toBe('paused')
    const asked = (await read()).action_required_details
    expect(asked).toMatchObject({ accept: { accept_undecided: null, accept_unconfirmed: ['email', 'shoe_size'] } })
    const resumed = await client.call('POST /api/v1/privacy-request/{privacy_request_id}/resume', {
      path,
      body: asked?.accept ?? {},
    })
    expect(resumed.accepted).toEqual(asked?.accept)
    await expect.poll(async () => (await read()).status).toBe('complete')
    expect(await read()).toMatchObject({ incomplete: true, unconfirmed: ['email', 'shoe_size'] })
  })

  it('ask for no more than the given scope', async () => {
    const careful = createPrivacyClient({ ...served.options, scope: ['scope:read', 'client:read'] })
    expect(await careful.call('GET /api/v1/oauth/scope')).toContain('client:read')
    await expect(careful.call('GET /api/v1/dataset')).rejects.toMatchObject({ code: 'forbidden' })
  })
})

it('the client knows which endpoints are called without a token', () => {
  const inTable = Object.entries(endpoints).filter(([, { access }]) => typeof access === 'string')
  expect(Object.keys(withoutToken).sort()).toEqual(inTable.map(([key]) => key).sort())
  for (const [key, { access }] of inTable) {
    const needed = access === 'open' && key !== 'POST /api/v1/oauth/token' ? 'nothing' : 'secret'
    expect(withoutToken[key as keyof typeof withoutToken], key).toBe(needed)
  }
})
