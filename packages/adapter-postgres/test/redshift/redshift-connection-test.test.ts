import { type PostgresServer, startPostgres } from '@habeas/testkit'
import { afterAll, beforeAll } from 'vitest'
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
  connectorOf: redshiftConnector,
  url: () => server.url,
  through: () => server.url.replace(String(server.port), String(proxy.port)),
  asksForPasswords: true,
  full: /cluster has no connection left.*CONNECTION LIMIT/,
})
