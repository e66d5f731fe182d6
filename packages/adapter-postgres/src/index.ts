export { type PostgresConnectorOptions, postgresConnector, timescaleConnector } from './connector.js'
export type { PostgresPool, PostgresPoolClient, PostgresStateOptions } from './state/host-pool.js'
export { type PostgresBlobs, postgresBlobs } from './state/postgres-blobs.js'
export { postgresStorage } from './state/postgres-storage.js'
