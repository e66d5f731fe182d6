import {
  type Connector,
  createPrivacyService,
  type Mailer,
  PrivacyError,
  type Queue,
  systemRuntime,
} from '@habeas/core'
import pg from 'pg'
import { postgresBlobs, postgresStorage } from '../../src/index.js'
import { inSmallBatches } from '../crash/crash-service.js'

/** What every process of the chaos is told. */
export interface ChaosOrder {
  /** Where the state of the service lies. */
  readonly state: string
  /** Where mails are delivered. */
  readonly outside: string
}

export interface ChaosParts {
  /** What carries the hints. */
  readonly queue: Queue & { close?(): Promise<void> }
  /** Of people's data. */
  readonly connector: Connector
  /** How far its clock is ahead. */
  readonly minutesAhead?: number
}

/** The service of one process of the chaos, which runs nothing before it is told to work. Its leases are short, since processes die all the time. */
export function openChaosService({ state, outside }: ChaosOrder, { queue, connector, minutesAhead = 0 }: ChaosParts) {
  const pool = new pg.Pool({ connectionString: state, max: 8, connectionTimeoutMillis: 5_000 })
  pool.on('error', () => {})
  const mailer: Mailer = {
    async send(mail) {
      const body = JSON.stringify(mail)
      const answer = await fetch(`${outside}/mail`, { method: 'POST', body }).catch(() => undefined)
      if (!answer?.ok) throw new PrivacyError('unavailable', 'The mail server is away.', { retryAfterSeconds: 0 })
    },
  }
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 6).toString('base64'),
    storage: postgresStorage({ pool, schema: 'state' }),
    blobs: postgresBlobs({ pool, schema: 'state' }),
    connectors: [inSmallBatches(connector, 20)],
    queue,
    mailer,
    publicUrl: 'https://privacy.example.org',
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + minutesAhead * 60_000) },
    // The receiver is away for a while as well.
    webhooks: { allowPrivateAddresses: true, retries: 10, retryDelaySeconds: 0.1 },
    execution: {
      inProcess: false,
      concurrency: 2,
      subjectIdentityVerificationRequired: true,
      // So that a run is met by what happens to its process and its databases.
      batchPauseMs: 200,
      leaseSeconds: 5,
      sweepSeconds: 0.5,
      retryMinutes: 10,
      retryDelaySeconds: 0.2,
    },
  })
  return {
    privacy,
    pool,
    async close() {
      await privacy.close()
      await queue.close?.()
      await pool.end()
    },
  }
}
