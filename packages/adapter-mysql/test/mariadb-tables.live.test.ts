import { tablesSuite } from './tables-suite.js'

tablesSuite('mariadb')
