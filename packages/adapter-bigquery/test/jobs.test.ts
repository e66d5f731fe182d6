import type { BigQuery } from '@google-cloud/bigquery'
import type { Connection, PrivacyError, Read } from '@habeas/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { datasetLocation } from '../src/dataset-location.js'
import { explained, type JobService, jobService } from '../src/job-service.js'
import { RestError } from './double/rest.js'
import { type FakeService, openFakeService, resultOf } from './fake-service.js'

const read: Read = {
  collection: 'people',
  columns: ['id'],
  anyOf: [{ fields: [{ path: ['email'] }], values: [['jane@example.com']] }],
}

let service: FakeService
beforeEach(async () => {
  service = await openFakeService()
})
afterEach(() => service.close())

async function rowsOf(connection: Connection, options = {}) {
  const rows = []
  for await (const batch of connection.read(read, options)) rows.push(...batch)
  return rows
}

describe('a job', () => {
  it('is a query job with labels, a limit of bytes, and nothing from a cache', async () => {
    const connection = await service.connect({ maximumBytesBilled: 1_000_000, labels: { team: 'privacy' } })
    expect(await rowsOf(connection)).toEqual([[0]])
    const { jobReference, configuration } = service.server.jobs[0]!
    expect(jobReference).toEqual({
      projectId: 'acme',
      location: 'EU',
      jobId: expect.stringMatching(/^habeas_[0-9a-f-]+$/),
    })
    expect(configuration).toMatchObject({
      labels: { habeas: 'true', team: 'privacy' },
      jobTimeoutMs: '600000',
      query: { useLegacySql: false, useQueryCache: false, maximumBytesBilled: '1000000', parameterMode: 'NAMED' },
    })
    expect(configuration.query.query).not.toContain('jane')
  })

  it('is only planned for a sign of life', async () => {
    const connection = await service.connect()
    await connection.ping()
    expect(service.server.jobs).toEqual([])
    expect(service.statements).toEqual([])
  })

  it('gives its rows page by page', async () => {
    service.run = () => resultOf(Array.from({ length: 1_234 }, (_, row) => [String(row)]))
    const batches = []
    for await (const batch of (await service.connect()).read(read)) batches.push(batch.length)
    expect(batches.length).toBeGreaterThan(1)
    expect(batches.reduce((sum, rows) => sum + rows, 0)).toBe(1_234)
  })

  it('is cancelled when its reader gives up, and when the connection is closed', async () => {
    let begun = () => {}
    const running = () => {
      const begin = new Promise<void>((resolve) => {
        begun = resolve
      })
      service.run = () => {
        begun()
        return new Promise(() => {})
      }
      return begin
    }
    const first = running()
    const connection = await service.connect()
    const abort = new AbortController()
    const aborted = rowsOf(connection, { signal: abort.signal })
    await first
    abort.abort()
    await expect(aborted).rejects.toMatchObject({ details: { reason: 'cancelled' } })
    await expect.poll(() => service.server.cancelled).toHaveLength(1)
    const second = running()
    const closed = rowsOf(connection).catch((failure) => failure)
    await second
    await connection.close()
    expect(await closed).toMatchObject({ code: 'connection_failed', details: { reason: 'cancelled' } })
    expect(service.server.cancelled).toEqual(service.server.jobs.map(({ jobReference }) => jobReference.jobId))
  })

  it('goes on where the client repeated the call whose answer it did not get', async () => {
    service.server.loseAnswers = 1
    expect(await rowsOf(await service.connect())).toEqual([[0]])
    expect(service.server.jobs).toHaveLength(1)
  })

  it('whose only key has more than 10 MB is not sent', async () => {
    const connection = await service.connect()
    const values = [['x'.repeat(11_000_000)]]
    const large = { ...read, anyOf: [{ fields: [{ path: ['email'] }], values }] }
    const failure = connection.read(large)[Symbol.asyncIterator]().next()
    await expect(failure).rejects.toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('10 MB'),
    })
    expect(service.server.jobs).toEqual([])
  })
})

it('the place of the dataset is asked for once, and a caller that gives up fails nobody else', async () => {
  const location = datasetLocation('shop')
  const answers: ((answer: never) => void)[] = []
  const ask = ((_path, _query, signal) =>
    new Promise((resolve, reject) => {
      answers.push(resolve)
      signal?.addEventListener('abort', () => reject(signal.reason))
    })) as JobService['ask']
  const abort = new AbortController()
  const given = location.find(ask, abort.signal)
  const waiting = location.find(ask)
  abort.abort()
  await expect(given).rejects.toMatchObject({ details: { reason: 'cancelled' } })
  expect(answers).toHaveLength(1)
  answers[0]!({ location: 'EU' } as never)
  expect(await waiting).toBe('EU')
})

it.each([
  ...['EPIPE', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE', 'EAI_AGAIN'].map(
    (code) => [code, expect.any(String), true] as const,
  ),
  ...['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'EPROTO'].map(
    (code) => [code, 'tls', undefined] as const,
  ),
])('a call that the network fails with %s says whether a repetition may help', async (code, reason, transient) => {
  const lost = (_: object, answer: (error: Error) => void) => answer(Object.assign(new Error('lost'), { code }))
  const client = { projectId: 'acme', request: lost } as unknown as BigQuery
  const jobs = jobService(client, async () => 'EU', { labels: {}, jobTimeoutMs: 1_000, answerTimeoutMs: 1_000 })
  const failed = await explained('asking', () => jobs.ask('/datasets')).catch((error: PrivacyError) => error)
  expect(failed).toMatchObject({ code: 'connection_failed', message: expect.stringContaining('BigQuery') })
  expect((failed as PrivacyError).details).toEqual({ reason, ...(transient && { transient }) })
})

it('a call that is never answered ends', async () => {
  const client = { projectId: 'acme', request: () => {} } as unknown as BigQuery
  const jobs = jobService(client, async () => 'EU', { labels: {}, jobTimeoutMs: 1_000, answerTimeoutMs: 20 })
  await expect(jobs.ask('/datasets')).rejects.toMatchObject({ details: { reason: 'timeout', transient: true } })
})

it('many calls at once warn of nothing', async () => {
  const warnings: string[] = []
  const note = ({ message }: Error) => void warnings.push(message)
  process.on('warning', note)
  const client = { projectId: 'acme', request: () => {} } as unknown as BigQuery
  const jobs = jobService(client, async () => 'EU', { labels: {}, jobTimeoutMs: 1_000, answerTimeoutMs: 20 })
  await Promise.allSettled(Array.from({ length: 20 }, () => jobs.ask('/datasets')))
  process.off('warning', note)
  expect(warnings).toEqual([])
})

it('a job that the service no longer knows ends the wait', async () => {
  const error = Object.assign(new Error('Not found: Job'), { code: 404 })
  const request = (_: object, done: (error: unknown) => void) => done(error)
  const client = { projectId: 'acme', request } as unknown as BigQuery
  const jobs = jobService(client, async () => 'EU', { labels: {}, jobTimeoutMs: 1_000, answerTimeoutMs: 1_000 })
  await expect(jobs.ended('habeas_1', { doing: 'writing' })).rejects.toMatchObject({
    code: 'connection_failed',
    details: { transient: true },
    message: expect.stringContaining('no longer knows'),
  })
})

describe('a refusal of the service', () => {
  it.each([
    ['rate limit', new RestError(403, 'rateLimitExceeded', 'Exceeded rate limits'), 'other', true],
    ['quota', new RestError(403, 'quotaExceeded', 'Quota exceeded'), 'other', true],
    [
      'bytes',
      new RestError(400, 'bytesBilledLimitExceeded', 'Query exceeded limit for bytes billed'),
      'bytes_billed_limit',
      undefined,
    ],
    [
      'permission',
      new RestError(403, 'accessDenied', 'Access Denied: Table acme:shop.people'),
      'permission',
      undefined,
    ],
    [
      'row policy',
      new RestError(403, 'accessDenied', 'User does not have permission to query table: row access policy'),
      'row_access_policy',
      undefined,
    ],
    [
      'partitions',
      new RestError(
        400,
        'invalidQuery',
        "Cannot query over table 'acme.shop.people' without a filter over column(s) 'at' that can be used for partition elimination",
      ),
      'partition_filter',
      undefined,
    ],
    ['login', new RestError(401, 'authError', 'Invalid Credentials'), 'authentication', undefined],
    [
      'policy tag',
      new RestError(
        403,
        'accessDenied',
        'Access Denied: BigQuery BigQuery: User has neither fine-grained reader nor masked get permission to get data protected by policy tag "pii : mail" on column acme.shop.people.email.',
      ),
      'column_policy',
      undefined,
    ],
    ['table', new RestError(400, 'tableUnavailable', 'Something went wrong with the table you queried'), 'other', true],
    ['resources', new RestError(400, 'resourcesExceeded', 'Resources exceeded'), 'other', undefined],
    [
      'place',
      new RestError(404, 'notFound', 'Not found: Dataset acme:crm was not found in location EU'),
      'wrong_location',
      undefined,
    ],
    [
      'cancelled',
      new RestError(499, 'stopped', 'Job execution was cancelled: User requested cancellation'),
      'cancelled',
      undefined,
    ],
    [
      'time',
      new RestError(499, 'stopped', 'Job execution was cancelled: Job timed out after 600 sec'),
      'statement_timeout',
      undefined,
    ],
    ['timeout', new RestError(400, 'timeout', 'Job timed out'), 'statement_timeout', undefined],
  ])('says what to mend, and no value: %s', async (_, error, reason, transient) => {
    error.message += ' at jane@example.com'
    service.run = () => Promise.reject(error)
    const failure = await rowsOf(await service.connect()).catch((failure) => failure)
    expect(failure).toMatchObject({ code: 'connection_failed', details: { reason } })
    expect(failure.details.transient).toBe(transient)
    expect(`${failure} ${JSON.stringify(failure)} ${failure.cause} ${failure.cause?.stack}`).not.toContain('jane')
  })

  it('names a table that has gone since it was looked at', async () => {
    const connection = await service.connect()
    await rowsOf(connection)
    delete service.resources['/projects/acme/datasets/shop/tables/people']
    service.run = () => Promise.reject(new RestError(404, 'notFound', 'Not found: Table acme:shop.people'))
    const failure = await rowsOf(connection).catch((failure) => failure)
    expect(failure).toMatchObject({ details: { reason: 'missing_collection' } })
    expect(failure.message).toMatch(/^The dataset "shop" of BigQuery has no table "people": correct/)
  })

  it('names a member that a STRUCT has not, be it for its case, instead of finding nothing', async () => {
    const connection = await service.connect()
    const group = { fields: [{ path: ['home', 'City'] }], values: [['Rome']] }
    const failure = { message: expect.stringContaining('"home.City"'), details: { reason: 'missing_column' } }
    const asked = { collection: 'people', anyOf: [group] }
    await expect(
      connection
        .read({ ...asked, columns: ['id'] })
        [Symbol.asyncIterator]()
        .next(),
    ).rejects.toMatchObject(failure)
    await expect(connection.count([asked])).rejects.toMatchObject(failure)
    await expect(connection.countEach!({ collection: 'people', group })).rejects.toMatchObject(failure)
    expect(service.server.jobs).toEqual([])
  })

  it('names the dataset that is not there', async () => {
    delete service.resources['/projects/acme/datasets/shop']
    const connection = await service.connect()
    for (const call of [connection.ping(), connection.describe(), rowsOf(connection)]) {
      await expect(call).rejects.toMatchObject({ details: { reason: 'database_missing' } })
    }
  })
})
