import { locksSuite } from './locks-suite.js'

locksSuite('mariadb')
