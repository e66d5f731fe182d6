import { locksSuite } from './locks-suite.js'

locksSuite('mysql')
