import { type Connector, defineConnector, parseSecrets } from '@habeas/core'
import { clientSettings } from './client-settings.js'
import { refuseForeignReplies } from './foreign-replies.js'
import { type MongodbConnectorOptions, mongodbSettings } from './mongodb-settings.js'

/** Reads and erases in MongoDB 5.0 and later. Throws `misconfigured` when an option is out of range. */
export function mongodbConnector(options: MongodbConnectorOptions = {}): Connector<'mongodb'> {
  const settings = mongodbSettings(options)
  return defineConnector({
    type: 'mongodb',
    category: 'database',
    // a server that stands alone lacks transactions and fencing: `Connection.lacks` says so
    capabilities: {
      ...{ maxKeys: 5_000, maxKeysWithoutIndex: 20_000, nestedFields: true, maxErased: 5_000 },
      ...{ transactions: true, rowLocks: false, enforcedKeys: true, fencing: true, sampled: true },
    },
    secrets: { parse: (input) => parseSecrets('mongodb', input) },
    async connect(secrets) {
      // the driver is loaded here: an application may have made the connector without using it
      await refuseForeignReplies()
      const { createMongoConnection } = await import('./mongo-connection.js')
      return createMongoConnection(() => clientSettings(secrets), settings)
    },
  })
}
