import { onPostgres } from './on-postgres.js'
import { runCrashChild } from './run-crash-child.js'

await runCrashChild(() => onPostgres.connector)
