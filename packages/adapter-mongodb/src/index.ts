export { mongodbConnector } from './connector.js'
export type { MongodbConnectorOptions } from './mongodb-settings.js'
