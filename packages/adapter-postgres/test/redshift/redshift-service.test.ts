import { redshiftConnector } from '../../src/index.js'
import { serviceSuite } from '../service-suite.js'
import { redshiftServer } from './redshift-database.js'

const server = redshiftServer()

serviceSuite('a double of Redshift', {
  connector: redshiftConnector(),
  open: (fixture) => server.open(fixture),
  url: () => server.url,
  writeLimits: ['row_locks', 'fencing'],
})
