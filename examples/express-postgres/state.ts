import { type PostgresBlobs, postgresBlobs, postgresStorage } from '@habeas/adapter-postgres'
import type { Storage } from '@habeas/core'

/** Where the service keeps its rows and blobs. */
export interface State {
  readonly storage: Storage
  readonly blobs: PostgresBlobs
  /** Rejects with one sentence when the database cannot be used. */
  check(): Promise<void>
  /** To be called when the service is closed, which leaves open what it was handed. */
  close(): Promise<void>
}

/** State in the database at this address. A real application hands in the `pg.Pool` it has, with `{ pool }`. */
export function openState(connectionString: string): State {
  const storage = postgresStorage({ connectionString })
  const blobs = postgresBlobs({ connectionString, poolSize: 4 })
  return {
    storage,
    blobs,
    async check() {
      await storage.table('serviceKey').count()
    },
    async close() {
      await storage.close()
      await blobs.close()
    },
  }
}
