import { namesSuite } from './names-suite.js'

namesSuite('mariadb')
