import { jsonSuite } from './json-suite.js'

jsonSuite('mariadb')
