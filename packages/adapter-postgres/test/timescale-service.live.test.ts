import { timescaleServer } from './hypertables.js'
import { serviceSuite } from './service-suite.js'

serviceSuite('TimescaleDB', timescaleServer)
