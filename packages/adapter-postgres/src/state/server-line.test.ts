import { expect, it, vi } from 'vitest'
import { withLine } from './server-line.js'

it.each([
  ['an error of the server', { code: '23505', severity: 'ERROR' }, true],
  ['an end of the session', { code: '57P01', severity: 'FATAL' }, false],
  ['a broken line, whose code looks like one of the server', { code: 'EPIPE' }, false],
  ['an error of the driver', {}, false],
])('after %s the client is used again only where its session is well', async (_, what, isWell) => {
  const failure = Object.assign(new Error('failed'), what)
  const client = { query: () => Promise.reject(failure), release: vi.fn(), on() {}, removeListener() {} }
  const running = withLine({ connect: async () => client }, (line) => line.send({ sql: 'select 1', parameters: [] }))
  await expect(running).rejects.toMatchObject({ code: 'unavailable', cause: failure })
  expect(client.release.mock.calls).toEqual([[isWell ? undefined : failure]])
})
