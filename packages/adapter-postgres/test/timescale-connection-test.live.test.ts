import { timescaleConnector } from '../src/index.js'
import { connectionTestSuite } from './connection-test-suite.js'
import { timescaleUrl } from './hypertables.js'

connectionTestSuite('TimescaleDB', {
  name: 'PostgreSQL',
  connectorOf: timescaleConnector,
  url: timescaleUrl,
  through: timescaleUrl,
  asksForPasswords: false,
  full: /no connection left.*max_connections/,
})
