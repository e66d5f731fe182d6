import { inSmallBatches } from '../../adapter-postgres/test/crash/crash-service.js'
import { runCrashChild } from '../../adapter-postgres/test/crash/run-crash-child.js'
import { connectorOf, type Kind } from './servers.js'

await runCrashChild((type) => inSmallBatches(connectorOf(type as Kind), 2))
