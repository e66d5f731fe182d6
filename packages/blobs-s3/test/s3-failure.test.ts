import { type Blobs, isPrivacyError, type PrivacyError } from '@habeas/core'
import { afterEach, describe, expect, it } from 'vitest'
import { s3Blobs } from '../src/index.js'
import { type Answer, scriptedStorage } from './scripted-storage.js'

let storage: Awaited<ReturnType<typeof scriptedStorage>> | undefined
afterEach(() => storage?.stop())

const opened = async (answer: Answer, timeoutSeconds?: number): Promise<Blobs> => {
  storage = await scriptedStorage(answer, timeoutSeconds)
  return storage.blobs
}

async function* content() {
  yield Buffer.from('content')
}
const readAll = async (blobs: Blobs): Promise<number> => {
  let length = 0
  for await (const chunk of blobs.read('run/1')) length += chunk.length
  return length
}

const operations: readonly [string, (blobs: Blobs) => Promise<unknown>][] = [
  ['write', (blobs) => blobs.write('run/1', content())],
  ['read', readAll],
  ['size', (blobs) => blobs.size('run/1')],
  ['delete', (blobs) => blobs.delete('run')],
]

/** An error with all its content, as a careless log would write it. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? ''
  const own = Object.getOwnPropertyNames(error).map((name) => [name, Reflect.get(error, name)] as const)
  return own
    .map(([name, value]) => `${name}: ${value instanceof Error ? everythingIn(value) : JSON.stringify(value)}`)
    .join('\n')
}

const failureOf = async (asked: Promise<unknown>): Promise<PrivacyError<'unavailable'>> => {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isPrivacyError(error, 'unavailable')) throw new Error('expected unavailable', { cause: error })
  expect(everythingIn(error)).not.toMatch(/AKIDSECRET|veryS3CRET|run\/1/)
  return error as PrivacyError<'unavailable'>
}

describe('a refusal of the storage is unavailable, and says what to fix', () => {
  it.each<[number, string, string, string]>([
    [404, 'NoSuchBucket', 'bucket_missing', 'create it, or correct bucket'],
    [403, 'AccessDenied', 'forbidden', 's3:GetObject'],
    [403, 'InvalidAccessKeyId', 'authentication', 'check credentials'],
    [403, 'SignatureDoesNotMatch', 'authentication', 'check credentials'],
    [400, 'ExpiredToken', 'authentication', 'check credentials'],
    [301, 'PermanentRedirect', 'region', 'correct region or endpoint'],
    [400, 'AuthorizationHeaderMalformed', 'region', 'correct region or endpoint'],
    [400, 'KeyTooLongError', 'other', 'check endpoint'],
    [418, 'run/1 secret', 'other', 'check endpoint'],
  ])('%i %s is %s', async (status, code, reason, words) => {
    const message = 'The key AKIDSECRET and its veryS3CRET do not open run/1'
    const blobs = await opened({ status, code, message })
    for (const [name, operation] of operations) {
      if (name === 'size') continue // an answer to HEAD has no body, and so no code
      const error = await failureOf(operation(blobs))
      expect(error.details).toEqual({ reason })
      expect(error.message).toContain(words)
    }
  })

  it('size knows only the status', async () => {
    expect((await failureOf((await opened({ status: 403 })).size('run/1'))).details).toEqual({ reason: 'forbidden' })
    storage?.stop()
    expect(await (await opened({ status: 404 })).size('run/1')).toBeUndefined()
  })

  it.each(operations)('%s is tried again before a busy storage is given up', async (_, operation) => {
    const error = await failureOf(operation(await opened({ status: 503, code: 'SlowDown' })))
    expect(error.details).toEqual({ reason: 'busy' })
    expect(storage?.requests).toHaveLength(3)
    expect((error.cause as Error).message).toMatch(/^S3 \w+ .*503 request REQ1$/)
  })

  it.each(operations)('%s ends in time', async (_, operation) => {
    const blobs = await opened(() => {}, 0.2)
    expect((await failureOf(operation(blobs))).details).toEqual({ reason: 'timeout' })
  })

  it('a storage that keeps one of several objects to delete is noticed', async () => {
    const blobs = await opened(
      listing([['run/1.blob']], '<Error><Key>run/1.blob</Key><Code>AccessDenied</Code></Error>'),
    )
    expect((await failureOf(blobs.delete('run'))).details).toEqual({ reason: 'forbidden' })
  })
})

/** A storage that lists these objects, page by page, and answers a request to delete several with `outcome`. */
const listing =
  (pages: readonly (readonly string[])[], outcome = ''): Answer =>
  (request, response) => {
    request.resume()
    const page = Number(/continuation-token=page-(\d)/.exec(request.url ?? '')?.[1] ?? 0)
    const next = page + 1 < pages.length ? `<NextContinuationToken>page-${page + 1}</NextContinuationToken>` : ''
    const contents = (pages[page] ?? []).map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')
    const list = `<ListBucketResult>${contents}${next}</ListBucketResult>`
    if (request.method === 'DELETE') response.writeHead(204).end()
    else {
      response.writeHead(200, { 'content-type': 'application/xml' })
      response.end(request.method === 'GET' ? list : `<DeleteResult>${outcome}</DeleteResult>`)
    }
  }

describe('delete', () => {
  it('reads all pages of the objects below a key, and no empty page', async () => {
    await (await opened(listing([['run/1.blob', 'run/2.blob'], [], ['run/3.blob']]))).delete('run')
    expect(
      storage?.requests.map((request) => request.replace(/\?.*(continuation-token=[\w-]+).*|\?.*/, ' $1').trim()),
    ).toEqual([
      'DELETE /habeas-blobs/run.blob',
      'GET /habeas-blobs/',
      'POST /habeas-blobs/',
      'GET /habeas-blobs/ continuation-token=page-1',
      'GET /habeas-blobs/ continuation-token=page-2',
      'POST /habeas-blobs/',
    ])
  })
})

describe('a connection that breaks while a blob is read', () => {
  it.each<[string, (length: number) => Record<string, string>]>([
    ['before its length', (length) => ({ 'content-length': String(length * 2) })],
    ['in the middle of a chunk', () => ({ 'transfer-encoding': 'chunked' })],
  ])('%s is unavailable, never the end of the blob', async (_, headers) => {
    const blobs = await opened((_request, response) => {
      const bytes = Buffer.alloc(100_000)
      response.writeHead(200, headers(bytes.length))
      response.write(bytes, () => response.destroy())
    })
    await failureOf(readAll(blobs))
  })

  it('ends in time when it falls silent', async () => {
    const blobs = await opened((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('some')
    }, 0.2)
    await failureOf(readAll(blobs))
  })
})

describe('a storage that cannot be reached', () => {
  const credentials = { accessKeyId: 'AKIDSECRET', secretAccessKey: 'veryS3CRET' }
  it.each([
    ['http://127.0.0.1:9', 'refused'],
    ['http://localhost:9', 'refused'],
    ['http://storage.invalid', 'name_not_resolved'],
  ])('at %s is %s', async (endpoint, reason) => {
    const blobs = s3Blobs({ endpoint, credentials, bucket: 'habeas-blobs', timeoutSeconds: 5 })
    expect((await failureOf(blobs.size('run/1'))).details).toEqual({ reason })
    blobs.close()
  })

  it('has no credentials', async () => {
    const none = () =>
      Promise.reject(Object.assign(new Error('none for AKIDSECRET'), { name: 'CredentialsProviderError' }))
    const blobs = s3Blobs({ endpoint: 'http://127.0.0.1:9', credentials: none, bucket: 'habeas-blobs' })
    expect((await failureOf(blobs.size('run/1'))).details).toEqual({ reason: 'authentication' })
  })
})
