import { blobsContract, storageContract } from '@habeas/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { postgresBlobs, postgresStorage } from '../src/index.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
let pool: pg.Pool
beforeAll(async () => {
  pool = new pg.Pool({ connectionString: server.url, max: 10 })
  // Its last clients may hear that the server stops.
  pool.on('error', () => {})
})
afterAll(async () => {
  await pool.end()
})

let opened = 0
const schema = () => `case_${++opened}`

describe('postgresStorage', () => storageContract(it, () => postgresStorage({ pool, schema: schema() })))
describe('postgresBlobs', () => blobsContract(it, () => postgresBlobs({ pool, schema: schema() })))
