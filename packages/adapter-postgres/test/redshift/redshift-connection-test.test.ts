import { type PostgresServer, startPostgres } from '@habeas/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { redshiftConnector } from '../../src/index.js'
import { connectionTestSuite } from '../connection-test-suite.js'
import { prepareRedshift } from './redshift-fixture.js'
import { type RedshiftProxy, startRedshiftProxy } from './redshift-proxy.js'

let server: PostgresServer
let proxy: RedshiftProxy

beforeAll(async () => {
  server = await startPostgres({ password: 'of-the-superuser' })
  await prepareRedshift(server.url)
  proxy = await startRedshiftProxy(server.port)
})
afterAll(async () => {
  await proxy?.close()
  await server?.stop()
})

connectionTestSuite('a double of Redshift', {
  name: 'Redshift',
  connectorOf: redshiftConnector,
  url: () => server.url,
  through: () => server.url.replace(String(server.port), String(proxy.port)),
  asksForPasswords: true,
  full: /cluster has no connection left.*CONNECTION LIMIT/,
})

it('names a server that is PostgreSQL', async () => {
  const connection = await redshiftConnector().connect({ url: server.url })
  await expect(connection.ping()).rejects.toThrow('not Redshift: make this a connection of the type postgres')
  await connection.close()
})
