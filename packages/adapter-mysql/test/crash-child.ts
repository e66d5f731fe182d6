import { inSmallBatches } from '../../adapter-postgres/test/crash/crash-service.js'
import { runCrashChild } from '../../adapter-postgres/test/crash/run-crash-child.js'
import { connectorOf, type Kind } from './servers.js'

await runCrashChild((type, options) => inSmallBatches(connectorOf(type as Kind, options), 2))
