import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { isPrivacyError, type PrivacyError } from '@habeas/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { transitSecrets } from '../src/index.js'
import { startTransitDouble } from './transit-double.js'

const token = 'root-token'
const context = 'connection:shop'
let double: Awaited<ReturnType<typeof startTransitDouble>>
let key: string
beforeEach(async () => {
  double = await startTransitDouble()
  key = await double.makeKey()
})
afterEach(() => double.stop())

const secretsAt = (address: string) => transitSecrets({ address, token, key, timeoutSeconds: 0.5 })

async function unavailable(asked: Promise<unknown>): Promise<PrivacyError<'unavailable'>> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isPrivacyError(error, 'unavailable')) throw new Error('expected unavailable', { cause: error })
  const shown = inspect(error, { depth: null, showHidden: true })
  for (const secret of [token, 'planted', 'cGxhbnRlZA']) expect(shown).not.toContain(secret)
  return error as PrivacyError<'unavailable'>
}

/** What sealing and opening reject with when the server answers like this. */
async function failuresWith(answer: (response: ServerResponse) => void) {
  const secrets = secretsAt(double.address)
  const sealed = await secrets.seal(Buffer.from('planted'), context)
  double.answerWith(answer)
  return [
    await unavailable(secrets.seal(Buffer.from('planted'), context)),
    await unavailable(secrets.open(sealed, context)),
  ]
}

describe('what may be better the next time is unavailable', () => {
  it.each<[string, number, string, Record<string, string>, object]>([
    ['too many calls', 429, '{"errors":["planted"]}', { 'retry-after': '7' }, { reason: 'busy', retryAfterSeconds: 7 }],
    ['a sealed server', 503, '{"errors":["Vault is sealed"]}', {}, { reason: 'sealed' }],
    ['a server that fails', 500, '{"errors":["planted"]}', {}, { reason: 'other' }],
    ['a proxy that fails', 502, '<html>planted</html>', { 'retry-after': 'soon' }, { reason: 'other' }],
    ['a server that is not yet up to date', 412, '{"errors":[]}', {}, { reason: 'other' }],
    ['something else', 200, '<html>planted</html>', {}, { reason: 'other' }],
    ['an answer without what was asked for', 200, '{"data":{}}', {}, { reason: 'other' }],
    ['a ciphertext of another form', 200, '{"data":{"ciphertext":"planted"}}', {}, { reason: 'other' }],
  ])('%s', async (_, status, body, headers, details) => {
    for (const error of await failuresWith((response) => response.writeHead(status, headers).end(body))) {
      expect(error.details).toEqual(details)
    }
  })

  it('a connection that breaks off', async () => {
    for (const error of await failuresWith((response) => response.destroy())) {
      expect(error.details).toEqual({ reason: 'other' })
    }
  })

  it('a server that does not answer, or not to the end', async () => {
    for (const error of await failuresWith(() => {})) expect(error.details).toEqual({ reason: 'timeout' })
    double.answerWith((response) => response.writeHead(200).write('{"da'))
    const error = await unavailable(secretsAt(double.address).seal(Buffer.from('planted'), context))
    expect(error.details).toEqual({ reason: 'timeout' })
  })

  it('a server that is not there', async () => {
    double.stop()
    expect((await unavailable(secretsAt(double.address).seal(Buffer.from('planted'), context))).details).toEqual({
      reason: 'refused',
    })
    const unknown = secretsAt('http://key-server.invalid').seal(Buffer.from('planted'), context)
    expect((await unavailable(unknown)).details).toEqual({ reason: 'name_not_resolved' })
  })

  it('a function for the token that fails', async () => {
    const cause = new Error('no such file')
    const failing = transitSecrets({ address: double.address, key, token: () => Promise.reject(cause) })
    const error = await unavailable(failing.seal(Buffer.from('planted'), context))
    expect([error.details, error.cause]).toEqual([{ reason: 'token' }, cause])
  })
})

it('a redirect is not followed', async () => {
  const reached: string[] = []
  const other = createServer((request, response) => {
    reached.push(request.url ?? '')
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  for (const status of [301, 302, 307, 308]) {
    double.answerWith((response) => response.writeHead(status, { location: `http://127.0.0.1:${port}/v1` }).end())
    const error = await unavailable(secretsAt(double.address).seal(Buffer.from('planted'), context))
    expect(error.details).toEqual({ reason: 'redirected' })
  }
  expect(reached).toEqual([])
  other.close()
})

it('a token that no header can hold is refused without being shown', async () => {
  const planted = 'planted\ntoken'
  const secrets = transitSecrets({ address: double.address, key, token: async () => planted })
  const error = await secrets.seal(Buffer.from('a'), context).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'misconfigured', details: { option: 'token' } })
  expect(inspect(error, { depth: null })).not.toContain('planted')
})
