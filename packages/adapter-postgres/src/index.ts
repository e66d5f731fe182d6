export { type PostgresConnectorOptions, postgresConnector } from './connector.js'
