export { type SnowflakeConnectorOptions, snowflakeConnector } from './connector.js'
