export { type BigqueryConnectorOptions, bigqueryConnector } from './connector.js'
