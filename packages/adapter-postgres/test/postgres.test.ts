import { type PostgresServer, startPostgres } from '@habeas/testkit'
import { afterAll, beforeAll } from 'vitest'
import { contractSuite } from './contract-suite.js'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.stop())

contractSuite(() => server.url)
