import { tablesSuite } from './tables-suite.js'

tablesSuite('mysql')
