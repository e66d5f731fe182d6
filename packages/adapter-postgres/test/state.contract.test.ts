import { blobsContract, type PostgresServer, startPostgres, storageContract } from '@habeas/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { postgresBlobs, postgresStorage } from '../src/index.js'

let server: PostgresServer
let pool: pg.Pool
beforeAll(async () => {
  server = await startPostgres()
  pool = new pg.Pool({ connectionString: server.url, max: 10 })
  // Its last clients may hear that the server stops.
  pool.on('error', () => {})
})
afterAll(async () => {
  await pool.end()
  await server.stop()
})

let opened = 0
const schema = () => `case_${++opened}`

describe('postgresStorage', () => storageContract(it, () => postgresStorage({ pool, schema: schema() })))
describe('postgresBlobs', () => blobsContract(it, () => postgresBlobs({ pool, schema: schema() })))
