import { afterAll, beforeAll, expect, it } from 'vitest'
import { transitSecrets } from '../src/index.js'
import { startTransitDouble } from './transit-double.js'
import { transitSuite } from './transit-suite.js'

let double: Awaited<ReturnType<typeof startTransitDouble>>
beforeAll(async () => {
  double = await startTransitDouble()
})
afterAll(() => double.stop())

transitSuite(() => double)

const context = 'privacy-request:pri_1'

it('asks for the latest version at most once a minute, and learns it by sealing', async () => {
  const { address, token } = double
  const key = await double.makeKey()
  const secrets = transitSecrets({ address, token, key })
  const older = await secrets.seal(Buffer.from('a'), context)
  double.requests.length = 0
  for (let time = 0; time < 5; time++) expect(await secrets.isCurrent?.(older)).toBe(true)
  expect(double.requests).toEqual([])
  await double.rotate(key)
  await secrets.seal(Buffer.from('a'), context)
  expect(await secrets.isCurrent?.(older)).toBe(false)

  double.requests.length = 0
  const another = transitSecrets({ address, token, key })
  expect(await Promise.all([older, older].map((each) => another.isCurrent?.(each)))).toEqual([false, false])
  expect(double.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET /v1/transit/keys/${key}`])
})

it('asks for the token before each call, and takes one with a line break behind it', async () => {
  const tokens = ['root-token\n', 'root-token', 'a-wrong-token', '  root-token\r\n']
  const secrets = transitSecrets({
    address: double.address,
    token: async () => tokens.shift() ?? '',
    key: await double.makeKey(),
  })
  const sealed = await secrets.seal(Buffer.from('a'), context)
  await expect(secrets.open(sealed, context)).rejects.toMatchObject({ details: { option: 'token' } })
  expect(Buffer.from(await secrets.open(sealed, context)).toString()).toBe('a')
  await expect(secrets.open(sealed, context)).rejects.toMatchObject({
    code: 'misconfigured',
    message: expect.stringContaining('must return a token'),
  })
})

it('sends the token in its header alone, and the content never in clear', async () => {
  const { address, token } = double
  const key = await double.makeKey()
  double.requests.length = 0
  await transitSecrets({ address: `${address}/`, token, key }).seal(Buffer.from('content'), context)
  const last = double.requests.at(-1)
  expect(last).toMatchObject({ method: 'POST', path: `/v1/transit/encrypt/${key}` })
  expect(last?.headers).toMatchObject({ 'x-vault-token': token, 'x-vault-request': 'true' })
  expect(last?.body).toEqual({
    plaintext: Buffer.from('content').toString('base64'),
    associated_data: Buffer.from(context).toString('base64'),
  })
  expect(JSON.stringify([last?.path, last?.body])).not.toContain(token)
})

it('does not make a missing key, although the token may', async () => {
  const { address, token } = double
  await expect(transitSecrets({ address, token, key: 'missing' }).seal(Buffer.from('a'), context)).rejects.toThrow()
  expect(double.hasKey('missing')).toBe(false)
})
