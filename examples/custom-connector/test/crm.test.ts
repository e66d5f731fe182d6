import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isPrivacyError, type KeyGroup, type Row } from '@habeas/core'
import { afterAll, expect, it } from 'vitest'
import { crmConnector } from '../crm-connector.js'
import type { CrmOptions } from '../crm-service.js'
import { startService, stopServices } from './crm-under-test.js'

afterAll(stopServices)

const customers = Array.from({ length: 45 }, (_, at) => ({
  id: at + 1,
  email: at < 42 ? 'ann@example.com' : `${at}@b.c`,
}))
const by = (...emails: string[]): KeyGroup => ({ fields: [{ path: ['email'], kind: 'string' }], values: [emails] })

const open = async (options: Partial<CrmOptions> = {}, api_key = 'right') => {
  const resources = { customers: { records: customers, lookup: 'email', deletes: true } }
  const { server, url } = await startService({ apiKey: 'right', resources, ...options })
  const asked: string[] = []
  server.on('request', ({ method, url: path }, response) => {
    response.on('finish', () => asked.push(`${method} ${path} ${response.statusCode}`))
  })
  const columns = [
    { name: 'id', kind: 'integer' as const },
    { name: 'email', kind: 'string' as const },
    { name: 'name' },
  ]
  const connector = crmConnector({ customers: { columns, lookup: 'email', deletes: true } })
  const connection = await connector.connect({ url, api_key })
  const ids = async (...groups: KeyGroup[]) => {
    const rows: Row[] = []
    for await (const batch of connection.read({ collection: 'customers', columns: ['id'], anyOf: groups }))
      rows.push(...batch)
    return rows.map(([id]) => id)
  }
  return { server, connection, asked, ids }
}

const failureOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isPrivacyError(error)) throw new Error(`It ended with ${error}`)
  return error
}

it('reads every page, and asks once for spellings that the service does not tell apart', async () => {
  const { asked, ids } = await open()
  expect(await ids(by('ann@example.com', 'ANN@example.com'), by('Ann@Example.com'))).toHaveLength(42)
  expect(asked.map((line) => line.replace(/email=[^& ]*/, ''))).toEqual([
    'GET /customers? 200',
    'GET /customers?&after=20 200',
    'GET /customers?&after=40 200',
  ])
})

it('gives each record once when records are deleted between two pages', async () => {
  const { connection } = await open()
  const read = { collection: 'customers', columns: ['id'], anyOf: [by('ann@example.com')] }
  const seen: unknown[] = []
  for await (const rows of connection.read(read)) {
    seen.push(...rows.flat())
    const keys = [
      ['ann@example.com', 'ann@example.com'],
      [1, 20],
    ]
    await connection.erase?.({ collection: 'customers', key: ['email', 'id'], keys, anyOf: read.anyOf, set: 'delete' })
  }
  expect(seen).toEqual(customers.slice(0, 42).map(({ id }) => id))
})

it('waits as long as the service asks, and then goes on where it was', async () => {
  let now = 0
  const { server, asked, ids } = await open({ requestsPerSecond: 2, clock: () => now })
  // Time passes only while the service refuses.
  server.on('request', (_, response) => response.on('finish', () => (now += response.statusCode === 429 ? 1000 : 0)))
  const begun = Date.now()
  expect(await ids(by('ann@example.com'))).toEqual(customers.slice(0, 42).map(({ id }) => id))
  expect(asked.map((line) => line.slice(-3))).toEqual(['200', '200', '429', '200'])
  expect(Date.now() - begun).toBeGreaterThan(950)
})

it('gives up on a service that allows nothing, and says that it may work later', async () => {
  const { connection, asked } = await open({ requestsPerSecond: 0 })
  const failure = await failureOf(connection.ping())
  expect(failure.details).toEqual({ reason: 'rate_limited', transient: true })
  expect(asked).toHaveLength(5)
}, 30_000)

it('waits no hour: it says at once that the call may work later', async () => {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.writeHead(429, { 'retry-after': '3600' }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const connection = await crmConnector({}).connect({ url, api_key: 'right' })
  expect((await failureOf(connection.ping())).details).toEqual({ reason: 'rate_limited', transient: true })
  expect(requests).toBe(1)
  server.close()
  server.closeAllConnections()
})

it('stops waiting when the caller or the connection ends', async () => {
  const { connection } = await open({ requestsPerSecond: 0 })
  const abort = new AbortController()
  const asking = connection.ping({ signal: abort.signal })
  abort.abort(new Error('enough'))
  await expect(asking).rejects.toThrow('enough')
  const other = connection.ping()
  await connection.close()
  expect((await failureOf(other)).details).toEqual({ reason: 'closed' })
})

it('says that the key is refused, without repeating it', async () => {
  const { connection } = await open({}, 'planted-key')
  const failure = await failureOf(connection.ping())
  expect(failure.details).toEqual({ reason: 'authentication' })
  expect(JSON.stringify(failure)).not.toContain('planted-key')
})

it('repeats no address when the service is away', async () => {
  const connector = crmConnector({ customers: { columns: [{ name: 'email', kind: 'string' }], lookup: 'email' } })
  const { server, url } = await startService({ apiKey: 'right', resources: {} })
  server.close()
  await once(server, 'close')
  const connection = await connector.connect({ url, api_key: 'right' })
  const failure = await failureOf(connection.count([{ collection: 'customers', anyOf: [by('planted@example.com')] }]))
  expect(failure.details).toMatchObject({ reason: 'unreachable', transient: true })
  expect(failure.message).toContain('ECONNREFUSED')
  expect(JSON.stringify(failure)).not.toContain('planted')
})

it('deletes each record by its id, and no record that is not named', async () => {
  const { connection, asked, ids } = await open()
  const keys = [
    ['ann@example.com', 'ann@example.com', 'ann@example.com'],
    [3, 41, 44],
  ]
  await connection.erase?.({
    collection: 'customers',
    key: ['email', 'id'],
    keys,
    anyOf: [by('ann@example.com')],
    set: 'delete',
  })
  expect(asked.filter((line) => line.startsWith('DELETE'))).toEqual([
    'DELETE /customers/3 204',
    'DELETE /customers/41 204',
  ])
  expect(await ids(by('ann@example.com'))).toHaveLength(40)
  expect(await ids(by('43@b.c'))).toEqual([44])
})

it.each([
  ['ids of more digits than a double keeps', ['9007199254740992', '9007199254740993'], (id: string) => id],
  ['ids that the service gives as text', ['7', '17'], (id: string) => `"${id}"`],
])('names a record by %s', async (_, ids, written) => {
  const deleted: string[] = []
  const server = createServer(({ method, url }, response) => {
    if (method === 'DELETE') deleted.push(String(url))
    const items = ids.map((id) => `{"id":${written(id)},"email":"ann@example.com"}`)
    response.writeHead(200).end(`{"items":[${items}],"next":null}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const columns = [
    { name: 'id', kind: 'integer' as const },
    { name: 'email', kind: 'string' as const },
  ]
  const connector = crmConnector({ customers: { columns, lookup: 'email', deletes: true } })
  const connection = await connector.connect({ url, api_key: 'right' })
  const id = ids[1] as string
  const key = Number.isSafeInteger(Number(id)) ? Number(id) : id
  await connection.erase?.({
    ...{ collection: 'customers', key: ['email', 'id'], keys: [['ann@example.com'], [key]] },
    ...{ anyOf: [by('ann@example.com')], set: 'delete' },
  })
  server.close()
  server.closeAllConnections()
  expect(deleted).toEqual([`/customers/${id}`])
})

it('says in a word for programs why it cannot change a record', async () => {
  const { connection } = await open()
  const erase = { collection: 'customers', key: ['email', 'id'], keys: [['ann@example.com'], [1]] }
  const set = [{ column: 'name', to: 'masked' }]
  const failure = await failureOf(connection.erase?.({ ...erase, anyOf: [by('ann@example.com')], set }) ?? open())
  expect(failure.details).toEqual({ reason: 'unwritable' })
})
