import { inspect } from 'node:util'
import { type Erase, isPrivacyError } from '@habeas/core'
import { PassThroughClient } from 'google-auth-library'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bigqueryConnector } from '../src/index.js'
import { type FakeService, openFakeService } from './fake-service.js'

const keyfile = {
  type: 'service_account',
  project_id: 'acme',
  client_email: 'habeas@acme.iam.gserviceaccount.com',
  private_key: '-----BEGIN PRIVATE KEY-----\nplanted-key\n-----END PRIVATE KEY-----\n',
}

let service: FakeService
beforeEach(async () => {
  service = await openFakeService()
})
afterEach(() => service.close())

async function tested(secrets: Record<string, unknown>, apiEndpoint?: string) {
  const connector = bigqueryConnector(apiEndpoint === undefined ? {} : { apiEndpoint })
  const connection = await connector.connect(connector.parseSecrets(secrets))
  const failure: unknown = await connection.ping().catch((error) => error)
  await connection.close()
  return failure
}

describe('secrets', () => {
  it.each([
    ['dataset', { keyfile_creds: keyfile }, 'dataset'],
    ['project_id', { dataset: 'shop', keyfile_creds: { ...keyfile, project_id: undefined } }, 'project_id'],
    ['private_key', { dataset: 'shop', keyfile_creds: { ...keyfile, private_key: '' } }, 'private_key'],
    ['client_email', { dataset: 'shop', keyfile_creds: { ...keyfile, client_email: 5 } }, 'client_email'],
  ])('that lack %s say so, and nothing is taken from the machine', async (_, secrets, named) => {
    const failure = await tested(secrets)
    expect(failure).toMatchObject({ code: 'connection_failed', details: { reason: 'missing_secret' } })
    expect((failure as Error).message).toContain(named)
  })

  it('with a key that cannot be read say so, and repeat none of it', async () => {
    const failure = await tested({ dataset: 'shop', keyfile_creds: JSON.stringify(keyfile) })
    expect(failure).toMatchObject({ code: 'connection_failed', details: { reason: 'authentication' } })
    expect(inspect(failure, { depth: null, showHidden: true })).not.toContain('planted-key')
  })

  it.each([
    '../other',
    'a/b',
    'shop?x=1',
    'acme/../evil.shop',
    'a b',
    'sh`op',
    'shop;drop',
    '$where',
    '__proto__/x',
    'sh\u00f6p',
    '\u0430cme.shop', // a letter that looks like a
    'shop\uff40',
    'shop\n',
    'a/../../evil?x=1.shop',
    '../../evil.shop',
    '.shop',
  ])('whose dataset is no name never become part of an address: %s', async (dataset) => {
    const connector = bigqueryConnector({ apiEndpoint: service.server.address })
    const connection = await connector.connect(connector.parseSecrets({ dataset, keyfile_creds: keyfile }))
    const group = { fields: [{ path: ['id'] }], values: [[1]] }
    const asked = { collection: 'people', columns: ['id'], anyOf: [group] }
    const erase: Erase = { ...asked, key: ['id'], keys: [[1]], set: 'delete' }
    const fence = { lock: 'request-1', confirm: async () => {} }
    const calls = {
      ping: () => connection.ping(),
      describe: () => connection.describe(),
      read: () => connection.read(asked)[Symbol.asyncIterator]().next(),
      count: () => connection.count([asked]),
      countEach: () => connection.countEach!({ collection: 'people', group }),
      estimate: () => connection.estimate!({ ...asked, writes: true }),
      erase: () => connection.erase!(erase, { fence }),
      endWrites: () => connection.endWrites!('request-1'),
    }
    for (const [name, call] of Object.entries(calls)) {
      const failure: unknown = await call().catch((error) => error)
      expect(isPrivacyError(failure, 'connection_failed'), name).toBe(true)
      expect(failure, name).toMatchObject({ details: { reason: 'missing_secret' } })
    }
    await connection.close()
    expect(service.server.requests).toEqual([])
  })

  it('are not taken from what an object inherits', async () => {
    const inherited = `{"__proto__": ${JSON.stringify(keyfile)}}`
    const failure = await tested({ dataset: 'shop', keyfile_creds: inherited })
    expect(failure).toMatchObject({ details: { reason: 'missing_secret' } })
    expect((failure as Error).message).toContain('project_id')
    expect(inspect(failure, { depth: null, showHidden: true })).not.toContain('planted-key')
  })

  it('may name the project of the dataset', async () => {
    expect(await tested({ dataset: 'acme.shop', keyfile_creds: {} }, service.server.address)).toBeUndefined()
    const elsewhere = await tested({ dataset: 'other.shop', keyfile_creds: keyfile }, service.server.address)
    expect(elsewhere).toMatchObject({ details: { reason: 'database_missing' } })
  })
})

/** What the client that asks for tokens rejects with, beside what no failure may show. */
const refusedToken = (status: number) =>
  Object.assign(new Error('invalid_grant: Invalid JWT Signature.'), { code: status, status, config: {} })

describe('a key that is revoked', () => {
  /** The login works for so many calls. */
  function refusedAfter(calls: number, status: number) {
    let asked = 0
    vi.spyOn(PassThroughClient.prototype, 'getRequestHeaders').mockImplementation(async () => {
      if (asked++ >= calls) throw refusedToken(status)
      return new Headers()
    })
  }
  afterEach(() => vi.restoreAllMocks())

  it.each([400, 401, 403, 404])('is refused as such, whatever is asked for: %s', async (status) => {
    const group = { fields: [{ path: ['id'] }], values: [[1]] }
    const connection = await service.connect()
    refusedAfter(0, status)
    const calls = {
      ping: () => connection.ping(),
      describe: () => connection.describe(),
      read: () =>
        connection
          .read({ collection: 'people', columns: ['id'], anyOf: [group] })
          [Symbol.asyncIterator]()
          .next(),
    }
    for (const [name, call] of Object.entries(calls)) {
      expect(await call().catch((error) => error), name).toMatchObject({
        code: 'connection_failed',
        details: { reason: 'authentication' },
      })
    }
  })

  it.each([400, 404])('leaves out no table of a description that has begun: %s', async (status) => {
    const connection = await service.connect()
    const before = service.server.requests.length
    const { collections } = await connection.describe()
    const calls = service.server.requests.length - before
    expect([collections.length, calls]).toEqual([1, 4])
    for (let after = 0; after < calls; after++) {
      refusedAfter(after, status)
      const failed = await connection.describe().catch((error) => error)
      expect(failed, String(after)).toMatchObject({ details: { reason: 'authentication' } })
    }
  })

  it('is told apart from a service for tokens that fails', async () => {
    const connection = await service.connect()
    refusedAfter(0, 503)
    const failed: unknown = await connection.ping().catch((error) => error)
    expect(failed).toMatchObject({ details: { reason: 'other', transient: true } })
  }, 60_000)
})

describe('options', () => {
  it('are what counts, whatever the environment names', async () => {
    const before = process.env['BIGQUERY_EMULATOR_HOST']
    process.env['BIGQUERY_EMULATOR_HOST'] = 'http://127.0.0.1:1/bigquery/v2'
    try {
      expect(await tested({ dataset: 'acme.shop', keyfile_creds: {} }, service.server.address)).toBeUndefined()
    } finally {
      if (before === undefined) delete process.env['BIGQUERY_EMULATOR_HOST']
      else process.env['BIGQUERY_EMULATOR_HOST'] = before
    }
  })

  it.each([
    [{ concurrency: 0 }, 'concurrency'],
    [{ maximumBytesBilled: 1.5 }, 'maximumBytesBilled'],
    [{ jobTimeoutSeconds: 100_000 }, 'jobTimeoutSeconds'],
    [{ poolSize: 4 } as object, 'poolSize'],
    [{ apiEndpoint: '' }, 'apiEndpoint'],
    [{ apiEndpoint: 'localhost:9050' }, 'apiEndpoint'],
    [{ apiEndpoint: 'file:///tmp/emulator' }, 'apiEndpoint'],
    [{ apiEndpoint: 'http://me:secret@localhost:9050' }, 'apiEndpoint'],
    [{ apiEndpoint: 'http://localhost:9050?x=1' }, 'apiEndpoint'],
    [{ apiEndpoint: 9050 } as object, 'apiEndpoint'],
    [{ labels: { Team: 'privacy' } }, 'labels'],
    [{ labels: { team: 'Data Privacy' } }, 'labels'],
    [{ labels: { team: 'x'.repeat(64) } }, 'labels'],
    [{ labels: { habeas: 'false' } }, 'labels'],
    [{ labels: Object.fromEntries(Array.from({ length: 63 }, (_, at) => [`label_${at}`, ''])) }, 'labels'],
  ])('out of range are refused by name', (options, option) => {
    expect(() => bigqueryConnector(options)).toThrow(
      expect.objectContaining({ code: 'misconfigured', details: { option } }),
    )
  })
})
