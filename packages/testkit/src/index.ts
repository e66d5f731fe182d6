// Contracts

export { type BlobsContractOptions, blobsContract } from './contracts/blobs.js'
export { connectorContract, type WholeConnectorOptions } from './contracts/connector.js'
export { connectorEraseContract } from './contracts/connector-erase.js'
export { connectorReadContract } from './contracts/connector-read.js'
export type { ConnectorContractOptions, ConnectorUnderTest, OpenConnector } from './contracts/connector-under-test.js'
export type { Patience } from './contracts/deadline.js'
export type { EraseContractOptions, EraseUnderTest, OpenErase } from './contracts/erase-under-test.js'
export type { LimitedCollection, SourceLimits } from './contracts/limited-source.js'
export { type DeliveredMail, type MailerUnderTest, mailerContract } from './contracts/mailer.js'
export type { Open } from './contracts/opened-case.js'
export { queueContract } from './contracts/queue.js'
export { type SecretsUnderTest, secretsContract } from './contracts/secrets.js'
export { storageContract } from './contracts/storage.js'
export type { Test } from './test.js'

// Fixtures

export type { Fixture, FixtureCheck, FixtureColumn, FixtureKind, FixtureRow, FixtureTable } from './fixtures/fixture.js'
export { ledger } from './fixtures/ledger.js'
export { memoryDatabase } from './fixtures/memory-fixture.js'
export { type PostgresServer, type PostgresServerOptions, startPostgres } from './fixtures/postgres-server.js'
export { respelled } from './fixtures/respelled.js'
export { selfSignedCertificate } from './fixtures/self-signed-certificate.js'
export { shop } from './fixtures/shop.js'

// Fakes

export type {
  CallControl,
  CallFilter,
  CallMoment,
  Gate,
  MemoryCall,
  MemoryOperation,
  PlannedFailure,
} from './fakes/call-control.js'
export { type FakeRuntime, type FakeRuntimeOptions, fakeRuntime } from './fakes/fake-runtime.js'
export { type MemoryConnector, type MemoryConnectorOptions, memoryConnector } from './fakes/memory-connector.js'
export type { MemoryCheck, MemoryCollection, MemoryColumn, MemoryDatabase, MemoryRow } from './fakes/memory-database.js'
