import { inSmallBatches } from '../../adapter-postgres/test/crash/crash-service.js'
import { runCrashChild } from '../../adapter-postgres/test/crash/run-crash-child.js'
import { mssqlConnector } from '../src/index.js'

await runCrashChild((_, options) => inSmallBatches(mssqlConnector(options), 2))
