import { randomBytes } from 'node:crypto'
import net from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
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

it('a server is reached again whose last heartbeat was written to a socket that had just been closed', async () => {
  let onListing = () => {}
  const proxy = await mongoProxy(serverUrl(), {
    onCommand: (name, moment) => {
      if (name === 'listCollections' && moment === 'before') onListing()
      return undefined
    },
  })
  const opened = vi.spyOn(net, 'createConnection')
  const connector = mongodbConnector({ connectTimeoutSeconds: 0.5 })
  const database = `habeas_${randomBytes(6).toString('hex')}`
  const connection = await connector.connect(connector.parseSecrets({ url: proxy.url, database }))
  await connection.describe()
  const [heartbeats, ...sockets] = opened.mock.results.map(({ value }) => value as net.Socket)
  // the driver puts a heartbeat off that follows the last one within half a second
  await delay(600)
  onListing = () => {
    onListing = () => {}
    for (const socket of sockets) socket.prependListener('close', () => heartbeats?.destroy()).destroy()
  }
  await expect(connection.describe()).rejects.toMatchObject({
    code: 'connection_failed',
    details: { transient: true },
  })
  // the next call waits for a server as long as it may
  await connection.describe().catch(() => {})
  expect((await connection.describe()).collections).toEqual([])
  await connection.close()
  await proxy.close()
})
