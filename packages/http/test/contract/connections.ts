import { expect } from 'vitest'
import type { Given } from './given.js'
import type { Served } from './served.js'

const path = '/api/v1/connection'

interface Connection {
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly disabled: boolean
}

interface Bulk {
  readonly succeeded: readonly Connection[]
  readonly failed: readonly { readonly message: string; readonly errors?: readonly object[]; readonly data: unknown }[]
}

const postgres = { key: 'db', connection_type: 'postgres' }

/** Links to databases: writes, bulk and what they answer. */
export function connectionCases(given: Given): void {
  given('POST creates with 201 and answers the whole resource', async ({ call, runtime }) => {
    const input = { ...postgres, name: 'Data base', access: 'write', disabled: true, description: 'The one.' }
    const { status, body } = await call('POST', path, { body: input })
    expect(status).toBe(201)
    const now = runtime.now().toISOString()
    const times = { created_at: now, updated_at: now, last_test_timestamp: null, last_test_succeeded: null }
    expect(body).toStrictEqual({ ...input, ...times, findings: [], warnings: [] })
    const { findings: _, warnings: __, ...stored } = body as Record<string, unknown>
    expect((await call('GET', `${path}/db`)).body).toStrictEqual(stored)
  })

  given('what is left out of a new connection has a default', async ({ call }) => {
    const { body } = await call('POST', path, { body: postgres })
    expect(body).toMatchObject({ name: 'db', description: null, access: 'read', disabled: false })
  })

  given('a key is derived from the name, and an empty or null one counts as left out', async ({ call }) => {
    for (const [at, key] of [undefined, '', null].entries()) {
      const input = { name: `Application PostgreSQL-DB ${at}`, connection_type: 'postgres', ...(at > 0 && { key }) }
      const { status, body } = await call('POST', path, { body: input })
      expect({ status, body }).toMatchObject({ status: 201, body: { key: `application_postgresql_db_${at}` } })
    }
  })

  given('POST of a key that is taken is 409, also when it is derived', async ({ call }) => {
    await call('POST', path, { body: postgres })
    for (const body of [postgres, { name: 'DB', connection_type: 'mysql' }]) {
      const answer = await call('POST', path, { body })
      expect(answer).toMatchObject({ status: 409, body: { code: 'conflict', detail: expect.stringContaining("'db'") } })
    }
  })

  given('a kind without its connector can be created, and its test fails', async ({ call }) => {
    const { status, body } = await call('POST', path, { body: { key: 'my', connection_type: 'mysql' } })
    const finding = { type: 'no_connector', severity: 'warning', loc: ['my', 'connection_type'] }
    expect({ status, body }).toMatchObject({ status: 201, body: { findings: [finding] } })
  })

  given('unknown members are ignored and named, those of our own answers are not', async ({ call }) => {
    const body = { ...postgres, hosst: 'x', connectionType: 'mysql', created_at: 'never', findings: [{}] }
    const answer = await call<{ warnings: { loc: unknown }[] }>('POST', path, { body })
    expect(answer).toMatchObject({ status: 201, body: { connection_type: 'postgres' } })
    expect(answer.body.warnings.map(({ loc }) => loc)).toEqual([['hosst'], ['connectionType']])
  })

  const faults: Readonly<Record<string, { readonly body: unknown; readonly errors: readonly object[] }>> = {
    'an unknown kind, and every other bad place': {
      body: { key: 'a b', connection_type: 'oracle', access: 'all', disabled: 'no' },
      errors: [
        { loc: ['body', 'key'] },
        { loc: ['body', 'connection_type'] },
        { loc: ['body', 'access'] },
        { loc: ['body', 'disabled'] },
      ],
    },
    'neither key nor name': {
      body: { connection_type: 'postgres' },
      errors: [{ loc: ['body', 'key'], type: 'missing' }],
    },
    'no kind': { body: { key: 'db' }, errors: [{ loc: ['body', 'connection_type'], type: 'missing' }] },
    'dots alone': { body: { ...postgres, key: '..' }, errors: [{ loc: ['body', 'key'] }] },
    'what is no object': { body: '"db"', errors: [{ loc: ['body'] }] },
    'a number': { body: '17', errors: [{ loc: ['body'] }] },
  }
  for (const [what, { body, errors }] of Object.entries(faults)) {
    given(`422 for ${what}`, async ({ call, parsesBodies }) => {
      // A parser of the host takes objects and lists only.
      if (parsesBodies && typeof body === 'string') return
      const headers = { 'content-type': 'application/json' }
      for (const method of ['POST', 'PATCH']) {
        expect(await call(method, path, { body, headers })).toMatchObject({ status: 422, body: { errors } })
      }
      expect((await call('GET', path)).body).toMatchObject({ total: 0 })
    })
  }

  for (const method of ['POST', 'PATCH']) {
    given(`${method} of a list answers each item for itself`, async ({ call }) => {
      await call('POST', path, { body: { ...postgres, key: 'taken' } })
      const items = [
        postgres,
        { key: 'bad', connection_type: 'oracle', description: 'kept', secrets: { password: 'of mine' } },
        { ...postgres, key: 'taken', name: 'Again' },
        'no object',
        { ...postgres, key: 'other' },
      ]
      const { status, body } = await call<Bulk>(method, path, { body: items, undescribed: true })
      expect(status).toBe(200)
      const [bad, ...others] = body.failed
      expect(body.succeeded.map(({ key }) => key)).toEqual(
        method === 'POST' ? ['db', 'other'] : ['db', 'taken', 'other'],
      )
      expect(bad).toMatchObject({ errors: [{ loc: ['body', 1, 'connection_type'] }] })
      expect(bad?.data).toEqual({ key: 'bad', connection_type: 'oracle', description: 'kept' })
      expect(others.map(({ data }) => data)).toEqual(
        method === 'POST' ? [{ key: 'taken', name: 'Again', connection_type: 'postgres' }, null] : [null],
      )
    })
  }

  given('a list has at most 50 items, and may have none', async ({ call }) => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ ...postgres, key: `db${at}` }))
    const refused = await call('PATCH', path, { body: many(51) })
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc: ['body'], type: 'too_big' }] } })
    expect((await call('GET', path)).body).toMatchObject({ total: 0 })
    const { body } = await call<Bulk>('PATCH', path, { body: many(50) })
    expect(body.succeeded).toHaveLength(50)
    expect(await call('PATCH', path, { body: [] })).toMatchObject({ status: 200, body: { succeeded: [], failed: [] } })
  })

  given('PATCH keeps what is left out and clears what is null', async ({ call, runtime }) => {
    const created = { ...postgres, name: 'N', description: 'D', access: 'write', disabled: true }
    await call('PATCH', path, { body: created })
    runtime.advance(1_000)
    const changed = await call('PATCH', path, { body: { key: 'db', name: 'M' } })
    const kept = { name: 'M', description: 'D', access: 'write', disabled: true, connection_type: 'postgres' }
    expect(changed).toMatchObject({ status: 200, body: kept })
    expect(changed.body).toMatchObject({
      updated_at: '2025-01-01T00:00:01.000Z',
      created_at: '2025-01-01T00:00:00.000Z',
    })
    const cleared = { key: 'db', description: null, access: null, disabled: null }
    const { body } = await call('PATCH', path, { body: cleared })
    expect(body).toMatchObject({ name: 'M', description: null, access: 'read', disabled: false })
  })

  given('PATCH without a key changes the connection whose key the name stands for', async ({ call }) => {
    await call('POST', path, { body: { ...postgres, key: 'my_db' } })
    const { body } = await call('PATCH', path, { body: { name: 'My DB', description: 'D' } })
    expect(body).toMatchObject({ key: 'my_db', name: 'My DB', description: 'D', connection_type: 'postgres' })
    expect((await call('GET', path)).body).toMatchObject({ total: 1 })
  })

  given('what GET gave can be changed and sent back', async ({ call }) => {
    await call('POST', path, { body: postgres })
    const { body } = await call<Connection>('GET', `${path}/db`)
    const { body: written } = await call('PATCH', path, { body: { ...body, description: 'new' } })
    expect(written).toMatchObject({ description: 'new', warnings: [] })
  })

  given('a manual webhook has a key without hyphens and a name of its own', async ({ call }) => {
    const webhook = { name: 'Paper-files', connection_type: 'manual_webhook' }
    expect((await call('POST', path, { body: webhook })).body).toMatchObject({ key: 'paper_files' })
    const bad = await call('POST', path, { body: { ...webhook, name: 'Other', key: 'a-b' } })
    expect(bad).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'key'] }] } })
    expect((await call('POST', path, { body: { ...webhook, key: 'another' } })).status).toBe(409)
  })

  given('an unknown connection is not found by any call', async ({ call }) => {
    const dataset = { service_key: 'a' }
    const asked = await Promise.all([
      call('GET', `${path}/none`),
      call('DELETE', `${path}/none`),
      call('PUT', `${path}/none/secret`, { body: {} }),
      call('PATCH', `${path}/none/secret`, { body: {} }),
      call('GET', `${path}/none/test`),
      call('POST', `${path}/none/test`),
      call('GET', `${path}/none/dataset`),
      call('GET', `${path}/none/dataset/a`),
      call('DELETE', `${path}/none/dataset/a`),
      call('PATCH', `${path}/none/dataset`, { body: dataset }),
      call('PATCH', `${path}/none/dataset`, { body: [dataset] }),
      call('PUT', `${path}/none/validate_dataset`, { body: dataset }),
    ])
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 404))
  })

  given(
    'DELETE removes it with its secrets and unlinks its datasets',
    async (served: Served) => {
      const { call, connector } = served
      expect(await call('DELETE', `${path}/shop`)).toMatchObject({ status: 204, body: undefined })
      expect((await call('GET', `${path}/shop`)).status).toBe(404)
      expect((await call('DELETE', `${path}/shop`)).status).toBe(404)
      expect((await call('GET', '/api/v1/dataset/shop')).body).toMatchObject({ connection_key: null })
      connector.calls.length = 0
      await call('POST', path, { body: { key: 'shop', connection_type: 'postgres' } })
      const { body } = await call('GET', `${path}/shop/test`)
      expect(body).toMatchObject({ test_status: 'failed', failure_reason: expect.any(String) })
      expect(connector.calls).toEqual([])
    },
    { shop: true },
  )
}
