import { createPrivacyService, type Queue } from '@habeas/core'
import pg from 'pg'
import { postgresBlobs, postgresConnector, postgresStorage } from '../../src/index.js'

/** Where the state of the service lies, and what carries the hints. */
export interface ChaosOrder {
  readonly state: string
  readonly queue: Queue
}

/** The service of one process of the chaos, which runs nothing before it is told to work. Its leases are short, since processes die all the time. */
export function openChaosService({ state, queue }: ChaosOrder) {
  const pool = new pg.Pool({ connectionString: state, max: 8, connectionTimeoutMillis: 5_000 })
  pool.on('error', () => {})
  const connector = postgresConnector()
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 6).toString('base64'),
    storage: postgresStorage({ pool, schema: 'state' }),
    blobs: postgresBlobs({ pool, schema: 'state' }),
    connectors: [{ ...connector, capabilities: { ...connector.capabilities, maxErased: 20 } }],
    queue,
    execution: {
      inProcess: false,
      concurrency: 2,
      // So that a run is met by what happens to its process and its databases.
      batchPauseMs: 200,
      leaseSeconds: 5,
      sweepSeconds: 0.5,
      retryMinutes: 10,
      retryDelaySeconds: 0.2,
    },
  })
  return { privacy, pool }
}
