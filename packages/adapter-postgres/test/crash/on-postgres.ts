import { postgresConnector } from '../../src/index.js'
import { inSmallBatches } from './crash-service.js'

/** What the cases need whose people are in PostgreSQL as well. */
export const onPostgres = {
  connector: inSmallBatches(postgresConnector(), 100),
  program: new URL('./crash-child.ts', import.meta.url),
}
