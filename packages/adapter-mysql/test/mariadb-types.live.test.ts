import { typesSuite } from './types-suite.js'

typesSuite('mariadb')
