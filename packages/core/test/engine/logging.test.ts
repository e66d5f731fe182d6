import { Writable } from 'node:stream'
import { createPrivacyService, type Identity, type Logger, memoryStorage, PrivacyError } from '@habeas/core'
import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { collection, field, id, refer, shopOf, table } from './described.js'
import { openService } from './service-run.js'

const ann: Identity = { email: 'ann-marker@example.com' }
const personal = /ann-marker|note-marker/

const shop = () =>
  shopOf(
    [
      collection('customer', [id, field('email', { identity: 'email' })]),
      collection('orders', [id, refer('customer_id', 'customer.id'), field('note')]),
    ],
    {
      customer: table({ id: 'integer', email: 'string' }, [[1, ann['email'] as string]]),
      orders: table({ id: 'integer', customer_id: 'integer', note: 'string' }, [[1, 1, 'note-marker']]),
    },
  )

/** The lines of a logger, as JSON. */
function lines() {
  const said: { level: keyof Logger; message: string; fields: Record<string, unknown> }[] = []
  const at = (level: keyof Logger) => (fields: object, message: string) =>
    void said.push({ level, message, fields: { ...fields } })
  const logger: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return { said, logger }
}

/** An error of a driver, which quotes a value and a password. */
class DatabaseError extends Error {
  readonly code = '22P02'
}
const driverError = new DatabaseError('invalid input "ann-marker" for user:note-marker@host')

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the log', () => {
  it('has a line for each event of a request, with its id, names, counts and durations, and no value', async () => {
    const { said, logger } = lines()
    const { privacy, submit } = await openService([shop()], { logger })
    const requestId = await submit(ann)
    await privacy.requests.settled(requestId)
    const told = said.map(({ level, message, fields }) => [level, message, fields['collection']])
    expect(told).toContainEqual(['info', 'A run has claimed the request', undefined])
    expect(told).toContainEqual(['info', 'A collection has ended: complete', 'shop:orders'])
    expect(told.at(-1)).toEqual(['info', 'The run has ended: complete', undefined])
    expect(said.every(({ fields }) => fields['requestId'] === requestId)).toBe(true)
    expect(said.at(-1)?.fields).toMatchObject({ durationMs: expect.any(Number), status: 'complete' })
    expect(JSON.stringify(said)).not.toMatch(personal)
  })

  it('names the class and the code behind a failure, and never its message', async () => {
    const given = shop()
    const error = new PrivacyError(
      'connection_failed',
      'The server refuses.',
      { reason: 'other' },
      { cause: driverError },
    )
    given.connector.failNext({ operation: 'read', collection: 'orders', error })
    const { said, logger } = lines()
    const { privacy, submit } = await openService([given], { logger })
    const { status } = await privacy.requests.settled(await submit(ann))
    expect(status).toBe('error')
    const failed = said.filter(({ fields }) => fields['code'] !== undefined)
    expect(failed.map(({ level, fields }) => [level, fields['code'], fields['cause'], fields['collection']])).toEqual([
      ['warn', 'connection_failed', 'DatabaseError 22P02', 'shop:orders'],
      ['error', 'connection_failed', 'DatabaseError 22P02', undefined],
    ])
    expect(JSON.stringify(said)).not.toMatch(personal)
  })

  it('says when a request is tried again', async () => {
    const given = shop()
    const away = new PrivacyError('connection_failed', 'It starts up.', { reason: 'other', transient: true })
    given.connector.failNext({ operation: 'read', collection: 'orders', error: away })
    const { said, logger } = lines()
    const execution = { retryMinutes: 5, retryDelaySeconds: 0.01, sweepSeconds: 0.01 }
    const { privacy, submit } = await openService([given], { logger, execution })
    await privacy.requests.settled(await submit(ann))
    expect(said.find(({ message }) => message === 'The run failed, and is tried again')).toMatchObject({
      level: 'warn',
      fields: { step: 'retrying', attempt: 1, dueAt: expect.any(String), code: 'connection_failed' },
    })
  })

  it('has the cause of what a record calls a failure inside the service', async () => {
    const given = shop()
    given.connector.failNext({ operation: 'read', collection: 'orders', error: new TypeError('x of ann-marker') })
    const { said, logger } = lines()
    const { privacy, submit } = await openService([given], { logger })
    const { failure } = await privacy.requests.settled(await submit(ann))
    expect(failure).toContain('the log of the service has the cause')
    const failed = said.find(({ level, fields }) => level === 'warn' && fields['code'] === 'internal')
    expect(failed?.fields['cause']).toBe('TypeError')
    expect(failed?.fields['at']).toEqual(expect.arrayContaining([expect.stringContaining('logging.test.ts')]))
    expect(JSON.stringify(said)).not.toMatch(personal)
  })

  it('has the cause of a call that fails for a reason that nobody has foreseen', async () => {
    const { said, logger } = lines()
    const storage = memoryStorage()
    const broken = {
      ...storage,
      table: () => ({ get: () => Promise.reject(driverError), find: () => Promise.reject(driverError) }),
    }
    const encryptionKey = Buffer.alloc(32).toString('base64')
    const privacy = createPrivacyService({ encryptionKey, storage: broken as never, logger })
    await expect(privacy.policies.get('ann-marker')).rejects.toThrow()
    expect(said).toContainEqual({
      level: 'error',
      message: 'A call failed',
      fields: expect.objectContaining({ call: 'policies.get', code: 'internal', cause: 'DatabaseError 22P02' }),
    })
    expect(JSON.stringify(said)).not.toMatch(personal)
    await privacy.close()
  })

  it('ends nothing when it fails itself', async () => {
    const throwing = () => {
      throw new Error('no space left')
    }
    const later = () => Promise.reject(new Error('no space left'))
    const logger = { debug: throwing, info: later, warn: throwing, error: throwing } as unknown as Logger
    const { privacy, submit } = await openService([shop()], { logger })
    expect(await privacy.requests.settled(await submit(ann))).toMatchObject({ status: 'complete' })
  })

  it('is written by pino as it is', async () => {
    let text = ''
    const stream = new Writable({
      write(chunk, _, done) {
        text += chunk
        done()
      },
    })
    const { privacy, submit } = await openService([shop()], { logger: pino({ level: 'debug' }, stream) })
    const requestId = await submit(ann)
    await privacy.requests.settled(requestId)
    const said = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(said.at(-1)).toMatchObject({ requestId, status: 'complete', msg: 'The run has ended: complete' })
    expect(text).not.toMatch(personal)
  })

  it('goes to the console by default: warnings and errors in one line each, and nothing else', async () => {
    const printed = {
      warn: vi.spyOn(console, 'warn'),
      error: vi.spyOn(console, 'error'),
      info: vi.spyOn(console, 'info'),
    }
    for (const spy of Object.values(printed)) spy.mockImplementation(() => {})
    const given = shop()
    given.connector.failNext({ operation: 'read', collection: 'orders' })
    const { privacy, submit } = await openService([given], { logger: undefined })
    await privacy.requests.settled(await submit(ann))
    expect(printed.error).toHaveBeenCalledOnce()
    expect(printed.warn).toHaveBeenCalledOnce()
    expect(printed.info).not.toHaveBeenCalled()
  })

  it('is off where that is said', async () => {
    const error = vi.spyOn(console, 'error')
    const given = shop()
    given.connector.failNext({ operation: 'read', collection: 'orders' })
    const { privacy, submit } = await openService([given], { logger: false })
    await privacy.requests.settled(await submit(ann))
    expect(error).not.toHaveBeenCalled()
  })

  it.each([{}, { debug() {}, info() {}, warn() {} }, 'console', true])(
    'is refused where it is no logger: %j',
    (logger) => {
      const encryptionKey = Buffer.alloc(32).toString('base64')
      expect(() => createPrivacyService({ encryptionKey, logger: logger as never })).toThrow(/logger/)
    },
  )
})

describe('what fails beside the requests', () => {
  it('has a line when a queue begins to fail and one when it works again, and none for each attempt', async () => {
    const { said, logger } = lines()
    let isAway = true
    const queue = {
      send: () => (isAway ? Promise.reject(driverError) : Promise.resolve()),
      listen: (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
        isAway
          ? Promise.reject(driverError)
          : new Promise<void>((end) => signal.addEventListener('abort', () => end())),
    }
    const { privacy, submit } = await openService([shop()], { logger, queue, execution: { sweepSeconds: 0.02 } })
    for (const _ of [1, 2, 3]) await privacy.requests.settled(await submit(ann))
    const told = () =>
      said.flatMap(({ level, fields: { part, doing, status, cause } }) =>
        part === 'queue' ? [[level, doing, status, cause]] : [],
      )
    await expect.poll(told).toHaveLength(2)
    expect(told()).toEqual(
      expect.arrayContaining([
        ['warn', 'listen for hints', 'failing', 'DatabaseError 22P02'],
        ['warn', 'send hints', 'failing', 'DatabaseError 22P02'],
      ]),
    )
    isAway = false
    await privacy.requests.settled(await submit(ann))
    await expect.poll(told).toHaveLength(4)
    expect(told().slice(2)).toEqual(
      expect.arrayContaining([
        ['info', 'listen for hints', 'working', undefined],
        ['info', 'send hints', 'working', undefined],
      ]),
    )
    expect(JSON.stringify(said)).not.toMatch(personal)
    await privacy.close()
  })

  it('has a line for upkeep that cannot be done, and for a storage that cannot be asked', async () => {
    const { said, logger } = lines()
    const storage = memoryStorage()
    let isAway = false
    const away = {
      ...storage,
      table: ((kind: 'privacyRequest') => {
        if (isAway) throw driverError
        return storage.table(kind)
      }) as typeof storage.table,
    }
    const { privacy } = await openService([shop()], { logger, storage: away, execution: { sweepSeconds: 0.02 } })
    isAway = true
    const told = () =>
      said.flatMap(({ fields: { part, doing, cause } }) => (part ? [`${part}: ${doing}: ${cause}`] : []))
    await expect
      .poll(told)
      .toEqual(
        expect.arrayContaining([
          'worker: look for requests: DatabaseError 22P02',
          expect.stringMatching(/^upkeep: .*DatabaseError 22P02$/),
        ]),
      )
    isAway = false
    expect(JSON.stringify(said)).not.toMatch(personal)
    await privacy.close()
  })

  it('has the cause of a test of a connection that its record does not explain', async () => {
    const given = shop()
    const { said, logger } = lines()
    const { privacy } = await openService([given], { logger })
    given.connector.failNext({ operation: 'ping', error: driverError })
    const { failureReason } = await privacy.connections.test('shop')
    expect(failureReason).toContain('does not explain')
    expect(said.at(-1)).toMatchObject({
      level: 'warn',
      message: 'A connection failed',
      fields: { part: 'connection', doing: "test 'shop'", code: 'internal', cause: 'DatabaseError 22P02' },
    })
    expect(JSON.stringify(said)).not.toMatch(personal)
  })
})
