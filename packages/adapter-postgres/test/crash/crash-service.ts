import { createPrivacyService, type Mailer, systemRuntime } from '@habeas/core'
import type pg from 'pg'
import { postgresBlobs, postgresConnector, postgresStorage } from '../../src/index.js'
import { type Reached, stepping } from './steps.js'

/** Where one case has its state and its data. */
export interface CrashCase {
  readonly url: string
  /** Of the service's tables. */
  readonly state: string
  /** Of the tables with people's data, and of what was sent. */
  readonly shop: string
}

export interface CrashServiceOptions {
  readonly pool: pg.Pool
  readonly reached?: Reached
  /** How far its clock is ahead, so that it need not wait for the leases of others to end. */
  readonly minutesAhead?: number
  /** False: runs nothing by itself. */
  readonly immediate?: boolean
}

/** Few, so that an erasure takes several batches. */
const maxErased = 100

/** The service that a case runs, in one process or another; its mails go into a table. Closed by the caller. */
export function openCrashService({ state, shop }: CrashCase, options: CrashServiceOptions) {
  const { pool, reached = async () => {}, minutesAhead = 0, immediate = true } = options
  const steps = stepping(reached)
  const connector = postgresConnector()
  const mailer: Mailer = {
    async send({ kind, messageId }) {
      await pool.query(`insert into ${shop}.sent (kind, message_id) values ($1, $2)`, [kind, messageId])
    },
  }
  return createPrivacyService({
    encryptionKey: Buffer.alloc(32, 5).toString('base64'),
    storage: steps.storage(postgresStorage({ pool, schema: state })),
    blobs: steps.blobs(postgresBlobs({ pool, schema: state })),
    connectors: [steps.connector({ ...connector, capabilities: { ...connector.capabilities, maxErased } })],
    mailer: steps.mailer(mailer),
    publicUrl: 'https://privacy.example.org',
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + minutesAhead * 60_000) },
    execution: { sweepSeconds: 0.25, immediate },
  })
}
