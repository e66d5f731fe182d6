export { mssqlConnector } from './connector.js'
export type { MssqlConnectorOptions } from './connector-options.js'
