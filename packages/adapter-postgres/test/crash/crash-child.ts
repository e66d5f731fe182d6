import { postgresConnector } from '../../src/index.js'
import { inSmallBatches } from './crash-service.js'
import { runCrashChild } from './run-crash-child.js'

await runCrashChild((_, options) => inSmallBatches(postgresConnector(options), 100))
