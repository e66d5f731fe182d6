import { type Connector, createPrivacyService, type Mailer, systemRuntime } from '@habeas/core'
import type pg from 'pg'
import { postgresBlobs, postgresStorage } from '../../src/index.js'
import { type Reached, stepping } from './steps.js'

/** Where one case has its state and its data. */
export interface CrashCase {
  readonly url: string
  /** Schema of the service's tables. */
  readonly state: string
  /** Schema of what was sent, and of the tables with people's data where PostgreSQL has them. */
  readonly shop: string
  /** Which kind of database has people's data. */
  readonly type: string
}

export interface CrashServiceOptions {
  readonly pool: pg.Pool
  /** Of people's data. */
  readonly connector: Connector
  readonly reached?: Reached
  /** How far its clock is ahead, so that it need not wait for the leases of others to end. */
  readonly minutesAhead?: number
  readonly concurrency?: number
  /** False: runs nothing by itself. */
  readonly immediate?: boolean
}

/** The service that a case runs, in one process or another; its mails go into a table. Closed by the caller. */
export function openCrashService({ state, shop }: CrashCase, options: CrashServiceOptions) {
  const { pool, connector, reached = async () => {}, minutesAhead = 0, concurrency = 2, immediate = true } = options
  const steps = stepping(reached)
  const mailer: Mailer = {
    async send({ kind, messageId }) {
      await pool.query(`insert into ${shop}.sent (kind, message_id) values ($1, $2)`, [kind, messageId])
    },
  }
  return createPrivacyService({
    encryptionKey: Buffer.alloc(32, 5).toString('base64'),
    storage: steps.storage(postgresStorage({ pool, schema: state })),
    blobs: steps.blobs(postgresBlobs({ pool, schema: state })),
    connectors: [steps.connector(connector)],
    mailer: steps.mailer(mailer),
    publicUrl: 'https://privacy.example.org',
    runtime: { ...systemRuntime, now: () => new Date(Date.now() + minutesAhead * 60_000) },
    execution: { sweepSeconds: 0.25, concurrency, immediate },
  })
}

/** The connector, whose erasures take several batches. */
export function inSmallBatches(connector: Connector, maxErased: number): Connector {
  return { ...connector, capabilities: { ...connector.capabilities, maxErased } }
}
