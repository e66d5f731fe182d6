import { inspect } from 'node:util'
import { Int32, MongoBulkWriteError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { mongoFailure, writingFailure } from './mongo-failures.js'

const secret = 'ann@example.com'

const ofServer = (code: number, message = `failed for ${secret}`) =>
  new MongoServerError({ message, errmsg: message, code })

function shown(error: unknown): string {
  return `${JSON.stringify(error)} ${inspect(error, { depth: null, showHidden: true })}`
}

describe('a failure of the server', () => {
  it.each([
    [18, 'authentication'],
    [13, 'permission'],
    [50, 'statement_timeout'],
    [262, 'statement_timeout'],
    [24, 'lock_timeout'],
    [10_107, 'other'],
    [43, 'other'],
    [112, 'lock_timeout'],
    [9_999, 'other'],
  ])('with code %i has the reason %s, and repeats nothing', (code, reason) => {
    const failure = mongoFailure(ofServer(code), 'reading "people"')
    expect(failure).toMatchObject({ code: 'connection_failed', details: { reason } })
    expect(shown(failure)).not.toContain(secret)
  })

  it('keeps its code where numbers keep their types', () => {
    const error = Object.assign(ofServer(0), { code: new Int32(13) })
    expect(mongoFailure(error, 'reading').details).toMatchObject({ reason: 'permission' })
  })

  it('of which nothing is known names its code', () => {
    expect(mongoFailure(ofServer(9_999), 'reading "people"').message).toContain('with code 9999')
  })

  it('may pass by itself where others got in the way', () => {
    expect(mongoFailure(ofServer(112), 'writing').details).toMatchObject({ transient: true })
    expect(mongoFailure(ofServer(13), 'writing').details).not.toHaveProperty('transient')
  })
})

describe('a server that cannot be reached', () => {
  it.each([
    ['getaddrinfo ENOTFOUND db', 'name_not_resolved'],
    ['getaddrinfo EAI_AGAIN db', 'name_not_resolved'],
    ['connect ECONNREFUSED 127.0.0.1:1', 'refused'],
    ['self-signed certificate', 'tls'],
    ['write EPROTO', 'tls'],
    ['read ECONNRESET', 'other'],
    ['connection timed out', 'timeout'],
  ])('%s', (message, reason) => {
    expect(mongoFailure(new MongoNetworkError(message), 'reading').details).toMatchObject({ reason })
  })

  it.each([
    [
      [],
      /^The server could not be reached in time: check host, port and the firewalls between, and whether another server .* listens there\.$/,
    ],
    [['tls' as const], /whether ssl \(tls in url\) asks for encryption/],
    [['replicaSet' as const, 'tls' as const], /whether replicaSet in url .* and whether ssl \(tls in url\)/],
  ])('may be there, and passed over because of %o', (given, message) => {
    const error = new MongoServerSelectionError('Server selection timed out', { servers: new Map() } as never)
    const failure = mongoFailure(error, 'reading', given)
    expect([failure.message, failure.details]).toEqual([
      expect.stringMatching(message),
      { reason: 'timeout', transient: true },
    ])
  })

  it('may speak no TLS where it breaks an encrypted connection off', () => {
    const { message, details } = mongoFailure(new MongoNetworkError('read ECONNRESET'), 'reading', ['tls'])
    expect([message, details]).toEqual([expect.stringContaining('speaks no TLS'), { reason: 'tls', transient: true }])
  })

  it('is told by what the driver found at its members', () => {
    const servers = new Map([['db:1', { error: new MongoNetworkError('connect ECONNREFUSED') }]])
    const error = new MongoServerSelectionError('Server selection timed out', { servers } as never)
    expect(mongoFailure(error, 'reading').details).toMatchObject({ reason: 'refused', transient: true })
  })
})

describe('a refusal', () => {
  const duplicate = `E11000 duplicate key error collection: shop.people index: email dup key: { email: "${secret}" }`

  it('names an index that exists, and no value', () => {
    const failure = writingFailure(ofServer(11_000, duplicate), 'people', ['email'])
    expect(failure).toMatchObject({ details: { reason: 'refused', constraint: 'email' } })
    expect(shown(failure)).not.toContain(secret)
  })

  it.each([
    [11_000, duplicate],
    [319_029_277, "Duplicate key violation on the requested collection: Index 'email'"],
  ])('of a duplicate says which unique index, and what to do: %i', (code, message) => {
    const failure = writingFailure(ofServer(code, message), 'people', ['email'])
    expect(failure.message).toMatch(/its unique index "email": name 'random_string_rewrite'/)
    expect(failure.details).toEqual({ reason: 'refused', constraint: 'email' })
    const unknown = writingFailure(ofServer(code, message), 'people', [])
    expect(unknown.message).toContain('one of its unique indexes')
    expect(shown(unknown)).not.toContain(secret)
  })

  it('names no index that a value could have made up', () => {
    expect(writingFailure(ofServer(11_000, duplicate), 'people', ['other']).details).toEqual({ reason: 'refused' })
  })

  it('of one write of many is found among them', () => {
    const error = new MongoBulkWriteError({ message: duplicate, code: 11_000, writeErrors: [] }, {} as never)
    const failure = writingFailure(error, 'people', ['email'])
    expect(failure.details).toMatchObject({ reason: 'refused', constraint: 'email' })
    expect(shown(failure)).not.toContain(secret)
  })

  it('of a validator or of a key names what it can', () => {
    expect(writingFailure(ofServer(121), 'people', []).message).toContain('its validator')
    expect(writingFailure(ofServer(66), 'people', []).details).toEqual({ reason: 'refused', column: '_id' })
  })

  it.each([72, 31_025])('of a new shard key says so: %i', (code) => {
    const { message, details } = writingFailure(ofServer(code), 'people', [])
    expect([message, details]).toEqual([
      expect.stringContaining('its shard key, which cannot change'),
      { reason: 'refused' },
    ])
  })

  it('is not what a permission is', () => {
    expect(writingFailure(ofServer(13), 'people', []).details).toMatchObject({ reason: 'permission' })
  })
})
