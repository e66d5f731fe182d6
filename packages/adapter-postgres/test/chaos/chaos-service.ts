import { createPrivacyService } from '@habeas/core'
import pg from 'pg'
import { postgresBlobs, postgresConnector, postgresStorage } from '../../src/index.js'

/** Where the state of the service lies; whether a process runs requests. */
export interface ChaosOrder {
  readonly state: string
  readonly immediate: boolean
}

/** The service of one process of the chaos. Its leases are short, since processes die all the time. */
export function openChaosService({ state, immediate }: ChaosOrder) {
  const pool = new pg.Pool({ connectionString: state, max: 8, connectionTimeoutMillis: 5_000 })
  pool.on('error', () => {})
  const connector = postgresConnector()
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 6).toString('base64'),
    storage: postgresStorage({ pool, schema: 'state' }),
    blobs: postgresBlobs({ pool, schema: 'state' }),
    connectors: [{ ...connector, capabilities: { ...connector.capabilities, maxErased: 20 } }],
    execution: {
      immediate,
      concurrency: 2,
      leaseSeconds: 5,
      sweepSeconds: 0.5,
      retryMinutes: 10,
      retryDelaySeconds: 0.2,
    },
  })
  return { privacy, pool }
}
