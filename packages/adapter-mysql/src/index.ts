export { mariadbConnector, mysqlConnector } from './connector.js'
export type { MysqlConnectorOptions } from './connector-options.js'
