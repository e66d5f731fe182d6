import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { fileBlobs, PrivacyError, type Storage, searchable } from '@habeas/core'
import { afterAll, describe, expect, it } from 'vitest'
import { collection, field, id, refer, shopOf, table } from './described.js'
import { openService } from './service-run.js'

/** Texts that stand nowhere else: in an identity, in rows (keys included), in a connection's secrets, in a driver's error. */
const markers = {
  identity: 'identity-marker@example.com',
  row: 'row-marker-4711',
  key: 'key-marker-4712',
  number: 918273645546,
  secret: 'secret-marker-4713',
  url: 'postgres://root:url-marker-4714@db.example/shop',
  driver: 'driver-marker-4715',
}
const texts = Object.values(markers).map(String)

/** Every marker, as it is and as base64 of any alignment would show it. */
function leaksIn(where: string, content: string | Uint8Array): string[] {
  const bytes = Buffer.from(content)
  return texts.flatMap((text) => {
    const encoded = [0, 1, 2].map((shift) =>
      Buffer.from(' '.repeat(shift) + text)
        .toString('base64')
        .slice(4, -4),
    )
    return [text, ...encoded].some((each) => bytes.includes(each)) ? [`${where} holds ${text}`] : []
  })
}

/** As a log or a debugger would show it, stacks and hidden members included. */
const shown = (value: unknown) =>
  inspect(value, { depth: 20, showHidden: true, maxArrayLength: null, maxStringLength: null }) + JSON.stringify(value)

async function leaksInStorage(storage: Storage): Promise<string[]> {
  const kinds = Object.keys(searchable) as (keyof typeof searchable)[]
  const found = await Promise.all(kinds.map(async (kind) => leaksIn(kind, shown(await storage.table(kind).find()))))
  return found.flat()
}

const directory = mkdtempSync(join(tmpdir(), 'habeas-secrecy-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

const leaksOnDisk = (folder: string) =>
  filesBelow(folder).flatMap((path) => [...leaksIn(path, readFileSync(path)), ...leaksIn('a file name', path)])

/** Enough rows that spools do not stay in memory. */
function shop() {
  const count = 6_000
  const long = markers.row + '.'.repeat(100)
  return shopOf(
    [
      collection('customer', [
        field('id', { primary_key: true, identity: 'member_number' }),
        field('email', { identity: 'email' }),
        field('code'),
        refer('parent', 'customer.id', { direction: 'to' }),
      ]),
      collection('orders', [id, refer('code', 'customer.code', { direction: 'from' }), field('note'), field('total')]),
      collection('line', [id, refer('order_number', 'orders.id'), field('note')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string', code: 'string', parent: 'integer' }, [
        [markers.number, markers.identity, markers.key, 2],
        [2, 'else@example.com', null, null],
      ]),
      orders: table(
        { id: 'integer', code: 'string', note: 'string', total: 'integer' },
        Array.from({ length: count }, (_, at) => [at, markers.key, long, markers.number]),
      ),
      line: table({ id: 'integer', order_number: 'integer', note: 'string' }, [[markers.number, 1, markers.row]]),
    },
    { batchSize: 500 },
  )
}

const connectionSecrets = { host: 'db.example', password: markers.secret, url: markers.url }
const identity = { email: markers.identity, member_number: markers.number }

describe('no row value, identity or secret', () => {
  it('is in what a run emits, logs or stores, during and after it, and none is readable on disk', async () => {
    const given = shop()
    const folder = join(directory, 'complete')
    const service = await openService([given], {
      blobs: fileBlobs({ directory: folder }),
      connectionSecrets,
      execution: { concurrency: 1 },
    })
    const gate = given.connector.hold({ operation: 'read', collection: 'line' })
    const requestId = await service.submit(identity)
    await gate.reached
    // The checkpoints of what is done are written behind the run.
    await expect.poll(() => service.storage.table('checkpoint').count()).toBe(2)
    expect(filesBelow(folder).length).toBeGreaterThan(2)
    const midRun = [...leaksOnDisk(folder), ...(await leaksInStorage(service.storage))]
    gate.open()
    const request = await service.privacy.requests.settled(requestId)
    expect(request.status).toBe('complete')
    const preview = await service.preview(identity)
    expect(midRun).toEqual([])
    expect([
      ...leaksOnDisk(folder),
      ...(await leaksInStorage(service.storage)),
      ...leaksIn('request', shown(request)),
      ...leaksIn('list', shown(await service.privacy.requests.list())),
      ...leaksIn('log', shown(await service.privacy.requests.log(requestId))),
      ...leaksIn('plan', shown(await service.privacy.requests.plan(requestId))),
      ...leaksIn('preview', shown(preview)),
      ...leaksIn('events', shown(service.events)),
      ...leaksIn('connection', shown(await service.privacy.connections.get('shop'))),
      ...leaksIn('packages', shown(await service.privacy.requests.packages(requestId))),
    ]).toEqual([])
    // The search itself works: the package, opened, holds what was looked for.
    expect(leaksIn('package', JSON.stringify(await service.read(requestId)))).toHaveLength(4)
    expect(service.events.filter(({ type }) => type === 'rows').length).toBeGreaterThan(0)
    await service.privacy.close()
  })

  it.each([
    ['a raw error of a driver', new Error(`duplicate key (email)=(${markers.driver}) at ${markers.row}`)],
    ['a text that was thrown', markers.driver],
    [
      'a connection_failed with a cause',
      new PrivacyError(
        'connection_failed',
        'The server closed the connection.',
        { reason: 'connection_lost' },
        { cause: new Error(markers.driver) },
      ),
    ],
  ])('is in what a failed run leaves: %s', async (_, error) => {
    const given = shop()
    const folder = mkdtempSync(join(directory, 'failed-'))
    const service = await openService([given], { blobs: fileBlobs({ directory: folder }), connectionSecrets })
    given.connector.failNext({ operation: 'read', collection: 'orders', afterBatches: 11, error })
    const requestId = await service.submit(identity)
    const request = await service.privacy.requests.settled(requestId)
    expect(request.status).toBe('error')
    const thrown = await service.privacy.requests
      .readPackage(requestId)
      [Symbol.asyncIterator]()
      .next()
      .catch((each) => each)
    expect([
      ...leaksOnDisk(folder),
      ...(await leaksInStorage(service.storage)),
      ...leaksIn('request', shown(request)),
      ...leaksIn('log', shown(await service.privacy.requests.log(requestId))),
      ...leaksIn('events', shown(service.events)),
      ...leaksIn('error', shown(thrown)),
    ]).toEqual([])
    await service.privacy.close()
  })

  it.each([
    ['a refused identity', { email: markers.identity, phone: { $ne: markers.row } }],
    ['a value as a property name', { [markers.identity]: 'x', [`${markers.row}?`]: { a: markers.key } }],
    ['too long a value', { email: markers.row.repeat(100) }],
    ['a surrogate half', { email: `${markers.identity}\ud800` }],
  ])('is in the error that answers %s', async (_, bad) => {
    const service = await openService([shop()], { connectionSecrets })
    const error = await service.submit(bad as never).catch((each) => each)
    expect(error).toMatchObject({ code: 'invalid_input' })
    expect(leaksIn('error', shown(error))).toEqual([])
    expect(leaksIn('stack', String(error.stack))).toEqual([])
    await service.privacy.close()
  })

  it('is in the error that answers secrets of another shape, nor in a failed test', async () => {
    const given = shop()
    const service = await openService([given], { connectionSecrets })
    const error = await service.privacy.connections
      .setSecrets('shop', { ...connectionSecrets, pasword: markers.secret })
      .catch((each) => each)
    expect(error).toMatchObject({ code: 'invalid_input' })
    given.connector.failNext({ operation: 'ping', error: new Error(`auth failed for ${markers.url}`) })
    const tested = await service.privacy.connections.test('shop')
    expect([
      ...leaksIn('error', shown(error)),
      ...leaksIn('test', shown(tested)),
      ...(await leaksInStorage(service.storage)),
    ]).toEqual([])
    await service.privacy.close()
  })

  it('is in the plan of an identity that nobody knows', async () => {
    const service = await openService([shop()], { connectionSecrets })
    const requestId = await service.submit({ nickname: markers.row })
    const request = await service.privacy.requests.settled(requestId)
    expect(request).toMatchObject({ status: 'error', failure: expect.stringContaining("'nickname'") })
    expect([...leaksIn('request', shown(request)), ...(await leaksInStorage(service.storage))]).toEqual([])
    await service.privacy.close()
  })
})
