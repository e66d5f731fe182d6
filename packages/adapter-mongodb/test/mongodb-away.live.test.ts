import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

it('a server that is away at first fails all calls in a way that passes, and is reached once it is there', async () => {
  const proxy = await mongoProxy(serverUrl())
  const connector = mongodbConnector({ connectTimeoutSeconds: 0.5 })
  const database = `habeas_${randomBytes(6).toString('hex')}`
  const connection = await connector.connect(connector.parseSecrets({ url: proxy.url, database }))
  proxy.cut()
  for (let round = 0; round < 2; round++) {
    // the driver answers those that wait for another one to connect in a way of its own
    const calls = [connection.ping(), connection.describe(), connection.describe()]
    const ends = await Promise.allSettled(calls)
    const details = ends.map((end) => end.status === 'rejected' && [end.reason.code, end.reason.details.transient])
    expect(details).toEqual(calls.map(() => ['connection_failed', true]))
  }
  proxy.heal()
  expect((await connection.describe()).collections).toEqual([])
  await connection.close()
  await proxy.close()
})
