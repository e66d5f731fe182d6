export { type MongodbConnectorOptions, mongodbConnector } from './connector.js'
